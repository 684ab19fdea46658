//! `hls sign`: whole signatures with their butterflies on the circuit.

use super::{design::DesignOptions, refused};
use crate::{
    engine::{batch_failed, faulty},
    error::{Error, Result, Status},
    scheme::Algorithm,
    seed::SEED_LEN,
    ui::{BAD, GOOD, Styled, Ui},
};
use clap::Args;
use falcon_core::{
    Engine, Falcon512, Falcon1024, Parameters, Signature, SigningKey,
    batch::{BatchSign, BatchVerify, SignJob, VerifyJob},
    seams::{LaneEngine, lanes::Baseline},
};
use falcon_hls_sim::{
    accelerator::Accelerator,
    cycles::Run,
    design::Design,
    quantity::Count,
    seam::{HlsFft, Meter},
    view::report::{DesignForm, VERSION},
};
use serde::Serialize;
use std::fmt;

/// Sign with all butterflies on a design, and compare with the bytes of the processor
#[derive(Debug, Args)]
#[command(after_help = "\
This is a test, not a way to sign: key, nonces and samples come from a fixed seed.

Exit status: 0 the bytes are equal and the signatures valid, 1 they are not, 2 wrong usage.")]
pub(crate) struct Sign {
    #[command(flatten)]
    design: DesignOptions,
    /// Algorithm to sign with
    #[arg(
        short,
        long,
        value_enum,
        ignore_case = true,
        default_value = "falcon-512"
    )]
    algorithm: Algorithm,
    /// Number of signatures
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    count: u32,
}

/// Seed of everything.
const SEED: [u8; SEED_LEN] = [7; SEED_LEN];

/// The message.
const MESSAGE: &[u8] = b"the message that every run signs";

impl Sign {
    pub(super) fn run(self, ui: Ui) -> Result<Status> {
        let design = self.design.design()?;
        let outcome = match self.algorithm {
            Algorithm::Falcon512 => sign::<Falcon512>(design, self.count),
            Algorithm::Falcon1024 => sign::<Falcon1024>(design, self.count),
        }?;
        ui.report(&outcome)?;
        Ok(if outcome.equal && outcome.valid {
            Status::Valid
        } else {
            Status::Invalid
        })
    }
}

fn sign<P: Parameters>(design: Design, count: u32) -> Result<Outcome> {
    let accelerator = Accelerator::new(design).map_err(refused)?;
    let meter = Meter::default();
    let key = SigningKey::<P>::from_seed(&SEED);
    let key = key.map_err(|fault| faulty("cannot generate a key", fault))?;
    let expanded = Engine::Scalar.expand(&key);
    let job = SignJob::new(&expanded, MESSAGE);
    let jobs = vec![job; count as usize];
    let circuit = LaneEngine {
        arith: Baseline,
        fft: HlsFft::new(&accelerator, &meter),
    };
    let signed = |engine: &dyn BatchSign<P>| {
        let mut signatures = vec![Signature::EMPTY; jobs.len()];
        let done = engine.sign_batch(&SEED, &jobs, &mut signatures);
        done.map_err(batch_failed)?;
        Ok::<_, Error>(signatures)
    };
    let ours = signed(&circuit)?;
    let expected = signed(&Engine::Scalar)?;
    let bytes = |signature: &Signature<P>| signature.to_bytes().to_vec();
    let equal = ours.iter().map(bytes).eq(expected.iter().map(bytes));
    let public = key.verifying_key();
    let check = |signature| VerifyJob {
        key: public,
        message: MESSAGE,
        signature,
    };
    let checks: Vec<_> = ours.iter().map(check).collect();
    let mut verdicts = vec![Ok(()); checks.len()];
    BatchVerify::verify_batch(&Engine::Scalar, &checks, &mut verdicts)
        .map_err(|error| Error::new("cannot verify").because(error))?;
    let Run {
        cycles,
        iterations,
        stalls,
    } = meter.total();
    Ok(Outcome {
        version: VERSION,
        design: accelerator.design().into(),
        parameters: P::NAME,
        signatures: count,
        butterflies: iterations,
        cycles,
        stalls,
        micros_each: cycles as f64 * 1e6 / accelerator.design().clock_hz as f64 / f64::from(count),
        equal,
        valid: verdicts.iter().all(|verdict| verdict.is_ok()),
    })
}

/// The signatures, and how they compare.
#[derive(Serialize)]
struct Outcome {
    version: u32,
    design: DesignForm,
    parameters: &'static str,
    signatures: u32,
    /// Butterflies of all signatures.
    butterflies: u64,
    cycles: u64,
    stalls: u64,
    /// Time of the circuit alone for one signature, microseconds.
    micros_each: f64,
    /// Whether the processor makes the same bytes.
    equal: bool,
    valid: bool,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} on {}, {} MHz: {}",
            self.parameters,
            self.design.name,
            self.design.clock_hz as f64 / 1e6,
            Count(self.signatures.into(), "signature")
        )?;
        writeln!(
            f,
            "  {} butterflies, {} ({}); the circuit takes {:.0} us for a signature",
            self.butterflies,
            Count(self.cycles, "cycle"),
            match self.stalls {
                0 => "no stalls".into(),
                stalls => format!("{} included", Count(stalls, "stall")),
            },
            self.micros_each
        )?;
        let verdict = |good: bool, yes: &'static str, no: &'static str| match good {
            true => Styled(GOOD, yes),
            false => Styled(BAD, no),
        };
        write!(
            f,
            "  {} to the processor's bytes, {}",
            verdict(self.equal, "equal", "NOT EQUAL"),
            verdict(self.valid, "valid", "INVALID")
        )
    }
}
