//! Batches through the whole crate, on a device of the host.

mod divided;
mod grain;
mod messages;
mod resident_keys;
mod support;
