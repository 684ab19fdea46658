//! Selects the engine, and makes keys, signs and verifies with it.

use crate::{
    error::{Error, Result},
    message::Message,
    scheme::with_type,
    seed::{SEED_LEN, fresh_seed},
    ui::Ui,
};
use falcon_core::{
    AnySignature, AnySigningKey, AnyVerifyingKey, Engine, ExpandedKey, FaultError, ParameterSet,
    Parameters, Scratch, Signature, SignatureError, UnknownEngine,
    batch::{BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob},
    hazmat::{BatchSignRaw, Fit, RawJob},
};
use falcon_envelope::Statement;
#[cfg(feature = "cuda")]
use falcon_gpu::GpuContext;
use falcon_kat::RawSigner;

/// The environment variable that names the engine if no option does.
pub(crate) const ENGINE_VARIABLE: &str = "FALCON_ENGINE";

/// The value of `--engine` that leaves the choice to the environment and the machine.
pub(crate) const AUTO: &str = "auto";

/// The name of the engine on a GPU; `gpu:1` is the second one.
pub(crate) const GPU: &str = "gpu";

/// Parses the value of `--engine`. Case does not matter.
pub(crate) fn parse_name(name: &str) -> std::result::Result<String, String> {
    let lower = name.to_ascii_lowercase();
    if lower == AUTO || gpu_number(&lower).is_some() {
        return Ok(lower);
    }
    let engine = name.parse().map(|engine: Engine| engine.name().to_owned());
    engine.map_err(|error| unknown(&error))
}

/// Returns the error text for an unknown engine. It lists the existing engines, including the GPU.
fn unknown(error: &UnknownEngine) -> String {
    if cfg!(feature = "cuda") {
        format!("{error}, and a GPU is {GPU}, {GPU}:1 and so on")
    } else {
        error.to_string()
    }
}

/// Returns true if the environment or `--engine` names an engine. `name` is the value of
/// `--engine`.
pub(crate) fn is_named(name: &str) -> bool {
    is_a_name(name) || is_a_name(&in_environment())
}

/// Returns the name in the environment, or an empty text. A name that is not UTF-8 is no engine.
fn in_environment() -> String {
    let name = std::env::var_os(ENGINE_VARIABLE).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn is_a_name(name: &str) -> bool {
    !name.is_empty() && !name.eq_ignore_ascii_case(AUTO)
}

/// True if a value of `--engine` asks for a GPU.
pub(crate) fn names_gpu(name: &str) -> bool {
    gpu_number(name).is_some()
}

/// Returns the number of the GPU that `name` selects.
fn gpu_number(name: &str) -> Option<u32> {
    match name.split_once(':') {
        None => (name == GPU).then_some(0),
        Some((GPU, number)) => number.parse().ok(),
        Some(_) => None,
    }
}

/// Selects the engine that verifies. Every engine can verify, so a wrong name in the environment
/// only causes a warning.
pub(crate) fn select_to_verify(name: &str, ui: Ui) -> Result<Compute> {
    select(name).or_else(|error| {
        if name != AUTO {
            return Err(error);
        }
        // The engine only affects speed, and with --quiet only failures are shown.
        if !ui.quiet {
            ui.warn(error);
        }
        Ok(Compute::Cpu(Engine::best()))
    })
}

/// Selects the engine by name. For [`AUTO`] it is the engine that the environment names, or
/// otherwise the best engine.
pub(crate) fn select(name: &str) -> Result<Compute> {
    if let Some(number) = gpu_number(name) {
        return gpu(number, &format!("--engine {name}"));
    }
    if name != AUTO {
        return name.parse().map(Compute::Cpu).map_err(Error::new);
    }
    let in_environment = in_environment();
    if let Some(number) = gpu_number(&in_environment.to_ascii_lowercase()) {
        return gpu(number, &format!("{ENGINE_VARIABLE}={in_environment}"));
    }
    let named = if is_a_name(&in_environment) {
        in_environment.parse()
    } else {
        Ok(Engine::best())
    };
    named.map(Compute::Cpu).map_err(|error: UnknownEngine| {
        Error::new(format_args!("the environment variable {ENGINE_VARIABLE}"))
            .because(unknown(&error))
            .hint("unset it, set it to one of these, or override it with --engine")
    })
}

/// Opens the GPU with this number. `asked` is the option or environment variable that selected it,
/// for error messages.
#[cfg(feature = "cuda")]
fn gpu(number: u32, asked: &str) -> Result<Compute> {
    // A wrong signature from the GPU may reveal the key, so each signature is verified.
    let mut options = falcon_gpu::Options::default();
    options.verify_after_sign = Some(true);
    let context = GpuContext::with_options(number, options).map_err(|error| {
        Error::new("cannot use the GPU")
            .because(error)
            .hint(format_args!(
                "without {asked} the CPU computes the same output"
            ))
    })?;
    Ok(Compute::Gpu(Box::new(context)))
}

#[cfg(not(feature = "cuda"))]
fn gpu(_: u32, asked: &str) -> Result<Compute> {
    Err(Error::new("cannot use the GPU")
        .because("this program was built without the feature cuda")
        .hint(format_args!(
            "install it again with --features cuda; without {asked} the CPU computes the same output"
        )))
}

/// The device on which a command computes.
pub(crate) enum Compute {
    /// The CPU.
    Cpu(Engine),
    /// A GPU. Messages longer than 64 KiB go to the CPU.
    #[cfg(feature = "cuda")]
    Gpu(Box<GpuContext>),
}

/// Evaluates `$body` with `$engine` bound to the CPU engine or to the GPU context.
macro_rules! with_batches {
    ($compute:expr, $engine:ident => $body:expr) => {
        match $compute {
            Compute::Cpu($engine) => $body,
            #[cfg(feature = "cuda")]
            Compute::Gpu($engine) => $body,
        }
    };
}

impl Compute {
    /// Returns the name under which `--engine` selects the engine.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Cpu(engine) => engine.name(),
            #[cfg(feature = "cuda")]
            Self::Gpu(_) => GPU,
        }
    }

    /// Returns the name of the device; `None` for the CPU.
    #[cfg(feature = "cuda")]
    pub(crate) fn device(&self) -> Option<String> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpu(context) => Some(context.name()),
        }
    }

    /// Returns the CPU engine. It expands keys and handles messages that are too long for the GPU.
    pub(crate) fn processor(&self) -> Engine {
        match self {
            Self::Cpu(engine) => *engine,
            #[cfg(feature = "cuda")]
            Self::Gpu(_) => Engine::best(),
        }
    }

    /// Number of jobs that the engine computes at once.
    pub(crate) fn lanes(&self) -> usize {
        match self {
            Self::Cpu(engine) => engine.lanes(),
            #[cfg(feature = "cuda")]
            Self::Gpu(_) => ON_GPU,
        }
    }

    /// Returns true if a group of `jobs` jobs is computed as a batch.
    fn takes(&self, jobs: usize) -> bool {
        match self {
            Self::Cpu(_) => jobs > 1,
            #[cfg(feature = "cuda")]
            Self::Gpu(_) => jobs > 0,
        }
    }
}

/// Number of short messages that go to a GPU together. Their total length is at most 256 MiB.
#[cfg(feature = "cuda")]
const ON_GPU: usize = 4096;

impl<P: Parameters> BatchSign<P> for Compute {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> std::result::Result<(), BatchError> {
        with_batches!(self, engine => engine.sign_part(seed, first, jobs, out))
    }
}

impl<P: Parameters> BatchVerify<P> for Compute {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [std::result::Result<(), SignatureError>],
    ) -> std::result::Result<(), BatchError> {
        with_batches!(self, engine => engine.verify_batch(jobs, out))
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Verdict],
    ) -> std::result::Result<(), BatchError> {
        with_batches!(self, engine => engine.verify_bytes_batch(jobs, out))
    }
}

impl RawSigner for &Compute {
    fn processor(&self) -> Engine {
        Compute::processor(self)
    }

    fn lanes(&self) -> usize {
        match self {
            Compute::Cpu(engine) => engine.lanes(),
            // The jobs fill two warps of 32 lanes.
            #[cfg(feature = "cuda")]
            Compute::Gpu(_) => 64,
        }
    }
}

impl<P: Parameters> BatchSignRaw<P> for &Compute {
    fn sign_batch_raw(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> std::result::Result<(), BatchError> {
        with_batches!(self, engine => engine.sign_batch_raw(jobs, fit, out))
    }
}

/// Advice after a hardware fault.
const AFTER_A_FAULT: &str = "try again; if it happens again, do not use this machine for keys";

/// Returns the error for a detected hardware fault. `what` says what failed.
pub(crate) fn faulty(what: &str, fault: FaultError) -> Error {
    Error::new(what).because(fault).hint(AFTER_A_FAULT)
}

/// Returns the error for a batch that could not be signed.
pub(crate) fn batch_failed(error: BatchError) -> Error {
    let is_fault = matches!(error, BatchError::Fault { .. });
    let failed = Error::new("cannot sign").because(error);
    if is_fault {
        failed.hint(AFTER_A_FAULT)
    } else {
        failed
    }
}

/// Generates the key from a seed.
pub(crate) fn keygen(set: ParameterSet, seed: &[u8; SEED_LEN]) -> Result<AnySigningKey> {
    AnySigningKey::from_seed(set, seed).map_err(|fault| faulty("cannot generate a key", fault))
}

/// Length of a wallet's seed in bytes.
pub(crate) const REFERENCE_SEED_LEN: usize = 48;

/// Generates the key from a wallet's seed, as the reference does.
pub(crate) fn reference_keygen(
    set: ParameterSet,
    seed: &[u8; REFERENCE_SEED_LEN],
) -> Result<AnySigningKey> {
    AnySigningKey::from_reference_seed(set, seed)
        .map_err(|fault| faulty("cannot generate a key", fault))
}

/// An expanded key and the engine that signs with it. Expanding a key takes about the time of one
/// signature. Several short messages are signed as a batch, and other messages one at a time.
pub(crate) struct Signer<'c> {
    compute: &'c Compute,
    sign: Box<SignEach<'c>>,
}

type SignEach<'c> =
    dyn Fn(Vec<Result<Message<'_>>>) -> Vec<Result<AnySignature>> + Send + Sync + 'c;

impl<'c> Signer<'c> {
    /// Expands the key to sign plain messages.
    pub(crate) fn new(compute: &'c Compute, key: &AnySigningKey) -> Result<Self> {
        Self::with(compute, key, false)
    }

    /// Expands the key to sign the statements of envelopes. They have a hash of their own, which
    /// the GPU does not support.
    pub(crate) fn of_statements(compute: &'c Compute, key: &AnySigningKey) -> Result<Self> {
        Self::with(compute, key, true)
    }

    fn with(compute: &'c Compute, key: &AnySigningKey, signs_statements: bool) -> Result<Self> {
        let engine = compute.processor();
        let sign = with_type!(key.set(), P => key.typed::<P>().map(|key| -> Box<SignEach<'c>> {
            let key = engine.expand(key);
            match signs_statements {
                true => Box::new(move |statements| sign_statements(engine, &key, statements)),
                false => Box::new(move |messages| sign(compute, &key, messages)),
            }
        }));
        let sign = sign.ok_or_else(other_algorithm)?;
        Ok(Self { compute, sign })
    }

    /// Number of messages that the engine signs at once.
    pub(crate) fn lanes(&self) -> usize {
        self.compute.lanes()
    }

    /// Signs each message with fresh randomness. A message that could not be read keeps its error.
    pub(crate) fn sign(&self, messages: Vec<Result<Message<'_>>>) -> Vec<Result<AnySignature>> {
        (self.sign)(messages)
    }
}

/// Returns the error for a key of another parameter set than the options name.
pub(crate) fn other_algorithm() -> Error {
    Error::new("a key has another algorithm")
}

/// Applies `together` to the short items if there are enough for a batch (see [`Compute::takes`]),
/// and `alone` to every other item. Errors stay as they are.
fn each<T, R>(
    compute: &Compute,
    items: Vec<Result<T>>,
    is_short: impl Fn(&T) -> bool,
    together: impl FnOnce(&[&T]) -> Result<Vec<R>>,
    alone: impl Fn(T) -> Result<R>,
) -> Vec<Result<R>> {
    let short: Vec<&T> = items
        .iter()
        .flatten()
        .filter(|item| is_short(item))
        .collect();
    let mut done = compute
        .takes(short.len())
        .then(|| together(&short).map(Vec::into_iter));
    let result = |item: Result<T>| match (item?, &mut done) {
        (item, Some(done)) if is_short(&item) => {
            let done = done.as_mut().map_err(|error| error.clone())?;
            done.next()
                .ok_or_else(|| Error::new("the engine returned too few results"))
        }
        (item, _) => alone(item),
    };
    items.into_iter().map(result).collect()
}

fn sign<P: Parameters>(
    compute: &Compute,
    key: &ExpandedKey<P>,
    messages: Vec<Result<Message<'_>>>,
) -> Vec<Result<AnySignature>>
where
    AnySignature: From<Signature<P>>,
{
    let together = |messages: &[&Message<'_>]| {
        let messages = messages.iter().filter_map(|message| message.whole());
        let jobs: Vec<_> = messages.map(|message| SignJob::new(key, message)).collect();
        let mut signatures = vec![Signature::EMPTY; jobs.len()];
        compute
            .sign_batch(&*fresh_seed()?, &jobs, &mut signatures)
            .map_err(batch_failed)?;
        Ok(signatures.into_iter().map(AnySignature::from).collect())
    };
    let alone = |message: Message<'_>| {
        let mut stream = key.sign_stream_from_seed(&*fresh_seed()?);
        message.read(|piece| stream.update(piece))?;
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch =
            Scratch::new(&mut reals).map_err(|error| Error::new("cannot sign").because(error))?;
        let engine = compute.processor();
        let signature = engine.finish(stream, &mut scratch);
        let signature = signature.map_err(|fault| faulty("cannot sign", fault))?;
        Ok(signature.into())
    };
    each(
        compute,
        messages,
        |message| message.whole().is_some(),
        together,
        alone,
    )
}

/// Signs statements, which are short.
fn sign_statements<P: Parameters>(
    engine: Engine,
    key: &ExpandedKey<P>,
    statements: Vec<Result<Message<'_>>>,
) -> Vec<Result<AnySignature>>
where
    AnySignature: From<Signature<P>>,
{
    let readable = statements.iter().flatten().filter_map(Message::whole);
    let jobs: Vec<_> = readable.map(|text| SignJob::new(key, text)).collect();
    let mut signatures = vec![Signature::EMPTY; jobs.len()];
    let signed = fresh_seed().and_then(|seed| {
        engine
            .sign_batch_with_hash(&Statement::HASH, &seed, &jobs, &mut signatures)
            .map_err(batch_failed)
    });
    let mut signed = signed.map(|()| signatures.into_iter());
    let mut next = || match &mut signed {
        Ok(left) => left
            .next()
            .ok_or_else(|| Error::new("the engine returned too few results")),
        Err(error) => Err(error.clone()),
    };
    statements
        .iter()
        .map(|statement| match statement {
            Ok(_) => Ok(next()?.into()),
            Err(error) => Err(error.clone()),
        })
        .collect()
}

/// A message and its alleged signature.
pub(crate) struct Claim<'p> {
    /// The message.
    pub(crate) message: Message<'p>,
    /// The signature.
    pub(crate) signature: AnySignature,
}

/// For each claim, finds the index of the first key that verifies it, if there is one.
pub(crate) fn verify(
    compute: &Compute,
    keys: &[AnyVerifyingKey],
    claims: Vec<Result<Claim<'_>>>,
) -> Vec<Result<Option<usize>>> {
    let together = |claims: &[&Claim<'_>]| {
        let mut found = vec![None; claims.len()];
        for (index, key) in keys.iter().enumerate() {
            with_type!(key.set(), P => {
                verify_short::<P>(compute, index, key, claims, &mut found)
            })?;
        }
        Ok(found)
    };
    let alone = |claim: Claim<'_>| {
        let engine = compute.processor();
        let Claim { message, signature } = claim;
        // The message is read once, for all keys.
        let hashers = keys.iter().map(|key| key.hasher(signature.nonce()));
        let mut hashers: Vec<_> = hashers.collect();
        message.read(|piece| {
            for hasher in &mut hashers {
                hasher.update(piece);
            }
        })?;
        let mut hashed = keys.iter().zip(hashers);
        Ok(hashed.position(|(key, hasher)| {
            with_type!(key.set(), P => {
                let typed = key.typed::<P>().zip(signature.typed());
                typed.is_some_and(|(key, signature)| {
                    engine.verify_hashed(key, hasher, signature).is_ok()
                })
            })
        }))
    };
    each(
        compute,
        claims,
        |claim| claim.message.whole().is_some(),
        together,
        alone,
    )
}

/// Verifies short claims with `key`, if its parameter set is `P`. Stores its number `index` in
/// `found` for the valid claims, unless an earlier key verified them.
fn verify_short<P: Parameters>(
    compute: &Compute,
    index: usize,
    key: &AnyVerifyingKey,
    claims: &[&Claim<'_>],
    found: &mut [Option<usize>],
) -> Result<()> {
    let Some(key) = key.typed::<P>() else {
        return Ok(());
    };
    let open = claims
        .iter()
        .zip(found)
        .filter(|(_, found)| found.is_none());
    let (places, jobs): (Vec<_>, Vec<_>) = open
        .filter_map(|(claim, found)| {
            let job = VerifyJob {
                key,
                message: claim.message.whole()?,
                signature: claim.signature.typed()?,
            };
            Some((found, job))
        })
        .unzip();
    let mut verdicts = vec![Err(SignatureError); jobs.len()];
    compute
        .verify_batch(&jobs, &mut verdicts)
        .map_err(|error| Error::new("cannot verify").because(error))?;
    for (place, verdict) in places.into_iter().zip(verdicts) {
        *place = verdict.is_ok().then_some(index);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of an error says what happened, and its hint says what to do.
    #[test]
    fn a_fault_is_explained() {
        let text = |error: &Error| serde_json::to_string(error).unwrap();
        let alone = text(&faulty("cannot sign", FaultError));
        assert!(alone.contains("cannot sign"), "{alone}");
        assert!(alone.contains("the device computed wrongly"), "{alone}");
        assert!(alone.contains(AFTER_A_FAULT), "{alone}");
        let together = text(&batch_failed(BatchError::Fault { job: 3 }));
        assert!(together.contains("job 3 (from 0 on) has no valid signature"));
        assert!(together.contains(AFTER_A_FAULT), "{together}");
        let other = text(&batch_failed(BatchError::OutputLength {
            jobs: 1,
            output: 2,
        }));
        assert!(!other.contains(AFTER_A_FAULT), "{other}");
    }
}
