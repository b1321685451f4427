//! A vector whose elements several workers write at once.
// SAFETY of the module: the callers of `get` and `read` promise that nobody else has the element.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;

/// Elements that workers write, each by the one worker that drew its index.
#[derive(Debug)]
pub(super) struct Cells<T>(pub(super) Vec<UnsafeCell<T>>);

// SAFETY: an element is reached only through `get`, whose caller promises to be the only one.
unsafe impl<T: Send> Sync for Cells<T> {}

impl<T> Cells<T> {
    /// # Safety
    /// No other reference to element `i` may exist while the result lives.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn get(&self, i: usize) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0[i].get() }
    }

    /// All of them.
    pub(super) fn all(&mut self) -> &[T] {
        let cells = self.0.as_mut_slice();
        // SAFETY: an UnsafeCell<T> is a T in memory; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), cells.len()) }
    }

    /// # Safety
    /// No exclusive reference to element `i` may exist while the result lives.
    pub(super) unsafe fn read(&self, i: usize) -> &T {
        // SAFETY: the caller's promise.
        unsafe { &*self.0[i].get() }
    }
}
