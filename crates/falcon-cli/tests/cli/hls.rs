//! `hls`: what it writes, and what it refuses.

use crate::sandbox::{Sandbox, json_lines, text};
use std::fs;
use std::io::Write;

const JSON: [&str; 2] = ["hls", "--json"];

fn json(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    let arguments = [&JSON, arguments].concat();
    let mut lines = json_lines(&sandbox.succeeds(&arguments));
    assert_eq!(lines.len(), 1, "{arguments:?}");
    lines.remove(0)
}

#[test]
fn every_preset_and_transform_runs() {
    let sandbox = Sandbox::empty();
    for (preset, interval, dsp) in [
        ("paper-original", 168, 25),
        ("bram-dep", 29, 25),
        ("paper-optimized", 4, 17),
        ("ii2", 2, 31),
        ("ii1-xor", 1, 62),
    ] {
        for transform in ["fft", "ifft", "split", "merge"] {
            let run = ["run", "--preset", preset, "--transform", transform];
            let run = json(&sandbox, &run);
            assert_eq!(run["version"], 1);
            assert_eq!(run["transform"], transform);
            assert_eq!(run["design"]["name"], preset);
            assert_eq!(run["resources"]["estimate"]["dsp"], dsp);
            if transform == "fft" {
                assert_eq!(run["interval"], interval, "{preset}");
                let speedup = run["speedup"]["interval"].as_f64();
                assert_eq!(speedup, Some(168.0 / f64::from(interval)));
            }
        }
    }
}

/// The paper's name of the degree.
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

#[test]
fn every_parameter_arrives() {
    let sandbox = Sandbox::empty();
    for (option, value, field, expected) in [
        ("--clock-mhz", "62.5", "clock_hz", "62500000"),
        ("--multipliers", "3", "multipliers", "3"),
        ("--adders", "5", "adders", "5"),
        ("--dmul-latency", "6", "multiplier_latency", "6"),
        ("--dadd-latency", "9", "adder_latency", "9"),
        ("--memory", "axi", "memory", "\"axi\""),
        ("--banking", "re-im", "banking", "\"re-im\""),
        ("--ports", "1", "ports", "1"),
        ("--read-latency", "3", "read_latency", "3"),
        ("--write-latency", "2", "write_latency", "2"),
        ("--dependence", "assumed", "dependence", "\"assumed\""),
        ("--interval", "6", "least_interval", "6"),
    ] {
        let run = json(&sandbox, &["run", option, value]);
        assert_eq!(run["design"][field].to_string(), expected, "{option}");
        assert_eq!(run["design"]["name"], "paper-optimized changed");
        assert!(run["resources"]["paper"].is_null(), "{option}");
    }
    let nested = json(&sandbox, &["run", "--nested"]);
    assert_eq!(nested["design"]["pipelining"], "nested");
    // Another memory has its own latencies.
    let axi = json(&sandbox, &["run", "--memory", "axi"]);
    assert_eq!(axi["design"]["read_latency"], 71);
    // What changes nothing is the preset.
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
    // One is in the way: the other is not written either.
    fs::remove_file(sandbox.path("a.svg")).unwrap();
    let message = sandbox.refuses(&draw);
    assert!(message.contains("a.vcd: exists already"), "{message}");
    assert_eq!(sandbox.names(), ["a.vcd"]);
    sandbox.write("a.vcd", "old");
    sandbox.succeeds(&[&draw[..], &["--force"]].concat());
    assert_eq!(sandbox.read("a.vcd"), vcd);
    // Standard output takes one.
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
    // 3 multipliers, 4 adders, 3 bankings, 2 ways of loops; two presets that are
    // not among them.
    assert_eq!(designs.len(), 3 * 4 * 3 * 2 + 2);
    for preset in [
        "paper-original",
        "bram-dep",
        "paper-optimized",
        "ii2",
        "ii1-xor",
    ] {
        let named = designs.iter().filter(|row| row["design"]["name"] == preset);
        assert_eq!(named.count(), 1, "{preset}");
    }
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

/// Each list alone has one design besides the presets: the base, with that value.
#[test]
fn every_list_of_a_sweep_arrives() {
    let sandbox = Sandbox::empty();
    let base = json(&sandbox, &["run"])["design"].clone();
    for (option, value, field, expected) in [
        ("--clock-mhz", "62.5", "clock_hz", "62500000"),
        ("--multipliers", "3", "multipliers", "3"),
        ("--adders", "5", "adders", "5"),
        ("--dmul-latency", "6", "multiplier_latency", "6"),
        ("--dadd-latency", "9", "adder_latency", "9"),
        ("--banking", "re-im", "banking", "\"re-im\""),
        ("--ports", "1", "ports", "1"),
        ("--read-latency", "3", "read_latency", "3"),
        ("--write-latency", "2", "write_latency", "2"),
        ("--pipelining", "nested", "pipelining", "\"nested\""),
        ("--dependence", "assumed", "dependence", "\"assumed\""),
        ("--interval", "6", "least_interval", "6"),
    ] {
        let swept = json(&sandbox, &["sweep", option, value]);
        let designs = swept["designs"].as_array().unwrap();
        // At another clock the base is still the preset: the presets take part there.
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
    // A memory has its own latencies, those of the preset if it is the preset's.
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
fn what_does_not_fit_is_said() {
    let sandbox = Sandbox::empty();
    let run = sandbox.succeeds(&["hls", "run", "--multipliers", "64", "--ports", "4"]);
    let said = text(&run.stderr);
    assert!(
        said.contains("does not fit xc7z020: DSP: 710 needed, 220 available"),
        "{said}"
    );
    assert!(said.contains("a block RAM has 2"), "{said}");
    let fits = sandbox.succeeds(&["hls", "run", "--preset", "ii1-xor", "--degree", "1024"]);
    assert!(fits.stderr.is_empty());
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
    // What cannot be emitted leaves no folder.
    sandbox.refuses(&["hls", "verilog", "-o", "w", "--transform", "merge"]);
    assert_eq!(sandbox.names(), ["v"]);
}

/// The commands of a block of the README, by the tool that they begin with.
fn commands_of(readme: &str, tool: &str) -> String {
    let blocks = readme.split("```sh\n").skip(1);
    let mut blocks = blocks.filter_map(|block| block.split("```").next());
    let found = blocks.find(|block| block.starts_with(tool));
    found.unwrap_or_else(|| panic!("{tool} in {readme}")).into()
}

/// Whether a tool of hardware engineers is there. With `FALCON_HDL=1` it must be.
fn has_tool(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if !found {
        let asked = std::env::var("FALCON_HDL").as_deref() == Ok("1");
        assert!(!asked || name == "iverilog", "{name} is not installed");
        // Not by `eprintln`, which is not shown of a test that passes.
        let mut stderr = std::io::stderr();
        writeln!(stderr, "skipped: {name} is not installed").expect("standard error");
    }
    found
}

/// The README's commands, run as they stand: the testbench passes, and fails if a bit of what it
/// expects is another, or if the circuit takes a cycle more.
#[cfg(unix)]
#[test]
fn the_testbench_runs_by_the_commands_of_its_readme() {
    let sandbox = Sandbox::empty();
    for (name, options) in [
        ("a", "--degree 16"),
        (
            "b",
            "--degree 32 --preset ii1-xor --transform ifft --read-latency 1",
        ),
    ] {
        let verilog = format!("hls verilog -o {name} {options}");
        sandbox.succeeds(&verilog.split(' ').collect::<Vec<_>>());
        let file = |file: &str| text(&sandbox.read(&format!("{name}/{file}"))).to_owned();
        let write = |file: &str, content: &str| sandbox.write(&format!("{name}/{file}"), content);
        let shell = |commands: &str| {
            let mut shell = std::process::Command::new("sh");
            shell.args(["-e", "-c", commands]);
            let output = shell.current_dir(sandbox.path(name)).output().unwrap();
            let said = [&output.stdout[..], &output.stderr].concat();
            (output.status.success(), text(&said).to_owned())
        };
        let (readme, expected, bench) = (
            file("README.md"),
            file("expected.hex"),
            file("falcon_fft_tb.sv"),
        );
        for (tool, needed) in [
            ("verilator", &["verilator", "make", "g++"][..]),
            ("iverilog", &["iverilog"]),
        ] {
            if !needed.iter().all(|name| has_tool(name)) {
                continue;
            }
            let commands = commands_of(&readme, tool);
            let (passed, said) = shell(&commands);
            assert!(passed && said.contains("PASS"), "{name} {tool}: {said}");
            if name != "a" {
                continue;
            }
            let flipped = match expected.as_bytes()[20] {
                b'0' => "1",
                _ => "0",
            };
            let wrong = format!("{}{flipped}{}", &expected[..20], &expected[21..]);
            write("expected.hex", &wrong);
            // Vectors are read by the simulation: nothing is to be built.
            let (passed, said) = shell(commands.lines().last().unwrap());
            assert!(!passed && said.contains("FAIL: 1 of 8"), "{tool}: {said}");
            write("expected.hex", &expected);

            let cycles = json(&sandbox, &["run", "--degree", "16"])["cycles"].clone();
            let fewer = format!("CYCLES = {}", cycles.as_u64().unwrap() - 1);
            let changed = bench.replace(&format!("CYCLES = {cycles}"), &fewer);
            assert_ne!(changed, bench);
            write("falcon_fft_tb.sv", &changed);
            let (passed, said) = shell(&commands);
            assert!(!passed && said.contains("FAIL"), "{tool}: {said}");
            write("falcon_fft_tb.sv", &bench);
        }
    }
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
fn signatures_on_a_circuit_are_the_processors() {
    let sandbox = Sandbox::empty();
    let sign = json(&sandbox, &["sign", "--preset", "ii1-xor", "-n", "3"]);
    assert_eq!(sign["equal"], true);
    assert_eq!(sign["valid"], true);
    assert_eq!(sign["signatures"], 3);
    // One FFT, one inverse, and the splitting and merging of a tree at least.
    assert!(sign["butterflies"].as_u64().unwrap() > 3 * 4096);
    let slow = json(&sandbox, &["sign", "--preset", "paper-original", "-n", "3"]);
    assert_eq!(slow["butterflies"], sign["butterflies"]);
    assert!(slow["cycles"].as_u64().unwrap() > 20 * sign["cycles"].as_u64().unwrap());
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
    // Standard output is the picture, and nothing else.
    let drawn = sandbox.succeeds(&["hls", "--json", "timeline", "--degree", "16", "--svg", "-"]);
    assert_eq!(drawn.stdout, sandbox.read("a.svg"));
}

#[test]
fn rounds_of_keccak_are_explained_and_drawn() {
    let sandbox = Sandbox::empty();
    let table = json(&sandbox, &["keccak"]);
    for row in table["rows"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let explained = json(&sandbox, &["keccak", "explain", "--preset", name]);
        assert_eq!(explained["design"]["name"], name);
        assert_eq!(explained["interval"], row["interval"]);
        assert_eq!(explained["recurrence"], row["recurrence_bound"]);
        let traced = json(&sandbox, &["keccak", "timeline", "--preset", name]);
        assert_eq!(traced["cycles"], row["cycles"]["permute"]);
        assert_eq!(traced["starts"].as_array().unwrap().len(), 1);
        // 25 words read, 25 written, and what is between.
        assert!(traced["events"].as_array().unwrap().len() > 50);
    }
    let draw = ["keccak", "timeline", "--svg", "a.svg", "--vcd", "a.vcd"];
    let written = json(&sandbox, &draw);
    assert_eq!(written["files"].as_array().unwrap().len(), 2);
    assert!(text(&sandbox.read("a.svg")).contains("Keccak-f on keccak-round-per-cycle"));
    let beyond = ["hls", "keccak", "timeline", "--preset", "keccak-pipelined"];
    let said = sandbox.refuses(&[&beyond[..], &["--from", "12"]].concat());
    assert!(said.contains("the last one is 11"), "{said}");
}

#[test]
fn presets_are_compared_as_each_alone() {
    let sandbox = Sandbox::empty();
    let compared = json(
        &sandbox,
        &["compare", "--degree", "64", "--transform", "ifft"],
    );
    let presets = compared["presets"].as_array().unwrap();
    assert_eq!(presets.len(), 5);
    for row in presets {
        let preset = row["design"]["name"].as_str().unwrap();
        let run = [
            "run",
            "--degree",
            "64",
            "--transform",
            "ifft",
            "--preset",
            preset,
        ];
        let run = json(&sandbox, &run);
        for field in ["design", "interval", "depth", "cycles", "stalls", "micros"] {
            assert_eq!(row[field], run[field], "{preset} {field}");
        }
        assert_eq!(row["speedup"], run["speedup"]["time"]);
        assert_eq!(row["resources"], run["resources"]["estimate"]);
        assert_eq!(row["paper"], run["resources"]["paper"]);
    }
}

/// Each degree has its own front, one object a line; CSV has all of them.
#[test]
fn a_sweep_takes_several_degrees() {
    let sandbox = Sandbox::empty();
    let list = ["hls", "sweep", "--degree", "64,512", "--adders", "1,3"];
    let forms = json_lines(&sandbox.succeeds(&[&list[..], &["--json", "--csv", "a"]].concat()));
    assert_eq!(forms.len(), 2);
    for (form, degree) in forms.iter().zip(["64", "512"]) {
        let alone = ["sweep", "--degree", degree, "--adders", "1,3"];
        assert_eq!(*form, json(&sandbox, &alone));
    }
    let csv = sandbox.read("a");
    let degrees: Vec<&str> = text(&csv)
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).unwrap())
        .collect();
    assert_eq!(degrees, [["64"; 7], ["512"; 7]].concat());
    let said = sandbox.refuses(&[&list[..], &["--svg", "s"]].concat());
    assert!(said.contains("one degree"), "{said}");
    let many: Vec<String> = (1..=5001).map(|i| i.to_string()).collect();
    let many = [
        "hls",
        "sweep",
        "--degree",
        "4,8",
        "--interval",
        &many.join(","),
    ];
    let said = sandbox.refuses(&many);
    assert!(said.contains("10002 designs"), "{said}");
    assert_eq!(sandbox.names(), ["a"]);
}

/// A bar on a terminal, and on nothing else.
#[cfg(target_os = "linux")]
#[test]
fn a_long_sweep_says_how_far_it_is() {
    use crate::sandbox::{shown_until, terminal};
    let sandbox = Sandbox::empty();
    // Some seconds, if nobody ended it.
    let intervals: Vec<String> = (1..=1000).map(|i| i.to_string()).collect();
    let sweep = ["hls", "sweep", "--degree", "1024", "--multipliers"];
    let lists = ["1,2,3,4,5,6,7,8,9,10", "--interval", &intervals.join(",")];
    let (mut terminal, open) = terminal();
    let mut command = sandbox.command(&[&sweep[..], &lists].concat());
    command.env("TERM", "xterm").stderr(open());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    // Its end of the terminal: reading ends if the program does.
    drop(command);
    let mut shown = String::new();
    shown_until(&mut terminal, &mut shown, "/10,000 designs");
    child.kill().unwrap();
    child.wait().unwrap();
    let quiet = ["hls", "sweep", "--adders", "1,2"];
    assert!(sandbox.succeeds(&quiet).stderr.is_empty());
}

/// The same cycles at three times the clock beat designs with twice the slices.
#[test]
fn a_sweep_compares_times_where_clocks_differ() {
    let sandbox = Sandbox::empty();
    let clocks = ["sweep", "--clock-mhz", "100,300", "--svg", "s.svg"];
    let swept = json(&sandbox, &clocks);
    let designs = swept["designs"].as_array().unwrap();
    for row in designs {
        let beats = |other: &serde_json::Value| {
            let [own, others] = [row, other].map(|row| {
                let dsp = row["resources"]["dsp"].as_u64().unwrap();
                (dsp, row["micros"].as_f64().unwrap())
            });
            others.0 <= own.0 && others.1 <= own.1 && others != own
        };
        assert_eq!(row["pareto"], !designs.iter().any(beats), "{row}");
    }
    let front = designs.iter().filter(|row| row["pareto"] == true);
    let names: Vec<&str> = front
        .map(|row| row["design"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["paper-optimized", "ii2", "ii1-xor"]);
    for row in designs {
        let clock = row["design"]["clock_hz"].as_u64();
        assert_eq!(
            row["pareto"] == true,
            clock == Some(300_000_000)
                && row["design"]["memory"] == "bram"
                && row["design"]["name"] != "bram-dep",
            "{row}"
        );
    }
    assert!(text(&sandbox.read("s.svg")).contains("microseconds against DSP slices"));
}

/// The last time of a waveform is that of its last cycle, at any clock.
#[test]
fn the_clock_of_a_waveform_does_not_drift() {
    let sandbox = Sandbox::empty();
    for (clock, last) in [
        // 32 cycles at 3 MHz, and at 1 Hz.
        ("3", "#10666666\n"),
        ("0.000001", "#32000000000\n"),
        ("10000", "#3200\n"),
    ] {
        let run = ["hls", "timeline", "--iterations", "1", "--clock-mhz", clock];
        let out = sandbox.succeeds(&[&run[..], &["--vcd", "-"]].concat());
        assert!(text(&out.stdout).contains(last), "{clock}");
    }
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
