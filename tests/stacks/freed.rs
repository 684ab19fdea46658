//! An allocator that looks for secrets in blocks that are freed. A test that includes this file
//! has it as its global allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// Length of a piece in bytes.
pub(crate) const PIECE: usize = 16;
/// Largest number of pieces in a search.
const MOST: usize = 5;

/// Freed blocks are searched for these pieces while [`SEARCHING`] is set.
static PIECES: Mutex<[[u8; PIECE]; MOST]> = Mutex::new([[0; PIECE]; MOST]);
static SEARCHING: AtomicBool = AtomicBool::new(false);
/// Number of freed blocks that held a piece.
static FOUND: AtomicUsize = AtomicUsize::new(0);

struct Searching;

#[global_allocator]
static ALLOCATOR: Searching = Searching;

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Searching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that every byte of a block may be read when it is freed.
        // SAFETY: the caller keeps the contract of this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if SEARCHING.load(SeqCst) {
            // SAFETY: this is a block of this size that nobody else uses any more.
            let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
            let pieces = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
            let held = |word: &[u8]| pieces.iter().any(|piece| piece == word);
            if bytes.windows(PIECE).any(held) {
                FOUND.fetch_add(1, SeqCst);
            }
        }
        // SAFETY: the caller keeps the contract of this function.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Looks for the beginnings of `secrets` from now on, and shows that the search finds them.
pub(crate) fn look_for(secrets: &[&[u8]]) {
    assert!(secrets.len() <= MOST);
    let mut pieces = [*secrets[0].first_chunk().expect("a piece"); MOST];
    for (piece, secret) in pieces.iter_mut().zip(secrets) {
        *piece = *secret.first_chunk().expect("a piece");
    }
    *PIECES.lock().unwrap_or_else(PoisonError::into_inner) = pieces;
    for secret in secrets {
        let copy = secret.to_vec();
        assert_eq!(freed_by(|| drop(copy)), 1, "the search finds a secret");
    }
}

/// Returns the number of blocks that `work` frees with a secret in them. Only one test may search
/// at a time.
pub(crate) fn freed_by(work: impl FnOnce()) -> usize {
    SEARCHING.store(true, SeqCst);
    work();
    SEARCHING.store(false, SeqCst);
    FOUND.swap(0, SeqCst)
}
