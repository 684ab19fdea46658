//! Compares the kernels, compiled for the CPU, with `falcon-core`.

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
