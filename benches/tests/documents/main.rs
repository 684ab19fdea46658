//! Compares tables of pages, most of them of `docs/PERFORMANCE.md`, with the data that they show.

mod cpu;
mod gpu;
mod papers;

use falcon_benches::counts::{BARS, committed_row};
use falcon_benches::entry::Degree;
use falcon_core::{
    ExpandedKey, Falcon512, Falcon1024, KeygenScratch, Parameters, Scratch, SigningKey,
    VerifyingKey,
};
use serde_json::Value;

/// The rows of `arm/run.sh --renew`, one JSON object a line.
const COMMITTED: &str = include_str!("../../arm/counts.jsonl");
/// The rows of `arm/reference.sh --renew`.
const REFERENCE: &str = include_str!("../../arm/reference.jsonl");
const PAGE: &str = include_str!("../../../docs/PERFORMANCE.md");

/// Returns the cells of the rows of [`PAGE`] below the header that begins with `header`.
fn table(header: &str) -> Vec<Vec<&'static str>> {
    table_of(PAGE, header)
}

/// Returns the cells of the rows of a page below the header that begins with `header`.
fn table_of(page: &'static str, header: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = page.split_once(header).expect("the table is there");
    let rows = rest.lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// Returns the instructions of the committed row with this name.
fn instructions(name: &str) -> f64 {
    instructions_of(COMMITTED, name)
}

/// Returns the instructions of the row of `rows` with this name.
fn instructions_of(rows: &str, name: &str) -> f64 {
    let row = committed_row(rows, name).unwrap_or_else(|| panic!("no row {name}"));
    row["instructions"].as_u64().expect("a count") as f64
}

/// Converts the first cell of a row, such as `sign 512, batch, each`, to `sign/batch/falcon-512`.
fn group(cell: &str) -> String {
    let (what, mode) = cell.split_once(", ").unwrap_or((cell, "seed"));
    let mode = mode.trim_end_matches(", each");
    let (operation, degree) = what.split_once(' ').expect("an operation and a degree");
    format!("{operation}/{mode}/falcon-{degree}")
}

/// Checks that `shown` is `value`, rounded to the decimals of `shown`.
fn is(shown: &str, value: f64, place: &str) {
    let shown = shown.replace(',', "");
    let decimals = shown.split_once('.').map_or(0, |(_, after)| after.len());
    assert_eq!(shown, format!("{value:.decimals$}"), "{place}");
}

/// Fails if the page lacks a sentence. Lines of the page may break anywhere.
fn says(page: &str, sentence: &str) {
    let page: String = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(sentence), "{sentence}");
}

#[test]
fn counts_of_aarch64_are_those_of_the_table() {
    let rows = table("| thousands of instructions |");
    assert_eq!(rows.len(), 14);
    let engines = [
        "scalar",
        "neonx4",
        "neonsha3x4",
        "fn-dsa",
        "pqcrypto-falcon",
    ];
    let mut compared = 0;
    for cells in rows {
        let group = group(cells[0]);
        let shown = cells[1..6].iter().zip(engines);
        for (cell, engine) in shown.filter(|(cell, _)| !cell.is_empty()) {
            let name = format!("{group}/{engine}");
            is(cell, instructions(&name) / 1e3, &name);
            compared += 1;
        }
    }
    assert_eq!(compared, 54);
}

/// Returns the wall-clock rate of 1024 jobs in one call, from the points of the chart.
fn rate(operation: &str, engine: &str, threads: u64) -> f64 {
    let points = include_str!("../../../docs/throughput.jsonl").lines();
    let mut points = points.map(|line| serde_json::from_str(line).expect("an object"));
    let point = points.find(|point: &Value| {
        point["time"] == "wall"
            && point["batch"] == 1024
            && point["operation"] == operation
            && point["engine"] == engine
            && point["threads"] == threads
    });
    let point = point.unwrap_or_else(|| panic!("no {operation} on {engine}"));
    point["ops_per_s"].as_f64().expect("a rate")
}

#[test]
fn threads_gain_what_the_page_says() {
    let gains = |operation| {
        let engines = ["scalar", "avx2x8", "avx512x16"];
        let mut gains = engines.map(|it| rate(operation, it, 2) / rate(operation, it, 1));
        gains.sort_by(f64::total_cmp);
        format!("{:.2} to {:.2} times the", gains[0], gains[2])
    };
    let sentence = format!(
        "Two threads on two cores do {} signatures of one, and {} verifications.",
        gains("sign"),
        gains("verify")
    );
    says(PAGE, &sentence);
}

/// The rows of `firmware/run.sh renew`.
const ON_MICROCONTROLLERS: &str = include_str!("../../firmware/counts.tsv");

/// Instructions and stack of `row` of `firmware/counts.tsv`.
fn on_microcontroller(processor: &str, row: &str) -> [f64; 2] {
    let begin = format!("{processor}\t{row}\t");
    let mut lines = ON_MICROCONTROLLERS.lines();
    let line = lines.find_map(|line| line.strip_prefix(&begin));
    let numbers = line.and_then(|line| line.split_once('\t'));
    let (instructions, stack) = numbers.unwrap_or_else(|| panic!("no row {begin}"));
    [instructions, stack].map(|number| number.parse().expect("a number"))
}

#[test]
fn counts_of_microcontrollers_are_those_of_the_tables() {
    let rows = table("| operation | Cortex-M4, k instr. | RV32IMAC, k instr. |");
    assert_eq!(rows.len(), 10);
    for cells in rows {
        let group = group(cells[0]);
        for (cell, processor) in [(cells[1], "cortex-m4"), (cells[2], "rv32imac")] {
            let [instructions, _] = on_microcontroller(processor, &group);
            is(cell, instructions / 1e3, &group);
        }
    }
    let rows = table("| | Cortex-M4, 512 | 1024 | RV32IMAC, 512 | 1024 |");
    let operations = [
        "verify/encoded",
        "sign/decoded",
        "sign/encoded",
        "keygen/seed",
    ];
    assert_eq!(rows.len(), operations.len() + 1);
    let [small, large] = [Scratch::<Falcon512>::LEN, Scratch::<Falcon1024>::LEN];
    for (cell, reals) in rows[4][1..].iter().zip([small, large, small, large]) {
        is(cell, (8 * reals) as f64, rows[4][0]);
    }
    for (cells, operation) in rows.iter().zip(operations) {
        let places = [
            ("cortex-m4", 512),
            ("cortex-m4", 1024),
            ("rv32imac", 512),
            ("rv32imac", 1024),
        ];
        for (cell, (processor, degree)) in cells[1..].iter().zip(places) {
            let row = format!("{operation}/falcon-{degree}");
            is(cell, on_microcontroller(processor, &row)[1], &row);
        }
    }
}

/// Files with counts begin with the date and the commit that their scripts wrote.
#[test]
fn footnotes_name_the_runs_of_their_files() {
    let head = COMMITTED.lines().next().expect("a line");
    let head: Value = serde_json::from_str(head).expect("an object");
    let origin = head["origin"].as_str().expect("a text");
    says(PAGE, &format!("[^arm]: `benches/arm/run.sh`, {origin}: "));
    let mut lines = ON_MICROCONTROLLERS.lines();
    let origin = lines.find_map(|line| line.strip_prefix("# Origin: "));
    let origin = origin.expect("a line that run.sh writes");
    says(
        PAGE,
        &format!("[^firmware]: `benches/firmware/run.sh`, {origin}, "),
    );
}

/// Formats a number of bytes with commas between thousands.
fn thousands(bytes: usize) -> String {
    match bytes {
        0..1000 => bytes.to_string(),
        _ => format!("{},{:03}", thousands(bytes / 1000), bytes % 1000),
    }
}

#[test]
fn sentences_about_microcontrollers_are_those_of_the_counts() {
    let [instructions, _] = on_microcontroller("cortex-m4", "sign/encoded/falcon-512");
    let cycles = 1.13 * instructions / 1e6;
    let rows = table("| operation | Cortex-M4, k instr. | RV32IMAC, k instr. |");
    let row = rows.iter().find(|cells| cells[0] == "sign 512, encoded");
    let published: f64 = row.expect("a row")[3]
        .replace(',', "")
        .parse()
        .expect("a number");
    says(
        PAGE,
        &format!(
            "At an estimated 1.13 cycles an instruction (two for a load, two and a half for a \
             branch, one for the rest), a signature takes {cycles:.1} million cycles on a \
             Cortex-M4, {:.0} % more than `fndsa_provisional`.",
            100.0 * (1e3 * cycles / published - 1.0)
        ),
    );
    type Memory = KeygenScratch<'static, Falcon512>;
    let bytes = 4 * Memory::WORDS + 8 * Memory::WIDE + 2 * Memory::RESIDUES;
    let bytes = thousands(bytes);
    says(
        PAGE,
        &format!("Key generation at degree 512 takes {bytes} bytes of memory beside it."),
    );
}

/// `tests/limits.rs` also checks these lengths.
#[test]
fn the_table_of_memory_is_that_of_the_types() {
    fn kibibytes<P: Parameters>() -> [usize; 4] {
        let reals = |len: usize| 8 * len / 1024;
        [
            size_of::<VerifyingKey<P>>() / 1024,
            size_of::<SigningKey<P>>() / 1024,
            reals(Scratch::<P>::LEN),
            reals(ExpandedKey::<P>::LEN),
        ]
    }
    let page = include_str!("../../../crates/falcon-core/README.md");
    let rows = table_of(page, "| | Falcon-512 | Falcon-1024 |");
    let [small, large] = [kibibytes::<Falcon512>(), kibibytes::<Falcon1024>()];
    assert_eq!(rows.len(), small.len());
    for ((cells, small), large) in rows.iter().zip(small).zip(large) {
        assert_eq!(cells[1..], [format!("{small} KiB"), format!("{large} KiB")]);
    }
}

#[test]
fn bars_of_aarch64_are_those_that_are_held() {
    let rows = table("| thousands of instructions |");
    let mut held = 0;
    for cells in rows {
        let group = group(cells[0]);
        let bar = BARS.iter().find(|bar| {
            let name = |value| match serde_json::to_value(value) {
                Ok(Value::String(name)) => name,
                other => panic!("not a name: {other:?}"),
            };
            assert_eq!(bar.parameters, Degree::D512);
            let mode = serde_json::to_value(bar.mode).expect("a name");
            let operation = serde_json::to_value(bar.operation).expect("a name");
            format!("{}/{}/falcon-512", name(operation), name(mode)) == group
        });
        match (cells[6], bar) {
            ("", None) => {}
            (limit, Some(bar)) => {
                is(limit, bar.limit as f64 / 1e3, &group);
                held += 1;
            }
            other => panic!("{group}: {other:?}"),
        }
    }
    assert_eq!(held, BARS.len());
}

#[test]
fn the_first_table_shows_the_best_engine_and_the_best_peer() {
    let rows = table("| operation | x86-64, us: ours | best peer in Rust |");
    assert_eq!(rows.len(), 14);
    for cells in rows {
        let group = group(cells[0]);
        let engine = if group.starts_with("keygen") {
            "scalar"
        } else {
            "neonx4"
        };
        let ours = instructions(&format!("{group}/{engine}"));
        is(cells[4], ours / 1e3, &group);
        // No peer has batches, so our batches are compared with the peer's prepared key. The
        // reference prepares no key to verify, so its encoded key is compared with all of ours.
        let peers = group.replace("batch", "prepared");
        let of_reference = peers.replace("verify/prepared", "verify/encoded");
        let best = [
            (COMMITTED, &peers, "fn-dsa"),
            (COMMITTED, &peers, "pqcrypto-falcon"),
            (REFERENCE, &of_reference, "reference"),
        ]
        .into_iter()
        .filter_map(|(rows, group, peer)| {
            let row = committed_row(rows, &format!("{group}/{peer}"))?;
            Some((row["instructions"].as_u64()? as f64, peer))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0));
        let (count, peer) = best.expect("a peer");
        let (shown, shown_peer) = cells[5].rsplit_once(", ").expect("a count and a peer");
        assert_eq!(shown_peer.trim_start_matches("C "), peer, "{group}");
        is(shown, count / 1e3, &group);
        is(cells[6], ours / count, &group);
    }
}
