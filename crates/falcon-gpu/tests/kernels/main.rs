//! Compares the kernels, on the processor, with `falcon-core`.

#[path = "../core/attempts.rs"]
mod attempts;
mod bounds;
mod chain;
mod common;
mod known_answers;
mod lanes;
mod parts;
mod sampler;
mod signing;
mod stream;
mod verifying;
