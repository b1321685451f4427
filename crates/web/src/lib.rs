//! The engine in a browser: one request in JSON (and bytes), one answer in JSON (and bytes).
//!
//! The page's worker (`page/worker.js`) writes a request into [`room`], calls [`ask`], and reads the answer. What can
//! be asked is a line each of [`desk::answer`]. Everything else is the engine's.
#![warn(missing_docs)]
// SAFETY of the file: a module of WebAssembly has one thread. Addresses that are handed out belong to buffers of the
// desk; they hold until the next call of `room` or `ask`, and the worker reads them before it calls again.
#![allow(unsafe_code)]

mod answers;
mod desk;
mod held;
mod sessions;
mod state;

use state::{Answer, Desk};
use std::cell::RefCell;

/// The buffers and the state that the worker and the desk share.
#[derive(Default)]
struct Counter {
    request: Vec<u8>,
    text: String,
    bytes: Vec<u8>,
    desk: Desk,
}

thread_local! {
    static COUNTER: RefCell<Counter> = RefCell::default();
}

fn at_counter<T>(act: impl FnOnce(&mut Counter) -> T) -> T {
    COUNTER.with(|counter| act(&mut counter.borrow_mut()))
}

/// The address of `bytes` bytes to write a request into.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    at_counter(|counter| {
        counter.request.resize(bytes, 0);
        counter.request.as_mut_ptr()
    })
}

/// Answers the request, whose first `text` bytes are its address and its parameters. 0: answered; 1: refused, the answer says why.
#[unsafe(no_mangle)]
pub extern "C" fn ask(text: usize) -> u32 {
    at_counter(|counter| {
        let request = std::mem::take(&mut counter.request);
        let (text, bytes) = request.split_at(text.min(request.len()));
        let answered = desk::answer(&mut counter.desk, text, bytes);
        let refused = u32::from(answered.is_err());
        let refusal = |why: String| Answer {
            json: serde_json::json!({ "error": why }).to_string(),
            bytes: Vec::new(),
        };
        let Answer { json, bytes } = answered.unwrap_or_else(refusal);
        (counter.text, counter.bytes) = (json, bytes);
        refused
    })
}

/// The address of the answer's JSON.
#[unsafe(no_mangle)]
pub extern "C" fn text_at() -> *const u8 {
    at_counter(|counter| counter.text.as_ptr())
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn text_length() -> usize {
    at_counter(|counter| counter.text.len())
}

/// The address of the answer's bytes.
#[unsafe(no_mangle)]
pub extern "C" fn bytes_at() -> *const u8 {
    at_counter(|counter| counter.bytes.as_ptr())
}

/// Their number.
#[unsafe(no_mangle)]
pub extern "C" fn bytes_length() -> usize {
    at_counter(|counter| counter.bytes.len())
}

/// 1 where a multiply-add rounds once: pictures then have the library's bits. Else 0.
#[unsafe(no_mangle)]
pub extern "C" fn fuses() -> u32 {
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    {
        use std::arch::wasm32::{f32x4_extract_lane, f32x4_relaxed_madd, f32x4_splat};
        // (1 + 2⁻¹²)² − (1 + 2⁻¹¹) is 2⁻²⁴ if the product keeps its last bit, and 0 if it is rounded.
        let a = std::hint::black_box(f32x4_splat(1.0 + 1.0 / 4096.0));
        let c = std::hint::black_box(f32x4_splat(-(1.0 + 1.0 / 2048.0)));
        return u32::from(f32x4_extract_lane::<0>(f32x4_relaxed_madd(a, a, c)) != 0.0);
    }
    #[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
    0
}
