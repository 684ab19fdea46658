//! Requests of a program to Valgrind's Memcheck, which `falcon-taint` answers, too.
//!
//! A request is a sequence of instructions that does nothing on a processor. Ready-made bindings
//! need libclang to build.
//!
//! Source: `valgrind/valgrind.h` and `valgrind/memcheck.h`, which fix the sequence and the numbers
//! as an interface for programs.

/// Asks whether the program runs under Valgrind: 1 or 0.
pub const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// Asks for the number of errors so far.
pub const COUNT_ERRORS: u64 = 0x1201;
const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;
/// Marks memory as secret: address, length.
pub const MAKE_MEM_UNDEFINED: u64 = MEMCHECK + 1;
/// Marks memory as public: address, length.
pub const MAKE_MEM_DEFINED: u64 = MEMCHECK + 2;
/// Writes a byte for each byte of memory, 255 if it is secret: address, buffer, length. Answers 1.
pub const GET_VBITS: u64 = MEMCHECK + 8;

/// The instructions of a request: `rol rdi, 3`, `rol rdi, 13`, `rol rdi, 61`, `rol rdi, 51`, and
/// then `xchg rbx, rbx`.
pub(crate) const SEQUENCE: [u8; 19] = [
    0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33,
    0x48, 0x87, 0xdb,
];

/// Sends a request and returns the answer, which is 0 where nobody answers.
pub fn send(number: u64, arguments: [usize; 3]) -> u64 {
    let [first, second, third] = arguments.map(|argument| argument as u64);
    let words = [number, first, second, third, 0, 0];
    let mut answer = 0u64;
    // SAFETY: the rotations of `rdi` add up to 128 bits, so `rdi` and every other register but the
    // flags and `rdx` keep their values. Who answers reads the six words at `rax`, and writes
    // memory for `GET_VBITS` alone, where the caller says.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") answer,
        );
    }
    answer
}
