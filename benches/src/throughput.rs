//! Throughput of one call of a batch, by batch size and by number of threads, and its chart.

use crate::entry::Contestant;
use crate::entry::{Degree, MESSAGE, Operation};
use crate::ours::{encoded_signatures, fresh_seed, key};
use crate::random::SplitMix;
use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, Signature, Threads};
use plotters::coord::Shift;
use plotters::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;

/// Clock that timed a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Time {
    /// CPU time of the calling thread, as the median.
    Cpu,
    /// Wall time of the fastest call, since other work on the machine stretches it.
    Wall,
}

/// A measured call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Signing or verifying.
    pub operation: Operation,
    /// Degree.
    pub parameters: Degree,
    /// Name of the engine.
    pub engine: String,
    /// Number of threads.
    pub threads: usize,
    /// Number of jobs of the call.
    pub batch: usize,
    /// Clock of the time.
    pub time: Time,
    /// Number of jobs done in a second.
    pub ops_per_s: f64,
}

/// Returns the call of `batch` jobs. Signs with an expanded key, and verifies encoded signatures
/// with a decoded key. Returns `None` for key generation and expansion.
pub fn call(
    operation: Operation,
    degree: Degree,
    engine: Engine,
    threads: &Arc<Threads>,
    batch: usize,
) -> Option<Contestant<'static>> {
    let threads = Arc::clone(threads);
    let run = match (operation, degree) {
        (Operation::Keygen | Operation::Expand, _) => return None,
        (Operation::Sign, Degree::D512) => sign::<Falcon512>(engine, threads, batch),
        (Operation::Sign, Degree::D1024) => sign::<Falcon1024>(engine, threads, batch),
        (Operation::Verify, Degree::D512) => verify::<Falcon512>(engine, threads, batch),
        (Operation::Verify, Degree::D1024) => verify::<Falcon1024>(engine, threads, batch),
    };
    Some(Contestant {
        run,
        operations: batch as u32,
    })
}

fn sign<P: Parameters>(engine: Engine, threads: Arc<Threads>, batch: usize) -> Box<dyn FnMut()> {
    let key = engine.expand(&key::<P>());
    let mut random = SplitMix::new(1);
    let mut out = vec![Signature::<P>::EMPTY; batch];
    Box::new(move || {
        let job = SignJob::new(&key, black_box(MESSAGE));
        engine
            .on(&threads)
            .sign_batch(&fresh_seed(&mut random), &vec![job; batch], &mut out)
            .expect("lengths agree");
        black_box(&out);
    })
}

fn verify<P: Parameters>(engine: Engine, threads: Arc<Threads>, batch: usize) -> Box<dyn FnMut()> {
    let key = key::<P>();
    let signatures = encoded_signatures(&key);
    let mut first = 0;
    let mut valid = vec![Verdict::Invalid; batch];
    Box::new(move || {
        // The signatures are used in turn, also by small batches.
        first += batch;
        let turn = signatures.iter().cycle().skip(first % signatures.len());
        let jobs: Vec<_> = turn
            .take(batch)
            .map(|signature| VerifyBytesJob {
                key: key.verifying_key(),
                message: black_box(MESSAGE),
                signature,
            })
            .collect();
        engine
            .on(&threads)
            .verify_bytes_batch(&jobs, &mut valid)
            .expect("lengths agree");
        let valid = valid.iter().all(|verdict| *verdict == Verdict::Valid);
        assert!(valid, "its own signatures");
    })
}

/// Width and height of a panel in pixels.
const PANEL: (u32, u32) = (480, 330);

/// Height of the title and of the legend in pixels.
const MARGINS: (u32, u32) = (34, 30);

/// Colours that people with colour blindness can distinguish (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
];

/// Reason that a chart could not be drawn.
type DrawError = Box<dyn std::error::Error>;

/// A series of a panel: an engine and its points.
type Series<'p> = (&'p str, Vec<(f64, f64)>);

/// Smallest number of different thread counts that are drawn, since two points need no chart.
const LEAST_THREADS: usize = 3;

/// Returns true if the points have enough different thread counts for separate panels.
fn shows_threads(points: &[Point]) -> bool {
    let shared = points.iter().filter(|point| point.time == Time::Wall);
    let counts: BTreeSet<usize> = shared.map(|point| point.threads).collect();
    counts.len() >= LEAST_THREADS
}

/// Draws a chart (SVG) of the points of one degree: signing and verifying by batch size on one
/// thread, and by number of threads if there are at least three.
pub fn chart(title: &str, points: &[Point]) -> Result<String, DrawError> {
    let mut svg = String::new();
    let rows = if shows_threads(points) { 2 } else { 1 };
    let size = (2 * PANEL.0, rows * PANEL.1 + MARGINS.0 + MARGINS.1);
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    draw(area, title, points)?;
    Ok(svg)
}

fn draw(
    root: DrawingArea<SVGBackend<'_>, Shift>,
    title: &str,
    points: &[Point],
) -> Result<(), DrawError> {
    root.fill(&WHITE)?;
    let mut engines: Vec<&str> = Vec::new();
    for point in points {
        if !engines.contains(&&*point.engine) {
            engines.push(&point.engine);
        }
    }
    let (above, rest) = root.split_vertically(MARGINS.0);
    above.titled(title, ("sans-serif", 17))?;
    let threads = shows_threads(points);
    let rows = if threads { 2 } else { 1 };
    let (panels, below) = rest.split_vertically(rows * PANEL.1);
    legend(&below, &engines)?;

    let largest = points.iter().map(|point| point.batch).max().unwrap_or(1);
    let panels = panels.split_evenly((rows as usize, 2));
    // If there are too few thread counts, only the first row of panels is drawn.
    for (panel, (operation, shared)) in panels.iter().zip([
        (Operation::Sign, false),
        (Operation::Verify, false),
        (Operation::Sign, true),
        (Operation::Verify, true),
    ]) {
        let time = if shared { Time::Wall } else { Time::Cpu };
        let here = |point: &&Point| point.operation == operation && point.time == time;
        let series: Vec<Series<'_>> = engines
            .iter()
            .map(|&engine| {
                let own = points.iter().filter(here).filter(|p| p.engine == engine);
                let x = |p: &Point| if shared { p.threads } else { p.batch };
                (
                    engine,
                    own.map(|p| (x(p) as f64, p.ops_per_s / 1e3)).collect(),
                )
            })
            .collect();
        let done = match operation {
            Operation::Sign => "signatures",
            _ => "verifications",
        };
        let (title, x) = if shared {
            (format!("{done}, batches of {largest}"), "threads")
        } else {
            (format!("{done}, one thread"), "batch size")
        };
        plot(panel, &title, x, shared, &series)?;
    }
    root.present()?;
    Ok(())
}

fn legend<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    engines: &[&str],
) -> Result<(), DrawError>
where
    B::ErrorType: 'static,
{
    let width = area.dim_in_pixel().0 as i32 / (engines.len() as i32).max(1);
    for (i, engine) in engines.iter().enumerate() {
        let (x, y) = (i as i32 * width + 20, 12);
        let style = colour(i).stroke_width(3);
        area.draw(&PathElement::new(vec![(x, y), (x + 24, y)], style))?;
        let text = ("sans-serif", 14).into_text_style(area);
        area.draw(&Text::new(*engine, (x + 30, y - 7), text))?;
    }
    Ok(())
}

fn colour(i: usize) -> RGBColor {
    COLOURS[i % COLOURS.len()]
}

/// Draws a panel: thousands of operations per second, from zero.
fn plot<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    x: &str,
    shared: bool,
    series: &[Series<'_>],
) -> Result<(), DrawError>
where
    B::ErrorType: 'static,
{
    let all = || series.iter().flat_map(|(_, points)| points);
    let top = 1.08 * all().map(|point| point.1).fold(0.0, f64::max);
    let right = all().map(|point| point.0).fold(1.0, f64::max);
    // Batch sizes double from point to point, so their axis is logarithmic. The axis of thread
    // counts is linear.
    let place = |x: f64| if shared { x } else { x.log2() };
    let range = if shared {
        0.0..1.1 * right
    } else {
        -0.3..place(right) + 0.3
    };
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(title, ("sans-serif", 15))
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(range, 0.0..top.max(f64::MIN_POSITIVE))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .x_labels(if shared {
            (right as usize + 1).min(12)
        } else {
            12
        })
        .y_labels(6)
        .x_label_formatter(&|&at| {
            let value = if shared { at } else { at.exp2() };
            let whole = value.round();
            if (value - whole).abs() < 1e-9 && whole >= 1.0 {
                whole.to_string()
            } else {
                String::new()
            }
        })
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_desc(x)
        .y_desc("thousands per second")
        .label_style(("sans-serif", 13))
        .draw()?;
    for (i, (_, points)) in series.iter().enumerate() {
        let style = colour(i).stroke_width(2);
        let at = || points.iter().map(|&(x, y)| (place(x), y));
        chart.draw_series(LineSeries::new(at(), style))?;
        chart.draw_series(at().map(|at| Circle::new(at, 2, colour(i).filled())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_read_as_it_was_written() {
        let point = Point {
            operation: Operation::Verify,
            parameters: Degree::D1024,
            engine: "scalar".to_owned(),
            threads: 3,
            batch: 64,
            time: Time::Cpu,
            ops_per_s: 1234.5,
        };
        let line = serde_json::to_string(&point).expect("a line");
        assert_eq!(
            serde_json::from_str::<Point>(&line).expect("a point"),
            point
        );
    }

    #[test]
    fn every_engine_has_its_lines() {
        let point = |engine: &str, threads, batch, ops_per_s| Point {
            operation: Operation::Sign,
            parameters: Degree::D512,
            engine: engine.to_owned(),
            threads,
            batch,
            time: if threads == 1 { Time::Cpu } else { Time::Wall },
            ops_per_s,
        };
        let points = [
            point("slow", 1, 1, 1000.0),
            point("slow", 1, 1024, 2000.0),
            point("fast", 1, 1, 3000.0),
            point("fast", 1, 1024, 5000.0),
            point("fast", 2, 1024, 9000.0),
        ];
        let svg = chart("a title", &points).expect("a chart");
        for text in ["a title", "slow", "fast", "1024", "batch size"] {
            assert!(svg.contains(text), "{text}");
        }
        // Two thread counts are too few for a curve.
        assert!(!svg.contains("threads"));
        assert_eq!(svg.matches("<circle").count(), 4);
        let wall = [1, 2, 4].map(|threads| Point {
            time: Time::Wall,
            ..point("fast", threads, 1024, 5000.0 * threads as f64)
        });
        let more = [&points[..4], &wall].concat();
        let svg = chart("a title", &more).expect("a chart");
        assert!(svg.contains("threads"));
        assert_eq!(svg.matches("<circle").count(), more.len());
        assert!(!svg.contains("NaN"));
        assert!(chart("nothing", &[]).is_ok());
    }

    #[test]
    fn calls_do_what_they_say() {
        let threads = Arc::new(Threads::new(std::num::NonZeroUsize::MIN));
        for operation in Operation::ALL {
            let call = call(operation, Degree::D512, Engine::best(), &threads, 3);
            let is_batch = matches!(operation, Operation::Sign | Operation::Verify);
            assert_eq!(call.is_some(), is_batch);
            if let Some(mut call) = call {
                (call.run)();
                assert_eq!(call.operations, 3);
            }
        }
    }
}
