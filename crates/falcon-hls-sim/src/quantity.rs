//! Formats numbers with nouns.

use std::fmt;

/// A number of things with its noun, singular or plural: `1 cycle`, `2 cycles`.
#[derive(Clone, Copy, Debug)]
pub struct Count(
    /// The number.
    pub u64,
    /// The noun in the singular; its plural ends in `s`.
    pub &'static str,
);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        let ending = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {noun}{ending}")
    }
}

/// A number of stalls among cycles, formatted as `no stalls` or `1 stall included`.
#[derive(Clone, Copy, Debug)]
pub struct Stalls(
    /// The number.
    pub u64,
);

impl fmt::Display for Stalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("no stalls"),
            count => write!(f, "{} included", Count(count, "stall")),
        }
    }
}
