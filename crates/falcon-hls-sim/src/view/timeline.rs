//! A timeline as text: a row for each operation, a column for each cycle.
//!
//! If nothing starts or ends in ten or more successive cycles, they become one column. If an
//! iteration has many operations, those that start and end together share a row.

use super::columns::{Column, Columns};
use super::group::{Group, by_unit};
use super::{Detail, Event, Trace};
use std::fmt::Write;

/// If an iteration has more operations than this, rows are shared.
const MANY: usize = 30;

/// Legend of the letters that appear in every timeline.
const LEGEND: [&str; 4] = [
    "^ iteration starts",
    "I operation starts",
    "= under way",
    "R result ready, or stored value readable",
];

/// Returns the timeline of the recorded iterations.
pub fn timeline(trace: &Trace<'_>, detail: Detail) -> String {
    let columns = Columns::of(trace).0;
    let together = detail == Detail::Readable && trace.graph.nodes.len() > MANY;
    let units = by_unit(trace, together, |event| trace.end(event));
    let mut rows = Vec::new();
    for &(start, iteration) in &trace.starts {
        rows.push(start_row(trace, &columns, start, iteration));
        let mut groups: Vec<(&str, &Group<'_>)> = units
            .iter()
            .flat_map(|unit| unit.groups.iter().map(|group| (&*unit.name, group)))
            .filter(|(_, group)| group.iteration == iteration)
            .collect();
        groups.sort_by_key(|(_, group)| (group.cycle, group.events[0].node));
        for (unit, group) in groups {
            rows.push([
                String::new(),
                group.name(trace),
                unit.to_owned(),
                operation(&columns, group.cycle, group.end),
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
    let mut legend = LEGEND.to_vec();
    let at_once = |event: &Event| trace.end(event) == event.cycle;
    if trace.events.iter().any(at_once) {
        legend.push("* both I and R");
    }
    if !trace.stalls.is_empty() {
        legend.push("s stall");
    }
    if columns.iter().any(|c| matches!(c, Column::Gap(_))) {
        legend.push("~ cycles left out, nothing starts or ends in them");
    }
    text.push_str(&legend.join("   "));
    text.push('\n');
    text
}

/// Returns the two lines above the columns. The first has numbers of cycles: every tenth cycle, and
/// the first after a gap. The second marks numbered cycles with `|`, gaps with `~`, and other
/// multiples of five with `.`.
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
                // There is at least one space between two numbers.
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
