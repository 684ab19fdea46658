//! Circuits that are placed and routed: `place/routed.tsv` has the model's numbers, and
//! `docs/HLS.md` those of this table.

use falcon_hls_sim::design::Preset;
use falcon_hls_sim::keccak::{KeccakCircuit, KeccakPreset, KeccakResources};
use falcon_hls_sim::measurement::Measurement;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::resources::Resources;

const TABLE: &str = include_str!("../place/routed.tsv");
const SCRIPT: &str = include_str!("../place/run.sh");
const DOCUMENT: &str = include_str!("../../../docs/HLS.md");
const VERIFIER: &str = include_str!("../verifier/cycles.tsv");

/// The rows of the table.
fn rows() -> Vec<Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = lines
        .skip(1)
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(!rows.is_empty(), "an empty table");
    rows
}

/// Name of a circuit in the document, its clocks, and its resources by the model.
fn expected(circuit: &str) -> (String, u64, Option<Resources>) {
    if circuit == "keccak" {
        let design = KeccakPreset::RoundPerCycle.design();
        let circuit = KeccakCircuit::new(design).expect("a preset");
        let resources = KeccakResources::of(&circuit).mapped;
        return ("Keccak-f".into(), circuit.cycles().permute, Some(resources));
    }
    let (name, degree) = circuit.rsplit_once('-').expect("a degree");
    if name == "verifier" {
        let mut rows = VERIFIER.lines().map(|row| row.split('\t').collect());
        let row: Vec<&str> = rows
            .find(|row: &Vec<&str>| row[0] == degree)
            .expect("a row");
        let name = format!("verifier, {degree}");
        return (name, row[2].parse().expect("clocks"), None);
    }
    let preset = Preset::ALL.into_iter().find(|preset| preset.name() == name);
    let logn = degree.parse::<u32>().expect("a degree").ilog2();
    let design = preset.expect("a preset").design();
    let measurement = Measurement::new(design, Transform::Fft, logn).expect("a design");
    let name = format!("FFT-{degree}, `{name}`");
    let resources = measurement.estimate.total();
    (name, measurement.run.cycles, Some(resources))
}

#[test]
fn the_table_has_the_numbers_of_the_model() {
    for row in rows() {
        let (_, clocks, model) = expected(row[0]);
        let numbers = model.map(|Resources { dsp, lut, ff, bram }| [lut, ff, dsp, bram]);
        let numbers = numbers.map_or(["-"; 4].map(String::from), |it| it.map(|n| n.to_string()));
        assert_eq!(row[6], clocks.to_string(), "{row:?}");
        assert_eq!(row[10..], numbers, "{row:?}");
        let [mhz, micros] = [1, 7].map(|column| row[column].parse::<f64>().expect("a number"));
        // Both are rounded, to 0.1 and 0.01.
        let least = clocks as f64 / (mhz + 0.05) - 0.005;
        let most = clocks as f64 / (mhz - 0.05) + 0.005;
        assert!((least - 1e-9..=most + 1e-9).contains(&micros), "{row:?}");
    }
}

#[test]
fn the_document_has_the_numbers_of_the_table() {
    let mut lines = DOCUMENT.lines();
    lines.find(|line| line.starts_with("| circuit | MHz | us |"));
    let found: Vec<&str> = lines
        // The line below the head.
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let expected: Vec<String> = rows()
        .iter()
        .map(|row| {
            let (name, ..) = expected(row[0]);
            let [mhz, lut, ff, mult, ram] = [1, 2, 3, 4, 5].map(|column| row[column]);
            let micros = row[7];
            format!("| {name} | {mhz} | {micros} | {lut}, {ff} | {mult}, {ram} |")
        })
        .collect();
    assert_eq!(found, expected);
    // The script has the list of all circuits.
    let (_, list) = SCRIPT.split_once("CIRCUITS=(").expect("the list");
    let (list, _) = list.split_once(')').expect("its end");
    let all = list.split_whitespace().count();
    let measured = format!("{} of {all} circuits measured so far", found.len());
    assert_eq!(
        DOCUMENT.contains(&measured),
        found.len() < all,
        "{measured}"
    );
    let row = &rows()[0];
    let mhz = row[1].parse::<f64>().expect("a number");
    let clock = Preset::PaperOptimized.design().clock_hz as f64 / 1e6;
    assert!(mhz > clock, "{mhz} MHz");
    assert!(DOCUMENT.contains(&format!("The first exceeds the model's {clock} MHz.")));
    let document: Vec<&str> = DOCUMENT.split_whitespace().collect();
    let sentence = format!(
        "path of the first circuit takes {:.1} ns, of which wires take {}: it passes a \
         multiplier of `{}`",
        1000.0 / mhz,
        row[8],
        row[9].split('.').next().expect("a unit")
    );
    assert!(document.join(" ").contains(&sentence), "{sentence}");
    // The table is what one version of these tools gave, at one time.
    let origin = TABLE
        .lines()
        .find_map(|line| line.strip_prefix("# Origin: "));
    let date = origin
        .and_then(|text| text.split(',').next())
        .expect("a date");
    assert!(DOCUMENT.contains(&format!("measured on {date}")), "{date}");
}

/// The memory of the processor is more than the device has.
#[test]
fn the_system_does_not_fit() {
    let map = include_str!("../system/map.tsv");
    let size = map.lines().find_map(|row| row.strip_prefix("RAM_SIZE\t"));
    let size = size.and_then(|row| row.split('\t').next()).expect("a size");
    let size = u32::from_str_radix(size, 16).expect("a hexadecimal number");
    // DP16KD with 16 kbit besides the bits of parity, and their number in an LFE5U-85F. [V]
    let (needed, there) = (size / 2048, 208);
    assert!(needed > there);
    let document: Vec<&str> = DOCUMENT.split_whitespace().collect();
    let sentence = format!(
        "memory of {} MB takes {needed} of {there} block RAMs",
        size >> 20
    );
    assert!(document.join(" ").contains(&sentence), "{sentence}");
}
