//! Selection of the engine.

use mceliece_core::engines;
use std::fmt;

/// An engine of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Engine(&'static str);

impl Engine {
    /// Returns the engines of this machine, the best one first.
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        engines::names().map(Self)
    }

    /// Returns the engine that operations use by default.
    pub(crate) fn best() -> Self {
        // Every machine has `portable`.
        Self::available().next().unwrap_or(Self("portable"))
    }

    pub(crate) fn name(self) -> &'static str {
        self.0
    }

    /// Runs every further operation on this engine.
    pub(crate) fn choose(self) {
        // This succeeds, since the engine is one of this machine.
        engines::choose(self.0);
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Parses the value of `--engine`, ignoring letter case.
pub(crate) fn parse_name(name: &str) -> Result<Engine, String> {
    let found = Engine::available().find(|engine| engine.0.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let names: Vec<_> = Engine::available().map(Engine::name).collect();
        format!("this machine has the engines {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_name_that_can_be_typed() {
        for engine in Engine::available() {
            assert_eq!(parse_name(engine.name()), Ok(engine));
            assert_eq!(parse_name(&engine.name().to_uppercase()), Ok(engine));
        }
        let said = parse_name("abacus").unwrap_err();
        assert!(said.contains("portable"), "{said}");
    }
}
