//! The machine state of the program between two blocks, and the transitions to and from translated
//! code.
//!
//! The state is at a fixed address below 2 GiB, so that translated code reaches it with an absolute
//! address and needs no register.

use crate::requests;
use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::global_asm;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Address of the [`State`].
pub(crate) const STATE: usize = 0x2000_0000;
/// Address of the slots. Translated code records addresses in them.
pub(crate) const SLOTS: usize = STATE + 0x8000;
/// Number of slots.
pub(crate) const SLOT_COUNT: usize = 0x1000;
const STATE_LEN: usize = 0x8000 + 8 * SLOT_COUNT;
const STACK_LEN: usize = 8 << 20;
const CODE_LEN: usize = 1 << 30;
const ARENA_LEN: usize = 1 << 36;

/// Offsets in the state, in bytes.
pub(crate) mod place {
    pub(crate) const FLAGS: usize = 0x80;
    pub(crate) const NEXT: usize = 0x88;
    pub(crate) const TARGET: usize = 0x90;
    pub(crate) const STACK: usize = 0x98;
    pub(crate) const SCRATCH: usize = 0xa0;
    pub(crate) const NATIVE: usize = 0xa8;
    pub(crate) const EXIT: usize = 0xb0;
    /// The vector registers, in the format of `xsave64`.
    pub(crate) const VECTORS: usize = 0x1000;
}

/// Registers of the program at the end of a block.
#[repr(C)]
pub(crate) struct State {
    /// General registers in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8
    /// to r15.
    pub(crate) general: [u64; 16],
    pub(crate) flags: u64,
    /// Address of the next instruction in the original program.
    pub(crate) next: u64,
    /// Address of the translated code that runs next.
    pub(crate) target: u64,
}

// `falcon_taint_leave` is also the return address of the translated function. When the function
// returns, the analyser recognises this address and jumps to the code there, which ends the run.
global_asm!(
    ".globl falcon_taint_enter, falcon_taint_exit, falcon_taint_leave",
    "falcon_taint_enter:",
    "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
    "mov qword ptr [{state} + {native}], rsp",
    "sub rsp, 8",
    "lea rax, [rip + falcon_taint_leave]",
    "push rax",
    "mov qword ptr [{state} + {next}], rdi",
    "mov rdi, rsi",
    "falcon_taint_exit:",
    "mov qword ptr [{state}], rax",
    "mov qword ptr [{state} + 8], rcx",
    "mov qword ptr [{state} + 16], rdx",
    "mov qword ptr [{state} + 24], rbx",
    "mov qword ptr [{state} + 32], rsp",
    "mov qword ptr [{state} + 40], rbp",
    "mov qword ptr [{state} + 48], rsi",
    "mov qword ptr [{state} + 56], rdi",
    "mov qword ptr [{state} + 64], r8",
    "mov qword ptr [{state} + 72], r9",
    "mov qword ptr [{state} + 80], r10",
    "mov qword ptr [{state} + 88], r11",
    "mov qword ptr [{state} + 96], r12",
    "mov qword ptr [{state} + 104], r13",
    "mov qword ptr [{state} + 112], r14",
    "mov qword ptr [{state} + 120], r15",
    "mov rsp, qword ptr [{state} + {stack}]",
    "pushfq",
    "pop qword ptr [{state} + {flags}]",
    "cld",
    // x87, SSE, AVX and AVX-512. The processor ignores bits that it does not support.
    "mov eax, 0xe7",
    "xor edx, edx",
    "xsave64 [{state} + {vectors}]",
    "call {analyse}",
    "mov eax, 0xe7",
    "xor edx, edx",
    "xrstor64 [{state} + {vectors}]",
    "push qword ptr [{state} + {flags}]",
    "popfq",
    "mov rax, qword ptr [{state}]",
    "mov rcx, qword ptr [{state} + 8]",
    "mov rdx, qword ptr [{state} + 16]",
    "mov rbx, qword ptr [{state} + 24]",
    "mov rsp, qword ptr [{state} + 32]",
    "mov rbp, qword ptr [{state} + 40]",
    "mov rsi, qword ptr [{state} + 48]",
    "mov rdi, qword ptr [{state} + 56]",
    "mov r8, qword ptr [{state} + 64]",
    "mov r9, qword ptr [{state} + 72]",
    "mov r10, qword ptr [{state} + 80]",
    "mov r11, qword ptr [{state} + 88]",
    "mov r12, qword ptr [{state} + 96]",
    "mov r13, qword ptr [{state} + 104]",
    "mov r14, qword ptr [{state} + 112]",
    "mov r15, qword ptr [{state} + 120]",
    "jmp qword ptr [{state} + {target}]",
    "falcon_taint_leave:",
    "mov rsp, qword ptr [{state} + {native}]",
    "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx",
    "ret",
    state = const STATE,
    native = const place::NATIVE,
    next = const place::NEXT,
    stack = const place::STACK,
    flags = const place::FLAGS,
    vectors = const place::VECTORS,
    target = const place::TARGET,
    analyse = sym analyse,
);

unsafe extern "C" {
    fn falcon_taint_enter(function: extern "C" fn(usize), argument: usize);
    fn falcon_taint_exit();
    fn falcon_taint_leave();
}

/// Returns the address that a translated function returns to when it ends.
pub(crate) fn leave() -> u64 {
    falcon_taint_leave as *const () as u64
}

/// A function that is called at the end of each block.
type Analyse<'a> = &'a mut dyn FnMut(&mut State);

/// The function passed to [`run`], while translated code runs.
static mut ANALYSER: Option<Analyse<'static>> = None;
/// True while the analyser runs. Memory that it allocates then comes from the arena.
static ANALYSING: AtomicBool = AtomicBool::new(false);
/// True while the program runs in translation.
static TRANSLATED: AtomicBool = AtomicBool::new(false);
static ARENA_NEXT: AtomicUsize = AtomicUsize::new(0);
static ARENA_END: AtomicUsize = AtomicUsize::new(0);

extern "C" fn analyse() {
    ANALYSING.store(true, Relaxed);
    // SAFETY: there is one thread, and translated code never runs during this function. The state
    // stays mapped as long as the program runs.
    unsafe {
        let analyser = (&raw mut ANALYSER).as_mut().and_then(Option::as_mut);
        let state = &mut *std::ptr::with_exposed_provenance_mut::<State>(STATE);
        analyser.expect("set by run")(state);
    }
    ANALYSING.store(false, Relaxed);
}

/// An allocator that gives the analyser memory of its own. Translated code may be stopped in the
/// middle of an allocation, so the analyser must not use the program's allocator.
///
/// Memory that the program allocates or frees becomes public.
///
/// Programs that call [`crate::run`] need this allocator as their `#[global_allocator]`. Memory of
/// the analyser is never freed.
pub struct Allocator;

/// Marks memory as public, with a request like those of the program.
fn declare_public(memory: *mut u8, length: usize) {
    requests::mark_public(memory.expose_provenance(), length);
}

// SAFETY: each allocation comes from `System`, or is a part of the arena that nobody else uses.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !ANALYSING.load(Relaxed) {
            // SAFETY: the caller keeps the contract of this function.
            let memory = unsafe { System.alloc(layout) };
            if TRANSLATED.load(Relaxed) && !memory.is_null() {
                declare_public(memory, layout.size());
            }
            return memory;
        }
        let start = ARENA_NEXT.load(Relaxed).next_multiple_of(layout.align());
        let end = start + layout.size();
        if end > ARENA_END.load(Relaxed) {
            return null_mut();
        }
        ARENA_NEXT.store(end, Relaxed);
        std::ptr::with_exposed_provenance_mut(start)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let end = ARENA_END.load(Relaxed);
        let of_the_arena = (end.saturating_sub(ARENA_LEN)..end).contains(&pointer.addr());
        if !ANALYSING.load(Relaxed) && !of_the_arena {
            // `free` compares values that it finds in the memory.
            if TRANSLATED.load(Relaxed) {
                declare_public(pointer, layout.size());
            }
            // SAFETY: the caller keeps the contract of this function; the memory is not part of the
            // arena.
            unsafe { System.dealloc(pointer, layout) }
        }
    }
}

fn map(address: usize, length: usize, protection: i32, flags: i32) -> usize {
    // SAFETY: this maps new memory and does not touch existing memory: without `MAP_FIXED`, an
    // address is a hint.
    let found = unsafe {
        libc::mmap(
            std::ptr::with_exposed_provenance_mut(address),
            length,
            protection,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flags,
            -1,
            0,
        )
    };
    let found = found.expose_provenance();
    assert!(found != usize::MAX, "no memory for the analyser");
    assert!(address == 0 || found == address, "{address:#x} is taken");
    found
}

/// Memory for translated code.
pub(crate) struct Code {
    next: usize,
    end: usize,
}

impl Code {
    /// Copies `bytes` to memory that can be executed, and returns their address.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> u64 {
        let start = self.next.next_multiple_of(16);
        self.next = start + bytes.len();
        assert!(self.next <= self.end, "no memory for more translated code");
        // SAFETY: this part of the mapping is still unused.
        unsafe {
            let to = std::ptr::with_exposed_provenance_mut::<u8>(start);
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        start as u64
    }
}

/// Maps the memory of the machine. Must be called once.
pub(crate) fn prepare() -> Code {
    let data = libc::PROT_READ | libc::PROT_WRITE;
    map(STATE, STATE_LEN, data, libc::MAP_FIXED_NOREPLACE);
    let stack = map(0, STACK_LEN, data, 0) + STACK_LEN;
    let arena = map(0, ARENA_LEN, data, 0);
    ARENA_NEXT.store(arena, Relaxed);
    ARENA_END.store(arena + ARENA_LEN, Relaxed);
    let code = map(0, CODE_LEN, data | libc::PROT_EXEC, 0);
    set(place::STACK, stack as u64);
    set(place::EXIT, falcon_taint_exit as *const () as u64);
    Code {
        next: code,
        end: code + CODE_LEN,
    }
}

fn set(place: usize, value: u64) {
    // SAFETY: `prepare` has mapped the state.
    unsafe { std::ptr::with_exposed_provenance_mut::<u64>(STATE + place).write(value) }
}

/// Returns the value in a slot.
#[inline(always)]
pub(crate) fn slot(number: usize) -> u64 {
    assert!(number < SLOT_COUNT);
    // SAFETY: the state is mapped and contains this slot.
    unsafe { std::ptr::with_exposed_provenance::<u64>(SLOTS + 8 * number).read() }
}

/// Returns the bytes of an instruction of the program.
pub(crate) fn instruction_bytes(address: u64) -> &'static [u8] {
    // SAFETY: the program is about to run the instructions here. Up to 15 bytes beyond its last
    // instruction are read, which exist because other segments of the file follow a code segment.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), 15) }
}

/// Reads a word of the program's memory.
///
/// # Safety
///
/// The word must be mapped.
pub(crate) unsafe fn read_word(address: u64) -> u64 {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { std::ptr::with_exposed_provenance::<u64>(address as usize).read_unaligned() }
}

/// Writes a byte of the program's memory.
///
/// # Safety
///
/// The byte must be mapped, and the program must expect the write.
pub(crate) unsafe fn write_byte(address: u64, value: u8) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address as usize).write_volatile(value) }
}

/// Returns the base address of the segment `fs`.
pub(crate) fn fs_base() -> u64 {
    let mut base = 0u64;
    const ARCH_GET_FS: i32 = 0x1003;
    // SAFETY: the call writes the address to `base`.
    let failed = unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_GET_FS, &raw mut base) };
    assert_eq!(failed, 0, "arch_prctl");
    base
}

/// Runs `function(argument)` in translation. `analyser` gets the state before the first block and
/// after each block, and sets `target`. To end the run, `analyser` sets `target` to [`leave`].
pub(crate) fn run(function: extern "C" fn(usize), argument: usize, analyser: Analyse<'_>) {
    // SAFETY: there is one thread, and the analyser is used in this function alone. The assembler
    // code preserves the callee-saved registers, and `argument` is what `function` expects.
    unsafe {
        ANALYSER = Some(std::mem::transmute::<Analyse<'_>, Analyse<'static>>(
            analyser,
        ));
        TRANSLATED.store(true, Relaxed);
        falcon_taint_enter(function, argument);
        TRANSLATED.store(false, Relaxed);
        ANALYSER = None;
    }
}

/// Components of the state that `xsave64` writes: number of elements, length of an element, and
/// number of the component. `cpuid` returns their offsets.
const LOW_VECTORS: (usize, usize, u32) = (16, 16, 1);
const MIDDLE_VECTORS: (usize, usize, u32) = (16, 16, 2);
const HIGH_VECTORS: (usize, usize, u32) = (16, 32, 6);
const OTHER_VECTORS: (usize, usize, u32) = (16, 64, 7);
const MASKS: (usize, usize, u32) = (8, 8, 5);

/// The vector registers and the mask registers of the program.
#[derive(Clone, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) vectors: [[u8; 64]; 32],
    pub(crate) masks: [[u8; 8]; 8],
}

/// Returns a component of the saved registers.
fn component((count, length, number): (usize, usize, u32)) -> &'static mut [u8] {
    // Asks the processor only once, since `cpuid` is slow on a virtual machine.
    static PLACES: OnceLock<[usize; 8]> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        std::array::from_fn(|number| match number {
            // The offset of component 1 is fixed.
            1 => 160,
            #[allow(unused_unsafe, reason = "the oldest compiler calls it unsafe")]
            // SAFETY: every x86-64 processor has the instruction.
            _ => unsafe { std::arch::x86_64::__cpuid_count(0xd, number as u32) }.ebx as usize,
        })
    });
    let place = places[number as usize];
    assert!(place + count * length <= SLOTS - STATE - place::VECTORS);
    // SAFETY: the state is mapped and contains the component, and only one component is used at a
    // time.
    unsafe {
        let start = std::ptr::with_exposed_provenance_mut(STATE + place::VECTORS + place);
        std::slice::from_raw_parts_mut(start, count * length)
    }
}

/// Bit set of the components that differ from their initial values.
fn components_in_use() -> &'static mut u64 {
    // SAFETY: the header stands after the first 512 bytes.
    unsafe { &mut *std::ptr::with_exposed_provenance_mut::<u64>(STATE + place::VECTORS + 512) }
}

/// Sets the program's vector and mask registers for the next block. Needs AVX-512.
pub(crate) fn set_vectors(registers: &Vectors) {
    *components_in_use() |= 0xe6;
    for (register, bytes) in registers.vectors.iter().enumerate() {
        if register < 16 {
            component(LOW_VECTORS)[16 * register..][..16].copy_from_slice(&bytes[..16]);
            component(MIDDLE_VECTORS)[16 * register..][..16].copy_from_slice(&bytes[16..32]);
            component(HIGH_VECTORS)[32 * register..][..32].copy_from_slice(&bytes[32..]);
        } else {
            component(OTHER_VECTORS)[64 * (register - 16)..][..64].copy_from_slice(bytes);
        }
    }
    component(MASKS).copy_from_slice(registers.masks.as_flattened());
}

/// Returns the vector and mask registers after the last block.
pub(crate) fn vectors() -> Vectors {
    let in_use = *components_in_use();
    let mut all = Vectors {
        vectors: [[0; 64]; 32],
        masks: [[0; 8]; 8],
    };
    let has = |(.., number): (usize, usize, u32)| in_use >> number & 1 == 1;
    for (register, bytes) in all.vectors.iter_mut().enumerate() {
        let parts = [
            (LOW_VECTORS, register, 0),
            (MIDDLE_VECTORS, register, 16),
            (HIGH_VECTORS, register, 32),
            (OTHER_VECTORS, register.wrapping_sub(16), 0),
        ];
        for (part, place, first) in parts {
            let (count, length, _) = part;
            if place < count && has(part) {
                let saved = &component(part)[length * place..][..length];
                bytes[first..][..length].copy_from_slice(saved);
            }
        }
    }
    if has(MASKS) {
        all.masks
            .as_flattened_mut()
            .copy_from_slice(component(MASKS));
    }
    all
}

/// Writes a line to standard error without taking a lock of the program.
pub(crate) fn print(line: &str) {
    // SAFETY: the call writes the bytes of `line`.
    unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
}
