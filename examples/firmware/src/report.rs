//! Output to the host, without the formatting code of `core`, which would be larger than the
//! measured programs.

use crate::platform::write;

/// Prints `text` and a line end.
pub fn line(text: &str) {
    write(text.as_bytes());
    write(b"\n");
}

/// Prints `text`.
pub fn words(text: &str) {
    write(text.as_bytes());
}

/// Prints `name=value`.
pub fn number(name: &str, value: usize) {
    words(name);
    words("=");
    digits(value);
    words("\n");
}

/// Prints `value`.
pub fn digits(value: usize) {
    let mut digits = [b'0'; 10];
    let mut rest = value;
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        used += 1;
        if rest == 0 {
            break;
        }
    }
    write(digits.get(10 - used..).unwrap_or_default());
}
