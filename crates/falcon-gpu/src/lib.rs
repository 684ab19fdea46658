//! Falcon (FN-DSA) batches on a GPU, the same bytes as on the processor.

pub mod kernels;
