//! Timeline and explanation.

use crate::{fft, on_traces, rounds};
use falcon_hls_sim::design::{Design, Preset};
use falcon_hls_sim::keccak::KeccakPreset;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::view::explain::Explanation;
use falcon_hls_sim::view::gantt::gantt;
use falcon_hls_sim::view::timeline::timeline;
use falcon_hls_sim::view::{Detail, Event, Traced};
use std::collections::HashMap;

#[test]
fn the_timeline_has_every_operation_in_its_cycles() {
    on_traces(|trace, name| {
        let text = timeline(trace, Detail::Full);
        let lines: Vec<&str> = text.lines().collect();
        let rows = &lines[2..lines.len() - 1];
        let starts = rows.iter().filter(|row| row.contains("start"));
        assert_eq!(starts.count(), trace.starts.len(), "{name}");
        assert_eq!(rows.len(), trace.starts.len() + trace.events.len());
        // Finds the cycle of each column. Columns without a number are counted from the last one
        // with a number.
        let axis = lines[1];
        let first = axis.find(['|', '~']).unwrap_or(0);
        let mut cycles = HashMap::new();
        let mut cycle = None;
        for (i, mark) in axis.bytes().enumerate().skip(first) {
            if mark == b'|' {
                let number = &lines[0][i..];
                let number = number.split(' ').next().expect("a number");
                let number: u64 = number.parse().expect("a cycle");
                // The counted cycle agrees with the number that is written.
                assert!(cycle.is_none_or(|cycle| cycle == number), "{name}");
                cycle = Some(number);
            }
            if mark == b'~' {
                cycle = None;
            }
            if let Some(cycle) = &mut cycle {
                cycles.insert(i, *cycle);
                *cycle += 1;
            }
        }
        let mut operations = Vec::new();
        let mut iteration = 0;
        for row in rows {
            let find = |mark| row.bytes().skip(first).position(|c| c == mark);
            if let Some(start) = find(b'^') {
                let number = row.split(' ').next().expect("a number");
                iteration = number.parse().expect("an iteration");
                let start = cycles.get(&(first + start)).copied();
                assert!(start.is_none_or(|at| trace.starts.contains(&(at, iteration))));
            } else {
                let find = |mark| find(mark).or_else(|| find(b'*'));
                let [from, to] = [b'I', b'R'].map(|mark| find(mark).expect("both") + first);
                operations.push((iteration, cycles.get(&from), cycles.get(&to)));
            }
        }
        let agree = |event: &Event| {
            operations.iter().any(|&(iteration, from, to)| {
                iteration == event.iteration
                    && from.is_none_or(|&from| from == event.cycle)
                    && to.is_none_or(|&to| to == trace.end(event))
            })
        };
        assert!(trace.events.iter().all(agree), "{name}");
    });
}

/// Returns the number of rows of operations in a timeline, and the total number of operations in
/// these rows.
fn rows_and_operations(text: &str) -> (usize, usize) {
    let rows = text.lines().skip(2).filter(|row| row.starts_with(' '));
    let count = |row: &str| match row.split(" and ").nth(1) {
        Some(more) => 1 + more.split(' ').next().unwrap().parse::<usize>().unwrap(),
        None => 1,
    };
    let counts: Vec<usize> = rows.map(count).collect();
    (counts.len(), counts.iter().sum())
}

/// Checks that no operation is lost if rows are shared.
#[test]
fn a_long_timeline_is_readable() {
    on_traces(|trace, name| {
        let (rows, operations) = rows_and_operations(&timeline(trace, Detail::Readable));
        assert_eq!(operations, trace.events.len(), "{name}");
        // This design does one step at a time, so no operations coincide.
        let sequential = name == KeccakPreset::Sequential.name();
        assert!(
            sequential || rows <= 35 * trace.starts.len(),
            "{name}: {rows} rows"
        );
    });
    let traced = rounds(KeccakPreset::RoundPerCycle);
    let trace = traced.trace(0..1).expect("it runs");
    let text = timeline(&trace, Detail::Readable);
    assert!(text.contains("load a[0] and 24 more"), "{text}");
    assert!(text.contains("lookup tables x91"), "{text}");
}

#[test]
fn a_stall_is_shown_cycle_by_cycle() {
    let traced = fft(Preset::Ii1Xor, 6);
    let trace = traced.trace(14..18).expect("it runs");
    assert!(!trace.stalls.is_empty());
    let text = timeline(&trace, Detail::Full);
    let stalled = format!(
        "16         start, after stall                 {}^",
        "s".repeat(trace.stalls.len())
    );
    assert!(text.contains(&stalled), "{text}");
    assert!(gantt(&trace, "a title", Detail::Full).contains("iteration 16 stalls"));
}

fn explanation(design: &Design) -> Explanation {
    let traced = Traced::transform(design, Transform::Fft, 9);
    traced.expect("a design").explain().explanation
}

fn explained(design: &Design) -> String {
    explanation(design).to_string()
}

#[test]
fn an_explanation_names_what_binds() {
    let first = |preset: Preset| {
        explained(&preset.design())
            .lines()
            .next()
            .map(str::to_owned)
    };
    assert_eq!(
        first(Preset::PaperOptimized).as_deref(),
        Some(
            "II = 4: dmul 4/1 = 4 (bound), memory f 8/2 = 4 (bound), daddsub 6/2 = 3, \
             rom 1/1 = 1, recurrence 1"
        )
    );
    let original = explained(&Preset::PaperOriginal.design());
    assert!(original.starts_with("II = 168: "), "{original}");
    assert!(
        original.contains("recurrence 162\n6 extra cycles beyond every bound"),
        "{original}"
    );
    assert!(
        original.contains("with a unit for every operation: II = 162"),
        "{original}"
    );
    assert!(
        original.contains("with no dependence between iterations: II = 6"),
        "{original}"
    );
}

/// Checks that the sentences have the numbers of the explanation, and that nouns are singular or
/// plural as needed.
#[test]
fn an_explanation_begins_with_plain_sentences() {
    let sentences = |design: &Design| explanation(design).sentences("butterfly");
    assert_eq!(
        sentences(&Preset::PaperOptimized.design()),
        "A butterfly starts every 4 cycles: the initiation interval (II) is 4.\n\
         Not sooner, because dmul is needed 4 times and there is 1; memory f is accessed 8 times \
         through 2 ports.\n\
         It takes 32 cycles, so up to 8 are under way at a time."
    );
    assert_eq!(
        sentences(&Preset::PaperOriginal.design()),
        "A butterfly starts every 168 cycles: the initiation interval (II) is 168.\n\
         It waits for what the one before stores: loading, computing and storing takes 162 cycles.\n\
         It takes 168 cycles, so the next one starts when it has ended."
    );
    assert_eq!(
        sentences(&Preset::Ii1Xor.design()),
        "A butterfly starts in every cycle: the initiation interval (II) is 1.\n\
         It takes 26 cycles, so up to 26 are under way at a time."
    );
    let mut asked = Preset::PaperOptimized.design();
    asked.least_interval = 7;
    assert!(sentences(&asked).contains("That was asked for; 4 cycles would be possible."));
}

#[test]
fn an_interval_that_is_asked_for_is_answered() {
    let mut design = Preset::PaperOptimized.design();
    design.least_interval = 3;
    let text = explained(&design);
    assert!(
        text.contains("3 cycles were asked for: raised to 4"),
        "{text}"
    );
    design.least_interval = 7;
    let text = explained(&design);
    assert!(text.starts_with("II = 7: "), "{text}");
    assert!(
        text.contains("7 cycles were asked for; 4 are possible"),
        "{text}"
    );
}

/// Multipliers and memory both limit the interval, so more of only one of them does not help. More
/// of both does.
#[test]
fn what_is_relaxed_is_scheduled_again() {
    let mut design = Preset::PaperOptimized.design();
    let intervals = |design: &Design| {
        let relaxed = explanation(design).relaxed.into_iter();
        relaxed.map(|r| (r.change, r.interval)).collect::<Vec<_>>()
    };
    assert_eq!(
        intervals(&design),
        [("a unit for every operation".to_owned(), 1)]
    );
    design.multipliers = 2;
    assert_eq!(intervals(&design)[0], ("memory f 8/8".to_owned(), 3));
}
