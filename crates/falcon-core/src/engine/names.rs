//! Names of engines.

use super::{Engine, NAMES};
use crate::lanes::{Binary64, Native};
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

impl Engine {
    /// Returns the fastest engine of the processor.
    pub fn best() -> Self {
        Self::instruction_sets().next().unwrap_or(Self::plain())
    }

    /// Returns `scalar` if the target certainly has a binary64 unit, and `soft` otherwise.
    fn plain() -> Self {
        if Native::HARDWARE {
            Self::Scalar
        } else {
            Self::Soft
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    /// Parses the name of an engine, or of an instruction set such as `avx2`, ignoring letter case.
    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let found = Self::available().find(|engine| engine.name().eq_ignore_ascii_case(name));
        found
            .or_else(|| {
                Self::instruction_sets().find(|engine| is_instruction_set(name, engine.name()))
            })
            .ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// Returns true if `name` is the instruction set in the name of an engine: `avx2` in `avx2x8`.
fn is_instruction_set(name: &str, engine: &str) -> bool {
    let set = engine.trim_end_matches(|c: char| c.is_ascii_digit());
    let set = set.strip_suffix('x');
    set.is_some_and(|set| set.eq_ignore_ascii_case(name))
}

/// Error for the name of an engine that does not exist, or that this processor cannot run.
///
/// ```
/// use falcon_core::{Engine, UnknownEngine};
///
/// let error: UnknownEngine = "abacus".parse::<Engine>().unwrap_err();
/// assert!(error.to_string().contains("this processor can run scalar, soft"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.0;
        if NAMES
            .iter()
            .any(|other| other.eq_ignore_ascii_case(name) || is_instruction_set(name, other))
        {
            write!(f, "this processor cannot run {name:?}; it can run")?;
        } else {
            write!(
                f,
                "no engine here is called {name:?}; this processor can run"
            )?;
        }
        for (i, engine) in Engine::available().enumerate() {
            write!(f, "{} {engine}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownEngine {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Best;
    use std::format;
    use std::string::ToString;

    #[test]
    fn names_are_read_back_in_any_case() {
        for engine in Engine::available() {
            assert!(NAMES.contains(&engine.name()));
            assert_eq!(engine.name().to_ascii_uppercase().parse(), Ok(engine));
        }
    }

    /// Compares `Best` with `instruction_sets`, which detects the instruction sets separately.
    #[test]
    fn the_instruction_sets_of_the_processor_are_found() {
        let none = matches!(Best::find(), Best::Native(_));
        assert_eq!(Engine::instruction_sets().next().is_none(), none);
        let is_plain = |engine| [Engine::Scalar, Engine::Soft].contains(&engine);
        assert_eq!(is_plain(Engine::best()), none);
    }

    #[test]
    fn without_instruction_sets_the_unit_for_binary64_is_used_where_it_surely_is() {
        let surely = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        assert!(!surely || Engine::plain() == Engine::Scalar);
    }

    #[test]
    fn an_instruction_set_is_its_best_width() {
        for engine in Engine::instruction_sets() {
            let (set, lanes) = engine.name().rsplit_once('x').expect("a width");
            assert_eq!(set.parse(), Ok(engine));
            assert_eq!(lanes.parse(), Ok(engine.lanes()));
        }
        assert!(
            Engine::instruction_sets()
                .all(|engine| Engine::available().any(|other| other == engine))
        );
    }

    #[test]
    fn what_the_processor_lacks_is_told_from_what_there_is_not() {
        let told = |name: &str| UnknownEngine(name.to_owned()).to_string();
        let can_run = "can run scalar, soft";
        for name in NAMES {
            assert!(told(name).starts_with(&format!("this processor cannot run {name:?}; it")));
            assert!(told(name).contains(can_run));
        }
        assert!(told("abacus").starts_with("no engine here is called \"abacus\"; this processor"));
        assert!(told("abacus").contains(can_run));
        for name in ["", "x8", "portable", "avx", "avx2x", "2"] {
            assert!(name.parse::<Engine>().is_err(), "{name}");
        }
    }
}
