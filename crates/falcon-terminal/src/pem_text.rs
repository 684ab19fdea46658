//! Finds PEM blocks in a text.

use base64ct::{Base64Unpadded, Encoding};
use zeroize::Zeroizing;

/// Byte-order mark that some editors write at the start of a text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// First bytes of the line that begins a PEM block.
pub const BEGIN: &[u8] = b"-----BEGIN ";

/// First bytes of the line that ends a PEM block.
const END: &[u8] = b"-----END ";

/// Returns the non-empty lines of a text, trimmed, each with its number from 1.
fn text_lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    (1..)
        .zip(text.split(|&byte| byte == b'\n'))
        .flat_map(|(number, line)| {
            let parts = line.split(|&byte| byte == b'\r');
            parts.map(move |part| (number, part.trim_ascii()))
        })
        .filter(|(_, line)| !line.is_empty())
}

/// Returns the PEM blocks of a text, without additions of mail programs and editors: a byte order
/// mark, text around a block, empty lines, spaces around lines. Texts that differ only in these
/// give the same blocks. The bytes in the blocks are decoded strictly.
///
/// Refuses lines outside of the blocks that have the dashes of a boundary. Otherwise a block with a
/// damaged boundary would be mistaken for text, and its key would be silently left out.
///
/// # Errors
/// If there is such a line, and at least one block. The error text continues a sentence that begins
/// with the path.
pub fn pem_blocks(text: &[u8]) -> Result<Vec<Zeroizing<Vec<u8>>>, String> {
    let mut lines = text_lines(text);
    let mut blocks = Vec::new();
    let mut stray = None;
    while let Some((number, begin)) = lines.next() {
        if !begin.starts_with(BEGIN) {
            if stray.is_none() && begin.windows(5).any(|it| it == b"-----") {
                stray = Some(number);
            }
            continue;
        }
        let mut block = vec![begin];
        for (_, line) in lines.by_ref() {
            block.push(line);
            if line.starts_with(END) {
                break;
            }
        }
        // Growing memory would leave copies of the secret.
        let len = block.iter().map(|line| line.len() + 1).sum();
        let mut pem = Zeroizing::new(Vec::with_capacity(len));
        for line in block {
            pem.extend_from_slice(line);
            pem.push(b'\n');
        }
        blocks.push(pem);
    }
    match stray {
        // If there is no block, the file is not PEM.
        Some(number) if !blocks.is_empty() => Err(format!(
            "has dashes (-----) in line {number}, outside of the PEM blocks: \
            remove the line, or repair the block that begins or ends there"
        )),
        _ => Ok(blocks),
    }
}

/// Returns true if a line of a text begins a PEM block of a key, even if the block is damaged or
/// was written by another program.
pub fn has_pem_of_key(text: &[u8]) -> bool {
    let is_label = |line: &[u8]| {
        line.starts_with(BEGIN) && line.windows(4).any(|it| it == b" KEY" || it == b"KEY-")
    };
    text_lines(text).any(|(_, line)| is_label(line))
}

/// Returns true if a line of a text has three dashes and names a secret key of any algorithm, as
/// both boundaries of its PEM block do, even if they are damaged. Only the letters of the name
/// count, in upper or lower case, so the text may also be UTF-16.
pub fn has_pem_of_secret_key(text: &[u8]) -> bool {
    let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|it| it == part);
    let is_secret = |line: &[u8]| {
        let mut line = Zeroizing::new(line.to_ascii_uppercase());
        line.retain(|&byte| byte != 0);
        let has_dashes = has(&line, b"---");
        line.retain(u8::is_ascii_alphabetic);
        has_dashes && (has(&line, b"PRIVATEKEY") || has(&line, b"SECRETKEY"))
    };
    text_lines(text).any(|(_, line)| is_secret(line))
}

/// Returns true if lines of a text decode to a secret key, from Base64 or hexadecimal. Lines of
/// such digits that follow each other are decoded as one. The labels of PEM do not matter.
pub fn has_text_of_secret_key(text: &[u8], is_key: impl Fn(&[u8]) -> bool) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let lines: Vec<_> = text_lines(text).map(|(_, line)| line).collect();
    let mut bodies = lines.split(|line| !line.iter().all(is_digit));
    bodies.any(|body| {
        let body = Zeroizing::new(body.concat());
        let digits = body.split(|&byte| byte == b'=').next().unwrap_or_default();
        let mut decoded = Zeroizing::new(vec![0; digits.len()]);
        base16ct::mixed::decode(digits, &mut decoded).is_ok_and(&is_key)
            || Base64Unpadded::decode(digits, &mut decoded).is_ok_and(&is_key)
    })
}

/// Returns true if a file has text outside of its PEM blocks.
pub fn has_text_around_pem(text: &[u8]) -> bool {
    let mut lines = text_lines(text).map(|(_, line)| line);
    let (mut blocks, mut outside) = (0, 0);
    while let Some(line) = lines.next() {
        if line.starts_with(BEGIN) {
            blocks += 1;
            lines.find(|line| line.starts_with(END));
        } else {
            outside += 1;
        }
    }
    blocks > 0 && outside > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_a_text_need_no_more_memory_than_the_text() {
        let text = b"-----BEGIN X-----\nAAAA\n-----END X-----\n".repeat(1500);
        let blocks = pem_blocks(&text).unwrap();
        assert_eq!(blocks.len(), 1500);
        assert_eq!(
            blocks.iter().map(|block| block.len()).sum::<usize>(),
            text.len()
        );
        let memory: usize = blocks.iter().map(|block| block.capacity()).sum();
        assert!(memory <= 2 * text.len(), "{memory}");
    }
}
