//! The chart of a sweep (SVG): cycles against DSP slices, or time if the clocks differ.
//!
//! The line joins the designs of the Pareto front. Presets are squares with their names. Cycles and
//! times are on a logarithmic scale.

use super::canvas::{
    Anchor, COLOURS, GRID, circle, line, picture, rectangle, text, text_width, titled,
};
use super::report::{SweepForm, SweepRow};
use super::scale::step;
use crate::design::Preset;
use crate::measurement::Time;
use svg::node::element::{Group, Polyline, Rectangle};

const SIZE: (f64, f64) = (860.0, 560.0);
/// Margins to the left, above, to the right, below.
const MARGINS: [f64; 4] = [84.0, 78.0, 40.0, 60.0];
const LABEL: f64 = 12.0;
const SMALL: f64 = 10.5;
const FRONT: &str = COLOURS[0];
const MARK: &str = COLOURS[5];
const OTHER: &str = "#9a9a9a";

/// Quantity of the vertical axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Cycles,
    Micros,
}

impl Quantity {
    /// Returns the quantity by which the designs of a sweep are compared.
    fn of(sweep: &SweepForm) -> Self {
        match sweep.clocks_differ() {
            true => Self::Micros,
            false => Self::Cycles,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Micros => "microseconds",
        }
    }

    /// Returns the decimal logarithm. A transform without a butterfly counts as one cycle.
    fn logarithm(self, row: &SweepRow) -> f64 {
        let cycles = row.timing.cycles.max(1);
        let clock_hz = row.design.clock_hz;
        match self {
            Self::Cycles => (cycles as f64).log10(),
            Self::Micros => Time { cycles, clock_hz }.micros().log10(),
        }
    }
}

/// Positions of the points.
struct Scale {
    quantity: Quantity,
    /// Largest number of DSP slices.
    dsp: u64,
    /// Decimal logarithms of cycles or times at the bottom and at the top.
    decades: (f64, f64),
}

impl Scale {
    fn new(sweep: &SweepForm) -> Self {
        let (rows, quantity) = (&sweep.designs, Quantity::of(sweep));
        let dsp = rows.iter().map(|row| u64::from(row.resources.dsp)).max();
        let logs = || rows.iter().map(|row| quantity.logarithm(row));
        let low = logs().fold(f64::INFINITY, f64::min);
        let high = logs().fold(f64::NEG_INFINITY, f64::max);
        let dsp = dsp.unwrap_or(0).max(1);
        Self {
            quantity,
            dsp: (dsp as f64 * 1.08).ceil() as u64,
            decades: if low <= high {
                (low - 0.08, high + 0.12)
            } else {
                (0.0, 1.0)
            },
        }
    }

    fn x(&self, dsp: f64) -> f64 {
        let [left, _, right, _] = MARGINS;
        left + dsp / self.dsp as f64 * (SIZE.0 - left - right)
    }

    fn y(&self, logarithm: f64) -> f64 {
        let [_, above, _, below] = MARGINS;
        let (low, high) = self.decades;
        let share = (logarithm - low) / (high - low);
        SIZE.1 - below - share * (SIZE.1 - above - below)
    }

    fn place(&self, row: &SweepRow) -> (f64, f64) {
        let dsp = f64::from(row.resources.dsp);
        (self.x(dsp), self.y(self.quantity.logarithm(row)))
    }
}

/// Draws the chart.
pub fn chart(sweep: &SweepForm) -> String {
    let scale = Scale::new(sweep);
    let transform = sweep.transform.name().to_uppercase();
    let (degree, quantity) = (sweep.degree, scale.quantity.name());
    let title = format!("{transform} of degree {degree}: {quantity} against DSP slices");
    let mut document = axes(legend(Group::new()), &scale);
    let is_preset = |row: &SweepRow| Preset::by_name(&row.design.name).is_some();
    let (marks, others): (Vec<_>, Vec<_>) = sweep.designs.iter().partition(|row| is_preset(row));
    for row in others.iter().filter(|row| !row.pareto) {
        let dot = circle(scale.place(row), 3.0, OTHER).set("fill-opacity", 0.5);
        document = document.add(titled(described(row)).add(dot));
    }
    let mut front: Vec<_> = sweep.designs.iter().filter(|row| row.pareto).collect();
    // If several points are equal, the preset among them gets the label.
    front.sort_by_key(|row| (row.resources.dsp, row.time(), !is_preset(row)));
    front.dedup_by_key(|row| (row.resources.dsp, row.time()));
    document = document.add(steps(&scale, &front));
    for row in &front {
        let dot = circle(scale.place(row), 4.5, FRONT);
        document = document.add(titled(described(row)).add(dot));
    }
    let mut labels = Labels::default();
    for place in sweep.designs.iter().map(|row| scale.place(row)) {
        labels.avoid(place, 4.0);
    }
    for row in &marks {
        let at = scale.place(row);
        document = document.add(titled(described(row)).add(square(at)));
        let name = &row.design.name;
        let label = match sweep.clocks_differ() {
            true => format!("{name}, {} MHz", row.design.clock_hz as f64 / 1e6),
            false => name.clone(),
        };
        document = labels.put(document, at, &label, LABEL, MARK);
    }
    for row in &front {
        let design = &row.design;
        let (multipliers, adders) = (design.multipliers, design.adders);
        let label = format!("{multipliers}+{adders} {}", design.banking.name());
        document = labels.put(document, scale.place(row), &label, SMALL, FRONT);
    }
    picture(SIZE, &title, document).to_string()
}

/// Describes a point.
fn described(row: &SweepRow) -> String {
    let (design, timing) = (&row.design, &row.timing);
    let name = match design.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    format!(
        "{name}{} dmul, {} daddsub, {} {}, {}: II {}, {} cycles at {} MHz, {} DSP",
        design.multipliers,
        design.adders,
        design.memory.name(),
        design.banking.name(),
        design.pipelining,
        timing.interval,
        timing.cycles,
        design.clock_hz as f64 / 1e6,
        row.resources.dsp
    )
}

/// Draws the front as steps, which show the best design for each number of slices.
fn steps(scale: &Scale, front: &[&SweepRow]) -> Polyline {
    let mut points = String::new();
    let mut last: Option<f64> = None;
    for (x, y) in front.iter().map(|row| scale.place(row)) {
        if let Some(before) = last {
            points.push_str(&format!("{x:.1},{before:.1} "));
        }
        points.push_str(&format!("{x:.1},{y:.1} "));
        last = Some(y);
    }
    Polyline::new()
        .set("points", points.trim_end())
        .set("fill", "none")
        .set("stroke", FRONT)
        .set("stroke-opacity", 0.6)
}

/// Places texts so that they touch neither points nor each other.
#[derive(Default)]
struct Labels {
    /// Left, top, right and bottom of each area that is taken.
    taken: Vec<[f64; 4]>,
}

impl Labels {
    fn avoid(&mut self, (x, y): (f64, f64), radius: f64) {
        self.taken
            .push([x - radius, y - radius, x + radius, y + radius]);
    }

    /// Puts a label beside `at` if there is space. Otherwise the label is left out, since the point
    /// has a tooltip.
    fn put(
        &mut self,
        document: Group,
        at: (f64, f64),
        label: &str,
        size: f64,
        fill: &str,
    ) -> Group {
        let width = text_width(label, size);
        let [left, above, right, below] = MARGINS;
        let free = [left, above, SIZE.0 - right / 2.0, SIZE.1 - below];
        let beside = [8.0, -8.0 - width];
        let heights = [
            -5.0,
            4.0 + size,
            4.0,
            -18.0,
            18.0 + size,
            -30.0,
            30.0 + size,
        ];
        let places = heights
            .iter()
            .flat_map(|dy| beside.map(|dx| (at.0 + dx, at.1 + dy)));
        for (x, y) in places {
            let own = [x - 2.0, y - size, x + width + 2.0, y + 2.0];
            let inside =
                own[0] >= free[0] && own[1] >= free[1] && own[2] <= free[2] && own[3] <= free[3];
            if inside && !self.taken.iter().any(|other| overlap(&own, other)) {
                self.taken.push(own);
                return document.add(text(x, y, size, Anchor::Start, label).set("fill", fill));
            }
        }
        document
    }
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn legend(mut document: Group) -> Group {
    let y = 52.0;
    let mut x = 26.0;
    let front = "best for its DSP slices: multipliers + adders, banking";
    for (label, fill) in [(front, FRONT), ("preset", MARK), ("other design", OTHER)] {
        document = match fill {
            MARK => document.add(square((x, y))),
            _ => document.add(circle((x, y), if fill == FRONT { 4.5 } else { 3.0 }, fill)),
        };
        document = document.add(text(x + 11.0, y + 4.0, LABEL, Anchor::Start, label));
        x += text_width(label, LABEL) + 36.0;
    }
    document
}

fn square((x, y): (f64, f64)) -> Rectangle {
    rectangle(x - 5.0, y - 5.0, 10.0, 10.0, "none")
        .set("stroke", MARK)
        .set("stroke-width", 2)
}

fn axes(mut document: Group, scale: &Scale) -> Group {
    let [left, above, right, below] = MARGINS;
    let (right, bottom) = (SIZE.0 - right, SIZE.1 - below);
    let each = step(scale.dsp, 12);
    for dsp in (0..=scale.dsp).step_by(each as usize) {
        let x = scale.x(dsp as f64);
        document = document.add(line((x, above), (x, bottom), GRID)).add(text(
            x,
            bottom + 17.0,
            LABEL,
            Anchor::Middle,
            &dsp.to_string(),
        ));
    }
    let (low, high) = scale.decades;
    for decade in low.floor() as i32..=high.ceil() as i32 {
        for digit in [1u32, 2, 5] {
            let logarithm = f64::from(decade) + f64::from(digit).log10();
            if (low..=high).contains(&logarithm) {
                let y = scale.y(logarithm);
                let digits = usize::try_from(-decade).unwrap_or(0);
                let number = format!("{:.digits$}", f64::from(digit) * 10f64.powi(decade));
                document = document.add(line((left, y), (right, y), GRID)).add(text(
                    left - 8.0,
                    y + 4.0,
                    LABEL,
                    Anchor::End,
                    &number,
                ));
            }
        }
    }
    let middle = (above + bottom) / 2.0;
    let turned = text(22.0, middle, LABEL, Anchor::Middle, scale.quantity.name())
        .set("transform", format!("rotate(-90 22 {middle})"));
    let slices = text(
        (left + right) / 2.0,
        bottom + 40.0,
        LABEL,
        Anchor::Middle,
        "DSP48E1 slices",
    );
    document.add(turned).add(slices)
}
