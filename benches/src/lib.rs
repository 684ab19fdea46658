//! Comparison with other implementations: the contestants ([`ours`], [`peers`]), the method
//! ([`rounds`]) and the requirements ([`bars`]). Also times batches by their size ([`throughput`]).

pub mod bars;
pub mod clock;
pub mod counts;
pub mod entry;
#[path = "../../crates/falcon-terminal/src/load.rs"]
pub mod load;
#[cfg(feature = "seeded")]
pub mod loops;
#[cfg(all(feature = "mceliece-rust", feature = "seeded"))]
pub mod mceliece;
pub mod ours;
pub mod peers;
pub mod provisional;
pub mod random;
pub mod report;
pub mod rounds;
#[cfg(feature = "seeded")]
pub mod seeded;
pub mod throughput;

/// Number of signatures that a verifier gets in turn, so that its branch predictor cannot learn a
/// single signature by heart.
pub const SIGNATURES: usize = 64;

/// Items that are used in turn, endlessly.
pub struct Cycle<T> {
    items: Vec<T>,
    next: usize,
}

impl<T> Cycle<T> {
    /// Creates the cycle of `items`. There must be at least one.
    pub fn new(items: Vec<T>) -> Self {
        assert!(!items.is_empty());
        Self { items, next: 0 }
    }

    /// Returns the next item.
    pub fn turn(&mut self) -> &T {
        let at = self.next;
        self.next = (at + 1) % self.items.len();
        &self.items[at]
    }
}
