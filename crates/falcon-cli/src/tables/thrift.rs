//! Thrift's compact protocol. Checks the claims of a Parquet file before the `parquet` crate reads
//! them.

/// Largest number of columns of a file, and of fields of a struct. The `parquet` crate reserves
/// memory for the number that the footer claims.
pub(super) const MOST_FIELDS: u64 = 4096;

/// Depth of the most deeply nested struct. The `parquet` crate recurses to this depth.
pub(super) const DEEPEST: usize = 64;

/// Largest number of bytes of all fields' paths together. The `parquet` crate copies the names of
/// the structs around a field into the path of the field.
pub(super) const MOST_PATH_BYTES: u64 = 16 << 20;

/// Largest number of structs in lists of the footer outside of the schema, such as row groups,
/// their columns, and key-value pairs. The `parquet` crate reserves memory for the number that a
/// list claims, even if each struct has one byte. The structs that it writes have at least 15
/// bytes.
pub(super) const MOST_STRUCTS: u64 = 1 << 20;

/// Number of bytes counted for each name in a path besides its text.
const NAME_BYTES: u64 = 64;

/// Returns the uncompressed size that a page header claims. Returns `None` if a field occurs twice,
/// or if the header is malformed.
///
/// The `parquet` crate reserves this number of bytes before it decompresses. The header is a struct
/// in Thrift's compact protocol, which the crate reads again.
pub(super) fn uncompressed_size(header: &[u8]) -> Option<u64> {
    let mut rest = Thrift(header);
    let mut size = None;
    let mut last = 0;
    loop {
        let field = rest.byte()?;
        if field == 0 {
            return size;
        }
        // Field numbers ascend, so no field occurs twice. The long form of a number is only needed
        // for fields that do not ascend, so it is refused.
        let step = field >> 4;
        if step == 0 {
            return None;
        }
        last += u32::from(step);
        match (last, field & 15) {
            (2, 5) => {
                let zigzag = rest.varint()?;
                size = (zigzag & 1 == 0).then_some(zigzag >> 1);
                size?;
            }
            (2, _) => return None,
            (_, kind) => drop(rest.skip(kind, 4)?),
        }
    }
}

/// Returns true if the structs, fields and names that a footer claims are within the limits above,
/// so that the `parquet` crate can read it. Returns `None` if the footer is malformed.
pub(super) fn is_small(footer: &[u8]) -> Option<bool> {
    let mut rest = Thrift(footer);
    let mut last = 0;
    let mut structs: u64 = 0;
    loop {
        let (step, kind) = rest.field()?;
        if kind == 0 {
            return Some(true);
        }
        last += step;
        if last != 2 {
            structs += rest.skip(kind, 32)?;
            if structs > MOST_STRUCTS {
                return Some(false);
            }
            continue;
        }
        let (9, (12, count)) = (kind, rest.list()?) else {
            return None;
        };
        // For each struct around an element, the number of its remaining fields and the length of
        // its path in bytes.
        let mut around: Vec<(u64, u64)> = Vec::new();
        let mut path_bytes: u64 = 0;
        for _ in 0..count {
            let (name, fields) = rest.element()?;
            while around.last().is_some_and(|&(following, _)| following == 0) {
                around.pop();
            }
            let mut path = name + NAME_BYTES;
            if let Some((following, outer)) = around.last_mut() {
                *following -= 1;
                path += *outer;
            }
            path_bytes = path_bytes.saturating_add(path);
            if fields > 0 {
                around.push((fields, path));
            }
            if fields > MOST_FIELDS || around.len() > DEEPEST || path_bytes > MOST_PATH_BYTES {
                return Some(false);
            }
        }
    }
}

/// Bytes in Thrift's compact protocol.
pub(super) struct Thrift<'a>(pub(super) &'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.0.split_off_first().copied()
    }

    /// Reads a field header. Returns the step from the last field number to this one, and the kind.
    /// Kind 0 is the end of a struct. The long form of a number is refused.
    fn field(&mut self) -> Option<(u32, u8)> {
        let field = self.byte()?;
        (field == 0 || field >> 4 > 0).then_some((u32::from(field >> 4), field & 15))
    }

    /// Reads a list header: kind and number of the elements.
    fn list(&mut self) -> Option<(u8, u64)> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.varint()?,
            count => count.into(),
        };
        Some((header & 15, count))
    }

    /// Reads an element of a schema. Returns the length of its encoded name in bytes, and the
    /// number of fields that it claims.
    fn element(&mut self) -> Option<(u64, u64)> {
        let (mut name, mut fields) = (0, 0);
        let mut last = 0;
        loop {
            let (step, kind) = self.field()?;
            if kind == 0 {
                return Some((name, fields));
            }
            last += step;
            match (last, kind) {
                (4, 8) => {
                    let before = self.0.len();
                    self.skip(kind, 0)?;
                    name = (before - self.0.len()) as u64;
                }
                (5, 5) => {
                    let zigzag = self.varint()?;
                    fields = (zigzag & 1 == 0).then_some(zigzag >> 1)?;
                }
                (5, _) => return None,
                (_, kind) => drop(self.skip(kind, 32)?),
            }
        }
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Skips a value. Returns the number of structs in its lists.
    fn skip(&mut self, kind: u8, depth: u32) -> Option<u64> {
        let mut structs = 0;
        match kind {
            // The kinds 1 and 2 are the booleans true and false, which have no further bytes.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => drop(self.0.split_off(..8)?),
            8 => {
                let len = usize::try_from(self.varint()?).ok()?;
                self.0.split_off(..len)?;
            }
            // Parquet has no sets and maps, and no lists whose elements have no bytes.
            9 if depth > 0 => {
                let (kind, count) = self.list()?;
                if count > 0 && matches!(kind, 1 | 2) {
                    return None;
                }
                for _ in 0..count {
                    structs += u64::from(kind == 12) + self.skip(kind, depth - 1)?;
                }
            }
            12 if depth > 0 => loop {
                let field = self.byte()?;
                if field == 0 {
                    break;
                }
                if field >> 4 == 0 {
                    self.varint()?;
                }
                structs += self.skip(field & 15, depth - 1)?;
            },
            _ => return None,
        }
        Some(structs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a footer whose schema has elements with these numbers of fields.
    fn footer(fields: &[u64]) -> Vec<u8> {
        let varint = |bytes: &mut Vec<u8>, mut value: u64| {
            while value > 0x7f {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
        };
        // Version 1, then a list of structs.
        let mut bytes = vec![0x15, 2, 0x19, 0xfc];
        varint(&mut bytes, fields.len() as u64);
        for &fields in fields {
            // Name and number of fields.
            bytes.extend([0x48, 1, b'x', 0x15]);
            varint(&mut bytes, fields << 1);
            bytes.push(0);
        }
        // Number of rows, and no row groups.
        bytes.extend([0x16, 0, 0x19, 0, 0]);
        bytes
    }

    #[test]
    fn a_footer_that_claims_too_much_is_found() {
        let small = footer(&[2, 1, 0, 2, 0, 0]);
        assert_eq!(is_small(&small), Some(true));
        for end in 0..small.len() {
            assert_eq!(is_small(&small[..end]), None);
        }
        assert_eq!(is_small(&footer(&[4096])), Some(true));
        assert_eq!(is_small(&footer(&[4097])), Some(false));
        assert_eq!(is_small(&footer(&[2, i32::MAX as u64])), Some(false));
        assert_eq!(is_small(&footer(&[1; 64])), Some(true));
        assert_eq!(is_small(&footer(&[1; 65])), Some(false));
        // A struct with 100 structs as its fields is wide, but not deep.
        let flat: Vec<u64> = [100].into_iter().chain([1, 0].repeat(100)).collect();
        assert_eq!(is_small(&footer(&flat)), Some(true));
    }

    #[test]
    fn structs_in_lists_are_counted() {
        let claims = |list: &[u8], groups: &[u8]| {
            let mut bytes = footer(&[0]);
            // A list of row groups, which ends the footer.
            bytes.truncate(bytes.len() - 3);
            bytes.extend([list, groups, &[0]].concat());
            is_small(&bytes)
        };
        let most = MOST_STRUCTS as usize;
        let list = [0x19, 0xfc, 0x80, 0x80, 0x40];
        assert_eq!(claims(&list, &vec![0; most]), Some(true));
        assert_eq!(
            claims(&[0x19, 0xfc, 0x81, 0x80, 0x40], &vec![0; most + 1]),
            Some(false)
        );
        // One row group with `most` columns, which is one struct too many.
        let columns = [&list[..], &vec![0; most], &[0]].concat();
        assert_eq!(claims(&[0x19, 0x1c], &columns), Some(false));
        // Numbers do not count as structs.
        assert_eq!(
            claims(&[0x19, 0xf5, 0x81, 0x80, 0x40], &vec![0; most + 1]),
            Some(true)
        );
    }

    #[test]
    fn the_size_of_a_page_is_found_and_told_once() {
        // Type 0, 300 bytes uncompressed, 200 bytes compressed, and a struct with a binary of one
        // byte.
        let header = [
            0x15, 0, 0x15, 0xd8, 4, 0x15, 0x90, 3, 0x2c, 0x18, 1, 7, 0, 0,
        ];
        assert_eq!(uncompressed_size(&header), Some(300));
        for end in 0..header.len() {
            assert_eq!(uncompressed_size(&header[..end]), None);
        }
        // Repeats the field, in the long form.
        let mut twice = header.to_vec();
        twice.splice(8..8, [5, 4, 0xd8, 4]);
        assert_eq!(uncompressed_size(&twice), None);
        // A negative size.
        assert_eq!(uncompressed_size(&[0x15, 0, 0x15, 1, 0]), None);
    }

    #[test]
    fn values_are_skipped_to_their_ends() {
        let skip = |kind, depth, bytes: &[u8]| {
            let mut rest = Thrift(bytes);
            rest.skip(kind, depth)
                .map(|structs| (structs, rest.0.len()))
        };
        // An empty list, and a list of two empty structs.
        assert_eq!(skip(9, 1, &[5, 7]), Some((0, 1)));
        assert_eq!(skip(9, 0, &[5, 7]), None);
        assert_eq!(skip(9, 2, &[0x2c, 0, 0, 7]), Some((2, 1)));
        assert_eq!(skip(9, 1, &[0x2c, 0, 0, 7]), None);
        // A struct with a number, whose field has the short form, then the long form.
        assert_eq!(skip(12, 1, &[0x15, 9, 0, 7]), Some((0, 1)));
        assert_eq!(skip(12, 1, &[0x05, 4, 9, 0, 7]), Some((0, 1)));
        assert_eq!(skip(12, 0, &[0x15, 9, 0, 7]), None);
    }
}
