//! Batches through the whole crate, on a device that the host emulates.

#[path = "../core/attempts.rs"]
mod attempts;
mod callers;
mod divided;
mod fixture;
mod longest;
mod messages;
mod refused;
mod resident_keys;
mod silent;
mod support;
mod wrong;
