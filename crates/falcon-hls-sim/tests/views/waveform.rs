//! VCD, read back by the crate that writes it.

use crate::{fft, on_traces};
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::graph::Operation;
use falcon_hls_sim::view::instance_name;
use falcon_hls_sim::view::waveform::vcd;
use std::collections::HashMap;

/// A unit of a waveform, read back: its operations, stored values and results.
#[derive(Debug, Default, PartialEq)]
struct Unit {
    taken: Vec<(u64, u64, String)>,
    stored: Vec<(u64, Vec<u64>)>,
    results: Vec<(u64, Vec<u64>)>,
}

/// Levels of the signals in the first half of each cycle, by path.
fn levels(text: &[u8], period: u64) -> Vec<(u64, HashMap<String, String>)> {
    let mut parser = vcd::Parser::new(text);
    let header = parser.parse_header().expect("a header");
    assert_eq!(header.timescale, Some((1, vcd::TimescaleUnit::PS)));
    let mut names = HashMap::new();
    let top = header.find_scope(&["falcon_hls"]).expect("the top");
    for scope in top.items.iter() {
        let vcd::ScopeItem::Scope(scope) = scope else {
            continue;
        };
        for item in &scope.items {
            if let vcd::ScopeItem::Var(var) = item {
                names.insert(var.code, format!("{}.{}", scope.identifier, var.reference));
            }
        }
    }
    let mut now = HashMap::new();
    let mut levels = Vec::new();
    let mut time = None;
    let mut seen = std::collections::HashSet::new();
    for command in parser {
        match command.expect("a command") {
            vcd::Command::Timestamp(next) => {
                if let Some(time) = time.filter(|time| time % period == 0) {
                    levels.push((time / period, now.clone()));
                }
                assert!(time.is_none_or(|time| time < next), "time goes on");
                time = Some(next);
                seen.clear();
            }
            vcd::Command::ChangeScalar(id, value) => {
                assert!(seen.insert(id), "one change of a signal in a moment");
                now.insert(names[&id].clone(), value.to_string());
            }
            vcd::Command::ChangeVector(id, value) => {
                assert!(seen.insert(id), "one change of a signal in a moment");
                now.insert(names[&id].clone(), value.to_string());
            }
            vcd::Command::ChangeString(id, value) => {
                now.insert(names[&id].clone(), value);
            }
            _ => {}
        }
    }
    levels
}

#[test]
fn the_waveform_has_every_operation_and_its_results() {
    on_traces(|trace, name| {
        let mut text = Vec::new();
        vcd(trace, name, 100_000_000, &mut text).expect("memory takes it");
        let levels = levels(&text, 10_000);
        let bits = |text: &String| u64::from_str_radix(text, 2).expect("bits");
        let mut read: HashMap<String, Unit> = HashMap::new();
        let mut expected: HashMap<String, Unit> = HashMap::new();
        for event in &trace.events {
            let node = &trace.graph.nodes[event.node];
            let instance = trace.schedule.instances[event.node];
            let unit =
                instance_name(trace.graph, node.unit, instance).replace([' ', '.', ','], "_");
            let unit = expected.entry(unit).or_default();
            let operation = node.name.replace(' ', "_");
            unit.taken
                .push((event.cycle, event.iteration as u64, operation));
            let values = event.values.clone();
            if matches!(node.operation, Operation::Store(_)) {
                unit.stored.push((event.cycle, values));
            } else {
                unit.results.push((trace.end(event), values));
            }
        }
        for unit in expected.values_mut() {
            unit.taken.sort();
            unit.stored.sort();
            unit.results.sort();
        }
        let mut starts = Vec::new();
        let mut stalled = 0;
        for (cycle, levels) in &levels {
            if levels["control.start"] == "1" {
                starts.push((*cycle, bits(&levels["control.iteration"]) as usize));
            }
            stalled += u64::from(levels["control.stall"] == "1");
            for unit in expected.keys() {
                let level = |signal: &str| &levels[&format!("{unit}.{signal}")];
                let values = |signal: &str| {
                    let level = |i| levels.get(&format!("{unit}.{signal}{i}"));
                    (0..).map_while(level).map(bits).collect()
                };
                let read = read.entry(unit.clone()).or_default();
                if level("busy") == "1" {
                    let operation = level("operation").clone();
                    if operation.starts_with("store") {
                        read.stored.push((*cycle, values("stored")));
                    }
                    read.taken
                        .push((*cycle, bits(level("iteration")), operation));
                }
                if level("valid") == "1" {
                    read.results.push((*cycle, values("result")));
                }
            }
            let done = levels["control.done"] == "1";
            assert_eq!(done, *cycle >= trace.run.cycles, "{name}");
        }
        assert_eq!(starts, trace.starts, "{name}");
        let interval = u64::from(trace.schedule.interval);
        assert_eq!(stalled, interval * trace.stalls.len() as u64, "{name}");
        assert_eq!(read, expected, "{name}");
    });
}

#[test]
fn the_waveform_ends_with_the_transform() {
    let traced = fft(Preset::PaperOptimized, 5);
    let trace = traced.trace(0..usize::MAX).expect("it runs");
    let mut text = Vec::new();
    vcd(&trace, "a title", 250_000_000, &mut text).expect("memory takes it");
    let levels = levels(&text, 4000);
    let done = levels
        .iter()
        .find(|(_, levels)| levels["control.done"] == "1");
    assert_eq!(done.map(|(cycle, _)| *cycle), Some(trace.run.cycles));
}
