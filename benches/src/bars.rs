//! The bars: how fast the engines have to be beside their peers.

use crate::entry::{Case, Degree, Mode, Operation};
use crate::peers::{fn_dsa, pqclean};
#[cfg(target_arch = "x86_64")]
use crate::provisional;
use falcon_core::Engine;

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

/// Returns the bars of one degree.
pub fn bars(parameters: Degree) -> Vec<Bar> {
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
    let portable = [
        bar(Sign, Scalar, Prepared, fn_dsa::NAME, 0.55),
        bar(Sign, Scalar, Encoded, fn_dsa::NAME, 0.75),
        bar(Verify, Scalar, Prepared, fn_dsa::NAME, 0.85),
        bar(Verify, Scalar, Encoded, fn_dsa::NAME, 0.75),
        bar(Keygen, Scalar, Seed, fn_dsa::NAME, 0.9),
        bar(Sign, Soft, Encoded, pqclean::CLEAN, 0.4),
    ];
    // Verification: about a third above what Zen 3, 4 and 5 reach. Signing: half to two thirds
    // above what Zen 4 reaches, since the others are slower beside the peers.
    #[cfg(target_arch = "x86_64")]
    let vectors = Engine::available().flat_map(|engine| match engine {
        Avx2(_) => vec![
            bar(Sign, engine, Prepared, fn_dsa::NAME, 0.34),
            bar(Sign, engine, Encoded, pqclean::NAME, 0.42),
            against_prepared(bar(Sign, engine, Batch, fn_dsa::NAME, 0.20)),
            bar(Verify, engine, Prepared, fn_dsa::NAME, 0.56),
            bar(Verify, engine, Encoded, fn_dsa::NAME, 0.48),
            against_prepared(bar(Verify, engine, Batch, fn_dsa::NAME, 0.31)),
        ],
        Avx512(_) => vec![
            bar(Sign, engine, Prepared, fn_dsa::NAME, 0.27),
            bar(Sign, engine, Encoded, pqclean::NAME, 0.34),
            against_prepared(bar(Sign, engine, Batch, fn_dsa::NAME, 0.14)),
            bar(Verify, engine, Prepared, fn_dsa::NAME, 0.48),
            bar(Verify, engine, Encoded, fn_dsa::NAME, 0.42),
            against_prepared(bar(Verify, engine, Batch, fn_dsa::NAME, 0.20)),
        ],
        _ => vec![],
    });
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = [];
    // On the best engine of the processor, which has AVX2 or more.
    #[cfg(target_arch = "x86_64")]
    let provisional = Engine::instruction_sets()
        .next()
        .into_iter()
        .flat_map(|best| {
            let has_avx512 = matches!(best, Avx512(_));
            let limit = |with_avx512, with_avx2| if has_avx512 { with_avx512 } else { with_avx2 };
            [
                (Keygen, Seed, 0.8),
                (Sign, Encoded, limit(0.5, 0.6)),
                (Sign, Prepared, limit(0.5, 0.6)),
                (Verify, Encoded, limit(0.55, 0.6)),
                (Verify, Prepared, limit(0.5, 0.6)),
                (Sign, Batch, limit(0.25, 0.3)),
                (Verify, Batch, limit(0.28, 0.35)),
            ]
            .map(|(operation, mode, limit)| {
                let ours = Case {
                    operation,
                    mode,
                    parameters,
                    engine: provisional::NAME,
                };
                Bar {
                    ours,
                    peer: rival(ours),
                    limit,
                }
            })
        });
    #[cfg(not(target_arch = "x86_64"))]
    let provisional = [];
    portable
        .into_iter()
        .chain(vectors)
        .chain(provisional)
        .collect()
}

/// Sets a batch of ours against the peer's prepared key, since no peer has batches.
#[cfg(target_arch = "x86_64")]
fn against_prepared(bar: Bar) -> Bar {
    Bar {
        peer: Case {
            mode: Mode::Prepared,
            ..bar.peer
        },
        ..bar
    }
}

/// The peer's row that a row of ours is set against in the tables: of the
/// same operation, a batch against the prepared key, integers against
/// integers.
pub fn rival(ours: Case) -> Case {
    let soft = ours.engine == Engine::Soft.name();
    Case {
        mode: match ours.mode {
            _ if soft => Mode::Encoded,
            // A peer's decoded key is its prepared one.
            Mode::Batch | Mode::Decoded => Mode::Prepared,
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
    use crate::ours;

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
            // The fast peer that is not the rival needs no row of its own.
            assert!(rival(bar.ours) == bar.peer || bar.peer.engine == pqclean::NAME);
        }
    }
}
