//! Compares the operations of [`Bytes`] with the portable operations and with their definitions.

use crate::{Baseline, Bytes, Member};
use core::array::from_fn;

/// Compares the operations of `bytes` with those of [`Baseline`], on repeatable random bytes.
/// Crates that implement [`Bytes`] call this in their tests.
///
/// # Panics
/// If a result is different.
#[doc(hidden)]
pub fn compare_bytes_with_baseline<B: Bytes>(bytes: B) {
    bytes.vectorize(
        #[inline(always)]
        || compare(bytes, Baseline),
    );
}

/// Compares the maps of a family with their definition. Maps the lines 0 and 1 of `memory`, after
/// the high bits of line 1 are cleared. Line 2 has the numbers.
#[inline(always)]
fn compare_families<B: Bytes>(
    bytes: B,
    oracle: Baseline,
    memory: [[u64; 8]; 3],
    images: [[u64; 4]; 13],
    round: usize,
) {
    let [line, below_32, numbers] = memory;
    let below_32 = below_32.map(|word| word & 0x1f1f_1f1f_1f1f_1f1f);
    let arranged = |mut line: [u64; 8]| {
        bytes.arrange(&mut line);
        bytes.load(&line)
    };
    let family = bytes.family(&images);
    let their_family = oracle.family(&images);
    let member = |number: u16| {
        let [low, high] = number.to_le_bytes();
        // Only the first bytes count. The bytes after them have no effect.
        let [low, high] = [(low, numbers[1]), (high, numbers[2])].map(|(byte, rest)| {
            let mut line = [rest; 8];
            line[0] = rest << 8 | u64::from(byte);
            line
        });
        let theirs = [low, high].map(|mut line| {
            oracle.arrange(&mut line);
            line
        });
        (
            bytes.member(&family, arranged(low), arranged(high)),
            oracle.member(&their_family, theirs[0], theirs[1]),
        )
    };
    let check = |member: &Member<B>, number: u16| {
        let expected = (0..13).filter(|i| number >> i & 1 == 1);
        let expected: [u64; 4] = from_fn(|k| expected.clone().fold(0, |sum, i| sum ^ images[i][k]));
        let mapped = |images: u64, byte: u8| {
            let bits = (0..8).filter(|j| byte >> j & 1 == 1);
            bits.fold(0u8, |sum, j| sum ^ (images >> (8 * j)) as u8)
        };
        let x = arranged(line);
        for k in 0..2 {
            let image = bytes.mapped(&member.maps[k], &bytes.split(x));
            let sum = bytes.add_short_mapped(image, &member.short_maps[k], arranged(below_32));
            let mut out = [0; 8];
            bytes.store(sum, &mut out);
            bytes.rearrange(&mut out);
            for place in 0..64 {
                let byte = |line: &[u64; 8]| line[place / 8].to_le_bytes()[place % 8];
                let first = mapped(expected[k], byte(&line));
                let second = mapped(expected[2 + k], byte(&below_32));
                assert_eq!(byte(&out), first ^ second, "round {round}, {place}");
            }
        }
    };
    let random = numbers[0] as u16 & 0x1fff;
    for number in [0, 1, 0x80, 0x100, 0x1000, 0x1fff, random] {
        let (ours, theirs) = member(number);
        check(&ours, number);
        let (mut other, _) = member(!number & 0x1fff);
        other.replace(bytes, 0, &ours);
        check(&other, !number & 0x1fff);
        other.replace(bytes, u64::MAX, &ours);
        check(&other, number);
        // The portable operations are compared, too.
        let expected = bytes.mapped(&ours.maps[0], &bytes.split(arranged(line)));
        let mut planes = line;
        oracle.arrange(&mut planes);
        let mut image = oracle.mapped(&theirs.maps[0], &planes);
        oracle.rearrange(&mut image);
        let mut out = [0; 8];
        bytes.store(expected, &mut out);
        bytes.rearrange(&mut out);
        assert_eq!(out, image, "round {round}");
    }
}

/// Compares [`Bytes::add_products`] with its definition.
#[inline(always)]
fn compare_products<B: Bytes>(bytes: B, images: &[[u64; 4]; 13], next: &mut impl FnMut() -> u64) {
    let product = |number: u16, [low, high]: [u8; 2]| -> [u8; 2] {
        let mapped = |map: usize, byte: u8| {
            let chosen = (0..13).filter(|i| number >> i & 1 == 1);
            let images = chosen.fold(0, |sum, i| sum ^ images[i][map]).to_le_bytes();
            let bits = (0..8).filter(|j| byte >> j & 1 == 1);
            bits.fold(0, |sum, j| sum ^ images[j])
        };
        from_fn(|to| mapped(to, low) ^ mapped(2 + to, high))
    };
    let family = bytes.family(images);
    // Converts the bytes of each line to the order of the operation, and back.
    let arranged = |mut lines: [[u64; 8]; 3]| {
        lines.iter_mut().for_each(|line| bytes.arrange(line));
        lines
    };
    let byte = |lines: &[[u64; 8]; 3], place: usize| {
        let mut line = lines[place / 64];
        bytes.rearrange(&mut line);
        line[place % 64 / 8].to_le_bytes()[place % 8]
    };
    for cleared in [0, 5, 63, 64, 100, 127, 128, 190] {
        for mask in [0, u64::MAX] {
            let mut random =
                |mask: u64| -> [[u64; 8]; 3] { arranged(from_fn(|_| from_fn(|_| next() & mask))) };
            let mut x = [random(u64::MAX), random(0x1f1f_1f1f_1f1f_1f1f)];
            let mut y = [random(u64::MAX), random(0x1f1f_1f1f_1f1f_1f1f)];
            let (old_x, old_y) = (x, y);
            let numbers = [next() as u16 & 0x1fff, next() as u16 & 0x1fff];
            let [a, b] = numbers.map(|number| {
                let [low, high] = number.to_le_bytes().map(|byte| {
                    let mut line = [u64::from(byte), 0, 0, 0, 0, 0, 0, 0];
                    bytes.arrange(&mut line);
                    bytes.load(&line)
                });
                bytes.member(&family, low, high)
            });
            let ([x_low, x_high], [y_low, y_high]) = (&mut x, &mut y);
            bytes.add_products(
                [&a, &b],
                mask,
                [x_low, x_high],
                [&mut y_low[..2], &mut y_high[..2]],
                cleared,
            );
            let element =
                |of: &[[[u64; 8]; 3]; 2], place| [byte(&of[0], place), byte(&of[1], place)];
            for place in 0..128 {
                let z = element(&old_x, place + 1);
                let kept = if place == cleared {
                    [0; 2]
                } else {
                    element(&old_y, place)
                };
                let (first, second) = (product(numbers[0], z), product(numbers[1], kept));
                let sum = [first[0] ^ second[0], first[1] ^ second[1]];
                assert_eq!(element(&x, place), sum, "{place}, {cleared} cleared");
                let replaced = if mask == 0 { kept } else { z };
                assert_eq!(element(&y, place), replaced, "{place}, {cleared} cleared");
            }
            for place in 128..192 {
                assert_eq!(element(&x, place), element(&old_x, place), "{place}");
            }
        }
    }
}

#[inline(always)]
fn compare<B: Bytes>(bytes: B, oracle: Baseline) {
    let mut state = 0u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    for round in 0..40 {
        let memory: [[u64; 8]; 3] = from_fn(|_| from_fn(|_| next()));
        let (mut ours, mut theirs) = (memory, memory);
        for line in &mut ours {
            bytes.arrange(line);
        }
        for line in &mut theirs {
            oracle.arrange(line);
        }
        let equal = |x: B::Line, y: [u64; 8]| {
            let (mut out, mut expected) = ([0; 8], [0; 8]);
            bytes.store(x, &mut out);
            bytes.rearrange(&mut out);
            oracle.store(y, &mut expected);
            oracle.rearrange(&mut expected);
            assert_eq!(out, expected, "round {round}");
        };
        let (images, sets) = (next(), from_fn(|_| next()));
        let x = [bytes.load(&ours[0]), bytes.load(&ours[1])];
        let y = [oracle.load(&theirs[0]), oracle.load(&theirs[1])];
        equal(x[0], y[0]);
        assert_eq!(bytes.first(x[0]), memory[0][0] as u8);
        assert_eq!(oracle.first(y[0]), memory[0][0] as u8);
        for start in [0, 1, 7, 63, 64, 64 + round, 127, 128] {
            let x = bytes.load_from(&ours, start);
            equal(x, oracle.load_from(&theirs, start));
        }
        equal(
            bytes.first_eight(x[0], x[1]),
            oracle.first_eight(y[0], y[1]),
        );
        equal(bytes.shifted(x[0], x[1]), oracle.shifted(y[0], y[1]));
        for byte in [0, 1, 15, 16, 31, 32, 62, 63, 64, 65, usize::MAX] {
            equal(bytes.cleared(x[0], byte), oracle.cleared(y[0], byte));
        }
        for mask in [0, u64::MAX] {
            let select = oracle.select(mask, y[0], y[1]);
            equal(bytes.select(mask, x[0], x[1]), select);
        }
        let map = bytes.map(images);
        let sum = oracle.add_mapped(y[0], &oracle.map(images), &oracle.split(y[1]));
        equal(bytes.add_mapped(x[0], &map, &bytes.split(x[1])), sum);
        let image = oracle.mapped(&oracle.map(images), &oracle.split(y[1]));
        equal(bytes.mapped(&map, &bytes.split(x[1])), image);
        compare_families(
            bytes,
            oracle,
            memory,
            from_fn(|_| from_fn(|_| next())),
            round,
        );
        let of_family = from_fn(|_| from_fn(|_| next()));
        compare_products(bytes, &of_family, &mut next);
        compare_products(oracle, &of_family, &mut next);
        let (sums, map) = bytes.sums(&bytes.sets(&sets), x[0]);
        let (expected, their_map) = oracle.sums(&oracle.sets(&sets), y[0]);
        assert_eq!(sums, expected, "round {round}");
        let sum = oracle.add_mapped(y[0], &their_map, &oracle.split(y[1]));
        equal(bytes.add_mapped(x[0], &map, &bytes.split(x[1])), sum);
        for start in [0, 56, 64, 184] {
            bytes.replace_eight(&mut ours, start, images);
            oracle.replace_eight(&mut theirs, start, images);
        }
        for (ours, theirs) in ours.iter().zip(&theirs) {
            equal(bytes.load(ours), oracle.load(theirs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_operations_equal_themselves() {
        compare_bytes_with_baseline(Baseline);
    }
}
