//! Median times of repeated calls, for `demo`.

use super::measure::Measure;
use crate::{engine::Compute, error::Result, scheme::with_type, timing::measure, ui::Ui};
use falcon_core::{ParameterSet, Parameters};
use std::time::Duration;

/// Time for which each operation is repeated.
const DURATION: Duration = Duration::from_millis(100);

/// Median times of one operation with a prepared key and the message of `bench`.
pub(crate) struct Warm {
    pub(crate) sign: Duration,
    pub(crate) verify: Duration,
}

impl Warm {
    /// Measures an engine with a new key.
    pub(crate) fn measure(set: ParameterSet, engine: &Compute, ui: Ui) -> Result<Self> {
        with_type!(set, P => Self::with_set::<P>(engine, ui))
    }

    fn with_set<P: Parameters>(engine: &Compute, ui: Ui) -> Result<Self> {
        let bench = Measure::<P>::new(DURATION, ui)?;
        let expanded = bench.key().expand();
        let signatures = bench.signatures()?;
        let sign = measure(DURATION, ui, bench.signing(1, engine, &expanded)?)?;
        let verify = measure(DURATION, ui, bench.verifying(1, engine, &signatures)?)?;
        Ok(Self {
            sign: sign.median(),
            verify: verify.median(),
        })
    }
}
