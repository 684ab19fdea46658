//! The part of Linux that a statically linked program needs to compute and print.

use crate::follow::Follower;
use crate::registers;
use object::{Object, ObjectSegment};
use std::io::Write;
use std::ops::Range;
use unicorn_engine::{Prot, RegisterARM64, Unicorn};

const PAGE: u64 = 0x1000;
const STACK: u64 = 0x7f_0000_0000;
const STACK_LENGTH: u64 = 0x100_0000;
/// Memory for the allocator. It is never freed.
const HEAP: u64 = 0x20_0000_0000;
const HEAP_LENGTH: u64 = 0x4000_0000;

/// Bits of `AT_HWCAP`: floating point, vectors and SHA-3.
const HAS_FP: u64 = 1 << 0;
const HAS_ASIMD: u64 = 1 << 1;
const HAS_SHA3: u64 = 1 << 17;

/// A program for AArch64, statically linked at fixed addresses.
pub(crate) struct Program {
    segments: Vec<(u64, u64, Vec<u8>)>,
    entry: u64,
    pub(crate) code: Range<u64>,
    headers: (u64, u64),
}

impl Program {
    pub(crate) fn read(file: &[u8]) -> Self {
        let elf = object::File::parse(file).expect("an ELF file");
        let segments: Vec<_> = elf
            .segments()
            .map(|segment| {
                (
                    segment.address(),
                    segment.size(),
                    segment.data().expect("data").to_vec(),
                )
            })
            .collect();
        let start = segments
            .iter()
            .map(|segment| segment.0)
            .min()
            .expect("a segment");
        let end = segments
            .iter()
            .map(|segment| segment.0 + segment.1)
            .max()
            .expect("a segment");
        let word = |at: usize| u16::from_le_bytes([file[at], file[at + 1]]);
        // Offset and number of the program headers.
        let offset = u64::from_le_bytes(file[32..40].try_into().expect("a header"));
        Self {
            segments,
            entry: elf.entry(),
            code: start..end,
            headers: (start + offset, word(56).into()),
        }
    }

    /// Loads the program and its stack. Returns its start address.
    pub(crate) fn load(&self, emulator: &mut Unicorn<'_, Follower>, arguments: &[String]) -> u64 {
        let (start, end) = (
            self.code.start & !(PAGE - 1),
            self.code.end.next_multiple_of(PAGE),
        );
        emulator
            .mem_map(start, end - start, Prot::ALL)
            .expect("memory of the program");
        emulator
            .mem_map(STACK, STACK_LENGTH, Prot::ALL)
            .expect("a stack");
        emulator
            .mem_map(HEAP, HEAP_LENGTH, Prot::ALL)
            .expect("a heap");
        for (address, _, data) in &self.segments {
            emulator.mem_write(*address, data).expect("a segment");
        }
        let mut top = STACK + STACK_LENGTH;
        let mut put = |emulator: &mut Unicorn<'_, Follower>, bytes: &[u8]| {
            top -= bytes.len() as u64;
            emulator.mem_write(top, bytes).expect("the stack");
            top
        };
        let random = put(emulator, &[0x5a; 16]);
        let mut words = vec![arguments.len() as u64];
        for argument in arguments {
            words.push(put(emulator, format!("{argument}\0").as_bytes()));
        }
        words.extend([0, 0]);
        // The auxiliary vector: AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_ENTRY, AT_HWCAP,
        // AT_RANDOM, AT_SECURE.
        let (headers, count) = self.headers;
        let hwcap = HAS_FP | HAS_ASIMD | HAS_SHA3;
        for (kind, value) in [
            (3, headers),
            (4, 56),
            (5, count),
            (6, PAGE),
            (9, self.entry),
            (16, hwcap),
            (25, random),
            (23, 0),
            (0, 0),
        ] {
            words.extend([kind, value]);
        }
        let stack = (top - 8 * words.len() as u64) & !15;
        for (word, i) in words.iter().zip(0..) {
            emulator
                .mem_write(stack + 8 * i, &word.to_le_bytes())
                .expect("the stack");
        }
        registers::write(emulator, registers::SP, stack.into());
        self.entry
    }
}

/// Answers a system call.
pub(crate) fn interrupt(emulator: &mut Unicorn<'_, Follower>, number: u32) {
    assert!(
        number == 2,
        "exception {number} at {:#x}",
        emulator.pc_read().unwrap_or(0)
    );
    let [a0, a1, a2] = [0, 1, 2].map(|register| registers::read(emulator, register) as u64);
    let call = emulator.reg_read(RegisterARM64::X8).expect("a register");
    const NOT_IMPLEMENTED: u64 = -38i64 as u64;
    let answer = match call {
        // write
        64 => {
            let next = emulator.pc_read().expect("an address");
            emulator.get_data_mut().hand_out(next, a1, a2);
            let bytes = emulator
                .mem_read_as_vec(a1, a2 as usize)
                .expect("what is written");
            let written = match a0 {
                2 => std::io::stderr().write_all(&bytes),
                _ => std::io::stdout().write_all(&bytes),
            };
            written.expect("standard output");
            a2
        }
        // writev
        66 => {
            let mut all = 0;
            for i in 0..a2 {
                let pair = emulator.mem_read_as_vec(a1 + 16 * i, 16).expect("a vector");
                let at = u64::from_le_bytes(pair[..8].try_into().expect("a word"));
                let length = u64::from_le_bytes(pair[8..].try_into().expect("a word"));
                let next = emulator.pc_read().expect("an address");
                emulator.get_data_mut().hand_out(next, at, length);
                let bytes = emulator
                    .mem_read_as_vec(at, length as usize)
                    .expect("what is written");
                std::io::stderr().write_all(&bytes).expect("standard error");
                all += length;
            }
            all
        }
        // exit, exit_group
        93 | 94 => {
            emulator.get_data_mut().linux.status = Some(a0 as u8);
            emulator.emu_stop().expect("the end");
            0
        }
        // clock_gettime
        113 => {
            let follower = emulator.get_data_mut();
            follower.linux.time += 1_000_000;
            let time = follower.linux.time;
            follower.make_public(a1, 16);
            let mut bytes = (time / 1_000_000_000).to_le_bytes().to_vec();
            bytes.extend((time % 1_000_000_000).to_le_bytes());
            emulator.mem_write(a1, &bytes).expect("a time");
            0
        }
        // set_tid_address, gettid, getpid
        96 | 178 | 172 => 1,
        // brk
        214 => 0,
        // mmap without a file
        222 => {
            let follower = emulator.get_data_mut();
            let at = HEAP + follower.linux.heap;
            follower.linux.heap += a1.next_multiple_of(PAGE) + PAGE;
            assert!(
                follower.linux.heap < HEAP_LENGTH,
                "the program needs too much memory"
            );
            at
        }
        // munmap, mprotect, madvise, sigaltstack, rt_sigaction, rt_sigprocmask, set_robust_list,
        // futex, prctl
        215 | 226 | 233 | 132 | 134 | 135 | 99 | 98 | 167 => 0,
        // poll of the standard files, which are all open
        73 => 0,
        // getrandom
        278 => {
            emulator.get_data_mut().make_public(a0, a1);
            emulator
                .mem_write(a0, &vec![0x37; a1 as usize])
                .expect("a buffer");
            a1
        }
        // sched_getaffinity, rseq, prlimit64, readlinkat, newfstatat, fstat, ioctl and the rest
        _ => NOT_IMPLEMENTED,
    };
    registers::write(emulator, 0, answer.into());
    emulator.get_data_mut().finish_system_call();
}
