//! Launches kernels on this processor, in the order for signing and for verifying. This tests the
//! results of the kernels. Other tests cover the engine's own order of launches.

use falcon_core::hazmat::{expanded_reals, secret_basis, secret_hash, signature_from_nonce_and_s2};
use falcon_core::seams::hash::{Shake256, Shake256Reader};
use falcon_core::{ExpandedKey, Parameters, SigningKey};
use falcon_gpu::kernels::{Batch, Kernel, KeyMode, Operation, status};
use falcon_gpu_host::Build;

/// Returns false, and prints the reason, if there are no kernels to test.
pub fn kernels_available() -> bool {
    if !falcon_gpu_host::AVAILABLE {
        eprintln!("NOT TESTED: the GPU kernels need a C++17 compiler to run on this processor");
    }
    falcon_gpu_host::AVAILABLE
}

/// A deterministic generator: SHAKE256 of a label.
pub fn repeatable(label: &str) -> Shake256Reader {
    Shake256::reader(label.as_bytes())
}

pub fn bytes(reader: &mut Shake256Reader, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    reader.read(&mut out);
    out
}

/// Returns the tests' signing key number `i`.
pub fn key<P: Parameters>(i: u8) -> SigningKey<P> {
    SigningKey::from_seed(&[i; 32]).expect("no fault")
}

/// Build, order and block size of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub build: Build,
    /// Lanes run from the last to the first.
    pub backwards: bool,
    /// Threads of a block.
    pub block: u32,
}

pub const LAUNCH: Launch = Launch {
    build: Build::Default,
    backwards: false,
    block: 64,
};

/// Returns launches of the default build and of the variant, with lanes in both orders.
pub fn launches() -> Vec<Launch> {
    let mut all = Vec::new();
    for build in [Build::Default, Build::Variant] {
        for backwards in [false, true] {
            all.push(Launch {
                build,
                backwards,
                ..LAUNCH
            });
        }
    }
    all
}

/// Marks memory that kernels must not write.
const UNTOUCHED: f64 = -1.5e-300;

impl Launch {
    /// Runs `operation` on `batch.count` slots.
    pub fn run<P: Parameters>(self, operation: Operation, mut batch: Batch) {
        let kernel = Kernel {
            operation,
            logn: P::LOGN,
        };
        let lanes = kernel.threads(batch.prng_rows);
        let grid = (u64::from(batch.count) * u64::from(lanes)).div_ceil(self.block.into());
        let shared = self.block / 32 * (8 * kernel.shared_reals()) as u32;
        let mut scratch = Vec::new();
        if matches!(operation, Operation::Sign(_)) {
            let slots = batch.count.next_multiple_of(4) as usize;
            scratch = vec![UNTOUCHED; kernel.scratch_reals() * slots + 1];
            batch.scratch = scratch.as_mut_ptr() as u64;
        }
        falcon_gpu_host::set_backwards(self.backwards);
        // SAFETY: the fields point to arrays of the sizes that `batch.h` asks for; see the callers.
        let launched = unsafe {
            falcon_gpu_host::launch_of(
                self.build,
                &kernel.name(),
                &batch,
                grid as u32,
                self.block,
                shared,
            )
        };
        launched.unwrap_or_else(|error| panic!("{}: {error}", kernel.name()));
        if let Some(&last) = scratch.last() {
            assert_eq!(
                last,
                UNTOUCHED,
                "{} wrote behind its scratch",
                kernel.name()
            );
        }
    }
}

pub fn address<T>(x: &[T]) -> u64 {
    if x.is_empty() { 0 } else { x.as_ptr() as u64 }
}

pub fn address_mut<T>(x: &mut [T]) -> u64 {
    if x.is_empty() {
        0
    } else {
        x.as_mut_ptr() as u64
    }
}

/// A message, and the number of the key that signs it.
#[derive(Clone, Debug)]
pub struct Job {
    pub key: usize,
    pub message: Vec<u8>,
}

/// The randomness of a batch.
pub enum Randomness<'a> {
    /// The seed of the batch and the number of the first job.
    Hedged([u8; 32], u64),
    /// Nonce and seed of each job.
    Raw(&'a [([u8; 40], Vec<u8>)]),
}

/// Conditions under which a batch is signed.
#[derive(Clone, Copy, Debug)]
pub struct Signing {
    pub launch: Launch,
    pub mode: KeyMode,
    pub prng_rows: u32,
    /// Largest number of bytes of a signature; by default the padded length.
    pub limit: Option<u32>,
    /// True if a kernel expands the keys.
    pub expand: bool,
}

impl Signing {
    pub fn new<P: Parameters>(mode: KeyMode) -> Self {
        Self {
            launch: LAUNCH,
            mode,
            prng_rows: if P::LOGN == 9 { 44 } else { 86 },
            limit: None,
            expand: false,
        }
    }
}

/// Signatures, and the largest number of attempts of a job.
pub struct Signed {
    pub signatures: Vec<Vec<u8>>,
    pub attempts: u32,
}

/// Returns messages in the format of the kernels, and their ends. The bytes between messages are
/// not zero.
pub fn concatenated(messages: impl Iterator<Item = impl AsRef<[u8]>>) -> (Vec<u64>, Vec<u64>) {
    let (mut words, mut offsets) = (Vec::new(), vec![0]);
    for message in messages {
        let message = message.as_ref();
        offsets.push((8 * words.len() + message.len()) as u64);
        for part in message.chunks(8) {
            let mut word = [0xaa; 8];
            word[..part.len()].copy_from_slice(part);
            words.push(u64::from_le_bytes(word));
        }
    }
    (words, offsets)
}

/// Returns bases in the format of the kernels.
pub fn bases<P: Parameters>(keys: &[SigningKey<P>]) -> Vec<i8> {
    keys.iter()
        .flat_map(|key| secret_basis(key).concat())
        .collect()
}

/// Returns keys that a kernel has expanded.
pub fn device_keys<P: Parameters>(
    launch: Launch,
    mode: KeyMode,
    keys: &[SigningKey<P>],
) -> Vec<f64> {
    let operation = match mode {
        KeyMode::Transient => return Vec::new(),
        KeyMode::Balanced => Operation::Basis,
        KeyMode::Expanded => Operation::Expand,
    };
    let stride = key_stride::<P>(mode);
    let bases = bases(keys);
    let mut states = vec![status::NONE; keys.len()];
    let mut out = vec![UNTOUCHED; stride * keys.len() + 1];
    let batch = Batch {
        bases: address(&bases),
        keys: address_mut(&mut out),
        key_stride: stride as u64,
        status: address_mut(&mut states),
        count: keys.len() as u32,
        ..Batch::default()
    };
    launch.run::<P>(operation, batch);
    assert_eq!(out.pop(), Some(UNTOUCHED), "wrote behind the keys");
    assert_eq!(states, vec![status::DONE; keys.len()]);
    out
}

pub fn key_stride<P: Parameters>(mode: KeyMode) -> usize {
    match mode {
        KeyMode::Transient => 0,
        KeyMode::Balanced => 4 * P::N,
        KeyMode::Expanded => ExpandedKey::<P>::LEN,
    }
}

/// Signs `jobs`.
pub fn sign<P: Parameters>(
    how: Signing,
    keys: &[SigningKey<P>],
    jobs: &[Job],
    randomness: &Randomness<'_>,
) -> Signed {
    let count = jobs.len();
    let (messages, message_offsets) = concatenated(jobs.iter().map(|job| &job.message));
    let key_of_job: Vec<u32> = jobs.iter().map(|job| job.key as u32).collect();
    let hashes: Vec<u8> = keys.iter().flat_map(|key| *secret_hash(key)).collect();
    // Kernels read nonces as words of 64 bits, so they must be aligned.
    let mut aligned_nonces = vec![0u64; 5 * count];
    let mut seeds = vec![0u32; 14 * count];
    let mut rows = vec![0u32; 128 * how.prng_rows as usize * count];
    let mut records = vec![0u16; 46 * how.prng_rows as usize * count];
    let mut points = vec![0u16; P::N * count];
    let mut s2 = vec![0i16; P::N * count];
    let limit = how.limit.unwrap_or(P::PADDED_LEN as u32);
    let mut states = vec![status::GIVEN; count];
    let mut redo = vec![u32::MAX; count];
    let mut counts = [0u32; 2];
    let bases = bases(keys);
    let reals: Vec<f64> = if how.expand {
        device_keys(how.launch, how.mode, keys)
    } else {
        let len = key_stride::<P>(how.mode);
        let expanded = keys.iter().map(|key| key.expand());
        expanded
            .flat_map(|key| expanded_reals(&key)[..len].to_vec())
            .collect()
    };

    let mut batch = Batch {
        messages: address(&messages),
        message_offsets: address(&message_offsets),
        key_of_job: if keys.len() == 1 {
            0
        } else {
            address(&key_of_job)
        },
        secret_hashes: address(&hashes),
        nonces: address_mut(&mut aligned_nonces),
        seeds: address_mut(&mut seeds),
        rows: address_mut(&mut rows),
        records: address_mut(&mut records),
        points: address_mut(&mut points),
        s2: address_mut(&mut s2),
        status: address_mut(&mut states),
        redo: address_mut(&mut redo),
        counts: address_mut(&mut counts),
        bases: address(&bases),
        keys: address(&reals),
        key_stride: key_stride::<P>(how.mode) as u64,
        count: count as u32,
        prng_rows: how.prng_rows,
        signature_limit: limit,
        ..Batch::default()
    };
    let aligned_seed: Vec<u64>;
    match randomness {
        Randomness::Hedged(seed, first) => {
            let words = seed.as_chunks::<8>().0.iter();
            aligned_seed = words.map(|word| u64::from_le_bytes(*word)).collect();
            batch.batch_seed = address(&aligned_seed);
            batch.first = *first;
        }
        Randomness::Raw(list) => {
            for (out, (nonce, _)) in aligned_nonces.as_chunks_mut::<5>().0.iter_mut().zip(*list) {
                let words = nonce.as_chunks::<8>().0.iter();
                for (out, word) in out.iter_mut().zip(words) {
                    *out = u64::from_le_bytes(*word);
                }
            }
        }
    }

    let mut list: Vec<u32> = Vec::new();
    how.launch.run::<P>(Operation::Hash, batch);
    while batch.count > 0 {
        match randomness {
            Randomness::Hedged(..) => how.launch.run::<P>(Operation::Seed, batch),
            Randomness::Raw(raw) => {
                for slot in 0..batch.count as usize {
                    let job = if list.is_empty() {
                        slot
                    } else {
                        list[slot] as usize
                    };
                    let mut stream = Shake256::reader(&raw[job].1);
                    let mut seed = [0; 56];
                    for _ in 0..=batch.attempt {
                        seed = stream.read_array();
                    }
                    for (out, word) in seeds[14 * slot..].iter_mut().zip(seed.as_chunks().0) {
                        *out = u32::from_le_bytes(*word);
                    }
                }
            }
        }
        how.launch.run::<P>(Operation::Prng, batch);
        how.launch.run::<P>(Operation::Sign(how.mode), batch);
        how.launch.run::<P>(Operation::Accept, batch);
        let [again, done] = counts;
        assert_eq!(again + done, batch.count);
        list = redo[..again as usize].to_vec();
        // Reverses the list, since its order must not affect the results.
        list.reverse();
        batch.list = address(&list);
        counts = [0; 2];
        batch.counts = address_mut(&mut counts);
        batch.count = again;
        batch.attempt += 1;
    }
    assert!(states.iter().all(|&state| state == status::DONE));
    let signatures = aligned_nonces.chunks(5).zip(s2.chunks(P::N));
    let signatures = signatures.map(|(nonce, s2)| {
        let nonce: Vec<u8> = nonce.iter().flat_map(|word| word.to_le_bytes()).collect();
        let nonce = nonce.try_into().expect("40 bytes");
        let signature = signature_from_nonce_and_s2::<P>(&nonce, s2).expect("a short vector");
        let bytes = signature.to_bytes().to_vec();
        assert!(bytes.len() <= limit.max(P::PADDED_LEN as u32) as usize);
        bytes
    });
    let signatures = signatures.collect();
    Signed {
        signatures,
        attempts: batch.attempt,
    }
}

/// Returns the statuses after one attempt from arbitrary points. The basis need not be that of a
/// key.
pub fn attempt_raw<P: Parameters>(basis: &[i8], count: usize) -> Vec<u8> {
    let given = Batch {
        bases: address(basis),
        ..Batch::default()
    };
    attempt::<P>(KeyMode::Transient, given, count)
}

/// Returns the statuses after one attempt with expanded keys that take turns. The reals of the keys
/// may be arbitrary.
pub fn attempt_expanded<P: Parameters>(keys: &[Vec<f64>], count: usize) -> Vec<u8> {
    let reals = keys.concat();
    let key_of_job: Vec<u32> = (0..count).map(|job| (job % keys.len()) as u32).collect();
    let given = Batch {
        keys: address(&reals),
        key_stride: key_stride::<P>(KeyMode::Expanded) as u64,
        key_of_job: address(&key_of_job),
        ..Batch::default()
    };
    attempt::<P>(KeyMode::Expanded, given, count)
}

/// Returns the statuses after one attempt from arbitrary points, with the keys of `given`.
fn attempt<P: Parameters>(mode: KeyMode, given: Batch, count: usize) -> Vec<u8> {
    let mut source = repeatable("attempt");
    let points: Vec<u16> = (0..P::N * count)
        .map(|_| u16::from_le_bytes(source.read_array()) % 12289)
        .collect();
    let seeds: Vec<u32> = (0..14 * count)
        .map(|_| u32::from_le_bytes(source.read_array()))
        .collect();
    let mut rows = vec![0u32; 128 * 4 * count];
    let mut records = vec![0u16; 46 * 4 * count];
    let mut s2 = vec![0i16; P::N * count];
    let mut states = vec![status::HASHED; count];
    let batch = Batch {
        seeds: address(&seeds),
        rows: address_mut(&mut rows),
        records: address_mut(&mut records),
        points: address(&points),
        s2: address_mut(&mut s2),
        status: address_mut(&mut states),
        count: count as u32,
        prng_rows: 4,
        ..given
    };
    LAUNCH.run::<P>(Operation::Prng, batch);
    LAUNCH.run::<P>(Operation::Sign(mode), batch);
    states
}

/// Returns the statuses of `jobs` with encoded signatures. A kernel prepares the public keys.
pub fn verify<P: Parameters>(
    launch: Launch,
    public_keys: &[&[u16]],
    jobs: &[Job],
    signatures: &[Vec<u8>],
) -> Vec<u8> {
    let count = jobs.len();
    let (messages, message_offsets) = concatenated(jobs.iter().map(|job| &job.message));
    let key_of_job: Vec<u32> = jobs.iter().map(|job| job.key as u32).collect();
    let stride = signatures.iter().map(Vec::len).max().unwrap_or(0);
    let mut bytes = vec![0xaau8; stride * count];
    for (out, signature) in bytes.chunks_exact_mut(stride.max(1)).zip(signatures) {
        out[..signature.len()].copy_from_slice(signature);
    }
    let lengths: Vec<u32> = signatures.iter().map(|s| s.len() as u32).collect();
    let mut nonces = vec![0u64; 5 * count];
    let mut points = vec![0u16; P::N * count];
    let mut s2 = vec![0i16; P::N * count];
    let mut states = vec![status::NONE; count];
    let h: Vec<u16> = public_keys.concat();
    let mut prepared = vec![0u16; h.len()];
    let keys = Batch {
        public_keys: address(&h),
        prepared: address_mut(&mut prepared),
        count: public_keys.len() as u32,
        ..Batch::default()
    };
    launch.run::<P>(Operation::Prepare, keys);
    let batch = Batch {
        messages: address(&messages),
        message_offsets: address(&message_offsets),
        key_of_job: if public_keys.len() == 1 {
            0
        } else {
            address(&key_of_job)
        },
        nonces: address_mut(&mut nonces),
        points: address_mut(&mut points),
        s2: address_mut(&mut s2),
        signatures: address(&bytes),
        signature_lengths: address(&lengths),
        status: address_mut(&mut states),
        prepared: address(&prepared),
        count: count as u32,
        signature_stride: stride as u32,
        ..Batch::default()
    };
    launch.run::<P>(Operation::Unpack, batch);
    launch.run::<P>(Operation::Hash, batch);
    launch.run::<P>(Operation::Verify, batch);
    states
}
