//! Fixed-width fields, most significant bit first.
//!
//! The sequence of operations depends on widths and lengths only, so secret
//! values may pass through.

/// Bytes that `count` fields of `width` bits take.
pub(super) const fn packed_len(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Writes the low `width` bits of each value, `width <= 16`; spare bits of the
/// last byte are zero. `out` holds [`packed_len`] bytes.
pub(super) fn pack(width: u32, values: impl Iterator<Item = u16>, out: &mut [u8]) {
    let mask = (1 << width) - 1;
    let mut out = out.iter_mut();
    let mut acc = 0u32;
    let mut acc_len = 0;
    for value in values {
        acc = (acc << width) | (u32::from(value) & mask);
        acc_len += width;
        while acc_len >= 8 {
            acc_len -= 8;
            if let Some(byte) = out.next() {
                *byte = (acc >> acc_len) as u8;
            }
        }
    }
    if acc_len > 0
        && let Some(byte) = out.next()
    {
        *byte = (acc << (8 - acc_len)) as u8;
    }
}

/// Reads one field of `width` bits, `width <= 16`, for each element of `out`
/// through `convert`. `bytes` holds [`packed_len`] bytes. The result is the
/// spare bits of the last byte, zero in a canonical encoding.
pub(super) fn unpack<T>(
    width: u32,
    bytes: &[u8],
    out: &mut [T],
    mut convert: impl FnMut(u16) -> T,
) -> u8 {
    let mask = (1 << width) - 1;
    let mut bytes = bytes.iter();
    let mut acc = 0u32;
    let mut acc_len = 0;
    for value in out {
        while acc_len < width {
            acc = (acc << 8) | u32::from(bytes.next().copied().unwrap_or(0));
            acc_len += 8;
        }
        acc_len -= width;
        *value = convert(((acc >> acc_len) & mask) as u16);
    }
    (acc & ((1 << acc_len) - 1)) as u8
}

/// The two's complement value of a field of `width` bits.
#[inline(always)]
pub(super) fn sign_extend(width: u32, field: u16) -> i16 {
    let shift = 16 - width;
    ((field << shift) as i16) >> shift
}
