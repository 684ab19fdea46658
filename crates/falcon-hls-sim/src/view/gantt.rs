//! A Gantt chart (SVG): units below each other, cycles from left to right.
//!
//! A bar is an operation in its unit. It is dark in the cycle in which the unit takes the
//! operation, and light until the result is ready. A unit is pipelined and holds several operations
//! at a time, each in a separate lane.

use super::canvas::{
    Anchor, COLOURS, GRID, TITLE, line, picture, rectangle, text, text_width, titled,
};
use super::columns::{Column, Columns};
use super::group::{Group as Operations, UnitGroups, by_unit};
use super::scale::step;
use super::{Detail, Event, Trace};
use svg::node::element::Group;

/// Height of a lane and of a bar in it.
const LANE: f64 = 13.0;
const BAR: f64 = 11.0;
/// Space between two units.
const BETWEEN: f64 = 6.0;
/// Width of all cycles together, unless a cycle would be narrower or wider than [`CYCLE`] allows.
const WIDTH: f64 = 1200.0;
/// Smallest and largest width of a cycle.
const CYCLE: (f64, f64) = (3.0, 26.0);
/// Margins to the left and to the right, and at the bottom for the axis.
const LEFT: f64 = 20.0;
const RIGHT: f64 = 24.0;
const BELOW: f64 = 46.0;
/// Height at which the legend begins.
const LEGEND: f64 = 42.0;
/// Gap between a bar and the next.
const APART: f64 = 0.6;
/// Sizes of text.
const LABEL: f64 = 12.0;
const IN_BAR: f64 = 8.0;
/// Colours of a stall and of cycles that are left out of the chart.
const STALL: &str = "#c00000";
const GAP: &str = "#ececec";

/// If there are more lanes than this, all units of a kind share a row.
const MANY: usize = 48;
/// Smallest distance of two numbers on the axis.
const TICK: f64 = 44.0;

/// A unit with its operations, each with its lane.
struct Row<'t> {
    name: String,
    bars: Vec<(usize, Operations<'t>)>,
    lanes: usize,
}

/// Positions in the chart.
struct Layout {
    left: f64,
    cycle: f64,
    columns: Columns,
}

impl Layout {
    fn x(&self, cycle: u64) -> f64 {
        self.left + self.columns.position(cycle) * self.cycle
    }

    /// Returns the position of the end of the last cycle.
    fn right(&self) -> f64 {
        self.left + self.columns.0.len() as f64 * self.cycle
    }
}

/// Returns the number of columns of the chart. A run of cycles without events counts as one.
pub fn columns(trace: &Trace<'_>) -> usize {
    Columns::of(trace).0.len()
}

/// Draws the chart of the recorded iterations.
pub fn gantt(trace: &Trace<'_>, title: &str, detail: Detail) -> String {
    let rows = rows(trace, detail);
    let names = rows.iter().map(|row| text_width(&row.name, LABEL));
    let left = names.fold(text_width("start", LABEL), f64::max) + 20.0;
    let columns = Columns::of(trace);
    let layout = Layout {
        left,
        cycle: (WIDTH / columns.0.len().max(1) as f64).clamp(CYCLE.0, CYCLE.1),
        columns,
    };
    let lanes: usize = rows.iter().map(|row| row.lanes).sum();
    let body = (lanes + 1) as f64 * LANE + (rows.len() + 1) as f64 * BETWEEN;
    let needed = text_width(title, TITLE) + 40.0;
    let width = (layout.right() + RIGHT).max(needed).max(560.0);
    let counted = rows.iter().flat_map(|row| &row.bars);
    let counted = counted.into_iter().any(|(_, bar)| bar.events.len() > 1);
    let (document, end) = legend(Group::new(), trace, &layout, counted, width);
    let above = end + 16.0;
    let mut document = axis(document, &layout, (above, above + body));

    let mut y = above;
    document = document.add(text(left - 8.0, y + BAR - 1.5, LABEL, Anchor::End, "start"));
    document = starts(document, trace, &layout, y);
    y += LANE + BETWEEN;
    for row in &rows {
        let height = row.lanes as f64 * LANE;
        let middle = y + height / 2.0 + 0.35 * LABEL - 1.0;
        document = document
            .add(line(
                (0.0, y - BETWEEN / 2.0),
                (width, y - BETWEEN / 2.0),
                GRID,
            ))
            .add(text(left - 8.0, middle, LABEL, Anchor::End, &row.name));
        for (lane, operations) in &row.bars {
            document = bar(
                document,
                trace,
                &layout,
                operations,
                y + *lane as f64 * LANE,
            );
        }
        y += height + BETWEEN;
    }
    picture((width, above + body + BELOW), title, document).to_string()
}

/// Returns the rows. All units of a kind share a row if there would be too many lanes.
fn rows<'t>(trace: &'t Trace<'_>, detail: Detail) -> Vec<Row<'t>> {
    // An operation without latency occupies one cycle in the chart.
    let end = |event: &Event| trace.end(event).max(event.cycle + 1);
    let rows = |together| -> Vec<Row<'t>> {
        let units = by_unit(trace, together, end);
        units.into_iter().map(in_lanes).collect()
    };
    let each = rows(false);
    let lanes: usize = each.iter().map(|row| row.lanes).sum();
    match detail == Detail::Readable && lanes > MANY {
        true => rows(true),
        false => each,
    }
}

/// Distributes the operations of a unit over lanes, so that no two operations of a lane overlap.
fn in_lanes(unit: UnitGroups<'_>) -> Row<'_> {
    // For each lane, the first cycle that is free.
    let mut free: Vec<u64> = Vec::new();
    let mut bars = Vec::new();
    for operations in unit.groups {
        let lane = free.iter().position(|&free| free <= operations.cycle);
        let lane = lane.unwrap_or(free.len());
        free.resize(free.len().max(lane + 1), 0);
        free[lane] = operations.end;
        bars.push((lane, operations));
    }
    Row {
        name: unit.name,
        bars,
        lanes: free.len().max(1),
    }
}

fn colour(iteration: usize) -> &'static str {
    COLOURS[iteration % COLOURS.len()]
}

fn bar(
    document: Group,
    trace: &Trace<'_>,
    layout: &Layout,
    operations: &Operations<'_>,
    y: f64,
) -> Group {
    let (x, right) = (layout.x(operations.cycle), layout.x(operations.end));
    let fill = colour(operations.iteration);
    let names = operations.events.iter();
    let names: Vec<&str> = names
        .map(|event| trace.graph.nodes[event.node].name.as_str())
        .collect();
    let ready = operations.events.iter().map(|event| trace.end(event)).max();
    let title = format!(
        "{} of iteration {}: cycle {}, result in {}",
        names.join("; "),
        operations.iteration,
        operations.cycle,
        ready.unwrap_or(operations.end)
    );
    let mut group = titled(title)
        .add(rectangle(x, y, right - x - APART, BAR, fill).set("fill-opacity", 0.3))
        .add(rectangle(x, y, layout.cycle - APART, BAR, fill));
    let baseline = y + BAR - 2.5;
    if names.len() > 1 {
        let count = names.len().to_string();
        if text_width(&count, IN_BAR) <= layout.cycle - 3.0 {
            let middle = x + (layout.cycle - APART) / 2.0;
            let count = text(middle, baseline, IN_BAR, Anchor::Middle, &count);
            group = group.add(count.set("fill", "white").set("font-weight", "bold"));
        }
    }
    let from = x + layout.cycle + 2.0;
    let name = operations.name(trace);
    if from + text_width(&name, IN_BAR) <= right {
        group = group.add(text(from, baseline, IN_BAR, Anchor::Start, &name));
    }
    document.add(group)
}

fn starts(mut document: Group, trace: &Trace<'_>, layout: &Layout, y: f64) -> Group {
    for &(cycle, iteration) in &trace.starts {
        let x = layout.x(cycle);
        let mark = rectangle(x, y, layout.cycle - APART, BAR, colour(iteration));
        let title = format!("iteration {iteration} starts in cycle {cycle}");
        document = document.add(titled(title).add(mark));
    }
    for stall in &trace.stalls {
        let x = layout.x(stall.cycle);
        let right = layout.x(stall.cycle + u64::from(trace.schedule.interval));
        let mark = rectangle(x, y + BAR / 3.0, right - x - APART, BAR / 3.0, STALL);
        let title = format!(
            "iteration {} stalls in cycle {}",
            stall.iteration, stall.cycle
        );
        document = document.add(titled(title).add(mark));
    }
    document
}

/// Draws the legend on as many lines as necessary, and returns the height at which it ends.
/// `counted` is true if a bar has a number.
fn legend(
    mut document: Group,
    trace: &Trace<'_>,
    layout: &Layout,
    counted: bool,
    width: f64,
) -> (Group, f64) {
    let (mut x, mut y) = (LEFT, LEGEND);
    let mut entry = |document: Group, fill: &str, opacity: f64, label: &str| {
        let wide = text_width(label, LABEL) + 34.0;
        if x + wide > width && x > LEFT {
            (x, y) = (LEFT, y + 20.0);
        }
        let document = document
            .add(rectangle(x, y, 12.0, 12.0, fill).set("fill-opacity", opacity))
            .add(text(x + 17.0, y + 10.5, LABEL, Anchor::Start, label));
        x += wide;
        document
    };
    let taken = match counted {
        true => "taken by the unit (number: operations at once)",
        false => "taken by the unit",
    };
    document = entry(document, "#555555", 1.0, taken);
    document = entry(document, "#555555", 0.3, "until the result is ready");
    let gaps = layout.columns.0.iter();
    if gaps.into_iter().any(|c| matches!(c, Column::Gap(_))) {
        document = entry(document, GAP, 1.0, "cycles left out");
    }
    if !trace.stalls.is_empty() {
        document = entry(document, STALL, 1.0, "stall");
    }
    for first in 0..trace.starts.len().min(COLOURS.len()) {
        let same = trace.starts.iter().skip(first).step_by(COLOURS.len());
        let mut numbers: Vec<String> = same.map(|start| start.1.to_string()).collect();
        if numbers.len() > 3 {
            numbers.truncate(2);
            numbers.push("...".into());
        }
        let label = format!("iteration {}", numbers.join(", "));
        document = entry(document, colour(trace.starts[first].1), 1.0, &label);
    }
    (document, y + 12.0)
}

/// Draws the axis: numbers of cycles below the chart, lines through it, and a band for cycles that
/// are left out.
fn axis(mut document: Group, layout: &Layout, (top, bottom): (f64, f64)) -> Group {
    let pixels = layout.right() - layout.left;
    let step = step(layout.columns.0.len() as u64, (pixels / TICK) as u64);
    let tick = |document: Group, cycle: u64| {
        let x = layout.x(cycle);
        let number = cycle.to_string();
        document
            .add(line((x, top - 4.0), (x, bottom), GRID))
            .add(text(x, bottom + 14.0, LABEL, Anchor::Middle, &number))
    };
    let mut last = f64::NEG_INFINITY;
    let mut behind_gap = true;
    for column in &layout.columns.0 {
        match column {
            Column::Gap(gap) => {
                let (x, right) = (layout.x(gap.start), layout.x(gap.end));
                document = document.add(rectangle(x, top, right - x, bottom - top, GAP));
                behind_gap = true;
            }
            &Column::Cycle(cycle) => {
                let x = layout.x(cycle);
                if (behind_gap || cycle % step == 0) && x - last >= TICK {
                    document = tick(document, cycle);
                    last = x;
                }
                behind_gap = false;
            }
        }
    }
    let middle = layout.left + pixels / 2.0;
    document.add(text(middle, bottom + 34.0, LABEL, Anchor::Middle, "cycle"))
}
