//! Fields of bits, most significant bit first. This code is independent of the decoders under test.

/// Capacity in bytes, which is enough for the longest encoding.
const LONGEST: usize = 2400;

/// Writes fields of bits.
pub struct BitWriter {
    bytes: Vec<u8>,
    acc: u64,
    acc_len: u32,
}

impl Default for BitWriter {
    fn default() -> Self {
        Self {
            bytes: Vec::with_capacity(LONGEST),
            acc: 0,
            acc_len: 0,
        }
    }
}

impl BitWriter {
    /// Appends the low `width` bits of `field`, at most 32.
    pub fn push(&mut self, field: u64, width: u32) {
        self.acc = self.acc << width | (field & ((1 << width) - 1));
        self.acc_len += width;
        if self.acc_len >= 32 {
            self.acc_len -= 32;
            let word = (self.acc >> self.acc_len) as u32;
            self.bytes.extend(word.to_be_bytes());
        }
    }

    /// Fills the last byte with the bits of `spare` and returns all bytes.
    pub fn finish(mut self, spare: u8) -> Vec<u8> {
        if !self.acc_len.is_multiple_of(8) {
            self.push(spare.into(), 8 - self.acc_len % 8);
        }
        while self.acc_len > 0 {
            self.acc_len -= 8;
            self.bytes.push((self.acc >> self.acc_len) as u8);
        }
        self.bytes
    }
}

/// Reads bits from the start of `bytes`, and zeros after the end of `bytes`.
pub struct BitReader<'a> {
    /// Bytes that are still to be read.
    rest: &'a [u8],
    /// The next bits, from the highest bit on. After the first `acc_len` bits, there may be bits
    /// that are still in `rest`.
    acc: u64,
    acc_len: u32,
    /// Number of bits that are still to be read.
    left: usize,
}

impl<'a> BitReader<'a> {
    /// Makes a reader that begins at the first bit.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            acc: 0,
            acc_len: 0,
            left: 8 * bytes.len(),
        }
    }

    /// Reads `width` bits, 1 to 16.
    pub fn take(&mut self, width: u32) -> u16 {
        let field = self.next_bits() >> (64 - width);
        self.skip(width);
        field as u16
    }

    /// Reads a number in unary: at most `max` and at most 31 zeros, and the bit after them.
    pub fn take_unary(&mut self, max: u32) -> u32 {
        let in_bytes = self.left.saturating_sub(1).min(max as usize) as u32;
        let zeros = self.next_bits().leading_zeros().min(in_bytes);
        self.skip(zeros + 1);
        zeros
    }

    /// Returns 64 bits. At least the first 32 of them are the next bits.
    fn next_bits(&mut self) -> u64 {
        if self.acc_len >= 32 {
            return self.acc;
        }
        if let Some(next) = self.rest.first_chunk() {
            self.acc |= u64::from_be_bytes(*next) >> self.acc_len;
            let count = (63 - self.acc_len) / 8;
            self.rest = &self.rest[count as usize..];
            self.acc_len += 8 * count;
            return self.acc;
        }
        while self.acc_len <= 56 {
            if let Some((&byte, rest)) = self.rest.split_first() {
                self.acc |= u64::from(byte) << (56 - self.acc_len);
                self.rest = rest;
            }
            self.acc_len += 8;
        }
        self.acc
    }

    fn skip(&mut self, width: u32) {
        self.acc <<= width;
        self.acc_len -= width;
        self.left = self.left.saturating_sub(width as usize);
    }
}

/// Reads `count` fields of `width` bits, 1 to 16. Bits after the end of the bytes are zeros.
pub fn fields(bytes: &[u8], width: u32, count: usize) -> Vec<u16> {
    let len = (count * width as usize).div_ceil(8);
    let mut padded = Vec::with_capacity(len + 4);
    padded.extend(&bytes[..bytes.len().min(len)]);
    padded.resize(len + 4, 0);
    // Reads each field independently, so that no read waits for the previous one. `BitReader` works
    // differently.
    let field = |i: usize| {
        let at = i * width as usize;
        let four = padded[at / 8..].first_chunk().copied();
        u32::from_be_bytes(four.unwrap_or_default()) << (at % 8) >> (32 - width)
    };
    (0..count).map(|i| field(i) as u16).collect()
}

/// Reads `count` signed fields of `width` bits, 1 to 16.
pub fn signed_fields(bytes: &[u8], width: u32, count: usize) -> Vec<i16> {
    let shift = 16 - width;
    let signed = |field: u16| (field << shift) as i16 >> shift;
    let fields = fields(bytes, width, count);
    fields.into_iter().map(signed).collect()
}
