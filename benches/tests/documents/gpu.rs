//! Compares the tables of GPUs in `docs/PERFORMANCE.md` with the lines of the runs that they show.

use super::{PAGE, is, says, table};
use serde_json::Value;

const H100: &str = include_str!("../../../docs/gpu-h100.jsonl");
const H200: &str = include_str!("../../../docs/gpu-h200.jsonl");

/// Returns the lines of a run that have this step.
fn lines(run: &str, step: &str) -> Vec<Value> {
    let lines = run
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"));
    lines.filter(|line: &Value| line["step"] == step).collect()
}

/// Finds the timed batch of a row such as `sign 512, raw keys`.
fn timed(run: &str, cell: &str, batch: u64) -> Value {
    let (what, key) = cell.split_once(", ").expect("an operation and a key");
    let (operation, degree) = what.split_once(' ').expect("an operation and a degree");
    let (mode, keys) = match key {
        "expanded key" => (Some("expanded"), "shared"),
        "balanced" => (Some("balanced"), "shared"),
        "raw keys" => (Some("raw"), "own"),
        "shared key" => (None, "shared"),
        "1,000 keys" => (None, "own"),
        _ => panic!("{cell}"),
    };
    let found = lines(run, "time").into_iter().find(|line| {
        line["parameters"] == format!("Falcon-{degree}")
            && line["operation"] == operation
            && line["mode"].as_str() == mode
            && line["keys"] == keys
            && line["batch"] == batch
    });
    found.unwrap_or_else(|| panic!("no line for {batch} of {cell}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

const MILLION: f64 = 1e6;
const LARGEST: u64 = 1 << 20;

#[test]
fn rates_are_those_of_the_runs() {
    let rows = table("| operation, 2^20 jobs | H100: call | kernels | H200: call | kernels |");
    assert_eq!(rows.len(), 10);
    let mut over_published = 0;
    for cells in rows {
        for (run, cells_of_run) in [(H100, &cells[1..3]), (H200, &cells[3..5])] {
            let line = timed(run, cells[0], LARGEST);
            let call = number(&line["host_per_s"]) / MILLION;
            is(cells_of_run[0], call, cells[0]);
            let kernels = number(&line["kernel_per_s"]) / MILLION;
            is(cells_of_run[1], kernels, cells[0]);
        }
        if let Some((rate, _)) = cells[5].split_once(' ') {
            let call = number(&timed(H100, cells[0], LARGEST)["host_per_s"]) / MILLION;
            let published: f64 = rate.parse().expect("a rate");
            is(cells[6], call / published, cells[0]);
            over_published += 1;
        }
    }
    assert_eq!(over_published, 8);
}

/// Rates of cuFalcon on an A100, of Falcon-512: Table VII of eprint 2025/249. Its 16 streams carry
/// a batch each.
const CUFALCON: [(u64, [f64; 4]); 2] = [
    (16 * 256, [99_708.0, 106_694.0, 107_547.0, 657_084.0]),
    (16 * 16_384, [172_263.0, 201_545.0, 184_371.0, 2_787_295.0]),
];

#[test]
fn factors_at_equal_work_are_those_of_the_run() {
    let kinds = ["raw keys", "expanded key", "balanced", "verify, 1,000 keys"];
    let rows = table(&format!("| jobs in flight | {} |", kinds.join(" | ")));
    assert_eq!(rows.len(), CUFALCON.len());
    for (cells, (batch, published)) in rows.iter().zip(CUFALCON) {
        assert_eq!(cells[0].replace(',', ""), batch.to_string());
        for ((kind, cell), published) in kinds.iter().zip(&cells[1..]).zip(published) {
            let kind = match kind.strip_prefix("verify, ") {
                Some(keys) => format!("verify 512, {keys}"),
                None => format!("sign 512, {kind}"),
            };
            let ours = number(&timed(H100, &kind, batch)["host_per_s"]);
            is(cell, ours / published, &kind);
        }
    }
    let first = |operation: &str, keys: &str, mode| {
        let found = lines(H100, "compare").into_iter().find(|line| {
            line["parameters"] == "Falcon-512"
                && line["operation"] == operation
                && line["keys"] == keys
                && line["mode"].as_str() == mode
                && line["jobs"] == 100_000
        });
        number(&found.expect("a comparison")["ms"])
    };
    says(
        PAGE,
        &format!(
            "of 100,000, {:.0} ms to sign (expanded key) and {:.0} to verify",
            first("sign", "shared", Some("expanded")),
            first("verify", "own", None),
        ),
    );
}

#[test]
fn times_on_an_h100_are_those_of_its_run() {
    let rows =
        table("| batch of | 1 | 256 | 1,024 | 4,096 | 16,384 | 65,536 | 262,144 | 1,048,576 |");
    assert_eq!(rows.len(), 5);
    for cells in rows {
        let batches = [0, 8, 10, 12, 14, 16, 18, 20].map(|log| 1 << log);
        assert_eq!(cells.len(), 1 + batches.len());
        for (cell, batch) in cells[1..].iter().zip(batches) {
            let line = timed(H100, cells[0], batch);
            is(cell, number(&line["host_ms"]), cells[0]);
        }
    }
}

/// Computes the figures in sentences from the runs, and finds the sentences in the pages.
#[test]
fn sentences_about_the_devices_are_those_of_the_runs() {
    let says = |sentence: String| says(PAGE, &sentence);
    let ceiling = |run, what: &str| {
        let ceilings = lines(run, "ceiling");
        let found = ceilings.iter().find(|line| line["what"] == what);
        number(&found.expect("it was measured")["per_s"])
    };
    let [to, from] = ["to the device", "from the device"].map(|what| ceiling(H100, what) / 1e9);
    assert_eq!(format!("{to:.0}"), format!("{from:.0}"));
    let memory = ceiling(H100, "read and written on the device") / 1e12;
    says(format!(
        "copies of {to:.0} GB/s each way, and {memory:.2} TB/s read and written in device memory"
    ));
    let [reals, integers] = ["binary64 products and sums", "32-bit products with a sum"]
        .map(|what| ceiling(H100, what) / 1e12);
    let [keccak, chacha] = ["Keccak-f", "ChaCha20 blocks"].map(|what| ceiling(H100, what) / 1e9);
    says(format!(
        "{reals:.1} T binary64 products and sums, {integers:.1} T products of 32 bits, \
         {keccak:.2} G Keccak-f or {chacha:.1} G blocks of ChaCha20"
    ));
    let of_h200 = ceiling(H200, "read and written on the device") / 1e12;
    says(format!(
        "the H200's memory copies {of_h200:.2} TB/s where the H100's copies {memory:.2}"
    ));

    let line = timed(H100, "sign 512, expanded key", LARGEST);
    let kernel = |name: &str| number(&line["kernels"][name]);
    says(format!(
        "the kernels take {:.0} ms for signing, {:.0} for the sampler's bytes and records, {:.1} \
         for hashing, {:.1} for seeds and {:.1} for accepting",
        kernel("sign_expanded_9"),
        kernel("prng"),
        kernel("hash_9"),
        kernel("seed_9"),
        kernel("accept_9"),
    ));
    let [h100, h200] = [H100, H200].map(|run| lines(run, "device")[0]["processors"].clone());
    says(format!("NVIDIA H100 80GB HBM3 ({h100} multiprocessors)"));
    says(format!("NVIDIA H200 ({h200} multiprocessors)"));
    // Largest number of jobs in a comparison with this parameter set.
    let compared = |run, parameters: &str| {
        let lines = lines(run, "compare");
        let lines = lines.iter().filter(|line| line["parameters"] == parameters);
        let jobs = lines.filter_map(|line| line["jobs"].as_u64());
        let jobs = jobs.max().expect("jobs");
        format!("{},{:03}", jobs / 1000, jobs % 1000)
    };
    let [jobs, large] = ["Falcon-512", "Falcon-1024"].map(|it| compared(H100, it));
    assert_eq!(jobs, large);
    says(format!("{jobs} distinct jobs of every size and key mode"));
    let jobs = compared(H200, "Falcon-512");
    says(format!("up to {jobs} jobs of Falcon-512 of every key mode"));
    let [h100, h200] = [H100, H200].map(|run| lines(run, "end")[0].clone());
    assert_eq!(
        [&h100["failed"], &h100["unequal"], &h100["left_out"]],
        [0, 0, 0]
    );
    says(format!(
        "On the H100 all {} rows ran in {:.0} seconds, and no compared byte differed",
        h100["rows"],
        number(&h100["at_s"])
    ));
    assert_eq!([&h200["failed"], &h200["unequal"]], [0, 0]);
    says(format!(
        "ended after {} of the {} rows",
        h200["rows"],
        number(&h200["rows"]) + number(&h200["left_out"])
    ));
}
