//! Runs the hardware tools Verilator and yosys for the tests.
//!
//! A test calls [`tools`] with the tools that it needs. If one is missing, the test prints this and
//! passes, since most machines have no such tools. With `FALCON_HDL=1` the test fails.

use falcon_hls_sim::verilog::Source;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Returns true if all `names` are programs that can be run. Otherwise prints the reason and
/// returns false, or fails. If the result is false, the test must return.
pub fn tools(names: &[&str]) -> bool {
    let Some(missing) = names.iter().find(|name| program(name).is_none()) else {
        return true;
    };
    assert!(
        !asked("FALCON_HDL"),
        "{missing} is not installed, and FALCON_HDL=1 asks for it"
    );
    skipped(&format!("{missing} is not installed"));
    false
}

/// Returns true if the environment `variable` is `1`.
pub fn asked(variable: &str) -> bool {
    std::env::var(variable).as_deref() == Ok("1")
}

/// Prints the reason why a test does less than it could. `eprintln` is not used, since its output
/// is hidden if a test passes.
pub fn skipped(why: &str) {
    writeln!(std::io::stderr(), "skipped: {why}").expect("standard error");
}

/// Returns the path of a program, if it is installed.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Programs that [`Module::simulation`] needs.
pub const VERILATOR: [&str; 3] = ["verilator", "make", "g++"];

/// Folder of the units, where modules are looked up by name.
pub fn rtl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rtl")
}

/// Returns a folder for the output of tools. It persists between runs.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder for tests");
    folder
}

/// Writes emitted sources to files in a folder called `name`.
pub fn written(name: &str, sources: &[Source]) -> Vec<PathBuf> {
    let folder = scratch(&format!("{name}-sources"));
    let write = |source: &Source| {
        let path = folder.join(&source.name);
        // An unchanged file is not rewritten, so that it is not built again.
        if fs::read_to_string(&path).ok().as_deref() != Some(&source.text) {
            fs::write(&path, &source.text).expect("a folder that can be written");
        }
        path
    };
    sources.iter().map(write).collect()
}

/// Runs a tool. Returns true if it succeeded, and the text of both its output streams.
pub fn run(command: &mut Command) -> (bool, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("a tool that starts");
    let text = [stdout, stderr].concat();
    (
        status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// Runs `program` in `folder` on the words of `input` and returns its output.
pub fn pipe(program: &Path, folder: &Path, input: &[u64]) -> Vec<u64> {
    let mut child = Command::new(program)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a program that starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success(), "{}", output.status);
    writer.join().expect("no panic").expect("all was read");
    let words = output.stdout.chunks(8);
    words
        .map(|word| u64::from_le_bytes(word.try_into().expect("whole words")))
        .collect()
}

/// A module, with values for its parameters and one or more source files. Modules that are not in
/// these files are taken from [`rtl`].
pub struct Module<'a> {
    /// Name of the module.
    pub top: &'a str,
    /// The source files. The file with the top module comes first.
    pub sources: &'a [PathBuf],
    /// Parameters with their values. Parameters that are not listed keep their default.
    pub parameters: &'a [(&'a str, i64)],
}

impl Module<'_> {
    /// Returns the command of Verilator for this module, with all warnings as errors.
    fn verilator(&self) -> Command {
        let mut command = Command::new("verilator");
        command
            .args(["-Wall", "--top-module", self.top, "-y"])
            .arg(rtl());
        for (name, value) in self.parameters {
            command.arg(format!("-G{name}={value}"));
        }
        command.args(self.sources);
        command
    }

    /// Runs Verilator's lint. The error contains its warnings.
    pub fn lint(&self) -> Result<(), String> {
        match run(self.verilator().arg("--lint-only")) {
            (true, text) if text.is_empty() => Ok(()),
            (_, text) => Err(text),
        }
    }

    /// Builds a program that simulates the module under a C++ `harness`, which includes `VTOP.h`
    /// and has a `main`. Each `name` has a folder for its files. Files that have not changed are
    /// not built again.
    pub fn simulation(&self, name: &str, harness: &Path) -> PathBuf {
        build(&mut self.verilator(), self.top, name, harness)
    }

    /// Builds the same program from the netlist that yosys synthesizes: the cells, as yosys models
    /// them, replace the source. Memories become flip-flops, since yosys' models of block RAM store
    /// nothing.
    pub fn netlist_simulation(&self, name: &str, harness: &Path) -> PathBuf {
        let folder = scratch(name);
        self.synthesis_with("-nobram -nolutram", name)
            .unwrap_or_else(|text| panic!("{}: {text}", self.top));
        // This is where yosys looks for its own files.
        let yosys = program("yosys").and_then(|file| fs::canonicalize(file).ok());
        let folder_of_yosys = yosys.as_deref().and_then(Path::parent).expect("yosys");
        let models = folder_of_yosys.join("../share/yosys/xilinx/cells_sim.v");
        let mut verilator = Command::new("verilator");
        // Sources of other projects and generated sources are not linted.
        verilator.args(["-Wno-fatal", "-Wno-lint", "--top-module", self.top]);
        verilator.args([folder.join("netlist.v"), models]);
        build(&mut verilator, self.top, name, harness)
    }

    /// Returns the cells that yosys makes from the module for the 7 series of Xilinx, with the
    /// hierarchy flattened and without buffers for the pins and the clock.
    pub fn synthesis(&self, name: &str) -> Result<Cells, String> {
        self.synthesis_with("", name)
    }

    /// Does the same as `synthesis`, with more options of `synth_xilinx`.
    fn synthesis_with(&self, options: &str, name: &str) -> Result<Cells, String> {
        let folder = self.yosys(
            name,
            &[
                &format!("synth_xilinx -family xc7 -flatten -noiopad -noclkbuf {options}"),
                "tee -q -o statistics.json stat -json",
                &format!("rename -top {}", self.top),
                "write_verilog -noattr netlist.v",
            ],
        )?;
        let text = fs::read_to_string(folder.join("statistics.json"));
        Ok(Cells::parse(&text.expect("statistics")))
    }

    /// Returns the netlist of the module as yosys' JSON: one flat module of word-wide cells, with a
    /// cell for each memory. A flip-flop that keeps its value has an enable. Synchronous resets are
    /// multiplexers.
    pub fn netlist(&self, name: &str) -> Result<String, String> {
        let commands = [
            "proc",
            "flatten",
            "opt -nosdff",
            "memory_collect",
            "opt_clean",
            &format!("rename -top {}", self.top),
            "write_json netlist.json",
        ];
        let file = self.yosys(name, &commands)?.join("netlist.json");
        Ok(fs::read_to_string(file).expect("a netlist"))
    }

    /// Runs `commands` of yosys on the module. Returns the folder in which they ran.
    fn yosys(&self, name: &str, commands: &[&str]) -> Result<PathBuf, String> {
        let folder = scratch(name);
        // The result of yosys depends on the names of its files and folders, and on what it has
        // read before. So all files are copied to one folder, and yosys reads only those that it
        // needs.
        let units = fs::read_dir(rtl()).expect("the folder of the units");
        let units = units.map(|entry| entry.expect("a file").path());
        let units = units.filter(|path| path.extension().is_some_and(|ending| ending == "v"));
        // Contents of memories lie beside the first source.
        let beside = self.sources[0].parent().expect("a folder");
        let data = fs::read_dir(beside).expect("the folder of the sources");
        let data = data.map(|entry| entry.expect("a file").path());
        let data = data.filter(|path| path.extension().is_some_and(|ending| ending == "hex"));
        for path in units.chain(self.sources.iter().cloned()).chain(data) {
            let name = path.file_name().expect("a file");
            fs::copy(&path, folder.join(name)).expect("a folder that can be written");
        }
        let script = self.yosys_reads() + &commands.join("\n");
        fs::write(folder.join("script.ys"), script).expect("a folder that can be written");
        let mut yosys = Command::new("yosys");
        yosys.current_dir(&folder).args(["-q", "-s", "script.ys"]);
        match run(&mut yosys) {
            (true, _) => Ok(folder),
            (false, text) => Err(text),
        }
    }

    /// Returns the commands with which yosys reads the module.
    fn yosys_reads(&self) -> String {
        let set = |(name, value): &(&str, i64)| format!(" -chparam {name} {value}");
        let parameters: String = self.parameters.iter().map(set).collect();
        let first = self.sources[0].file_name().expect("a file");
        let first = Path::new(first).display();
        let top = self.top;
        format!("read_verilog {first}\nhierarchy -check -top {top}{parameters} -libdir .\n")
    }
}

/// Objects of Verilator's runtime. They are the same in every program.
const RUNTIME: [&str; 4] = [
    "verilated.o",
    "verilated.d",
    "verilated_threads.o",
    "verilated_threads.d",
];

/// Builds the program from the sources of `verilator` and `harness`.
fn build(verilator: &mut Command, top: &str, name: &str, harness: &Path) -> PathBuf {
    static FIRST: Mutex<Option<PathBuf>> = Mutex::new(None);
    let folder = scratch(name);
    // If the first program does not build, the next one is the first.
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(built) = &*first else {
        let program = build_in(&folder, verilator, top, harness);
        *first = Some(folder);
        return program;
    };
    for object in RUNTIME.map(|name| folder.join(name)) {
        if !object.exists() {
            let name = object.file_name().expect("a file");
            fs::copy(built.join(name), &object).expect("a folder that can be written");
        }
    }
    drop(first);
    build_in(&folder, verilator, top, harness)
}

/// Does the same in `folder`.
fn build_in(folder: &Path, verilator: &mut Command, top: &str, harness: &Path) -> PathBuf {
    let (built, text) = run(verilator
        .args(["--cc", "--exe", "--build", "-O3", "--x-assign", "0"])
        .args(["-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0"])
        .args(["--Mdir".as_ref(), folder.as_os_str()])
        .args(["-o", "simulation"])
        .arg(harness));
    assert!(built, "{top} does not build: {text}");
    folder.join("simulation")
}

/// Returns the version of the installed yosys, such as `Yosys 0.23`.
pub fn yosys_version() -> String {
    let (_, text) = run(Command::new("yosys").arg("-V"));
    text.split_whitespace()
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Number of cells of each type in a circuit.
pub struct Cells(pub BTreeMap<String, u64>);

impl Cells {
    /// Reads the cells of the whole design from yosys' statistics.
    fn parse(statistics: &str) -> Self {
        let statistics: serde_json::Value = serde_json::from_str(statistics).expect("JSON");
        let cells = &statistics["design"]["num_cells_by_type"];
        let cells = BTreeMap::deserialize(cells).expect("counts by type");
        assert!(!cells.is_empty(), "no cells in {statistics}");
        Self(cells)
    }

    fn sum(&self, weight: impl Fn(&str) -> u64) -> u64 {
        self.0
            .iter()
            .map(|(name, count)| weight(name) * count)
            .sum()
    }

    /// Number of lookup tables used as logic, inverters included.
    pub fn lut(&self) -> u64 {
        self.sum(|name| {
            u64::from(name == "INV" || name.strip_prefix("LUT").is_some_and(|n| n.len() == 1))
        })
    }

    /// Lookup tables that serve as shift registers or memories (UG953).
    pub fn lut_memory(&self) -> u64 {
        self.sum(|name| match name {
            "SRL16E" | "SRLC32E" | "RAM32X1S" | "RAM64X1S" => 1,
            "RAM32X1D" | "RAM64X1D" | "RAM128X1S" => 2,
            "RAM32M" | "RAM64M" | "RAM128X1D" | "RAM256X1S" => 4,
            _ => 0,
        })
    }

    /// Flip-flops.
    pub fn ff(&self) -> u64 {
        self.sum(|name| u64::from(["FDRE", "FDSE", "FDCE", "FDPE"].contains(&name)))
    }

    /// DSP slices.
    pub fn dsp(&self) -> u64 {
        self.sum(|name| u64::from(name == "DSP48E1"))
    }

    /// Block RAMs of 18 kbit. A block RAM of 36 kbit counts as two.
    pub fn bram(&self) -> u64 {
        self.sum(|name| match name {
            "RAMB18E1" => 1,
            "RAMB36E1" => 2,
            _ => 0,
        })
    }
}
