//! Requests of a program to Valgrind's Memcheck, which `falcon-taint` answers, too.
//!
//! A request is a sequence of instructions that does nothing on a real processor. Existing bindings
//! need libclang to build.
//!
//! Source: `valgrind/valgrind.h` and `valgrind/memcheck.h`. They fix the sequence and the numbers
//! as an interface for programs.

/// Asks whether the program runs under Valgrind. The answer is 1 or 0.
pub const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// Asks for the number of errors so far.
pub const COUNT_ERRORS: u64 = 0x1201;
const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;
/// Marks memory as secret. Arguments: address, length.
pub const MAKE_MEM_UNDEFINED: u64 = MEMCHECK + 1;
/// Marks memory as public. Arguments: address, length.
pub const MAKE_MEM_DEFINED: u64 = MEMCHECK + 2;
/// Writes a byte for each byte of memory, 255 if it is secret. Arguments: address, buffer, length.
/// The answer is 1.
pub const GET_VBITS: u64 = MEMCHECK + 8;

/// Instructions of a request on x86-64: `rol rdi, 3`, `rol rdi, 13`, `rol rdi, 61`, `rol rdi, 51`,
/// and then `xchg rbx, rbx`.
#[cfg(target_arch = "x86_64")]
pub(crate) const SEQUENCE: [u8; 19] = [
    0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33,
    0x48, 0x87, 0xdb,
];

/// True if the program runs under Valgrind or under falcon-taint.
pub fn is_running() -> bool {
    send(RUNNING_ON_VALGRIND, [0; 3]) != 0
}

/// Number of errors that have been reported.
pub fn count_errors() -> usize {
    send(COUNT_ERRORS, [0; 3]) as usize
}

/// Marks `length` bytes at `address` as secret from here on.
pub fn mark_secret(address: usize, length: usize) {
    send(MAKE_MEM_UNDEFINED, [address, length, 0]);
}

/// Marks `length` bytes at `address` as public from here on.
pub fn mark_public(address: usize, length: usize) {
    send(MAKE_MEM_DEFINED, [address, length, 0]);
}

/// True if every bit of the `length` bytes at `address` is secret.
pub fn is_secret(address: usize, length: usize) -> bool {
    let mut undefined = vec![0u8; length];
    let buffer = undefined.as_mut_ptr().expose_provenance();
    let done = send(GET_VBITS, [address, buffer, length]);
    // The request writes `undefined` without the compiler's knowledge.
    let undefined = std::hint::black_box(&undefined);
    done == 1 && undefined.iter().all(|&bits| bits == 0xff)
}

/// Sends a request and returns the answer, which is 0 if nobody answers.
fn send(number: u64, arguments: [usize; 3]) -> u64 {
    let [first, second, third] = arguments.map(|argument| argument as u64);
    let words = [number, first, second, third, 0, 0];
    let mut answer = 0u64;
    // SAFETY: the rotations add up to 128 bits, so the rotated register keeps its value. All other
    // registers also keep their values, except the flags and the register of the answer. The
    // receiver reads the six words. It writes memory only for `GET_VBITS`: the buffer that
    // `is_secret` passes, up to its length.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") answer,
        );
    }
    // SAFETY: the same holds as on x86-64. The rotations of `x12` also add up to 128 bits.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3", "ror x12, x12, #13", "ror x12, x12, #51", "ror x12, x12, #61",
            "orr x10, x10, x10",
            inout("x3") answer,
            in("x4") words.as_ptr(),
        );
    }
    answer
}
