//! Whole signatures whose butterflies run on a circuit, compared with those of the processor.

use crate::VERSION;
use crate::accelerator::Accelerator;
use crate::cycles::Run;
use crate::quantity::{Count, Stalls};
use crate::seam::{HlsFft, Meter};
use crate::view::report::DesignForm;
use falcon_core::batch::{BatchError, BatchSign, SignJob};
use falcon_core::seams::{LaneEngine, lanes::Baseline};
use falcon_core::{Engine, Parameters, Signature, SigningKey};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// Signatures that were made on a circuit, and the result of the comparison.
///
/// ```
/// use falcon_core::{Falcon512, SigningKey};
/// use falcon_hls_sim::{accelerator::Accelerator, design::Preset, signed::SignedForm};
///
/// let circuit = Accelerator::new(Preset::Ii1Xor.design())?;
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let signed = SignedForm::new(&circuit, &key, b"a message", &[8; 32], 2)?;
/// assert!(signed.equal && signed.valid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct SignedForm {
    /// [`VERSION`].
    pub version: u32,
    /// The design.
    pub design: DesignForm,
    /// Name of the parameter set.
    pub parameters: &'static str,
    /// Number of signatures.
    pub signatures: u32,
    /// Butterflies of all signatures.
    pub butterflies: u64,
    /// Cycles of all butterflies.
    pub cycles: u64,
    /// Part of `cycles` in which an iteration stalls.
    pub stalls: u64,
    /// Time of the circuit alone for one signature, microseconds.
    pub micros_each: f64,
    /// True if the processor's signatures have the same bytes.
    pub equal: bool,
    /// True if all signatures are valid.
    pub valid: bool,
}

impl SignedForm {
    /// Signs `message` `count` times on `accelerator` and with [`Engine::Scalar`], from one seed.
    ///
    /// # Errors
    /// If an engine fails.
    pub fn new<P: Parameters>(
        accelerator: &Accelerator,
        key: &SigningKey<P>,
        message: &[u8],
        seed: &[u8; 32],
        count: u32,
    ) -> Result<Self, BatchError> {
        let meter = Meter::default();
        let circuit = LaneEngine {
            arith: Baseline,
            fft: HlsFft::new(accelerator, &meter),
        };
        let expanded = Engine::Scalar.expand(key);
        let jobs = vec![SignJob::new(&expanded, message); count as usize];
        let signed = |engine: &dyn BatchSign<P>| {
            let mut signatures = vec![Signature::EMPTY; jobs.len()];
            engine.sign_batch(seed, &jobs, &mut signatures)?;
            Ok(signatures)
        };
        let ours: Vec<Signature<P>> = signed(&circuit)?;
        let expected = signed(&Engine::Scalar)?;
        let bytes = |signature: &Signature<P>| signature.to_bytes().to_vec();
        let is_valid = |signature| key.verifying_key().verify(message, signature).is_ok();
        let Run {
            cycles,
            iterations,
            stalls,
        } = meter.total();
        let clock_hz = accelerator.design().clock_hz;
        Ok(Self {
            version: VERSION,
            design: accelerator.design().into(),
            parameters: P::NAME,
            signatures: count,
            butterflies: iterations,
            cycles,
            stalls,
            micros_each: cycles as f64 * 1e6 / clock_hz as f64 / f64::from(count),
            equal: ours.iter().map(bytes).eq(expected.iter().map(bytes)),
            valid: ours.iter().all(is_valid),
        })
    }

    /// Returns the report. `styled` formats each verdict; its first argument is true if the verdict
    /// is good.
    pub fn text(&self, styled: impl Fn(bool, &'static str) -> String) -> String {
        let equal = if self.equal { "equal" } else { "NOT EQUAL" };
        let valid = if self.valid { "valid" } else { "INVALID" };
        format!(
            "{} on {}, {} MHz: {}\n  {} butterflies, {} ({}); the circuit takes {:.0} us for a \
             signature\n  {} to the processor's bytes, {}",
            self.parameters,
            self.design.name,
            self.design.clock_hz as f64 / 1e6,
            Count(self.signatures.into(), "signature"),
            self.butterflies,
            Count(self.cycles, "cycle"),
            Stalls(self.stalls),
            self.micros_each,
            styled(self.equal, equal),
            styled(self.valid, valid)
        )
    }
}

impl Display for SignedForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|_, verdict| verdict.into()))
    }
}
