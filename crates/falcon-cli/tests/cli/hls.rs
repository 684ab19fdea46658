//! `hls`: its output and its refusals.

use crate::sandbox::{Sandbox, json_lines, text};
use std::fs;

const JSON: [&str; 2] = ["hls", "--json"];

fn json(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    let arguments = [&JSON, arguments].concat();
    let mut lines = json_lines(&sandbox.succeeds(&arguments));
    assert_eq!(lines.len(), 1, "{arguments:?}");
    lines.remove(0)
}

/// `--n`, the paper's name for the degree, means the same as `--degree`.
#[test]
fn n_is_the_degree() {
    let sandbox = Sandbox::empty();
    for command in ["run", "compare"] {
        let [degree, n] = ["--degree", "--n"]
            .map(|option| sandbox.succeeds(&["hls", command, option, "256"]).stdout);
        assert_eq!(text(&degree), text(&n));
        assert_ne!(degree, sandbox.succeeds(&["hls", command]).stdout);
    }
}

/// An option, its value, the field of the JSON design that it sets, and the value of this field.
const PARAMETERS: [(&str, &str, &str, &str); 11] = [
    ("--clock-mhz", "62.5", "clock_hz", "62500000"),
    ("--multipliers", "3", "multipliers", "3"),
    ("--adders", "5", "adders", "5"),
    ("--dmul-latency", "6", "multiplier_latency", "6"),
    ("--dadd-latency", "9", "adder_latency", "9"),
    ("--banking", "re-im", "banking", "\"re-im\""),
    ("--ports", "1", "ports", "1"),
    ("--read-latency", "3", "read_latency", "3"),
    ("--write-latency", "2", "write_latency", "2"),
    ("--dependence", "assumed", "dependence", "\"assumed\""),
    ("--interval", "6", "least_interval", "6"),
];

#[test]
fn every_parameter_arrives() {
    let sandbox = Sandbox::empty();
    let memory = ("--memory", "axi", "memory", "\"axi\"");
    for (option, value, field, expected) in PARAMETERS.into_iter().chain([memory]) {
        let run = json(&sandbox, &["run", option, value]);
        assert_eq!(run["design"][field].to_string(), expected, "{option}");
        assert_eq!(run["design"]["name"], "paper-optimized changed");
        assert!(run["resources"]["paper"].is_null(), "{option}");
    }
    let nested = json(&sandbox, &["run", "--nested"]);
    assert_eq!(nested["design"]["pipelining"], "nested");
    // If only the kind of memory is given, it has the default latencies of its kind.
    let axi = json(&sandbox, &["run", "--memory", "axi"]);
    assert_eq!(axi["design"]["read_latency"], 71);
    // Options that repeat the preset's values do not change its name.
    let same = json(&sandbox, &["run", "--multipliers", "1", "--flattened"]);
    assert_eq!(same["design"]["name"], "paper-optimized");
}

#[test]
fn pictures_and_waveforms_are_whole_or_not_there() {
    let sandbox = Sandbox::empty();
    let timeline = ["hls", "timeline", "--degree", "16"];
    let draw = [&timeline[..], &["--svg", "a.svg", "--vcd", "a.vcd"]].concat();
    sandbox.succeeds(&draw);
    assert_eq!(sandbox.names(), ["a.svg", "a.vcd"]);
    assert!(text(&sandbox.read("a.svg")).ends_with("</svg>"));
    let vcd = sandbox.read("a.vcd");
    assert!(text(&vcd).starts_with("$version"));
    // If a file has the name of one output, the other output is not written either.
    fs::remove_file(sandbox.path("a.svg")).unwrap();
    let message = sandbox.refuses(&draw);
    assert!(message.contains("a.vcd: exists already"), "{message}");
    assert_eq!(sandbox.names(), ["a.vcd"]);
    sandbox.write("a.vcd", "old");
    sandbox.succeeds(&[&draw[..], &["--force"]].concat());
    assert_eq!(sandbox.read("a.vcd"), vcd);
    // Standard output can only get one picture.
    let shown = sandbox.succeeds(&[&timeline[..], &["--svg", "-"]].concat());
    assert_eq!(shown.stdout, sandbox.read("a.svg"));
    let message = sandbox.refuses(&[&timeline[..], &["--svg", "-", "--vcd", "-"]].concat());
    assert!(message.contains("only one of --svg and --vcd"), "{message}");
}

#[test]
fn a_sweep_is_table_csv_and_chart() {
    let sandbox = Sandbox::empty();
    let sweep = ["hls", "sweep", "--csv", "s.csv", "--svg", "s.svg", "--json"];
    let answer = &json_lines(&sandbox.succeeds(&sweep))[0];
    assert_eq!(answer["version"], 1);
    let designs = answer["designs"].as_array().unwrap();
    let csv = sandbox.read("s.csv");
    assert_eq!(text(&csv).lines().count(), designs.len() + 1);
    assert!(text(&sandbox.read("s.svg")).contains("paper-optimized"));
    let message = sandbox.refuses(&["hls", "sweep", "--csv", "s.csv"]);
    assert!(message.contains("exists already"), "{message}");
    let huge: Vec<String> = (1..=101).map(|i| i.to_string()).collect();
    let huge = huge.join(",");
    let message = sandbox.refuses(&["hls", "sweep", "--ports", &huge, "--interval", &huge]);
    assert!(
        message.contains("10201 designs; at most 10000 are allowed"),
        "{message}"
    );
}

/// Each list alone gives one design besides the presets: the base design with the listed value.
#[test]
fn every_list_of_a_sweep_arrives() {
    let sandbox = Sandbox::empty();
    let base = json(&sandbox, &["run"])["design"].clone();
    let loops = ("--pipelining", "nested", "pipelining", "\"nested\"");
    for (option, value, field, expected) in PARAMETERS.into_iter().chain([loops]) {
        let swept = json(&sandbox, &["sweep", option, value]);
        let designs = swept["designs"].as_array().unwrap();
        // With another clock, the base is still the preset, since the presets run at this clock,
        // too.
        let (count, name) = match option {
            "--clock-mhz" => (5, "paper-optimized"),
            _ => (6, ""),
        };
        assert_eq!(designs.len(), count, "{option}");
        let unnamed = designs.iter().find(|row| row["design"]["name"] == name);
        let unnamed = unnamed.unwrap()["design"].as_object().unwrap();
        assert_eq!(unnamed[field].to_string(), expected, "{option}");
        for (other, value) in base.as_object().unwrap() {
            let changed = [field, "name"].contains(&other.as_str());
            assert!(changed || unnamed[other] == *value, "{option} {other}");
        }
    }
    // A memory has the latencies of its kind, or the preset's latencies if the preset has the same
    // kind.
    let memories = [
        "sweep", "--preset", "bram-dep", "--memory", "axi,bram", "--adders", "5",
    ];
    let swept = json(&sandbox, &memories);
    let designs = swept["designs"].as_array().unwrap().iter();
    let unnamed = designs.filter(|row| row["design"]["name"] == "");
    let memories: Vec<_> = unnamed
        .map(|row| {
            let design = &row["design"];
            let latencies = [&design["read_latency"], &design["write_latency"]];
            let latencies = latencies.map(|latency| latency.as_u64().unwrap());
            (design["memory"].as_str().unwrap(), latencies)
        })
        .collect();
    assert_eq!(memories, [("axi", [71, 68]), ("bram", [2, 1])]);
}

#[test]
fn verilog_is_written_into_a_folder() {
    let sandbox = Sandbox::empty();
    let verilog = [
        "hls", "verilog", "-o", "v", "--preset", "ii1-xor", "--degree", "64",
    ];
    let answer = &json_lines(&sandbox.succeeds(&[&verilog[..], &["--json"]].concat()))[0];
    assert_eq!(answer["version"], 1);
    assert_eq!(answer["top"], "falcon_fft");
    let files = answer["files"].as_array().unwrap();
    assert!(files.len() > 2);
    for file in files {
        assert!(!sandbox.read(file.as_str().unwrap()).is_empty());
    }
    for companion in ["falcon_fft_tb.sv", "input.hex", "expected.hex", "README.md"] {
        let path = format!("v/{companion}");
        assert!(files.iter().any(|file| *file == path.as_str()), "{path}");
    }
    assert_eq!(answer["testbench"], "falcon_fft_tb");
    let top = sandbox.read("v/falcon_fft.v");
    assert!(text(&top).contains("module falcon_fft"));
    let message = sandbox.refuses(&verilog);
    assert!(message.contains("exists already"), "{message}");
    sandbox.succeeds(&[&verilog[..], &["--force"]].concat());
    assert_eq!(sandbox.read("v/falcon_fft.v"), top);
    // If a transform cannot be emitted, no folder remains.
    sandbox.refuses(&["hls", "verilog", "-o", "w", "--transform", "merge"]);
    assert_eq!(sandbox.names(), ["v"]);
}

#[test]
fn keccak_is_written_as_verilog() {
    let sandbox = Sandbox::empty();
    let verilog = ["hls", "keccak", "verilog", "-o", "v"];
    let answer = &json_lines(&sandbox.succeeds(&[&verilog[..], &["--json"]].concat()))[0];
    assert_eq!(answer["version"], 1);
    assert_eq!(answer["top"], "falcon_keccak");
    assert_eq!(answer["cycles"], 24);
    assert_eq!(answer["files"], serde_json::json!(["v/falcon_keccak.v"]));
    assert!(text(&sandbox.read("v/falcon_keccak.v")).contains("module falcon_keccak"));
    let message = sandbox.refuses(&verilog);
    assert!(message.contains("exists already"), "{message}");
    let bram = "hls keccak verilog -o w --preset keccak-bram";
    let message = sandbox.refuses(&bram.split(' ').collect::<Vec<_>>());
    assert!(message.contains("must lie in registers"), "{message}");
    assert_eq!(sandbox.names(), ["v"]);
}

#[test]
fn the_law_of_amdahl_has_its_parameters() {
    let sandbox = Sandbox::empty();
    let sign = |arguments: &[&str]| {
        let report = json(&sandbox, &[&["amdahl"], arguments].concat());
        assert_eq!(report["version"], 1);
        let predictions = report["predictions"].as_array().unwrap();
        let is_it = |row: &&serde_json::Value| {
            row["target"] == "armv7-soft" && row["operation"] == "sign" && row["degree"] == 512
        };
        predictions.iter().find(is_it).unwrap()["speedup"]
            .as_f64()
            .unwrap()
    };
    let usual = sign(&[]);
    assert!(sign(&["--no-transfer"]) > usual);
    assert!(sign(&["--preset", "ii1-xor"]) > usual);
    assert!(sign(&["--preset", "paper-original"]) < usual);
    assert!(sign(&["--permutation-cycles", "1000000"]) < usual);
    assert_eq!(sign(&["--permutation-cycles", "24"]), usual);
    assert!(sign(&["--keccak", "keccak-sequential"]) < usual);
    assert!(sign(&["--cycles-per-instruction", "2"]) > usual);
    assert!(sign(&["--scope", "forward"]) < usual);
}

#[test]
fn two_outputs_to_one_file_are_refused_before_anything_is_written() {
    let sandbox = Sandbox::empty();
    for arguments in [
        ["hls", "timeline", "--svg", "a", "--vcd", "./a", "--force"],
        ["hls", "sweep", "--csv", "a", "--svg", "./a", "--force"],
    ] {
        let said = sandbox.refuses(&arguments);
        assert!(said.contains("would be written twice"), "{said}");
    }
    assert!(sandbox.names().is_empty());
}

#[test]
fn what_is_too_long_for_a_view_is_refused() {
    let sandbox = Sandbox::empty();
    let many = ["hls", "timeline", "--iterations", "501"];
    assert!(sandbox.refuses(&many).contains("500 iterations"));
    let long = "hls timeline --preset paper-original --degree 1024 --interval 10000 --vcd a";
    let long: Vec<&str> = long.split(' ').collect();
    assert!(sandbox.refuses(&long).contains("at most 1000000"));
    assert!(sandbox.names().is_empty());
    sandbox.refuses(&["hls", "timeline", "--iterations", "0"]);
}

#[test]
fn files_of_a_timeline_are_named_in_json() {
    let sandbox = Sandbox::empty();
    let files = [
        "timeline", "--degree", "16", "--svg", "a.svg", "--vcd", "a.vcd",
    ];
    let written = json(&sandbox, &files);
    assert_eq!(written["version"], 1);
    assert_eq!(written["design"]["name"], "paper-optimized");
    assert_eq!(written["degree"], 16);
    assert_eq!(written["interval"], 4);
    assert_eq!(written["files"], serde_json::json!(["a.svg", "a.vcd"]));
    assert_eq!(sandbox.names(), ["a.svg", "a.vcd"]);
    let run = json(&sandbox, &["run", "--degree", "16"]);
    assert_eq!(written["cycles"], run["cycles"]);
    // Standard output contains only the picture.
    let drawn = sandbox.succeeds(&["hls", "--json", "timeline", "--degree", "16", "--svg", "-"]);
    assert_eq!(drawn.stdout, sandbox.read("a.svg"));
}

/// The output has one object on each line, and the CSV file has all degrees.
#[test]
fn a_sweep_takes_several_degrees() {
    let sandbox = Sandbox::empty();
    let list = ["hls", "sweep", "--degree", "64,512", "--adders", "1,3"];
    let forms = json_lines(&sandbox.succeeds(&[&list[..], &["--json", "--csv", "a"]].concat()));
    assert_eq!(forms.len(), 2);
    assert_eq!(
        [&forms[0], &forms[1]].map(|form| &form["degree"]),
        [64, 512]
    );
    let csv = sandbox.read("a");
    let degrees: Vec<&str> = text(&csv)
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).unwrap())
        .collect();
    assert_eq!(degrees, [["64"; 7], ["512"; 7]].concat());
    let said = sandbox.refuses(&[&list[..], &["--svg", "s"]].concat());
    assert!(said.contains("one degree"), "{said}");
    assert_eq!(sandbox.names(), ["a"]);
}

/// A progress bar appears on a terminal only.
#[cfg(target_os = "linux")]
#[test]
fn a_long_sweep_says_how_far_it_is() {
    use crate::sandbox::{shown_until, terminal};
    let sandbox = Sandbox::empty();
    // The whole run would take some seconds, so the test ends the program early.
    let intervals: Vec<String> = (1..=1000).map(|i| i.to_string()).collect();
    let sweep = ["hls", "sweep", "--degree", "1024", "--multipliers"];
    let lists = ["1,2,3,4,5,6,7,8,9,10", "--interval", &intervals.join(",")];
    let (mut terminal, open) = terminal();
    let mut command = sandbox.command(&[&sweep[..], &lists].concat());
    command.env("TERM", "xterm").stderr(open());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    // Closes the test's copy of the terminal, so that reading ends when the program ends.
    drop(command);
    let mut shown = String::new();
    shown_until(&mut terminal, &mut shown, "/10,000 designs");
    child.kill().unwrap();
    child.wait().unwrap();
    let quiet = ["hls", "sweep", "--adders", "1,2"];
    assert!(sandbox.succeeds(&quiet).stderr.is_empty());
}

#[test]
fn sweeps_that_build_nothing_and_circuits_without_a_folder_fail() {
    let sandbox = Sandbox::empty();
    let said = sandbox.refuses(&["hls", "sweep", "--multipliers", "0,65"]);
    assert!(said.contains("number of multipliers is 0"), "{said}");
    sandbox.refuses(&["hls", "verilog", "-o", "-"]);
    sandbox.write("file", "");
    let said = sandbox.refuses(&["hls", "verilog", "-o", "file"]);
    assert!(said.contains("is a file, not a folder"), "{said}");
    assert_eq!(sandbox.names(), ["file"]);
    for cycles in ["0", "1e300", "NaN"] {
        sandbox.refuses(&["hls", "amdahl", "--cycles-per-instruction", cycles]);
    }
    let both = "hls amdahl --keccak keccak-bram --permutation-cycles 3";
    sandbox.refuses(&both.split(' ').collect::<Vec<_>>());
}

#[test]
fn a_gpu_simulates_no_circuit() {
    let sandbox = Sandbox::empty();
    let simulated = sandbox.succeeds(&["hls", "amdahl", "--engine", "gpu"]);
    let said = text(&simulated.stderr);
    assert!(
        said.contains("circuits are simulated on the processor"),
        "{said}"
    );
}

#[test]
fn the_clocks_of_the_system_are_drawn() {
    let sandbox = Sandbox::new();
    let stdout =
        |arguments: &[&str]| String::from_utf8(sandbox.succeeds(arguments).stdout).expect("text");
    let drawn = stdout(&["hls", "system", "--degree", "256", "--svg", "-"]);
    assert!(
        drawn.starts_with("<svg") && drawn.contains("Degree 256"),
        "{drawn}"
    );
    let shown = stdout(&["hls", "system", "--svg", "s.svg"]);
    assert!(shown.contains("sign-encoded"), "{shown}");
    let message = sandbox.refuses(&["hls", "system", "--svg", "s.svg"]);
    assert!(message.contains("s.svg: exists already"), "{message}");
}
