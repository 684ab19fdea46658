//! Registers that an instruction may name.

use crate::registers::{FLAGS, VECTORS};

/// Returns the registers that an instruction may name. Names are fields of five bits. Some
/// instructions use up to three registers after the named one, and calls write the return address.
pub(crate) fn candidates(word: u32) -> Vec<usize> {
    let mut all = groups(word).concat();
    all.sort_unstable();
    all
}

/// Returns the candidates in groups. Registers that only a few instructions use share one group.
pub(crate) fn groups(word: u32) -> Vec<Vec<usize>> {
    let field = |shift: u32| (word >> shift & 31) as usize;
    let fields = [field(0), field(5), field(10), field(16)];
    let named = fields.iter().flat_map(|&number| [number, VECTORS + number]);
    let mut named: Vec<_> = named.chain([FLAGS]).collect();
    named.sort_unstable();
    named.dedup();
    let after = [field(0), field(5), field(16)].into_iter();
    let after = after.flat_map(|first| (1..4).map(move |i| (first + i) % 32));
    // The highest bit of the field may belong to the index of a lane.
    let of_lane = VECTORS + field(16) % 16;
    let after = after
        .flat_map(|number| [number, VECTORS + number])
        .chain([30, of_lane]);
    let mut others: Vec<_> = after.filter(|register| !named.contains(register)).collect();
    others.sort_unstable();
    others.dedup();
    let mut groups: Vec<_> = named.into_iter().map(|register| vec![register]).collect();
    groups.push(others);
    groups
}
