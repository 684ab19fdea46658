//! The chart of the simulated system (SVG): where the clocks of its operations go.
//!
//! Each operation has a bar for each form and ratio. Its length is relative to the operation in
//! software.

use super::canvas::{Anchor, COLOURS, GRID, line, picture, rectangle, text, titled};
use crate::system::{Row, Table};
use svg::node::element::Group;

const WIDTH: f64 = 860.0;
/// Margins to the left, above, to the right, below.
const MARGINS: [f64; 4] = [150.0, 94.0, 170.0, 34.0];
/// Distance from one bar to the next, and from the last bar of an operation to the next heading.
const PITCH: f64 = 19.0;
const GAP: f64 = 8.0;
const BAR: f64 = 13.0;
const LABEL: f64 = 11.0;
/// Parts of a bar, with their colours.
const PARTS: [(&str, &str); 3] = [
    ("processor, also with the FPU", COLOURS[0]),
    ("copying to circuits and back", COLOURS[1]),
    ("waiting for circuits", COLOURS[5]),
];

/// Draws the operations of a table, which should have one degree.
pub fn clocks(table: &Table) -> String {
    let [left, above, ..] = MARGINS;
    let mut document = legend(Group::new());
    let mut y = above;
    let mut operation = "";
    for row in &table.rows {
        let Some(software) = table.in_software(row) else {
            continue;
        };
        if row.operation != operation {
            operation = &row.operation;
            y += GAP;
            let heading = text(20.0, y + BAR - 2.0, LABEL + 1.0, Anchor::Start, operation);
            document = document.add(heading.set("font-weight", "bold"));
            y += PITCH;
        }
        document = document.add(bar(row, software, y));
        y += PITCH;
    }
    let mut grid = Group::new();
    for percent in [0, 25, 50, 75, 100] {
        let x = left + f64::from(percent) / 100.0 * length();
        let label = format!("{percent} %");
        grid = grid.add(line((x, above), (x, y), GRID)).add(text(
            x,
            y + 16.0,
            LABEL,
            Anchor::Middle,
            &label,
        ));
    }
    let degrees = table.rows.first().map_or(0, |row| row.degree);
    let title = format!("Degree {degrees}: clocks of the processor, relative to software");
    let size = (WIDTH, y + MARGINS[3]);
    picture(size, &title, Group::new().add(grid).add(document)).to_string()
}

/// Returns the length of a bar of 100 %.
fn length() -> f64 {
    WIDTH - MARGINS[0] - MARGINS[2]
}

/// Returns the clocks of the parts of a row, in the order of [`PARTS`].
fn parts(row: &Row) -> [u64; 3] {
    let (moved, waited) = (row.moved(), row.waited());
    [row.clocks - moved - waited, moved, waited]
}

/// Draws one row. The same operation takes `software` clocks in software.
fn bar(row: &Row, software: u64, y: f64) -> Group {
    let unit = length() / software as f64;
    let name = match row.form.as_str() {
        "software" => "software".to_owned(),
        form => format!("{form}, {}", row.ratio),
    };
    let baseline = y + BAR - 3.0;
    let described = format!("{} {name}: {} clocks", row.operation, row.clocks);
    let label = text(MARGINS[0] - 8.0, baseline, LABEL, Anchor::End, &name);
    let mut group = titled(described).add(label);
    let mut x = MARGINS[0];
    for (clocks, (_, colour)) in parts(row).into_iter().zip(PARTS) {
        let width = clocks as f64 * unit;
        group = group.add(rectangle(x, y, width, BAR, colour));
        x += width;
    }
    let speedup = software as f64 / row.clocks as f64;
    let clocks = match row.clocks {
        clocks @ ..1_000_000 => format!("{:.0} k", clocks as f64 / 1e3),
        clocks => format!("{:.2} M", clocks as f64 / 1e6),
    };
    let label = match row.form.as_str() {
        "software" => clocks,
        _ => format!("{clocks}, {speedup:.2} times as fast"),
    };
    group.add(text(x + 6.0, baseline, LABEL, Anchor::Start, &label))
}

fn legend(mut document: Group) -> Group {
    let mut x = 20.0;
    for (name, colour) in PARTS {
        document = document
            .add(rectangle(x, 42.0, 12.0, 12.0, colour))
            .add(text(x + 18.0, 52.0, LABEL, Anchor::Start, name));
        x += 44.0 + super::canvas::text_width(name, LABEL);
    }
    let note = "both: FFT and Keccak-f; all: both and the FPU; ratio: clock of the processor to that of the \
                circuits";
    document.add(text(20.0, 76.0, LABEL, Anchor::Start, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_clocks_of_the_table() {
        let table = Table::committed().unwrap().of_degree(512);
        let chart = clocks(&table);
        assert_eq!(chart.matches(" clocks</title>").count(), table.rows.len());
        for row in &table.rows {
            assert_eq!(parts(row).iter().sum::<u64>(), row.clocks);
            assert!(chart.contains(&format!(": {} clocks", row.clocks)));
        }
        // The parts of a bar have its length.
        let row = &table.rows[0];
        let drawn = bar(row, row.clocks, 0.0).to_string();
        assert!(
            drawn.contains(&format!("width=\"{}\"", length())),
            "{drawn}"
        );
    }
}
