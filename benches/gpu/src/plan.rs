//! The rows to measure, the most valuable ones first.

use crate::arguments::{Arguments, Step};
use crate::kind::{Keys, Kind, Mode, Set};
use std::fmt;

/// A row to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Ceilings,
    /// Compares a batch with the CPU.
    Compare {
        kind: Kind,
        jobs: usize,
    },
    /// Times a batch.
    Time {
        kind: Kind,
        batch: usize,
    },
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ceilings => f.write_str("ceilings"),
            Self::Compare { kind, jobs } => write!(f, "compare {kind} {jobs}"),
            Self::Time { kind, batch } => write!(f, "time {kind} {batch}"),
        }
    }
}

/// Sizes of the batches whose rates matter most.
const LARGE: [usize; 2] = [1 << 16, 1 << 20];
/// The other batch sizes.
const OTHERS: [usize; 9] = [1, 4, 16, 64, 256, 1024, 4096, 1 << 14, 1 << 18];
/// Largest size of the small batches that are compared.
const FEW: usize = 4096;

const SETS: [Set; 2] = [Set::Falcon512, Set::Falcon1024];
const BOTH: [Keys; 2] = [Keys::Shared, Keys::Own];
/// Kinds of batches that are timed for each parameter set.
const TIMED: [(Option<Mode>, Keys); 5] = [
    (Some(Mode::Expanded), Keys::Shared),
    (None, Keys::Shared),
    (None, Keys::Own),
    (Some(Mode::Raw), Keys::Own),
    (Some(Mode::Balanced), Keys::Shared),
];
/// Kinds of batches that are timed for each variant of the kernels: Falcon-512 in batches of
/// 65,536.
const OF_VARIANTS: [(Option<Mode>, Keys); 3] = [
    (Some(Mode::Expanded), Keys::Shared),
    (Some(Mode::Raw), Keys::Own),
    (None, Keys::Own),
];

/// Returns every row that was asked for, in order.
pub(crate) fn plan(arguments: &Arguments) -> Vec<Row> {
    let timed = || kinds(arguments, &SETS, &with_keys(arguments, &TIMED));
    let (large, others) = match &arguments.batch[..] {
        [] => (LARGE.to_vec(), OTHERS.to_vec()),
        asked => (asked.to_vec(), Vec::new()),
    };
    let times = |kinds: Vec<Kind>, batches: &[usize]| -> Vec<Row> {
        let row = |kind| move |&batch| Row::Time { kind, batch };
        kinds
            .into_iter()
            .flat_map(|kind| batches.iter().map(row(kind)))
            .collect()
    };
    let steps = [
        (Step::Smoke, smoke(arguments)),
        (Step::Ceilings, vec![Row::Ceilings]),
        (Step::Times, times(timed(), &large)),
        (Step::Compare, compare(arguments, &large, &others)),
        (Step::Times, times(timed(), &others)),
    ];
    let asked = steps.into_iter().filter(|(step, _)| arguments.asks(*step));
    let mut plan: Vec<Row> = Vec::new();
    for row in asked.flat_map(|(_, rows)| rows) {
        // The short comparison may be the same as the comparison of a small batch.
        if !plan.contains(&row) {
            plan.push(row);
        }
    }
    plan
}

/// Returns the rows of a variant of the kernels.
pub(crate) fn plan_of_variant(arguments: &Arguments) -> Vec<Row> {
    let of = with_keys(arguments, &OF_VARIANTS);
    let kinds = kinds(arguments, &[Set::Falcon512], &of);
    let batches = match &arguments.batch[..] {
        [] => &LARGE[..1],
        asked => asked,
    };
    let row = |kind| move |&batch| Row::Time { kind, batch };
    kinds
        .into_iter()
        .flat_map(|kind| batches.iter().map(row(kind)))
        .collect()
}

/// Applies the options of the command line to these kinds: signing kinds share keys as asked, and
/// resident keys are added if they are asked for.
fn with_keys(arguments: &Arguments, of: &[(Option<Mode>, Keys)]) -> Vec<(Option<Mode>, Keys)> {
    let mut of: Vec<_> = of.to_vec();
    if let Some(keys) = arguments.keys {
        for (mode, own) in &mut of {
            if mode.is_some() {
                *own = keys;
            }
        }
    }
    // This kind is timed only on request, since its kernels are those of expanded keys.
    if arguments.mode == Some(Mode::Resident) {
        of.push((arguments.mode, arguments.keys.unwrap_or(Keys::Shared)));
    }
    of
}

/// Selects the kinds among `of` that were asked for.
fn kinds(arguments: &Arguments, sets: &[Set], of: &[(Option<Mode>, Keys)]) -> Vec<Kind> {
    let all = sets.iter().flat_map(|&parameters| {
        of.iter().map(move |&(mode, keys)| Kind {
            parameters,
            mode,
            keys,
        })
    });
    all.filter(|kind| {
        arguments
            .parameters
            .is_none_or(|set| set == kind.parameters)
            && arguments
                .operation
                .is_none_or(|operation| operation == kind.operation())
            && arguments.keys.is_none_or(|keys| keys == kind.keys)
            && (kind.mode.is_none() || arguments.mode.is_none_or(|mode| kind.mode == Some(mode)))
    })
    .collect()
}

/// Returns the short comparisons.
fn smoke(arguments: &Arguments) -> Vec<Row> {
    let jobs = arguments.smoke;
    let kinds = kinds(arguments, &SETS, &with_keys(arguments, &TIMED));
    let row = |kind| Row::Compare { kind, jobs };
    kinds.into_iter().map(row).collect()
}

/// Returns the full comparisons, then those of small batches.
fn compare(arguments: &Arguments, large: &[usize], others: &[usize]) -> Vec<Row> {
    let modes = [
        Some(Mode::Expanded),
        Some(Mode::Balanced),
        Some(Mode::Raw),
        Some(Mode::Resident),
        None,
    ];
    let all: Vec<_> = modes
        .into_iter()
        .flat_map(|mode| BOTH.map(|keys| (mode, keys)))
        .collect();
    let kinds = kinds(arguments, &SETS, &all);
    let row = |jobs| move |&kind| Row::Compare { kind, jobs };
    let mut rows: Vec<Row> = kinds.iter().map(row(arguments.jobs)).collect();
    for kind in &kinds {
        let small = large.iter().chain(others).copied();
        let small = small.filter(|&size| size <= arguments.jobs.min(FEW));
        rows.extend(small.map(|jobs| row(jobs)(kind)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn rows(arguments: &str) -> Vec<String> {
        let words = ["bench"].into_iter().chain(arguments.split_whitespace());
        let rows = plan(&Arguments::parse_from(words));
        rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_most_valuable_rows_come_first() {
        let rows = rows("");
        let place = |row: &str| {
            let place = rows.iter().position(|other| other == row);
            place.unwrap_or_else(|| panic!("{row} is missing: {rows:#?}"))
        };
        let order = [
            "compare Falcon-512 sign expanded shared 256",
            "compare Falcon-1024 sign balanced shared 256",
            "ceilings",
            "time Falcon-512 sign expanded shared 65536",
            "time Falcon-512 sign expanded shared 1048576",
            "time Falcon-512 verify shared 65536",
            "time Falcon-512 verify own 1048576",
            "time Falcon-512 sign raw own 65536",
            "time Falcon-512 sign balanced shared 1048576",
            "time Falcon-1024 sign expanded shared 65536",
            "time Falcon-1024 sign balanced shared 1048576",
            "compare Falcon-512 sign expanded shared 100000",
            "compare Falcon-512 sign resident own 100000",
            "compare Falcon-1024 verify own 100000",
            "compare Falcon-512 sign expanded shared 1",
            "time Falcon-512 sign expanded shared 1",
            "time Falcon-1024 sign balanced shared 262144",
        ];
        assert!(order.map(place).is_sorted());
        assert_eq!(place(order[0]), 0);
        assert_eq!(place(order[order.len() - 1]), rows.len() - 1);
        let mut once = rows.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), rows.len());
    }

    #[test]
    fn filters_hold_for_comparisons_and_times() {
        let all = rows("--operation sign --parameters 1024 --mode raw --keys own");
        assert!(all.iter().any(|row| row.starts_with("time")));
        assert!(all.iter().any(|row| row.starts_with("compare")));
        for row in all {
            assert!(
                row == "ceilings" || row.contains(" Falcon-1024 sign raw own "),
                "{row}"
            );
        }
        let verify = rows("times --operation verify --parameters 512 --keys shared --batch 7,9");
        assert_eq!(
            verify,
            [
                "time Falcon-512 verify shared 7",
                "time Falcon-512 verify shared 9"
            ]
        );
    }
}
