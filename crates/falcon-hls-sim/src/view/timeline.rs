//! A timeline as text: operations below each other, cycles beside each other.
//!
//! Cycles in which nothing starts or ends are left out where there are many of
//! them.

use super::{Trace, instance_name};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

/// So many cycles without an event become one column.
const GAP: u64 = 10;

/// What a column shows.
enum Column {
    Cycle(u64),
    /// Cycles in which nothing starts or ends.
    Gap(Range<u64>),
}

/// What the letters mean.
const LEGEND: &str = "^ iteration starts   s it stalls   I operation starts   = under way   \
                      R result there, or what was stored can be read   ~ cycles left out";
/// Another letter, where it is used.
const AT_ONCE: &str = "   * both I and R";

/// The timeline of what `trace` has kept.
pub fn timeline(trace: &Trace<'_>) -> String {
    let columns = columns(trace);
    let mut rows = Vec::new();
    for &(start, iteration) in &trace.starts {
        rows.push(start_row(trace, &columns, start, iteration));
        let mut events: Vec<_> = trace
            .events
            .iter()
            .filter(|event| event.iteration == iteration)
            .collect();
        events.sort_by_key(|event| (event.cycle, event.node));
        for event in events {
            let node = &trace.graph.nodes[event.node];
            let instance = trace.schedule.instances[event.node];
            rows.push([
                String::new(),
                node.name.clone(),
                instance_name(trace.graph, node.unit, instance),
                operation(&columns, event.cycle, trace.end(event)),
            ]);
        }
    }
    let header = ["iteration", "operation", "unit"].map(str::to_owned);
    let widths = [0, 1, 2].map(|i| {
        let cells = rows.iter().map(|row| row[i].len());
        cells.chain([header[i].len()]).max().unwrap_or(0)
    });
    let mut text = String::new();
    let mut line = |[a, b, c]: [&str; 3], d: &str| {
        let [u, v, w] = widths;
        let row = format!("{a:u$}  {b:v$}  {c:w$}  {d}");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", row.trim_end());
    };
    let [numbers, marks] = axis(&columns);
    line(["", "", ""], &numbers);
    line([&header[0], &header[1], &header[2]], &marks);
    for [a, b, c, d] in &rows {
        line([a, b, c], d);
    }
    text.push_str(LEGEND);
    if trace
        .events
        .iter()
        .any(|event| trace.end(event) == event.cycle)
    {
        text.push_str(AT_ONCE);
    }
    text.push('\n');
    text
}

/// The columns: a gap stands for the cycles between two events that are far apart.
fn columns(trace: &Trace<'_>) -> Vec<Column> {
    let mut busy = BTreeSet::new();
    let cycles = trace.cycles();
    if cycles.is_empty() {
        return Vec::new();
    }
    busy.extend([cycles.start, cycles.end - 1]);
    for event in &trace.events {
        busy.extend([event.cycle, trace.end(event)]);
    }
    busy.extend(trace.starts.iter().map(|start| start.0));
    busy.extend(trace.stalls.iter().map(|stall| stall.cycle));
    let mut columns = Vec::new();
    let mut next = cycles.start;
    for cycle in busy {
        if cycle - next >= GAP {
            columns.push(Column::Gap(next..cycle));
        } else {
            columns.extend((next..cycle).map(Column::Cycle));
        }
        columns.push(Column::Cycle(cycle));
        next = cycle + 1;
    }
    columns
}

/// Numbers above the columns and marks below them: at every tenth cycle, and
/// behind a gap.
fn axis(columns: &[Column]) -> [String; 2] {
    let [mut numbers, mut marks] = [String::new(), String::new()];
    let mut behind_gap = true;
    for (i, column) in columns.iter().enumerate() {
        match *column {
            Column::Gap(_) => {
                marks.push('~');
                behind_gap = true;
            }
            Column::Cycle(cycle) => {
                let named = behind_gap || cycle % 10 == 0;
                // A space at least between two numbers.
                if named && (numbers.is_empty() || numbers.len() < i) {
                    let _ = write!(numbers, "{:1$}{cycle}", "", i - numbers.len());
                    marks.push('|');
                } else {
                    marks.push(if cycle % 5 == 0 { '.' } else { ' ' });
                }
                behind_gap = false;
            }
        }
    }
    [numbers, marks]
}

fn start_row(trace: &Trace<'_>, columns: &[Column], start: u64, iteration: usize) -> [String; 4] {
    let stalls = trace.stalls.iter();
    let stalled: Vec<u64> = stalls
        .filter(|stall| stall.iteration == iteration)
        .map(|stall| stall.cycle)
        .collect();
    let since = stalled.first().copied().unwrap_or(start);
    let marks = columns.iter().map(|column| match column {
        Column::Cycle(cycle) if *cycle == start => '^',
        Column::Cycle(cycle) if (since..start).contains(cycle) => 's',
        Column::Gap(gap) if gap.start >= since && gap.end <= start => '~',
        _ => ' ',
    });
    let note = match stalled.len() {
        0 => "start",
        _ => "start, after stall",
    };
    [
        iteration.to_string(),
        note.into(),
        String::new(),
        marks.collect(),
    ]
}

fn operation(columns: &[Column], start: u64, end: u64) -> String {
    let mark = |column: &Column| match column {
        Column::Cycle(cycle) if *cycle == start && start == end => '*',
        Column::Cycle(cycle) if *cycle == start => 'I',
        Column::Cycle(cycle) if *cycle == end => 'R',
        Column::Cycle(cycle) if (start..end).contains(cycle) => '=',
        Column::Gap(gap) if gap.start > start && gap.end <= end => '~',
        _ => ' ',
    };
    columns.iter().map(mark).collect()
}
