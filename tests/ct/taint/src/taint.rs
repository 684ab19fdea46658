//! The secret bytes of registers and memory.
//!
//! A mask has one bit for each byte: bit `i` is set if byte `i` of the value is secret.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Returns a mask with `length` bits, one for each byte.
pub(crate) const fn bytes(length: usize) -> u64 {
    if length >= 64 { !0 } else { (1 << length) - 1 }
}

/// Returns a bit for each byte of `value` that is not zero.
pub(crate) fn nonzero_bytes(value: u64) -> u64 {
    let bytes = value.to_le_bytes().into_iter().enumerate();
    bytes.fold(0, |all, (i, byte)| all | u64::from(byte != 0) << i)
}

/// Secret bytes of the registers.
#[derive(Default)]
pub(crate) struct Registers {
    /// General registers, in the order of their encoding.
    pub(crate) general: [u8; 16],
    pub(crate) vectors: [u64; 32],
    pub(crate) masks: [u8; 8],
    /// Secret flags, in the bits of iced's `RflagsBits`.
    pub(crate) flags: u32,
}

const PAGE_BITS: u32 = 12;
const WORDS: usize = (1 << PAGE_BITS) / 64;
/// Number of pages that can be found without a search.
const CACHED: usize = 1 << 12;

type Page = [u64; WORDS];

/// Spreads page numbers over a table.
#[derive(Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("pages are numbers");
    }

    fn write_u64(&mut self, page: u64) {
        self.0 = page.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Secret bytes of memory.
pub struct Memory {
    /// Maps a page number to an index into `pages`.
    places: HashMap<u64, u32, BuildHasherDefault<PageHasher>>,
    /// All pages that were never secret share the first page.
    pages: Vec<Page>,
    cache: Vec<(u64, u32)>,
}

impl Memory {
    /// Creates memory without secrets.
    #[expect(clippy::new_without_default, reason = "it is large")]
    pub fn new() -> Self {
        Self {
            places: HashMap::default(),
            pages: vec![[0; WORDS]],
            cache: vec![(u64::MAX, 0); CACHED],
        }
    }

    #[inline(always)]
    fn place(&mut self, page: u64) -> u32 {
        let entry = &mut self.cache[page as usize % CACHED];
        if entry.0 != page {
            *entry = (page, self.places.get(&page).copied().unwrap_or(0));
        }
        entry.1
    }

    fn place_for_writing(&mut self, page: u64) -> u32 {
        let place = self.place(page);
        if place != 0 {
            return place;
        }
        let place = self.pages.len() as u32;
        self.pages.push([0; WORDS]);
        self.places.insert(page, place);
        self.cache[page as usize % CACHED] = (page, place);
        place
    }

    /// Returns the mask of `length <= 64` bytes at `address`.
    #[inline(always)]
    pub fn read(&mut self, address: u64, length: usize) -> u64 {
        let (word, shift) = (address / 64, address % 64);
        let low = self.word(word) >> shift;
        let high = if shift as usize + length > 64 {
            self.word(word.wrapping_add(1)) << (64 - shift)
        } else {
            0
        };
        (low | high) & bytes(length)
    }

    #[inline(always)]
    fn word(&mut self, word: u64) -> u64 {
        let place = self.place(word >> (PAGE_BITS - 6));
        self.pages[place as usize][word as usize % WORDS]
    }

    /// Sets the mask of `length <= 64` bytes at `address`.
    #[inline(always)]
    pub fn write(&mut self, address: u64, length: usize, mask: u64) {
        let (word, shift) = (address / 64, address % 64);
        let all = bytes(length);
        self.set_word(word, all << shift, mask << shift);
        if shift as usize + length > 64 {
            self.set_word(
                word.wrapping_add(1),
                all >> (64 - shift),
                mask >> (64 - shift),
            );
        }
    }

    #[inline(always)]
    fn set_word(&mut self, word: u64, which: u64, mask: u64) {
        let page = word >> (PAGE_BITS - 6);
        let mut place = self.place(page);
        if place == 0 {
            if mask & which == 0 {
                return;
            }
            place = self.place_for_writing(page);
        }
        let old = &mut self.pages[place as usize][word as usize % WORDS];
        *old = *old & !which | mask & which;
    }

    /// Marks a range as secret or as public.
    pub fn fill(&mut self, address: u64, length: u64, secret: bool) {
        let mask = if secret { !0 } else { 0 };
        let end = address.saturating_add(length);
        let mut next = address;
        while next < end {
            // Skips whole pages that were never secret.
            if !secret && self.place(next >> PAGE_BITS) == 0 {
                next = (next >> PAGE_BITS).wrapping_add(1) << PAGE_BITS;
                continue;
            }
            let length = (64 - next % 64).min(end - next);
            self.write(next, length as usize, mask);
            next += length;
        }
    }

    /// Copies the masks of a range to another range, which must not overlap it.
    pub(crate) fn copy(&mut self, from: u64, to: u64, length: u64) {
        let mut done = 0;
        while done < length {
            let part = (length - done).min(64);
            let mask = self.read(from + done, part as usize);
            self.write(to + done, part as usize, mask);
            done += part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_what_was_written_across_pages() {
        let mut memory = Memory::new();
        let end = 7 << PAGE_BITS;
        memory.write(end - 3, 8, 0b1010_0101);
        assert_eq!(memory.read(end - 3, 8), 0b1010_0101);
        assert_eq!(memory.read(end - 4, 2), 0b10);
        memory.fill(end - 100, 300, true);
        assert_eq!(memory.read(end - 100, 64), !0);
        assert_eq!(memory.read(end + 199, 2), 1);
        memory.copy(end - 100, 5, 300);
        assert_eq!(memory.read(4, 3), 0b110);
        assert_eq!(memory.read(304, 2), 1);
        memory.fill(0, 1 << 20, false);
        assert_eq!(memory.read(end - 3, 8) | memory.read(5, 64), 0);
    }
}
