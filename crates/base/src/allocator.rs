//! The system's allocator without its aligned blocks: what glibc frees of those (2.36, at least) it hardly uses again, and
//! a program that makes many networks one after another, each with buffers aligned for vectors, grew by 260 kB a network
//! of which it held two. Programs name it as their global allocator; no result depends on it.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

/// Passes everything on to the system. An aligned block lies inside a plain one with `align` bytes more; the word before it
/// holds its distance to the beginning of that one.
pub struct Allocator;

impl Allocator {
    /// Keeps up to 32 MB of freed memory per thread: glibc otherwise returns it from 128 kB on and asks for it again, which
    /// costs a search that draws on two threads an eighth of its time. It sets that limit to twice the largest block that
    /// it has seen freed, up to this one.
    pub fn keep_freed() {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(16 << 20)));
    }
}

/// The alignment that every block of the system has.
const PLAIN: usize = 2 * size_of::<usize>();

/// The system's block for an aligned one. `None` if there is no such size.
fn room(layout: Layout) -> Option<Layout> {
    Layout::from_size_align(layout.size().checked_add(layout.align())?, PLAIN).ok()
}

/// The first aligned place behind the beginning of a block. It is at least `PLAIN` behind it: beginnings are multiples of
/// that, and so are alignments above it.
///
/// # Safety
/// `start` is null, or a block of `align` bytes or more that begins at a multiple of `PLAIN`.
unsafe fn aligned(start: *mut u8, align: usize) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    let distance = align - start.addr() % align;
    // SAFETY: 0 < distance ≤ align, and the bytes before it are nobody's.
    unsafe {
        let place = start.add(distance);
        place.cast::<usize>().sub(1).write(distance);
        place
    }
}

// SAFETY: blocks are the system's own, or lie in one of its with `align` bytes more; they are given back by where that
// one begins.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match room(layout) {
            _ if layout.align() <= PLAIN => unsafe { System.alloc(layout) },
            Some(room) => unsafe { aligned(System.alloc(room), layout.align()) },
            None => std::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match room(layout) {
            _ if layout.align() <= PLAIN => unsafe { System.alloc_zeroed(layout) },
            Some(room) => unsafe { aligned(System.alloc_zeroed(room), layout.align()) },
            None => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match room(layout) {
            Some(room) if layout.align() > PLAIN => unsafe {
                let distance = pointer.cast::<usize>().sub(1).read();
                System.dealloc(pointer.sub(distance), room);
            },
            _ => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= PLAIN {
            return unsafe { System.realloc(pointer, layout, size) };
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else {
            return std::ptr::null_mut();
        };
        // SAFETY: both blocks have so many bytes, and they are not the same.
        unsafe {
            let new = self.alloc(wanted);
            if !new.is_null() {
                pointer.copy_to_nonoverlapping(new, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_keep_their_bytes_and_are_given_back() {
        for align in [1, 8, 16, 32, 64, 4096] {
            for size in [1, 63, 64, 1000, 300_000] {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: the block is written within its size, and given back as it was asked for.
                unsafe {
                    let zeroed = Allocator.alloc_zeroed(layout);
                    assert!(zeroed.addr().is_multiple_of(align) && *zeroed.add(size - 1) == 0);
                    zeroed.write_bytes(7, size);
                    let longer = Allocator.realloc(zeroed, layout, 2 * size);
                    assert!(longer.addr().is_multiple_of(align));
                    assert!((0..size).all(|i| *longer.add(i) == 7));
                    let layout = Layout::from_size_align(2 * size, align).unwrap();
                    longer.write_bytes(8, 2 * size);
                    Allocator.dealloc(longer, layout);
                }
            }
        }
        let none = Layout::from_size_align(isize::MAX as usize - 63, 64).unwrap();
        // SAFETY: nothing is written.
        assert!(unsafe { Allocator.alloc(none) }.is_null());
    }
}
