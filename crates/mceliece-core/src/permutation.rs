//! Permutations of the points, as the control bits of a Benes network.

pub(crate) mod benes;
pub(crate) mod control_bits;
pub(crate) mod look_ups;
