//! Words to the host through semihosting, without the formatting machinery of
//! `core`, which would be larger than what is measured.

use cortex_m_semihosting::{debug, hio};

/// Prints `text` and a line end.
pub fn line(text: &str) {
    if let Ok(mut out) = hio::hstdout() {
        // There is nobody to tell if the host does not listen.
        let _ = out.write_all(text.as_bytes());
        let _ = out.write_all(b"\n");
    }
}

/// Prints `name=value`.
pub fn number(name: &str, value: usize) {
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
    if let Ok(mut out) = hio::hstdout() {
        let _ = out.write_all(name.as_bytes());
        let _ = out.write_all(b"=");
        let _ = out.write_all(digits.get(10 - used..).unwrap_or_default());
        let _ = out.write_all(b"\n");
    }
}

/// Ends the program; the emulator's exit status is zero if `success`.
pub fn exit(success: bool) -> ! {
    debug::exit(if success {
        debug::EXIT_SUCCESS
    } else {
        debug::EXIT_FAILURE
    });
    loop {
        cortex_m::asm::bkpt();
    }
}
