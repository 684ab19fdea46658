//! Kernels form a chain. Each kernel continues jobs only from the stage at which the previous
//! kernel leaves them.

use crate::common::{LAUNCH, Launch, address, address_mut, bases, kernels_available, key};
use falcon_core::hazmat::expanded_reals;
use falcon_core::{ExpandedKey, Falcon512, Falcon1024, Parameters};
use falcon_gpu::kernels::status::{
    DONE, GIVEN, HASHED, INVALID, LONG, MALFORMED, NONE, READY, REDO, SEEDED, SHORT, UNPREPARED,
};
use falcon_gpu::kernels::{Batch, KeyMode, Operation};
use falcon_gpu_host::{Build, set_emulation};

/// Number of jobs: one for each possible value of a status.
const JOBS: usize = 256;
const ROWS: usize = 2;
const UNTOUCHED: i16 = 0x5aa5;

/// All memory that a kernel may read or write. The memory of the prepared public key has its
/// values, or is zero.
struct Memory<P: Parameters> {
    offsets: Vec<u64>,
    batch_seed: [u64; 4],
    secret: [u64; 4],
    nonces: Vec<u64>,
    seeds: Vec<u32>,
    rows: Vec<u32>,
    records: Vec<u16>,
    points: Vec<u16>,
    s2: Vec<i16>,
    signatures: Vec<u8>,
    lengths: Vec<u32>,
    statuses: Vec<u8>,
    redo: Vec<u32>,
    counts: [u32; 2],
    bases: Vec<i8>,
    key: Vec<f64>,
    prepared: Vec<u16>,
    parameters: std::marker::PhantomData<P>,
}

impl<P: Parameters> Memory<P> {
    fn new(prepared: bool) -> Self {
        let keys = [key::<P>(0)];
        let expanded = keys[0].expand();
        let mut memory = Self {
            offsets: vec![0; JOBS + 1],
            batch_seed: [1; 4],
            secret: [2; 4],
            nonces: vec![0; 5 * JOBS],
            seeds: vec![0; 14 * JOBS],
            rows: vec![0; 128 * ROWS * JOBS],
            records: vec![0; 46 * ROWS * JOBS],
            points: vec![1; P::N * JOBS],
            s2: vec![UNTOUCHED; P::N * JOBS],
            signatures: vec![0; P::COMPRESSED_MAX_LEN * JOBS],
            lengths: vec![0; JOBS],
            statuses: (0..=u8::MAX).collect(),
            redo: vec![0; JOBS],
            counts: [0; 2],
            bases: bases(&keys),
            key: expanded_reals(&expanded)[..ExpandedKey::<P>::LEN].to_vec(),
            prepared: vec![0; P::N],
            parameters: std::marker::PhantomData,
        };
        if prepared {
            // The values of the zero polynomial, once prepared, are not zero bytes.
            let h = vec![0u16; P::N];
            let batch = Batch {
                public_keys: address(&h),
                prepared: address_mut(&mut memory.prepared),
                count: 1,
                ..Batch::default()
            };
            LAUNCH.run::<P>(Operation::Prepare, batch);
            assert!(memory.prepared.iter().all(|&value| value == 12289));
        }
        memory
    }

    fn batch(&mut self, hedged: bool, attempt: u32) -> Batch {
        Batch {
            message_offsets: address(&self.offsets),
            batch_seed: if hedged { address(&self.batch_seed) } else { 0 },
            secret_hashes: address(&self.secret),
            nonces: address_mut(&mut self.nonces),
            seeds: address_mut(&mut self.seeds),
            rows: address_mut(&mut self.rows),
            records: address_mut(&mut self.records),
            points: address_mut(&mut self.points),
            s2: address_mut(&mut self.s2),
            signatures: address_mut(&mut self.signatures),
            signature_lengths: address_mut(&mut self.lengths),
            status: address_mut(&mut self.statuses),
            redo: address_mut(&mut self.redo),
            counts: address_mut(&mut self.counts),
            bases: address(&self.bases),
            keys: address(&self.key),
            prepared: address(&self.prepared),
            key_stride: self.key.len() as u64,
            count: JOBS as u32,
            attempt,
            prng_rows: ROWS as u32,
            signature_stride: P::COMPRESSED_MAX_LEN as u32,
            signature_limit: P::COMPRESSED_MAX_LEN as u32,
            ..Batch::default()
        }
    }
}

/// Conditions of a launch.
#[derive(Clone, Copy, Debug)]
struct At {
    launch: Launch,
    hedged: bool,
    attempt: u32,
    prepared: bool,
}

/// Launches a kernel on jobs at all stages. A job at a stage in `from` must get a stage in `to`,
/// and every other job must keep its stage.
fn goes_on<P: Parameters>(operation: Operation, at: At, from: &[u8], to: &[u8]) {
    let mut memory = Memory::<P>::new(at.prepared);
    let batch = memory.batch(at.hedged, at.attempt);
    at.launch.run::<P>(operation, batch);
    let writes_s2 = matches!(operation, Operation::Sign(..) | Operation::Unpack);
    for (job, &after) in memory.statuses.iter().enumerate() {
        let before = job as u8;
        let s2 = &memory.s2[P::N * job..][..P::N];
        let touched = s2.iter().any(|&x| x != UNTOUCHED);
        if from.contains(&before) {
            assert!(to.contains(&after), "{operation:?}, {at:?}: {before:x}");
            // For a malformed signature, the kernel writes no polynomial.
            assert_eq!(touched, writes_s2 && after != MALFORMED);
        } else {
            assert_eq!(after, before, "{operation:?}, {at:?}");
            assert!(!touched, "{operation:?}, {at:?}: {before:x}");
        }
    }
    if operation == Operation::Accept {
        assert_eq!(memory.counts.iter().sum::<u32>(), from.len() as u32);
    }
}

fn kernels_go_on_from_one_stage<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    for (hedged, attempt) in [(true, 0), (true, 1), (false, 0), (false, 3)] {
        let at = At {
            launch: LAUNCH,
            hedged,
            attempt,
            prepared: true,
        };
        let first = if attempt == 0 { HASHED } else { REDO };
        goes_on::<P>(Operation::Hash, at, &[GIVEN], &[HASHED]);
        if hedged {
            goes_on::<P>(Operation::Seed, at, &[first], &[SEEDED]);
        }
        let seeded = if hedged { SEEDED } else { first };
        goes_on::<P>(Operation::Prng, at, &[seeded], &[READY]);
        // The coefficients of `s2` are too large to encode, so even jobs with the status `SHORT`
        // are refused.
        goes_on::<P>(Operation::Accept, at, &[SHORT, LONG], &[REDO]);
        goes_on::<P>(Operation::Unpack, at, &[NONE], &[MALFORMED]);
        goes_on::<P>(Operation::Verify, at, &[HASHED], &[INVALID]);
        let at = At {
            prepared: false,
            ..at
        };
        goes_on::<P>(Operation::Verify, at, &[HASHED], &[UNPREPARED]);
    }
}

#[test]
fn kernels_of_512_go_on_from_one_stage() {
    kernels_go_on_from_one_stage::<Falcon512>();
}

#[test]
fn kernels_of_1024_go_on_from_one_stage() {
    kernels_go_on_from_one_stage::<Falcon1024>();
}

#[test]
fn nothing_is_signed_but_what_is_ready() {
    if !kernels_available() {
        return;
    }
    let modes = [KeyMode::Transient, KeyMode::Balanced, KeyMode::Expanded];
    let builds = [Build::Default, Build::Variant, Build::Emulated];
    for mode in modes {
        for (order, build) in (0..).zip(builds) {
            set_emulation(order);
            let at = At {
                launch: Launch { build, ..LAUNCH },
                hedged: true,
                attempt: 0,
                prepared: true,
            };
            let sign = Operation::Sign(mode);
            goes_on::<Falcon512>(sign, at, &[READY], &[SHORT, LONG]);
        }
    }
}

/// If the encoding of a short vector fits, the job is done.
#[test]
fn what_is_short_and_fits_is_done() {
    if !kernels_available() {
        return;
    }
    let mut memory = Memory::<Falcon512>::new(true);
    memory.s2.fill(1);
    let batch = memory.batch(true, 0);
    LAUNCH.run::<Falcon512>(Operation::Accept, batch);
    let mut expected: Vec<u8> = (0..=u8::MAX).collect();
    expected[usize::from(SHORT)] = DONE;
    expected[usize::from(LONG)] = REDO;
    assert!(memory.statuses == expected);
    assert_eq!((memory.counts, memory.redo[0]), ([1, 1], LONG.into()));
}

/// The kernel `prng` works on blocks of rows. If the last rows of a slot are missing, the slot is
/// not ready.
#[test]
fn bytes_without_their_last_row_are_not_ready() {
    if !kernels_available() {
        return;
    }
    for missing in 0..3 {
        let mut memory = Memory::<Falcon512>::new(true);
        memory.statuses.fill(SEEDED);
        let batch = memory.batch(true, 0);
        // Eight threads compute a row.
        let blocks = (JOBS * ROWS - missing) as u32;
        // SAFETY: the fields point to arrays of the sizes that `batch.h` asks for.
        unsafe { falcon_gpu_host::launch("prng", &batch, blocks, 8, 512) }.unwrap();
        let ready = JOBS - missing.div_ceil(ROWS);
        for (job, &found) in memory.statuses.iter().enumerate() {
            assert_eq!(found == READY, job < ready, "{missing} missing, {job}");
        }
    }
}
