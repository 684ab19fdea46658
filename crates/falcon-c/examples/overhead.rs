//! Times functions of the C library beside the calls of `falcon-core` that do the same.
//!
//! `overhead LIBRARY [ROUNDS]` loads a shared library. In each round both sides run in turn. A line
//! has an operation and the shortest time of each side, in microseconds for one message.
//! `speed.sh` runs it several times.
#![deny(clippy::undocumented_unsafe_blocks)]

use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::{
    Engine, ExpandedKey, Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey,
};
use falconsign::{falconsign_sign_job, falconsign_signing_key, falconsign_verify_job};
use falconsign::{falconsign_threads, falconsign_verifying_key};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::env;
use std::error::Error;
use std::ffi::{CString, c_char, c_int, c_void};
use std::hint::black_box;
use std::mem::transmute_copy;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

/// Jobs of a batch.
const JOBS: usize = 256;

/// Message that is signed.
const MESSAGE: &[u8] = b"order #42, 33 bytes of a message.";

/// Value of the padded format in C.
const PADDED: c_int = 2;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

type Key = falconsign_signing_key;
type Public = falconsign_verifying_key;
type Threads = falconsign_threads;

/// Defines a structure of functions that are loaded by name.
macro_rules! library {
    ($($name:ident($($argument:ty),*);)*) => {
        struct Library {
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Library {
            fn load(path: &str) -> Result<Self, Box<dyn Error>> {
                let path = CString::new(path)?;
                // SAFETY: the name ends with a null byte. Loading the library runs no code of it.
                let library = unsafe { dlopen(path.as_ptr(), 2) };
                if library.is_null() {
                    return Err("the library cannot be loaded".into());
                }
                Ok(Self {
                    $($name: {
                        let name = CString::new(concat!("falconsign_", stringify!($name)))?;
                        // SAFETY: the name ends with a null byte, and the library is loaded.
                        let found = unsafe { dlsym(library, name.as_ptr()) };
                        if found.is_null() {
                            return Err(format!("no function {name:?}").into());
                        }
                        // SAFETY: the test of the header compares these types with the library's.
                        unsafe { transmute_copy(&found) }
                    },)*
                })
            }
        }
    };
}

library! {
    signing_key_from_seed(c_int, *const u8, usize, *mut *mut Key);
    signing_key_expand(*const Key, *mut *mut Key);
    signing_key_verifying_key(*const Key, *mut *mut Public);
    sign(*const Key, *const u8, usize, c_int, *mut u8, usize, *mut usize);
    verify(*const Public, *const u8, usize, c_int, *const u8, usize);
    sign_batch(*const falconsign_sign_job, usize, c_int, *const Threads, *mut u8, usize, *mut usize);
    verify_batch(*const falconsign_verify_job, usize, c_int, *const Threads, *mut u8);
}

/// Fails unless a function of C succeeds.
fn ok(status: c_int) {
    assert_eq!(status, 0, "status of the C library");
}

/// Times two functions in turn, `count` messages a call, and prints the shortest times.
fn compare(name: &str, rounds: usize, count: usize, rust: &mut dyn FnMut(), c: &mut dyn FnMut()) {
    let mut best = [Duration::MAX; 2];
    let time = |function: &mut dyn FnMut(), best: &mut Duration| {
        let start = Instant::now();
        function();
        *best = start.elapsed().min(*best);
    };
    for round in 0..rounds {
        // Both sides are first equally often.
        if round % 2 == 0 {
            time(rust, &mut best[0]);
            time(c, &mut best[1]);
        } else {
            time(c, &mut best[1]);
            time(rust, &mut best[0]);
        }
    }
    let [rust, c] = best.map(|best| best.as_secs_f64() * 1e6 / count as f64);
    println!("{name}\t{rust:.3}\t{c:.3}");
}

/// A key on both sides.
struct Pair<P: Parameters> {
    rust: SigningKey<P>,
    expanded: ExpandedKey<P>,
    c: *mut Key,
    c_expanded: *mut Key,
    c_public: *mut Public,
}

impl<P: Parameters> Pair<P> {
    fn new(library: &Library, degree: c_int) -> Result<Self, Box<dyn Error>> {
        let seed = [7; 32];
        let rust = SigningKey::<P>::from_seed(&seed)?;
        let (mut c, mut c_expanded, mut c_public) = (null_mut(), null_mut(), null_mut());
        // In half of the runs the expanded key of Rust comes first in memory.
        let is_first = std::process::id().is_multiple_of(2);
        let first = is_first.then(|| rust.expand());
        // SAFETY: the seed has 32 bytes, and the handles are live.
        unsafe {
            ok((library.signing_key_from_seed)(
                degree,
                seed.as_ptr(),
                32,
                &raw mut c,
            ));
            ok((library.signing_key_expand)(c, &raw mut c_expanded));
            ok((library.signing_key_verifying_key)(c, &raw mut c_public));
        }
        let expanded = first.unwrap_or_else(|| rust.expand());
        Ok(Self {
            rust,
            expanded,
            c,
            c_expanded,
            c_public,
        })
    }

    fn single(&self, library: &Library, rounds: usize) {
        let mut rng = UnwrapErr(SysRng);
        let mut out = vec![0; P::PADDED_LEN];
        for (name, key) in [("sign", self.c), ("sign, expanded key", self.c_expanded)] {
            let is_expanded = key == self.c_expanded;
            let mut rust = || {
                let signature = match is_expanded {
                    true => self.expanded.sign_with_rng(&mut rng, MESSAGE),
                    false => self.rust.sign_with_rng(&mut rng, MESSAGE),
                };
                black_box(signature.expect("no fault").to_bytes());
            };
            let mut c = || {
                let mut len = 0;
                let (data, size) = (MESSAGE.as_ptr(), MESSAGE.len());
                // SAFETY: the lengths are those of the buffers, and the handle is live.
                ok(unsafe {
                    (library.sign)(
                        key,
                        data,
                        size,
                        PADDED,
                        out.as_mut_ptr(),
                        out.len(),
                        &raw mut len,
                    )
                });
            };
            compare(&format!("{} {name}", P::NAME), rounds, 1, &mut rust, &mut c);
        }

        let signature = self
            .rust
            .sign_with_rng(&mut rng, MESSAGE)
            .expect("no fault")
            .to_bytes();
        let public = self.rust.verifying_key();
        let mut rust = || {
            for _ in 0..16 {
                let decoded = Signature::try_from(black_box(&signature[..])).expect("decodes");
                assert!(public.verify(black_box(MESSAGE), &decoded).is_ok());
            }
        };
        let mut c = || {
            for _ in 0..16 {
                let (data, size) = (MESSAGE.as_ptr(), MESSAGE.len());
                let (bytes, len) = (signature.as_ptr(), signature.len());
                // SAFETY: the lengths are those of the buffers, and the handle is live.
                ok(unsafe { (library.verify)(self.c_public, data, size, PADDED, bytes, len) });
            }
        };
        compare(
            &format!("{} verify", P::NAME),
            rounds,
            16,
            &mut rust,
            &mut c,
        );
    }

    /// Times batches of signatures, and returns the last one.
    fn sign_batch(&self, library: &Library, messages: &[String], rounds: usize) -> Vec<u8>
    where
        Engine: BatchSign<P>,
    {
        let mut rng = UnwrapErr(SysRng);
        let mut out = vec![0; JOBS * P::PADDED_LEN];
        let mut rust_out = out.clone();
        let mut rust = || {
            let jobs = messages
                .iter()
                .map(|m| SignJob::new(&self.rust, m.as_bytes()));
            let jobs: Vec<_> = jobs.collect();
            let made = Engine::best().sign_batch_with_rng(&mut rng, &jobs);
            let made = made.expect("no fault");
            for (signature, out) in made.iter().zip(rust_out.chunks_mut(P::PADDED_LEN)) {
                signature.encode(Format::Padded, out).expect("fits");
            }
        };
        let mut c = || {
            let jobs = messages.iter().map(|message| falconsign_sign_job {
                key: self.c,
                message: message.as_ptr(),
                message_len: message.len(),
            });
            let (jobs, out, stride): (Vec<_>, _, _) =
                (jobs.collect(), out.as_mut_ptr(), P::PADDED_LEN);
            // SAFETY: there is room for every signature, and the handle is live.
            ok(unsafe {
                (library.sign_batch)(jobs.as_ptr(), JOBS, PADDED, null(), out, stride, null_mut())
            });
        };
        compare(
            &format!("{} sign, batch", P::NAME),
            rounds,
            JOBS,
            &mut rust,
            &mut c,
        );
        out
    }

    /// Times batches of verifications.
    fn verify_batch(&self, library: &Library, messages: &[String], out: &[u8], rounds: usize)
    where
        Engine: BatchVerify<P>,
    {
        let signatures = || out.chunks(P::PADDED_LEN);
        let key = self.rust.verifying_key();
        let mut rust = || {
            let jobs = messages.iter().zip(signatures());
            let jobs: Vec<_> = jobs
                .map(|(message, signature)| VerifyBytesJob {
                    key,
                    message: message.as_bytes(),
                    signature,
                })
                .collect();
            let mut verdicts = vec![Verdict::Invalid; JOBS];
            let batch = Engine::best().verify_bytes_batch(&jobs, &mut verdicts);
            batch.expect("equal lengths");
            assert!(verdicts.iter().all(|verdict| verdict.is_valid()));
        };
        let mut c = || {
            let jobs = messages.iter().zip(signatures());
            let jobs = jobs.map(|(message, signature)| falconsign_verify_job {
                key: self.c_public,
                message: message.as_ptr(),
                message_len: message.len(),
                signature: signature.as_ptr(),
                signature_len: signature.len(),
            });
            let (jobs, mut verdicts): (Vec<_>, _) = (jobs.collect(), vec![0; JOBS]);
            // SAFETY: the lengths are those of the buffers, and the handle is live.
            ok(unsafe {
                (library.verify_batch)(jobs.as_ptr(), JOBS, PADDED, null(), verdicts.as_mut_ptr())
            });
        };
        compare(
            &format!("{} verify, batch", P::NAME),
            rounds,
            JOBS,
            &mut rust,
            &mut c,
        );
    }

    fn batches(&self, library: &Library, rounds: usize)
    where
        Engine: BatchSign<P> + BatchVerify<P>,
    {
        let messages: Vec<_> = (0..JOBS).map(|job| format!("order #{job}")).collect();
        let signatures = self.sign_batch(library, &messages, rounds);
        self.verify_batch(library, &messages, &signatures, rounds);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let library = arguments.next().ok_or("overhead LIBRARY [ROUNDS]")?;
    let rounds = arguments
        .next()
        .map_or(Ok(20_000), |rounds| rounds.parse())?;
    let library = Library::load(&library)?;
    println!(
        "engine {}, microseconds a message, {rounds} rounds",
        Engine::best().name()
    );
    let small = Pair::<Falcon512>::new(&library, 512)?;
    small.single(&library, rounds);
    small.batches(&library, rounds / 20);
    let large = Pair::<Falcon1024>::new(&library, 1024)?;
    large.single(&library, rounds / 2);
    large.batches(&library, rounds / 40);
    Ok(())
}
