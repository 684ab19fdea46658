//! Whether the device gives the bytes and verdicts of the processor.

use crate::jobs::Jobs;
use crate::{Arguments, Line, Mode, Result, context, options, tell, times};
use falcon::batch::{BatchError, BatchSign, BatchVerify};
use falcon::{Engine, Parameters, Signature, SignatureError, Threads};
use falcon_gpu::GpuContext;
use falcon_gpu::device::Device;
use falcon_gpu::kernels::Grain;
use std::ops::Range;
use std::sync::Arc;

/// Most jobs that are compared with a warp for each signature, and of the batches
/// that are small.
const FEW: usize = 4096;
const SEED: [u8; 32] = [0x33; 32];

/// A way to sign.
#[derive(Clone, Copy)]
enum Way {
    Expanded,
    Balanced,
    /// Keys that only the device expands, with other engines' bytes.
    Resident,
    Raw,
}

impl Way {
    const ALL: [(Self, &str); 4] = [
        (Self::Expanded, "expanded"),
        (Self::Balanced, "balanced"),
        (Self::Resident, "resident"),
        (Self::Raw, "raw"),
    ];

    fn mode(self) -> Mode {
        match self {
            Self::Expanded | Self::Resident => Mode::Expanded,
            Self::Balanced => Mode::Balanced,
            Self::Raw => Mode::Raw,
        }
    }

    fn sign<P: Parameters>(
        self,
        gpu: &GpuContext,
        jobs: &Jobs<P>,
        messages: Range<usize>,
        shared: bool,
    ) -> Result<Vec<Signature<P>>, BatchError> {
        let mut out = vec![Signature::EMPTY; messages.len()];
        match self {
            Self::Expanded | Self::Balanced => {
                gpu.sign_batch(&SEED, &jobs.sign(messages, shared), &mut out)?;
            }
            Self::Resident => {
                let jobs = jobs.sign_raw_keys(messages, shared);
                gpu.sign_batch_resident(&SEED, &jobs, &mut out)?;
            }
            Self::Raw => {
                let jobs = jobs.sign_raw_keys(messages, shared);
                gpu.sign_batch_raw_keys(&SEED, &jobs, &mut out)?;
            }
        }
        Ok(out)
    }
}

/// Compares all modes, with one key and with many, in both grains, and in the small
/// batches that are timed; and verdicts on signatures of which some are not valid.
pub(crate) fn compare<P: Parameters>(
    arguments: &Arguments,
    device: &Arc<dyn Device>,
) -> Result<bool> {
    let count = arguments.jobs;
    let jobs = Jobs::<P>::new(arguments.keys.max(1), count);
    let (engine, threads) = (Engine::best(), Threads::for_all_cores());
    let processor = engine.on(&threads);
    let mut all_equal = true;
    let mut told = |what: String, jobs: usize, equal: bool| {
        all_equal &= equal;
        tell(&Line::Compare {
            parameters: P::NAME,
            what,
            jobs,
            equal,
        })
    };
    let small: Vec<usize> = times::sizes(arguments.largest.min(FEW).min(count)).collect();
    for (shared, keys) in [(true, "one key"), (false, "many keys")] {
        let mut expected = vec![Signature::EMPTY; count];
        processor.sign_batch(&SEED, &jobs.sign(0..count, shared), &mut expected)?;
        for (way, name) in Way::ALL {
            for grain in [Grain::Group] {
                if arguments.grain.is_some_and(|only| only != grain) {
                    continue;
                }
                let count = match grain {
                    Grain::Thread | Grain::Group => count,
                    Grain::Warp => count.min(FEW),
                };
                let mut options = options(arguments, way.mode());
                options.grain = Some(grain);
                let gpu = GpuContext::on(device.clone(), options);
                let signatures = way.sign(&gpu, &jobs, 0..count, shared)?;
                let grain = format!("{grain:?}").to_lowercase();
                told(
                    format!("sign {name} {keys} {grain}"),
                    count,
                    signatures == expected[..count],
                )?;
            }
            // A job's bytes depend on its number, not on the jobs after it.
            let gpu = context(arguments, device, way.mode());
            let mut equal = true;
            for &size in &small {
                equal &= way.sign(&gpu, &jobs, 0..size, shared)? == expected[..size];
            }
            told(
                format!("sign {name} {keys} small batches"),
                small.iter().sum(),
                equal,
            )?;
        }

        // Every tenth belongs to another message.
        let mut bytes: Vec<_> = expected.iter().map(Signature::to_bytes).collect();
        for i in (10..count).step_by(10) {
            bytes[i] = bytes[i - 1];
        }
        let gpu = context(arguments, device, Mode::Expanded);
        let verdicts = |verifier: &dyn BatchVerify<P>, size: usize, before| {
            let mut verdicts = vec![before; size];
            let claims = jobs.verify(0..size, &bytes, shared);
            verifier.verify_bytes_batch(&claims, &mut verdicts)?;
            Ok::<_, BatchError>(verdicts)
        };
        let expected = verdicts(&processor, count, Ok(()))?;
        let on_gpu = verdicts(&gpu, count, Err(SignatureError))?;
        told(format!("verify {keys}"), count, on_gpu == expected)?;
        let mut equal = true;
        for &size in &small {
            equal &= verdicts(&gpu, size, Err(SignatureError))? == expected[..size];
        }
        told(
            format!("verify {keys} small batches"),
            small.iter().sum(),
            equal,
        )?;
    }
    Ok(all_equal)
}
