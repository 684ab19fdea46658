//! Gantt chart and Pareto chart.

use crate::{fft, on_traces, rounds};
use falcon_hls_sim::catalog::XC7Z020;
use falcon_hls_sim::design::Preset;
use falcon_hls_sim::graph::Banking;
use falcon_hls_sim::keccak::KeccakPreset;
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::setting::Setting;
use falcon_hls_sim::sweep::Sweep;
use falcon_hls_sim::view::chart::chart;
use falcon_hls_sim::view::gantt::{columns, gantt};
use falcon_hls_sim::view::report::SweepForm;
use falcon_hls_sim::view::{Detail, Trace};
use svg::node::Attributes;
use svg::parser::Event as Tag;

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

fn number(attributes: &Attributes, name: &str) -> f64 {
    attributes[name].parse().expect("a number")
}

fn area(attributes: &Attributes) -> Area {
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(attributes, name));
    [x, y, x + width, y + height]
}

fn overlap(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Contents of a picture, read back from its SVG.
#[derive(Default)]
struct Picture {
    size: (f64, f64),
    /// Rectangles that have a title, grouped by title.
    titled: Vec<Vec<Area>>,
    /// Texts: x, y, font size, anchor, content.
    texts: Vec<(f64, f64, f64, String, String)>,
    titles: Vec<String>,
}

fn read(text: &str) -> Picture {
    let mut picture = Picture::default();
    let mut open = Vec::new();
    for tag in svg::read(text).expect("it is read") {
        match tag {
            Tag::Tag(name, kind, attributes) => {
                match kind {
                    svg::node::element::tag::Type::Start => open.push(name.to_owned()),
                    svg::node::element::tag::Type::End => {
                        assert_eq!(open.pop().as_deref(), Some(name), "tags are closed");
                        continue;
                    }
                    svg::node::element::tag::Type::Empty => {}
                }
                match name {
                    "svg" => {
                        let [width, height] = ["width", "height"];
                        picture.size = (number(&attributes, width), number(&attributes, height));
                    }
                    "g" => picture.titled.push(Vec::new()),
                    "rect" if open.iter().filter(|name| *name == "g").count() == 2 => {
                        let group = picture.titled.last_mut().expect("a group");
                        group.push(area(&attributes));
                    }
                    "text" => picture.texts.push((
                        number(&attributes, "x"),
                        number(&attributes, "y"),
                        number(&attributes, "font-size"),
                        attributes["text-anchor"].to_string(),
                        String::new(),
                    )),
                    _ => {}
                }
            }
            Tag::Text(text) => match open.last().map(String::as_str) {
                Some("text") => picture.texts.last_mut().expect("a text").4 = text.to_owned(),
                Some("title") => picture.titles.push(text.to_owned()),
                _ => {}
            },
            Tag::Error(error) => panic!("{error}"),
            _ => {}
        }
    }
    assert!(open.is_empty(), "tags are closed");
    // Removes the empty list of the group around the whole picture.
    picture.titled.retain(|areas| !areas.is_empty());
    picture
}

impl Picture {
    /// Returns the approximate areas of texts. On average, the letters of sans-serif text are not
    /// wider than 0.6 of their size.
    fn text_areas(&self) -> Vec<(Area, &str)> {
        let area = |(x, y, size, anchor, text): &(f64, f64, f64, String, String)| {
            let width = 0.6 * size * text.chars().count() as f64;
            let x = match anchor.as_str() {
                "start" => *x,
                "middle" => x - width / 2.0,
                _ => x - width,
            };
            [x, y - size * 0.8, x + width, *y]
        };
        let texts = self.texts.iter();
        texts.map(|text| (area(text), text.4.as_str())).collect()
    }

    fn is_inside(&self, area: &Area) -> bool {
        area[0] >= 0.0 && area[1] >= 0.0 && area[2] <= self.size.0 && area[3] <= self.size.1
    }
}

/// Checks that no bar overlaps another one or is outside of the picture. Returns the number of bars
/// and the number of operations in them.
fn bars_and_operations(trace: &Trace<'_>, detail: Detail, name: &str) -> (usize, usize) {
    let picture = read(&gantt(trace, name, detail));
    assert_eq!(picture.titles[0], name);
    let bars = picture.titled.iter().filter(|areas| areas.len() == 2);
    let bars = bars.count();
    let marks = picture.titled.len() - bars;
    assert_eq!(marks, trace.starts.len() + trace.stalls.len(), "{name}");
    // The first rectangle of a bar covers the whole bar.
    let areas: Vec<Area> = picture.titled.iter().map(|areas| areas[0]).collect();
    for (i, bar) in areas.iter().enumerate() {
        assert!(picture.is_inside(bar), "{name}: {bar:?}");
        let clash = areas[..i].iter().find(|other| overlap(bar, other));
        assert_eq!(clash, None, "{name}: {bar:?}");
    }
    let texts = picture.text_areas();
    for (i, (text, label)) in texts.iter().enumerate() {
        assert!(picture.is_inside(text), "{name}: {label}");
        let clash = texts[..i].iter().find(|(other, _)| overlap(text, other));
        assert_eq!(clash, None, "{name}: {label}");
    }
    let titles = picture.titles.iter();
    let operations = titles.filter_map(|title| title.split_once(" of iteration "));
    let operations = operations.map(|(names, _)| names.split("; ").count());
    (bars, operations.sum())
}

#[test]
fn the_gantt_chart_has_every_operation_and_no_overlaps() {
    on_traces(|trace, name| {
        let all = trace.events.len();
        let full = bars_and_operations(trace, Detail::Full, name);
        assert_eq!(full, (all, all), "{name}");
        let (_, operations) = bars_and_operations(trace, Detail::Readable, name);
        assert_eq!(operations, all, "{name}");
    });
}

/// Draws two charts that were once unreadable: one had a column of 140 equal rows, and the other
/// was a narrow strip.
#[test]
fn large_charts_are_readable() {
    let traced = rounds(KeccakPreset::RoundPerCycle);
    let trace = traced.trace(0..8).expect("it runs");
    let picture = read(&gantt(&trace, "rounds", Detail::Readable));
    assert!(picture.size.1 < 300.0, "{:?}", picture.size);
    let labels: Vec<&str> = picture.texts.iter().map(|text| text.4.as_str()).collect();
    for label in ["registers, read x25", "lookup tables x91", "25", "91"] {
        assert!(labels.contains(&label), "{label} in {labels:?}");
    }

    let traced = fft(Preset::PaperOriginal, 9);
    let trace = traced.trace(0..2).expect("it runs");
    assert!(columns(&trace) < 120, "{}", columns(&trace));
    let picture = gantt(&trace, "two butterflies", Detail::Readable);
    assert!(picture.contains("cycles left out"));
    let picture = read(&picture);
    assert!(picture.size.0 < 1400.0, "{:?}", picture.size);
}

#[test]
fn pictures_escape_what_they_are_given() {
    let traced = fft(Preset::PaperOptimized, 3);
    let trace = traced.trace(0..2).expect("it runs");
    let picture = gantt(&trace, "</text><script>\"a\" & 'b'", Detail::Full);
    assert!(!picture.contains("<script>"));
    assert!(picture.contains("&lt;/text&gt;&lt;script&gt;"));
    assert!(picture.contains("&amp; "));
    read(&picture);
}

fn sweep() -> SweepForm {
    let mut base = Preset::PaperOptimized.design();
    base.name = "sweep".into();
    let mut sweep = Sweep::new(base);
    sweep.lists = vec![
        [1, 2, 4].map(Setting::Multipliers).to_vec(),
        [1, 2, 3, 6].map(Setting::Adders).to_vec(),
        Banking::ALL.map(Setting::Banking).to_vec(),
    ];
    let mut outcome = sweep.run(Transform::Fft, 9).expect("few");
    for preset in Preset::ALL {
        let measurement = Measurement::new(preset.design(), Transform::Fft, 9);
        outcome.measurements.push(measurement.expect("a preset"));
    }
    SweepForm::new(&outcome, Transform::Fft, 9, XC7Z020)
}

#[test]
fn the_chart_names_the_presets_and_no_labels_overlap() {
    let sweep = sweep();
    let picture = chart(&sweep);
    assert!(picture.contains("FFT of degree 512: cycles against DSP slices"));
    let dots = picture.matches("<circle").count();
    // Two of the dots are in the legend.
    assert!(dots > sweep.designs.len() / 2 && dots <= sweep.designs.len() + 2);
    let picture = read(&picture);
    for preset in Preset::ALL {
        let named = picture.texts.iter().filter(|text| text.4 == preset.name());
        assert_eq!(named.count(), 1, "{}", preset.name());
    }
    let texts = picture.text_areas();
    for (i, (text, label)) in texts.iter().enumerate() {
        // The label "cycles" is turned, so it is left out.
        if *label != "cycles" {
            assert!(picture.is_inside(text), "{label}");
            let clash = texts[..i].iter().find(|(other, _)| overlap(text, other));
            assert_eq!(clash, None, "{label}");
        }
    }
}

/// Compares two designs that differ only in their clocks. The faster one is drawn lower, although
/// both take the same cycles.
#[test]
fn the_chart_is_of_time_where_clocks_differ() {
    let mut sweep = Sweep::new(Preset::PaperOptimized.design());
    sweep.lists = vec![[100_000_000, 250_000_000].map(Setting::Clock).to_vec()];
    let outcome = sweep.run(Transform::Fft, 2).expect("two");
    let sweep = SweepForm::new(&outcome, Transform::Fft, 2, XC7Z020);
    assert!(sweep.clocks_differ());
    let fronts: Vec<bool> = sweep.designs.iter().map(|row| row.pareto).collect();
    assert_eq!(fronts, [false, true]);
    let picture = chart(&sweep);
    assert!(picture.contains("FFT of degree 4: microseconds against DSP slices"));
    let heights = |mhz: &str| -> Vec<f64> {
        let squares = picture.split("<g>").filter(|group| group.contains(mhz));
        let squares = squares.filter_map(|group| group.split("<rect ").nth(1));
        let height = |square: &str| {
            let value = square.split(" y=\"").nth(1).expect("a height");
            let value = value.split('"').next().expect("a number");
            value.parse().expect("a number")
        };
        squares.map(height).collect()
    };
    let (slow, quick) = (heights("at 100 MHz"), heights("at 250 MHz"));
    assert_eq!((slow.len(), quick.len()), (1, 1), "{picture}");
    assert!(slow[0] < quick[0]);
    // The times are 0.32 and 0.128 us.
    let picture = read(&picture);
    let labels: Vec<&str> = picture.texts.iter().map(|text| text.4.as_str()).collect();
    assert!(labels.contains(&"0.2"), "{labels:?}");
    assert!(!labels.contains(&"cycles"));
}

#[test]
fn a_chart_of_nothing_is_one() {
    let nothing = SweepForm::new(&Default::default(), Transform::Fft, 9, XC7Z020);
    let nothing = chart(&nothing);
    assert!(!nothing.contains("NaN") && !nothing.contains("inf"));
}
