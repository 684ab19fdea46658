//! Falcon on a GPU: what the device can do, whether it gives the bytes of the
//! processor, and how long it takes. One JSON object a line; `run.sh` runs it.

mod ceilings;
mod timed;

use clap::{Parser, ValueEnum};
use falcon::batch::{BatchError, BatchSign, BatchVerify, SignJob, VerifyBytesJob};
use falcon::{
    Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, Signature, SignatureBytes,
    SignatureError, SigningKey, Threads,
};
use falcon_gpu::device::{Device, open_cuda};
use falcon_gpu::{GpuContext, Options, PTX, RawKeyJob};
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use timed::Timed;

/// Measure the engine on a GPU: ceilings, bytes, times
#[derive(Debug, Parser)]
#[command(version, args_override_self = true)]
struct Arguments {
    /// These steps only
    #[arg(value_enum)]
    steps: Vec<Step>,
    /// The number of the device
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// Kernels that were compiled otherwise, as PTX
    #[arg(long, value_name = "FILE")]
    ptx: Vec<PathBuf>,
    /// Jobs that are compared with the processor, for each size and mode
    #[arg(long, default_value_t = 100_000)]
    jobs: usize,
    /// Keys of jobs that have keys of their own
    #[arg(long, default_value_t = 1000)]
    keys: usize,
    /// Jobs of the largest batch that is timed
    #[arg(long, default_value_t = 1 << 20)]
    largest: usize,
    /// Timed runs of each batch, after three that are not
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// Write a table of the best rates beside others' published ones
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    Ceilings,
    Compare,
    Times,
}

/// How keys come to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Expanded,
    Balanced,
    Raw,
}

/// One line of the output.
#[derive(Serialize)]
#[serde(tag = "step", rename_all = "lowercase")]
enum Line<'a> {
    Device {
        device: &'a str,
        processors: u32,
        memory: u64,
        ptx: &'a [PathBuf],
    },
    Ceiling {
        what: &'a str,
        unit: &'a str,
        per_s: Option<f64>,
        error: Option<String>,
    },
    Compare {
        parameters: &'a str,
        what: String,
        jobs: usize,
        equal: bool,
    },
    Time(&'a Time),
}

/// How long a batch took.
#[derive(Serialize)]
struct Time {
    parameters: &'static str,
    operation: &'static str,
    /// Of the key.
    mode: String,
    batch: usize,
    /// From the call to its return: the median.
    host_ms: f64,
    host_per_s: f64,
    /// In kernels, which are waited for one by one.
    kernel_ms: f64,
    kernel_per_s: f64,
    kernels: BTreeMap<String, f64>,
}

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn tell(line: &Line<'_>) -> Result<()> {
    println!("{}", serde_json::to_string(line)?);
    Ok(())
}

/// False if something has not the bytes of the processor.
fn run(arguments: &Arguments) -> Result<bool> {
    let asked = |step| arguments.steps.is_empty() || arguments.steps.contains(&step);
    let texts: Vec<String> = arguments
        .ptx
        .iter()
        .map(std::fs::read_to_string)
        .collect::<Result<_, _>>()?;
    let texts: Vec<&str> = match &texts[..] {
        [] => PTX.to_vec(),
        texts => texts.iter().map(String::as_str).collect(),
    };
    let device = open_cuda(arguments.device, &texts)?;
    tell(&Line::Device {
        device: &device.name(),
        processors: device.processors(),
        memory: device.memory()?.total,
        ptx: &arguments.ptx,
    })?;
    if asked(Step::Ceilings) {
        let device = open_cuda(arguments.device, &[ceilings::PTX])?;
        for (what, unit, per_s) in ceilings::measure(&*device) {
            tell(&Line::Ceiling {
                what,
                unit,
                error: per_s.as_ref().err().map(ToString::to_string),
                per_s: per_s.ok(),
            })?;
        }
    }
    let mut equal = true;
    if asked(Step::Compare) {
        equal &= compare::<Falcon512>(arguments, &device)?;
        equal &= compare::<Falcon1024>(arguments, &device)?;
    }
    // What is wrong has no rate.
    if asked(Step::Times) && equal {
        let mut times = Vec::new();
        time_all::<Falcon512>(arguments, &device, &mut times)?;
        time_all::<Falcon1024>(arguments, &device, &mut times)?;
        if let Some(path) = &arguments.table {
            std::fs::write(path, table(&device.name(), &times))?;
        }
    }
    Ok(equal)
}

/// Keys and distinct messages of differing lengths.
struct Jobs<P: Parameters> {
    keys: Vec<SigningKey<P>>,
    expanded: Vec<ExpandedKey<P>>,
    messages: Vec<Vec<u8>>,
}

impl<P: Parameters> Jobs<P> {
    fn new(keys: usize, messages: usize) -> Self {
        let key = |i: usize| {
            let mut seed = [0x5a; 32];
            seed[..8].copy_from_slice(&i.to_le_bytes());
            SigningKey::from_seed(&seed)
        };
        // As many threads as cores make them.
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        let part = keys.div_ceil(cores).max(1);
        let keys: Vec<SigningKey<P>> = std::thread::scope(|scope| {
            let parts: Vec<_> = (0..keys)
                .step_by(part)
                .map(|start| {
                    let all = start..keys.min(start + part);
                    scope.spawn(move || all.map(key).collect::<Vec<_>>())
                })
                .collect();
            let parts = parts
                .into_iter()
                .map(|part| part.join().unwrap_or_default());
            parts.flatten().collect()
        });
        let message = |i: usize| {
            let mut message = i.to_le_bytes().to_vec();
            message.resize(8 + i % 120, i as u8);
            message
        };
        Self {
            expanded: keys.iter().map(SigningKey::expand).collect(),
            keys,
            messages: (0..messages).map(message).collect(),
        }
    }

    /// Jobs whose keys differ from those of their neighbours, or that have one.
    fn sign(&self, jobs: usize, shared: bool) -> Vec<SignJob<'_, P>> {
        let key = |i: usize| if shared { 0 } else { i % self.keys.len() };
        let jobs = self.messages.iter().enumerate().take(jobs);
        jobs.map(|(i, message)| SignJob {
            key: &self.expanded[key(i)],
            message,
        })
        .collect()
    }

    fn sign_raw_keys(&self, jobs: usize) -> Vec<RawKeyJob<'_, P>> {
        let jobs = self.messages.iter().enumerate().take(jobs);
        jobs.map(|(i, message)| RawKeyJob {
            key: &self.keys[i % self.keys.len()],
            message,
        })
        .collect()
    }

    fn verify<'a>(
        &'a self,
        signatures: &'a [SignatureBytes<P>],
        shared: bool,
    ) -> Vec<VerifyBytesJob<'a, P>> {
        let jobs = self.sign(signatures.len(), shared);
        let jobs = jobs.into_iter().zip(signatures);
        jobs.map(|(job, signature)| VerifyBytesJob {
            key: job.key.verifying_key(),
            message: job.message,
            signature,
        })
        .collect()
    }
}

fn context(device: &Arc<dyn Device>, mode: Mode) -> GpuContext {
    let mut options = Options::default();
    options.balanced = mode == Mode::Balanced;
    GpuContext::on(device.clone(), options)
}

/// Compares all modes with the processor, and verdicts on signatures of which some
/// are not valid.
fn compare<P: Parameters>(arguments: &Arguments, device: &Arc<dyn Device>) -> Result<bool> {
    let count = arguments.jobs;
    let jobs = Jobs::<P>::new(arguments.keys.max(1), count);
    let (engine, threads) = (Engine::best(), Threads::for_all_cores());
    let processor = engine.on(&threads);
    let seed = [0x33; 32];
    let mut all_equal = true;
    let mut told = |what: String, equal: bool| {
        all_equal &= equal;
        tell(&Line::Compare {
            parameters: P::NAME,
            what,
            jobs: count,
            equal,
        })
    };
    let mut expected = vec![Signature::EMPTY; count];
    let mut out = expected.clone();
    for (shared, keys) in [(true, "one key"), (false, "many keys")] {
        let sign = jobs.sign(count, shared);
        processor.sign_batch(&seed, &sign, &mut expected)?;
        for mode in [Mode::Expanded, Mode::Balanced] {
            out.fill(Signature::EMPTY);
            context(device, mode).sign_batch(&seed, &sign, &mut out)?;
            told(
                format!("sign {mode:?} {keys}").to_lowercase(),
                out == expected,
            )?;
        }
    }
    // Keys that only the device expands, with other engines' bytes.
    out.fill(Signature::EMPTY);
    let gpu = context(device, Mode::Expanded);
    gpu.sign_batch_resident(&seed, &jobs.sign_raw_keys(count), &mut out)?;
    told("sign resident many keys".to_owned(), out == expected)?;
    out.fill(Signature::EMPTY);
    let gpu = context(device, Mode::Raw);
    gpu.sign_batch_raw_keys(&seed, &jobs.sign_raw_keys(count), &mut out)?;
    told("sign raw many keys".to_owned(), out == expected)?;

    // Every tenth belongs to another message.
    let mut bytes: Vec<_> = expected.iter().map(Signature::to_bytes).collect();
    for i in (10..count).step_by(10) {
        bytes[i] = bytes[i - 1];
    }
    let verify = jobs.verify(&bytes, false);
    let mut verdicts = vec![Ok(()); count];
    processor.verify_bytes_batch(&verify, &mut verdicts)?;
    let mut on_gpu = vec![Err(SignatureError); count];
    gpu.verify_bytes_batch(&verify, &mut on_gpu)?;
    told("verify many keys".to_owned(), on_gpu == verdicts)?;
    Ok(all_equal)
}

/// Times every operation in batches of every size.
fn time_all<P: Parameters>(
    arguments: &Arguments,
    device: &Arc<dyn Device>,
    times: &mut Vec<Time>,
) -> Result<()> {
    let sizes: Vec<usize> = (0..=20)
        .step_by(4)
        .map(|log| 1 << log)
        .filter(|&size| size <= arguments.largest)
        .collect();
    let largest = sizes.last().copied().unwrap_or(1);
    let jobs = Jobs::<P>::new(arguments.keys.max(1), largest);
    for size in sizes {
        let mut out = vec![Signature::EMPTY; size];
        for mode in [Mode::Expanded, Mode::Balanced, Mode::Raw] {
            let (sign, raw) = match mode {
                Mode::Raw => (Vec::new(), jobs.sign_raw_keys(size)),
                _ => (jobs.sign(size, true), Vec::new()),
            };
            times.push(time::<P>(
                arguments,
                device,
                mode,
                ("sign", size),
                |gpu, seed| match mode {
                    Mode::Raw => Ok(gpu.sign_batch_raw_keys(seed, &raw, &mut out)?),
                    _ => gpu.sign_batch(seed, &sign, &mut out),
                },
            )?);
        }
        for (shared, mode) in [(true, Mode::Expanded), (false, Mode::Raw)] {
            let (engine, threads) = (Engine::best(), Threads::for_all_cores());
            let sign = jobs.sign(size, shared);
            engine.on(&threads).sign_batch(&[1; 32], &sign, &mut out)?;
            let bytes: Vec<_> = out.iter().map(Signature::to_bytes).collect();
            let verify = jobs.verify(&bytes, shared);
            let mut verdicts = vec![Ok(()); size];
            times.push(time::<P>(
                arguments,
                device,
                mode,
                ("verify", size),
                |gpu, _| gpu.verify_bytes_batch(&verify, &mut verdicts),
            )?);
            if verdicts.contains(&Err(SignatureError)) {
                return Err("a valid signature was refused".into());
            }
        }
    }
    Ok(())
}

/// Times calls that get a fresh seed each.
fn time<P: Parameters>(
    arguments: &Arguments,
    device: &Arc<dyn Device>,
    mode: Mode,
    (operation, batch): (&'static str, usize),
    mut call: impl FnMut(&GpuContext, &[u8; 32]) -> std::result::Result<(), BatchError>,
) -> Result<Time> {
    let mut seed = [0x77; 32];
    let mut fresh = || {
        let next = u64::from_le_bytes([
            seed[0], seed[1], seed[2], seed[3], seed[4], seed[5], seed[6], seed[7],
        ]);
        seed[..8].copy_from_slice(&next.wrapping_add(1).to_le_bytes());
        seed
    };
    let gpu = context(device, mode);
    for _ in 0..3 {
        call(&gpu, &fresh())?;
    }
    let mut host = Vec::new();
    for _ in 0..arguments.runs.max(1) {
        let seed = fresh();
        let start = Instant::now();
        call(&gpu, &seed)?;
        host.push(start.elapsed().as_secs_f64() * 1e3);
    }
    drop(gpu);
    let timed = Timed::new(device.clone());
    let mut options = Options::default();
    options.balanced = mode == Mode::Balanced;
    let gpu = GpuContext::on(timed.clone(), options);
    call(&gpu, &fresh())?;
    timed.take();
    call(&gpu, &fresh())?;
    let kernels = timed.take();

    let (host_ms, kernel_ms) = (median(&mut host), kernels.values().sum::<f64>());
    let per_s = |milliseconds: f64| (batch as f64 / milliseconds * 1e3).round();
    let time = Time {
        parameters: P::NAME,
        operation,
        mode: match (operation, mode) {
            ("verify", Mode::Raw) => "own keys".to_owned(),
            ("verify", _) => "shared key".to_owned(),
            (_, mode) => format!("{mode:?}").to_lowercase(),
        },
        batch,
        host_ms,
        host_per_s: per_s(host_ms),
        kernel_ms,
        kernel_per_s: per_s(kernel_ms),
        kernels,
    };
    tell(&Line::Time(&time))?;
    Ok(time)
}

/// The middle one.
pub(crate) fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What others have published: parameters, operation, mode, rate, where.
const PUBLISHED: [(&str, &str, &str, u32, &str); 13] = [
    ("Falcon-512", "sign", "expanded", 420_250, "GOLF, RTX 4090"),
    ("Falcon-512", "sign", "expanded", 157_995, "GOLF, A100"),
    ("Falcon-512", "sign", "expanded", 201_545, "cuFalcon, A100"),
    ("Falcon-512", "sign", "balanced", 184_371, "cuFalcon, A100"),
    ("Falcon-512", "sign", "raw", 172_263, "cuFalcon, A100"),
    (
        "Falcon-512",
        "verify",
        "own keys",
        10_311_039,
        "GOLF, RTX 4090",
    ),
    ("Falcon-512", "verify", "own keys", 4_180_879, "GOLF, A100"),
    (
        "Falcon-512",
        "verify",
        "own keys",
        3_259_460,
        "cuFalcon, A100",
    ),
    ("Falcon-1024", "sign", "expanded", 100_292, "cuFalcon, A100"),
    ("Falcon-1024", "sign", "balanced", 96_997, "cuFalcon, A100"),
    ("Falcon-1024", "sign", "raw", 90_636, "cuFalcon, A100"),
    (
        "Falcon-1024",
        "verify",
        "own keys",
        2_372_579,
        "cuFalcon, A100",
    ),
    ("Falcon-512", "sign", "raw", 58_595, "Lee et al., A100"),
];

/// The best rates, in Markdown.
fn table(device: &str, times: &[Time]) -> String {
    let mut rows = vec![
        format!("# {device}\n"),
        "Ours: distinct messages and seeds, restarts as the scheme demands, from the call to its return;".to_owned(),
        "kernels alone in brackets. The others' repeat one message, key, nonce and seed and do not try again.\n".to_owned(),
        "| parameters | operation | key | ours /s | batch | published /s |".to_owned(),
        "|---|---|---|---|---|---|".to_owned(),
    ];
    let key = |time: &Time| (time.parameters, time.operation, time.mode.clone());
    let mut seen = Vec::new();
    for time in times {
        if seen.contains(&key(time)) {
            continue;
        }
        seen.push(key(time));
        let same = times.iter().filter(|other| key(other) == key(time));
        let Some(best) = same.max_by(|a, b| a.host_per_s.total_cmp(&b.host_per_s)) else {
            continue;
        };
        let others: Vec<_> = PUBLISHED
            .iter()
            .filter(|other| {
                (other.0, other.1, other.2) == (best.parameters, best.operation, &*best.mode)
            })
            .map(|other| format!("{} ({})", other.3, other.4))
            .collect();
        rows.push(format!(
            "| {} | {} | {} | {:.0} ({:.0}) | {} | {} |",
            best.parameters,
            best.operation,
            best.mode,
            best.host_per_s,
            best.kernel_per_s,
            best.batch,
            others.join(", ")
        ));
    }
    rows.join("\n") + "\n"
}
