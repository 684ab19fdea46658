//! Fixed-width fields, most significant bit first.
//!
//! The sequence of operations only depends on widths and lengths, so the values may be secret.

/// Returns the number of bytes of `count` fields of `width` bits.
pub(super) const fn packed_len(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Width of the widest field in bits. Four such fields and a half byte fit in 64 bits.
const MAX_WIDTH: u32 = 14;

/// Writes the low `width` bits of each value, where `width <= 14`. Spare bits of the last byte are
/// zero. `out` has [`packed_len`] bytes.
pub(super) fn pack(width: u32, mut values: impl Iterator<Item = u16>, out: &mut [u8]) {
    debug_assert!(width <= MAX_WIDTH);
    let mask = (1 << width) - 1;
    // Joins four fields, the first at the top of `4 * width` bits.
    let mut four = || {
        let mut word = 0u64;
        for _ in 0..4 {
            word = word << width | (u64::from(values.next().unwrap_or(0)) & mask);
        }
        u128::from(word)
    };
    // Eight fields are `width` bytes.
    for bytes in out.chunks_mut(width as usize) {
        let fields = four() << (128 - 4 * width) | four() << (128 - 8 * width);
        for (out, byte) in bytes.iter_mut().zip(fields.to_be_bytes()) {
            *out = byte;
        }
    }
}

/// Reads one field of `width` bits, `width <= 14`, for each element of `out`, and converts it with
/// `convert`. `bytes` holds [`packed_len`] bytes. Returns the spare bits of the last byte, which
/// are zero in a canonical encoding.
#[inline(always)]
pub(super) fn unpack<T>(
    width: u32,
    bytes: &[u8],
    out: &mut [T],
    mut convert: impl FnMut(u16) -> T,
) -> u8 {
    debug_assert!(width <= MAX_WIDTH);
    let mask = (1 << width) - 1;
    // Eight fields are `width` bytes. Four fields begin at the first byte. The other four begin at
    // byte `width / 2`, in its middle if `width` is odd.
    let mut read = 0;
    let (groups, _) = out.as_chunks_mut::<8>();
    for group in groups {
        let at = read * width as usize;
        let middle = at + width as usize / 2;
        let (Some(a), Some(b)) = (eight_bytes(bytes, at), eight_bytes(bytes, middle)) else {
            break;
        };
        let b = b << (4 * width % 8);
        for k in 0..4 {
            group[k] = convert((a >> (64 - width * (k as u32 + 1)) & mask) as u16);
        }
        for k in 0..4 {
            group[4 + k] = convert((b >> (64 - width * (k as u32 + 1)) & mask) as u16);
        }
        read += 1;
    }
    // Reads the fields that are too close to the end for whole words.
    let mut bytes = bytes.iter().skip(read * width as usize);
    let mut acc = 0u64;
    let mut acc_len = 0;
    for value in out.iter_mut().skip(8 * read) {
        while acc_len < width {
            acc = acc << 8 | u64::from(bytes.next().copied().unwrap_or(0));
            acc_len += 8;
        }
        acc_len -= width;
        *value = convert((acc >> acc_len & mask) as u16);
    }
    (acc & ((1 << acc_len) - 1)) as u8
}

/// Returns the eight bytes from `at` on as a number, with the first byte at the top.
#[inline(always)]
fn eight_bytes(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_be_bytes(*eight))
}

/// Returns the two's complement value of a field of `width` bits.
#[inline(always)]
pub(super) fn sign_extend(width: u32, field: u16) -> i16 {
    let shift = 16 - width;
    ((field << shift) as i16) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn fields_are_the_bits_in_order() {
        for width in 1..=MAX_WIDTH {
            for count in 0..70usize {
                let value = |i: usize| (i * 40_503 + count) as u16 & ((1 << width) - 1);
                let values: Vec<u16> = (0..count).map(value).collect();
                let bit = |i: usize| {
                    values[i / width as usize] >> (width as usize - 1 - i % width as usize) & 1
                };
                let mut expected = vec![0u8; packed_len(count, width)];
                for i in 0..count * width as usize {
                    expected[i / 8] |= (bit(i) as u8) << (7 - i % 8);
                }
                let mut bytes = vec![0xff; expected.len()];
                pack(width, values.iter().copied(), &mut bytes);
                assert_eq!(bytes, expected, "{count} of {width}");
                let mut fields = vec![0xffff; count];
                assert_eq!(unpack(width, &bytes, &mut fields, |x| x), 0);
                assert_eq!(fields, values, "{count} of {width}");
                // Sets each spare bit in turn. The result must show it.
                for spare in 0..8 * bytes.len() - count * width as usize {
                    *bytes.last_mut().expect("a spare bit is in a byte") ^= 1 << spare;
                    assert_eq!(unpack(width, &bytes, &mut fields, |x| x), 1 << spare);
                    *bytes.last_mut().expect("a spare bit is in a byte") ^= 1 << spare;
                }
            }
        }
    }
}
