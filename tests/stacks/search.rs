//! The stack of a thread, and the search for secrets on it.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::collections::HashSet;
use std::ffi::c_void;
use std::fmt::Display;
use std::hint::black_box;
use std::{mem, ptr, slice};

/// Length of the stack in bytes.
const LEN: usize = 4 << 20;

/// Number of bytes between the frames of the thread and those of its work. The end of the thread
/// uses this part of the stack, so it does not overwrite traces of the work.
const MARGIN: usize = 32 << 10;

/// Calls `work` below the margin.
#[inline(never)]
fn below_margin(work: impl FnOnce()) {
    let margin = [0u8; MARGIN];
    black_box(&margin);
    work();
    black_box(&margin);
}

/// Returns the stack of a thread that has done `work`, from its lowest address on.
pub(crate) fn stack_after<F: FnOnce() + Send>(work: F) -> Vec<u8> {
    extern "C" fn start<F: FnOnce()>(work: *mut c_void) -> *mut c_void {
        // SAFETY: this is the pointer that `stack_after` passed. `stack_after` does not touch it
        // before the thread ends.
        if let Some(work) = unsafe { &mut *work.cast::<Option<F>>() }.take() {
            below_margin(work);
        }
        ptr::null_mut()
    }
    let mut work = Some(work);
    let layout = Layout::from_size_align(LEN, 1 << 16).expect("a layout");
    // SAFETY: the size is not zero.
    let stack = unsafe { alloc_zeroed(layout) };
    if stack.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: the attributes and the handle are written before they are read. Nobody else uses the
    // stack. The stack and `work` live until the thread has ended.
    unsafe {
        let mut attributes = mem::zeroed();
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        let set = libc::pthread_attr_setstack(&mut attributes, stack.cast(), LEN);
        assert_eq!(set, 0);
        let mut thread = mem::zeroed();
        let work = ptr::from_mut(&mut work).cast();
        let made = libc::pthread_create(&mut thread, &attributes, start::<F>, work);
        assert_eq!(made, 0);
        assert_eq!(libc::pthread_join(thread, ptr::null_mut()), 0);
        assert_eq!(libc::pthread_attr_destroy(&mut attributes), 0);
    }
    // SAFETY: the thread has ended, and all of the stack was zeroed before.
    let bytes = unsafe { slice::from_raw_parts(stack, LEN) }.to_vec();
    // SAFETY: the stack was allocated above and is no longer used.
    unsafe { dealloc(stack, layout) };
    bytes
}

/// A secret to search for.
pub(crate) struct Secret {
    name: &'static str,
    bytes: Vec<u8>,
    /// Pieces of `bytes`, all of one length.
    windows: HashSet<Vec<u8>>,
    len: usize,
    /// Number of places at which a piece may be left.
    allowed: usize,
}

impl Secret {
    /// Prepares a search for pieces of `bytes` that are `len` bytes long and begin at multiples of
    /// `step`. Leaves out pieces with fewer than five bytes other than 0 and 255, and pieces that
    /// begin with eight zeros: such small numbers may occur anywhere.
    pub(crate) fn new(name: &'static str, bytes: Vec<u8>, len: usize, step: usize) -> Self {
        let telling = |piece: &&[u8]| piece.iter().filter(|byte| !matches!(byte, 0 | 255)).count();
        let windows: HashSet<_> = bytes
            .windows(len)
            .step_by(step)
            .filter(|piece| telling(piece) >= 5 && !piece.starts_with(&[0; 8]))
            .map(<[u8]>::to_vec)
            .collect();
        let secret = Self {
            name,
            bytes,
            windows,
            len,
            allowed: 0,
        };
        secret.assert_found();
        secret
    }

    /// Allows `allowed` pieces of the secret to be left.
    pub(crate) fn allowing(self, allowed: usize) -> Self {
        Self { allowed, ..self }
    }

    /// Counts the places in `stack` at which a piece begins.
    fn count(&self, stack: &[u8]) -> usize {
        // Most of the stack is unused or wiped, so most windows are zero.
        let places = stack.windows(self.len);
        places
            .filter(|place| !place.starts_with(&[0; 8]) && self.windows.contains(*place))
            .count()
    }

    /// Checks that the search finds the secret if it is left, and only then.
    fn assert_found(&self) {
        let left = stack_after(|| {
            let mut place = [0; 128 << 10];
            let place = &mut black_box(&mut place)[1001..];
            for (place, byte) in place.iter_mut().zip(&self.bytes) {
                *place = black_box(*byte);
            }
        });
        let found = self.count(&left);
        assert!(found > 0 && found >= self.windows.len(), "{}", self.name);
        assert_eq!(self.count(&stack_after(|| ())), 0, "{}", self.name);
    }
}

/// A search for the same secrets after several tasks.
pub(crate) struct Search {
    secrets: Vec<Secret>,
    left: Vec<String>,
}

impl Search {
    pub(crate) fn new(secrets: Vec<Secret>) -> Self {
        let left = Vec::new();
        Self { secrets, left }
    }

    /// Searches the stack of a thread that has done `work`.
    pub(crate) fn after(&mut self, what: impl Display, work: impl FnOnce() + Send) {
        self.after_spilling(0, what, work);
    }

    /// Does the same as [`after`](Self::after), but allows `spilled` pieces of every secret.
    pub(crate) fn after_spilling(
        &mut self,
        spilled: usize,
        what: impl Display,
        work: impl FnOnce() + Send,
    ) {
        let stack = stack_after(work);
        let used = &stack[stack.iter().take_while(|byte| **byte == 0).count()..];
        for secret in &self.secrets {
            let count = secret.count(used);
            if count > secret.allowed.max(spilled) {
                let name = secret.name;
                self.left.push(format!("{what}: {count} pieces of {name}"));
            }
        }
    }

    /// Fails if a secret was left.
    pub(crate) fn end(self) {
        assert!(self.left.is_empty(), "left:\n{}", self.left.join("\n"));
    }
}
