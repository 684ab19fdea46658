//! The bars: required speeds of the engines, compared with their peers.

use crate::entry::{
    Case, Degree,
    Mode::{self, *},
    Operation::{self, *},
};
use crate::peers::{fn_dsa, pqclean};
use falcon_core::Engine;

/// A requirement: our time may be at most `limit` times the peer's.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Our row.
    pub ours: Case,
    /// The peer's row.
    pub peer: Case,
    /// Largest ratio that passes.
    pub limit: f64,
}

/// Bars of portable code.
const PORTABLE: [(Engine, Operation, Mode, &str, f64); 6] = [
    (Engine::Scalar, Sign, Prepared, fn_dsa::NAME, 0.55),
    (Engine::Scalar, Sign, Encoded, fn_dsa::NAME, 0.75),
    (Engine::Scalar, Verify, Prepared, fn_dsa::NAME, 0.85),
    (Engine::Scalar, Verify, Encoded, fn_dsa::NAME, 0.75),
    (Engine::Scalar, Keygen, Seed, fn_dsa::NAME, 0.9),
    (Engine::Soft, Sign, Encoded, pqclean::CLEAN, 0.4),
];

/// Bars of an engine: the peer, and the limits with AVX2 and with AVX-512.
///
/// For verification the limits are about a third above the ratios on Zen 3, 4 and 5. For signing
/// they are half to two thirds above the ratio on Zen 4, since other processors are slower compared
/// with the peers.
#[cfg(target_arch = "x86_64")]
const VECTORS: [(Operation, Mode, &str, [f64; 2]); 6] = [
    (Sign, Prepared, fn_dsa::NAME, [0.34, 0.27]),
    (Sign, Encoded, pqclean::NAME, [0.42, 0.34]),
    (Sign, Batch, fn_dsa::NAME, [0.20, 0.14]),
    (Verify, Prepared, fn_dsa::NAME, [0.56, 0.48]),
    (Verify, Encoded, fn_dsa::NAME, [0.48, 0.42]),
    (Verify, Batch, fn_dsa::NAME, [0.31, 0.20]),
];

/// Bars of FN-DSA, with the same two limits, on the best engine of the processor.
#[cfg(target_arch = "x86_64")]
const PROVISIONAL: [(Operation, Mode, &str, [f64; 2]); 7] = [
    (Keygen, Seed, fn_dsa::NAME, [0.8, 0.8]),
    (Sign, Encoded, fn_dsa::NAME, [0.6, 0.5]),
    (Sign, Prepared, fn_dsa::NAME, [0.6, 0.5]),
    (Verify, Encoded, fn_dsa::NAME, [0.6, 0.55]),
    (Verify, Prepared, fn_dsa::NAME, [0.6, 0.5]),
    (Sign, Batch, fn_dsa::NAME, [0.3, 0.25]),
    (Verify, Batch, fn_dsa::NAME, [0.35, 0.28]),
];

/// Returns the bars of one degree.
pub fn bars(parameters: Degree) -> Vec<Bar> {
    let bar = |engine, operation, mode, peer, limit| {
        let ours = Case {
            operation,
            mode,
            parameters,
            engine,
        };
        let peer = Case {
            engine: peer,
            ..rival(ours)
        };
        Bar { ours, peer, limit }
    };
    let portable = PORTABLE.map(|(engine, operation, mode, peer, limit)| {
        bar(engine.name(), operation, mode, peer, limit)
    });
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
    let mut bars = portable.to_vec();
    #[cfg(target_arch = "x86_64")]
    {
        let best = Engine::instruction_sets().next();
        let provisional = best.map(|best| (best, crate::provisional::NAME, &PROVISIONAL[..]));
        let engines = Engine::available().map(|engine| (engine, engine.name(), &VECTORS[..]));
        for (engine, name, table) in engines.chain(provisional) {
            let column = match engine {
                Engine::Avx2(_) => 0,
                Engine::Avx512(_) => 1,
                _ => continue,
            };
            for &(operation, mode, peer, limits) in table {
                bars.push(bar(name, operation, mode, peer, limits[column]));
            }
        }
    }
    bars
}

/// Returns the peer's row that the tables compare with our row `ours`. Both rows have the same
/// operation. A batch is compared with the prepared key, and integer code with integer code.
pub fn rival(ours: Case) -> Case {
    let soft = ours.engine == Engine::Soft.name();
    Case {
        mode: match ours.mode {
            _ if soft => Encoded,
            // For a peer, a decoded key is a prepared key.
            Batch | Decoded => Prepared,
            mode => mode,
        },
        engine: if soft { pqclean::CLEAN } else { fn_dsa::NAME },
        ..ours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Entry;
    use crate::{ours, provisional};

    #[test]
    fn every_plain_call_has_a_row_by_name() {
        for operation in Operation::ALL {
            let named: Vec<Case> = Engine::available()
                .flat_map(|engine| ours::entries(operation, Degree::D512, engine))
                .map(|entry| entry.case)
                .collect();
            let plain = ours::plain(operation, Degree::D512);
            assert!(!plain.is_empty());
            for Entry { case, .. } in plain {
                let same = |other: &&Case| other.mode == case.mode;
                assert!(named.iter().find(same).is_some(), "{case}");
            }
        }
    }

    #[test]
    fn every_bar_compares_rows_that_are_measured() {
        let parameters = Degree::D512;
        let mut cases = Vec::new();
        for operation in Operation::ALL {
            for engine in Engine::available() {
                cases.extend(ours::entries(operation, parameters, engine));
            }
            cases.extend(provisional::entries(operation, parameters));
            cases.extend(fn_dsa::entries(operation, parameters));
            cases.extend(pqclean::entries(operation, parameters));
            cases.extend(pqclean::clean_entries(operation, parameters));
        }
        let cases: Vec<Case> = cases.iter().map(|entry| entry.case).collect();
        for bar in bars(parameters) {
            assert!(cases.contains(&bar.ours), "{}", bar.ours);
            assert!(cases.contains(&bar.peer), "{}", bar.peer);
            // The peer is the one of the tables, or PQClean's fast code.
            assert!(rival(bar.ours) == bar.peer || bar.peer.engine == pqclean::NAME);
        }
    }
}
