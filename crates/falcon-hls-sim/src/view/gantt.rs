//! A Gantt chart (SVG): units below each other, cycles from left to right.
//!
//! A bar is an operation in its unit: dark in the cycle in which the unit takes
//! it, light until its result is there. A unit is pipelined, so several operations
//! are in it at a time, each in a lane of its own.

use super::canvas::{
    Anchor, COLOURS, GRID, TITLE, line, picture, rectangle, text, text_width, titled,
};
use super::scale::step;
use super::{Event, Trace, instance_name, used_instances};
use svg::node::element::Group;

/// Height of a lane and of a bar in it.
const LANE: f64 = 13.0;
const BAR: f64 = 11.0;
/// Space between two units.
const BETWEEN: f64 = 6.0;
/// Width for the cycles, which a cycle's width of [`CYCLE`] may exceed or not reach.
const WIDTH: f64 = 1200.0;
/// Least and most width of a cycle.
const CYCLE: (f64, f64) = (3.0, 26.0);
/// Room to the left and to the right, and below for the axis.
const LEFT: f64 = 20.0;
const RIGHT: f64 = 24.0;
const BELOW: f64 = 46.0;
/// Where the legend begins.
const LEGEND: f64 = 42.0;
/// White between a bar and the next.
const APART: f64 = 0.6;
/// Sizes of text.
const LABEL: f64 = 12.0;
const IN_BAR: f64 = 8.0;
/// Colour of a stall.
const STALL: &str = "#c00000";

/// Operations of a unit's instance, each with its lane.
struct Row<'t> {
    name: String,
    bars: Vec<(usize, &'t Event)>,
    lanes: usize,
}

/// Where things are.
struct Layout {
    left: f64,
    cycle: f64,
    first: u64,
}

impl Layout {
    fn x(&self, cycle: u64) -> f64 {
        self.left + (cycle - self.first) as f64 * self.cycle
    }
}

/// The chart of what `trace` has kept.
pub fn gantt(trace: &Trace<'_>, title: &str) -> String {
    let cycles = trace.cycles();
    let rows = rows(trace);
    let names = rows.iter().map(|row| text_width(&row.name, LABEL));
    let left = names.fold(text_width("start", LABEL), f64::max) + 20.0;
    let count = (cycles.end - cycles.start).max(1);
    let layout = Layout {
        left,
        cycle: (WIDTH / count as f64).clamp(CYCLE.0, CYCLE.1),
        first: cycles.start,
    };
    let lanes: usize = rows.iter().map(|row| row.lanes).sum();
    let body = (lanes + 1) as f64 * LANE + (rows.len() + 1) as f64 * BETWEEN;
    let needed = text_width(title, TITLE) + 40.0;
    let width = (layout.x(cycles.end) + RIGHT).max(needed).max(560.0);
    let (document, end) = legend(Group::new(), trace, width);
    let above = end + 16.0;
    let mut document = axis(document, &layout, cycles.end, (above, above + body));

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
        for &(lane, event) in &row.bars {
            document = bar(document, trace, &layout, event, y + lane as f64 * LANE);
        }
        y += height + BETWEEN;
    }
    picture((width, above + body + BELOW), title, document).to_string()
}

/// Every unit with its operations in lanes, in which none touches another.
fn rows<'t>(trace: &'t Trace<'_>) -> Vec<Row<'t>> {
    let row = |(unit, instance)| {
        let own = |event: &&Event| {
            let at = trace.schedule.instances[event.node];
            trace.graph.nodes[event.node].unit == unit && at == instance
        };
        // By lane: the first cycle that is free.
        let mut free: Vec<u64> = Vec::new();
        let mut bars = Vec::new();
        for event in trace.events.iter().filter(own) {
            let lane = free.iter().position(|&free| free <= event.cycle);
            let lane = lane.unwrap_or(free.len());
            free.resize(free.len().max(lane + 1), 0);
            free[lane] = trace.end(event).max(event.cycle + 1);
            bars.push((lane, event));
        }
        Row {
            name: instance_name(trace.graph, unit, instance),
            bars,
            lanes: free.len().max(1),
        }
    };
    used_instances(trace.graph).map(row).collect()
}

fn colour(iteration: usize) -> &'static str {
    COLOURS[iteration % COLOURS.len()]
}

fn bar(document: Group, trace: &Trace<'_>, layout: &Layout, event: &Event, y: f64) -> Group {
    let node = &trace.graph.nodes[event.node];
    let end = trace.end(event).max(event.cycle + 1);
    let (x, right) = (layout.x(event.cycle), layout.x(end));
    let fill = colour(event.iteration);
    let title = format!(
        "{} of iteration {}: cycle {}, result in {}",
        node.name,
        event.iteration,
        event.cycle,
        trace.end(event)
    );
    let mut group = titled(title)
        .add(rectangle(x, y, right - x - APART, BAR, fill).set("fill-opacity", 0.3))
        .add(rectangle(x, y, layout.cycle - APART, BAR, fill));
    let from = x + layout.cycle + 2.0;
    if from + text_width(&node.name, IN_BAR) <= right {
        let label = text(from, y + BAR - 2.5, IN_BAR, Anchor::Start, &node.name);
        group = group.add(label);
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

/// What the colours mean, on as many lines as it takes: where it ends.
fn legend(mut document: Group, trace: &Trace<'_>, width: f64) -> (Group, f64) {
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
    document = entry(document, "#555555", 1.0, "taken by the unit");
    document = entry(document, "#555555", 0.3, "until the result is there");
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

/// Cycles below, with lines through everything.
fn axis(mut document: Group, layout: &Layout, end: u64, (top, bottom): (f64, f64)) -> Group {
    let pixels = layout.x(end) - layout.left;
    let step = step(end - layout.first, (pixels / 44.0) as u64);
    let first = layout.first.div_ceil(step) * step;
    for cycle in (first..=end).step_by(step as usize) {
        let x = layout.x(cycle);
        document = document
            .add(line((x, top - 4.0), (x, bottom), GRID))
            .add(text(
                x,
                bottom + 14.0,
                LABEL,
                Anchor::Middle,
                &cycle.to_string(),
            ));
    }
    let middle = layout.left + pixels / 2.0;
    document.add(text(middle, bottom + 34.0, LABEL, Anchor::Middle, "cycle"))
}
