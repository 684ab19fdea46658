//! The engine that computes, and what commands ask of it.

use crate::{
    error::{Error, Result},
    scheme::{Algorithm, AnySignature, Either, SecretKey, either},
};
use falcon::{
    ENGINE_VARIABLE, Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, Scratch, SignStream,
    Signature, SigningKey, UnknownEngine,
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
        Algorithm::Falcon512 => Either::Falcon512(Box::new(SigningKey::from_seed(seed))),
        Algorithm::Falcon1024 => Either::Falcon1024(Box::new(SigningKey::from_seed(seed))),
    }
}

/// A key that is ready to sign: expanded, since that costs about as much as
/// one signature.
pub(crate) struct Signer {
    engine: Engine,
    key: Either<ExpandedKey<Falcon512>, ExpandedKey<Falcon1024>>,
}

type Stream<'k, P> = SignStream<'k, P, ExpandedKey<P>>;

/// A message on its way to a signature.
pub(crate) struct MessageStream<'k> {
    engine: Engine,
    stream: Either<Stream<'k, Falcon512>, Stream<'k, Falcon1024>>,
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

    /// Begins a signature, with fresh randomness.
    pub(crate) fn begin(&self) -> Result<MessageStream<'_>> {
        let seed = fresh_seed()?;
        let stream = match &self.key {
            Either::Falcon512(key) => Either::Falcon512(key.sign_stream_from_seed(&seed)),
            Either::Falcon1024(key) => Either::Falcon1024(key.sign_stream_from_seed(&seed)),
        };
        Ok(MessageStream {
            engine: self.engine,
            stream,
        })
    }
}

impl MessageStream<'_> {
    /// Absorbs the next part of the message.
    pub(crate) fn update(&mut self, part: &[u8]) {
        either!(&mut self.stream, stream => stream.update(part));
    }

    /// Signs what was absorbed.
    pub(crate) fn finish(self) -> Result<AnySignature> {
        let engine = self.engine;
        Ok(match self.stream {
            Either::Falcon512(stream) => Either::Falcon512(finish(engine, stream)?),
            Either::Falcon1024(stream) => Either::Falcon1024(finish(engine, stream)?),
        })
    }
}

fn finish<P: Parameters>(engine: Engine, stream: Stream<'_, P>) -> Result<Box<Signature<P>>> {
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch =
        Scratch::new(&mut reals).map_err(|error| Error::new("cannot sign").because(error))?;
    Ok(Box::new(engine.finish(stream, &mut scratch)))
}
