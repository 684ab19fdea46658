//! The engine that computes, and what commands ask of it.

use crate::{
    error::{Error, Result},
    message::Message,
    scheme::{Algorithm, AnySignature, Degree, Either, SecretKey, either},
    ui::Ui,
};
use falcon::{
    ENGINE_VARIABLE, Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, Scratch, Signature,
    SignatureError, SigningKey, UnknownEngine, VerifyingKey,
    batch::{BatchSign, BatchVerify, SignJob, VerifyJob},
};
use zeroize::Zeroizing;

/// Bytes of a seed, of a key or of a signature.
pub(crate) const SEED_LEN: usize = 32;

/// The name that leaves the choice to the environment and the machine.
pub(crate) const AUTO: &str = "auto";

/// Reads the value of `--engine`, in any case.
pub(crate) fn parse_name(name: &str) -> std::result::Result<String, UnknownEngine> {
    if name.eq_ignore_ascii_case(AUTO) {
        return Ok(AUTO.to_owned());
    }
    name.parse().map(|engine: Engine| engine.name().to_owned())
}

/// The same for what no engine changes and none can fail at: verification. A
/// wrong name in the environment is no reason to refuse it.
pub(crate) fn select_to_verify(name: &str, ui: Ui) -> Engine {
    select(name).unwrap_or_else(|error| {
        ui.warn(error);
        Engine::best()
    })
}

/// The engine of this name; [`AUTO`] is the environment's or the best one.
pub(crate) fn select(name: &str) -> Result<Engine> {
    if name != AUTO {
        return name.parse().map_err(Error::new);
    }
    Engine::choose().map_err(|error| {
        Error::new(format_args!("the environment variable {ENGINE_VARIABLE}"))
            .because(error)
            .hint("unset it, set it to one of these, or overrule it with --engine")
    })
}

/// Fresh bytes of the operating system.
pub(crate) fn fresh_seed() -> Result<Zeroizing<[u8; SEED_LEN]>> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    getrandom::fill(&mut *seed)
        .map_err(|error| Error::new("the system has no random bytes").because(error))?;
    Ok(seed)
}

/// The key of a seed.
pub(crate) fn keygen(algorithm: Algorithm, seed: &[u8; SEED_LEN]) -> SecretKey {
    match algorithm {
        Algorithm::Falcon512 => Either::Falcon512(SigningKey::from_seed_boxed(seed)),
        Algorithm::Falcon1024 => Either::Falcon1024(SigningKey::from_seed_boxed(seed)),
    }
}

/// A key that is ready to sign: expanded, since that costs about as much as
/// one signature. Several short messages are signed side by side, others one by
/// one.
pub(crate) struct Signer {
    engine: Engine,
    key: Either<ExpandedKey<Falcon512>, ExpandedKey<Falcon1024>>,
}

impl Signer {
    /// Expands the key.
    pub(crate) fn new(engine: Engine, key: &SecretKey) -> Self {
        let key = match key {
            Either::Falcon512(key) => Either::Falcon512(engine.expand(key)),
            Either::Falcon1024(key) => Either::Falcon1024(engine.expand(key)),
        };
        Self { engine, key }
    }

    /// Messages that are best signed at once.
    pub(crate) fn lanes(&self) -> usize {
        self.engine.lanes()
    }

    /// Signs the messages that there are, with fresh randomness.
    pub(crate) fn sign(&self, messages: Vec<Result<Message<'_>>>) -> Vec<Result<AnySignature>> {
        either!(&self.key, key => sign(self.engine, key, messages))
    }
}

/// What `together` makes of several short messages, and `alone` of every other.
fn each<T, R>(
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
    let mut done = (short.len() > 1).then(|| together(&short).map(Vec::into_iter));
    let result = |item: Result<T>| match (item?, &mut done) {
        (item, Some(done)) if is_short(&item) => {
            let done = done.as_mut().map_err(|error| error.clone())?;
            done.next()
                .ok_or_else(|| Error::new("the engine left one out"))
        }
        (item, _) => alone(item),
    };
    items.into_iter().map(result).collect()
}

fn sign<P: Degree>(
    engine: Engine,
    key: &ExpandedKey<P>,
    messages: Vec<Result<Message<'_>>>,
) -> Vec<Result<AnySignature>> {
    let together = |messages: &[&Message<'_>]| {
        let messages = messages.iter().filter_map(|message| message.whole());
        let jobs: Vec<_> = messages.map(|message| SignJob { key, message }).collect();
        let mut signatures = vec![Signature::EMPTY; jobs.len()];
        engine
            .sign_batch(&*fresh_seed()?, &jobs, &mut signatures)
            .map_err(|error| Error::new("cannot sign").because(error))?;
        Ok(signatures
            .into_iter()
            .map(|signature| P::into_any(Box::new(signature)))
            .collect())
    };
    let alone = |message: Message<'_>| {
        let mut stream = key.sign_stream_from_seed(&*fresh_seed()?);
        message.read(|part| stream.update(part))?;
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch =
            Scratch::new(&mut reals).map_err(|error| Error::new("cannot sign").because(error))?;
        Ok(P::into_any(Box::new(engine.finish(stream, &mut scratch))))
    };
    each(
        messages,
        |message| message.whole().is_some(),
        together,
        alone,
    )
}

/// A message and what is said to be its signature.
pub(crate) struct Claim<'p, P: Parameters> {
    /// The message.
    pub(crate) message: Message<'p>,
    /// The signature.
    pub(crate) signature: Box<Signature<P>>,
}

/// Whether the claims that there are hold.
pub(crate) fn verify<P: Parameters>(
    engine: Engine,
    key: &VerifyingKey<P>,
    claims: Vec<Result<Claim<'_, P>>>,
) -> Vec<Result<bool>> {
    let together = |claims: &[&Claim<'_, P>]| {
        let jobs = claims.iter().filter_map(|claim| {
            Some(VerifyJob {
                key,
                message: claim.message.whole()?,
                signature: &claim.signature,
            })
        });
        let jobs: Vec<_> = jobs.collect();
        let mut verdicts = vec![Err(SignatureError); jobs.len()];
        engine
            .verify_batch(&jobs, &mut verdicts)
            .map_err(|error| Error::new("cannot verify").because(error))?;
        Ok(verdicts.iter().map(|verdict| verdict.is_ok()).collect())
    };
    let alone = |claim: Claim<'_, P>| {
        let mut hasher = key.hasher(claim.signature.nonce());
        claim.message.read(|part| hasher.update(part))?;
        Ok(key.verify_hashed(hasher, &claim.signature).is_ok())
    };
    each(
        claims,
        |claim| claim.message.whole().is_some(),
        together,
        alone,
    )
}
