//! The bars: how fast the portable engine has to be beside its peers.

use crate::entry::{Case, Degree, Mode, Operation};
use crate::peers::{fn_dsa, pqclean};
use falcon::Engine;

/// Our time is to be at most `limit` times the peer's.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Ours.
    pub ours: Case,
    /// The peer's.
    pub peer: Case,
    /// Largest ratio that passes.
    pub limit: f64,
}

/// All of them, for one degree.
pub fn bars(parameters: Degree) -> [Bar; 5] {
    let bar = |operation, engine: Engine, mode, peer, limit| Bar {
        ours: Case {
            operation,
            mode,
            parameters,
            engine: engine.name(),
        },
        peer: Case {
            operation,
            mode,
            parameters,
            engine: peer,
        },
        limit,
    };
    use {Engine::*, Mode::*, Operation::*};
    [
        bar(Sign, Scalar, PreparedKey, fn_dsa::NAME, 0.80),
        bar(Sign, Scalar, EncodedKey, fn_dsa::NAME, 1.0),
        bar(Verify, Scalar, PreparedKey, fn_dsa::NAME, 1.3),
        bar(Keygen, Scalar, Seed, fn_dsa::NAME, 2.2),
        bar(Sign, Soft, EncodedKey, pqclean::CLEAN, 0.8),
    ]
}

/// The peer's row that a row of ours is set against in the tables: of the
/// same operation, a batch against the prepared key, integers against
/// integers.
pub fn rival(ours: Case) -> Case {
    let soft = ours.engine == Engine::Soft.name();
    Case {
        mode: match ours.mode {
            _ if soft => Mode::EncodedKey,
            Mode::Batch => Mode::PreparedKey,
            mode => mode,
        },
        engine: if soft { pqclean::CLEAN } else { fn_dsa::NAME },
        ..ours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ours;

    #[test]
    fn every_bar_compares_rows_that_are_measured() {
        let parameters = Degree::D512;
        let mut cases = Vec::new();
        for operation in Operation::ALL {
            for engine in Engine::available() {
                cases.extend(ours::entries(operation, parameters, engine));
            }
            cases.extend(fn_dsa::entries(operation, parameters));
            cases.extend(pqclean::clean_entries(operation, parameters));
        }
        let cases: Vec<Case> = cases.iter().map(|entry| entry.case).collect();
        for bar in bars(parameters) {
            assert!(cases.contains(&bar.ours), "{}", bar.ours);
            assert!(cases.contains(&bar.peer), "{}", bar.peer);
            assert_eq!(rival(bar.ours), bar.peer);
        }
    }
}
