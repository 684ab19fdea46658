//! Code that the tests share: their extent, sources, engines, repeatable randomness, keys.

use falcon_core::batch::BatchSign;
use falcon_core::seams::LaneEngine;
use falcon_core::seams::hash::{Shake256, Shake256Reader};
use falcon_core::seams::lanes::{Baseline, Many};
use falcon_core::{Engine, Parameters, SigningKey};
use rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

/// The environment variable that makes tests run in full.
pub const FULL_VARIABLE: &str = "FALCON_FULL";

/// Returns `full` if [`FULL_VARIABLE`] is 1, else `quick`. Prints the choice to stderr.
pub fn extent<T: std::fmt::Display>(what: &str, quick: T, full: T) -> T {
    let all = std::env::var(FULL_VARIABLE).is_ok_and(|value| value == "1");
    let chosen = if all { full } else { quick };
    eprintln!("{what}: {chosen} ({FULL_VARIABLE}=1 for all)");
    chosen
}

/// Returns the folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests is a folder of the workspace")
}

/// Returns the Rust sources below a folder, except build outputs and hidden folders.
///
/// # Panics
/// If the folder cannot be read.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_hidden = |name: &str| name.starts_with('.') || name == "node_modules";
        if path.is_dir() && !name.is_none_or(|name| is_hidden(name) || name == "target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The environment variable that names the engines to test, such as `scalar,avx512x16`.
pub const ENGINES_VARIABLE: &str = "FALCON_TEST_ENGINES";

/// Returns every engine of this processor, or those that [`ENGINES_VARIABLE`] names. Prints them to
/// stderr.
///
/// # Panics
/// If the processor cannot run a named engine.
pub fn engines() -> Vec<Engine> {
    let engines: Vec<Engine> = match std::env::var(ENGINES_VARIABLE) {
        Err(_) => Engine::available().collect(),
        Ok(names) => names
            .split(',')
            .map(|name| match name.parse() {
                Ok(engine) => engine,
                Err(error) => panic!("{ENGINES_VARIABLE}: {error}"),
            })
            .collect(),
    };
    let names: Vec<_> = engines.iter().map(|engine| engine.name()).collect();
    eprintln!("engines: {} ({ENGINES_VARIABLE})", names.join(", "));
    engines
}

/// A deterministic generator: SHAKE256 of a label.
pub struct Repeatable(Shake256Reader);

impl Repeatable {
    /// Creates the generator of `label`.
    pub fn new(label: &str) -> Self {
        Self(Shake256::reader(label.as_bytes()))
    }

    /// Returns the next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        self.0.read_array()
    }

    /// Returns the next `len` bytes.
    pub fn vec(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.0.read(&mut out);
        out
    }
}

impl TryRng for Repeatable {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.0.read(out);
        Ok(())
    }
}

impl TryCryptoRng for Repeatable {}

/// Returns the tests' signing key number `i`.
pub fn key<P: Parameters>(i: u8) -> SigningKey<P> {
    SigningKey::from_seed(&[i; 32]).expect("no fault")
}

/// Returns the [`engines`], and further lane counts of their instruction sets for which no engine
/// has a name.
pub fn signers<P: Parameters>() -> Vec<(String, Box<dyn BatchSign<P>>)> {
    let mut signers: Vec<(String, Box<dyn BatchSign<P>>)> = Vec::new();
    let engines = engines();
    let has = |set: &str| engines.iter().any(|engine| engine.name().starts_with(set));
    for &engine in &engines {
        signers.push((engine.name().to_owned(), Box::new(engine)));
    }
    macro_rules! lanes {
        ($($name:literal: $arith:expr, $fft:expr;)*) => {
            $(
                let (arith, fft) = ($arith, $fft);
                signers.push(($name.to_owned(), Box::new(LaneEngine { arith, fft })));
            )*
        };
    }
    if has("scalar") {
        lanes! {
            "one portable lane": Baseline, Many::<_, 1>(Baseline);
            "two portable lanes": Baseline, Many::<_, 2>(Baseline);
            "four portable lanes": Baseline, Many::<_, 4>(Baseline);
            "eight portable lanes": Baseline, Many::<_, 8>(Baseline);
        }
    }
    #[cfg(all(feature = "engines", target_arch = "x86_64"))]
    {
        if let Some(isa) = falcon_x86::Avx2::detect().filter(|_| has("avx2")) {
            lanes! { "four lanes of AVX2": isa, Many::<_, 4>(isa); }
        }
        if let Some(isa) = falcon_x86::Avx512::detect().filter(|_| has("avx512")) {
            lanes! { "eight lanes of AVX-512": isa, Many::<_, 8>(isa); }
        }
    }
    #[cfg(all(feature = "engines", target_arch = "aarch64"))]
    {
        if let Some(isa) = falcon_neon::Neon::detect().filter(|_| has("neonx")) {
            lanes! { "two lanes of NEON": isa, Many::<_, 2>(isa); }
        }
        if let Some(isa) = falcon_neon::NeonSha3::detect().filter(|_| has("neonsha3")) {
            lanes! { "two lanes of NEON with SHA-3": isa, Many::<_, 2>(isa); }
        }
    }
    signers
}

/// The README's code, which must compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
