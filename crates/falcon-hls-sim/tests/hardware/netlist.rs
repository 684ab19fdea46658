//! Dependence of control on data, in a netlist.
//!
//! [`Netlist::verdict`] marks every bit that data can reach through cells, flip-flops and memories.
//! Data are the bits of the input [`DATA_IN`] and all that is read from a memory that can be
//! written. A memory without a write port is a ROM, whose contents are public.
//!
//! Someone who observes time sees when words move, not what they are. So these bits are control and
//! must not be marked:
//!
//! - every output but [`DATA_OUT`]: `busy`, `done`, the number of cycles;
//! - of each memory, its addresses, enables, resets and clocks;
//! - of each flip-flop or latch, its clock, its enable, its asynchronous resets;
//! - the select of each multiplexer outside the arithmetic units.
//!
//! A counter or a state that depends on data is found by these, unless it steers nothing. Within a
//! unit a select may depend on data, since rounding and alignment choose words by it. It takes no
//! time if the unit is a pipeline: each of its registers takes a new word at every clock, so a
//! result comes after a fixed number of clocks. [`Netlist::waits`] shows this for a unit alone.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The input with data. The other inputs are control.
pub const DATA_IN: &str = "host_in";
/// The output with data. The other outputs are control.
pub const DATA_OUT: &str = "host_out";
/// Modules of which an instance is an arithmetic unit.
const UNITS: [&str; 3] = ["dmul", "daddsub", "dscale"];

/// The parts of yosys' JSON that are used.
#[derive(Deserialize)]
struct Design {
    modules: BTreeMap<String, Netlist>,
}

/// A flat module.
#[derive(Deserialize)]
pub struct Netlist {
    ports: BTreeMap<String, Port>,
    cells: BTreeMap<String, Cell>,
    netnames: BTreeMap<String, Net>,
}

#[derive(Deserialize)]
struct Port {
    direction: String,
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct Net {
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    parameters: BTreeMap<String, String>,
    port_directions: BTreeMap<String, String>,
    connections: BTreeMap<String, Vec<Bit>>,
}

/// A bit by its number, or a constant.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Hash)]
#[serde(untagged)]
enum Bit {
    Number(usize),
    Constant(Constant),
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Hash)]
enum Constant {
    #[serde(rename = "0")]
    Zero,
    #[serde(rename = "1")]
    One,
    #[serde(rename = "x")]
    Unknown,
    #[serde(rename = "z")]
    Open,
}

/// A place in a netlist: a bit, or a cell in which all inputs reach all outputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place<'a> {
    Bit(usize),
    Cell(&'a str),
}

/// The places that each place reaches in one step.
type Steps<'a> = HashMap<Place<'a>, Vec<Place<'a>>>;

/// Names of bits.
type Names<'a> = HashMap<usize, &'a str>;

/// Control of a netlist.
pub struct Verdict {
    /// Number of control bits of each kind, such as `address of bank0.words`.
    pub judged: BTreeMap<String, usize>,
    /// Control that depends on data, with a source of the data.
    pub leaks: BTreeSet<String>,
    /// Number of bits of [`DATA_OUT`] that depend on data.
    pub data_out: usize,
}

impl Cell {
    /// Returns true if the cell stores a word.
    fn is_register(&self) -> bool {
        ["ff", "latch", "$sr"]
            .iter()
            .any(|part| self.kind.contains(part))
    }

    fn is_memory(&self) -> bool {
        self.kind == "$mem_v2"
    }

    fn is_multiplexer(&self) -> bool {
        ["$mux", "$pmux", "$bmux", "$demux"].contains(&self.kind.as_str())
    }

    /// Returns true if bit `i` of the input `pin` reaches no bit of the output but bit `i`, modulo
    /// the width of the output.
    fn is_bitwise(&self, pin: &str) -> bool {
        let width = |pin: &str| self.connections.get(pin).map_or(0, Vec::len);
        match self.kind.as_str() {
            "$not" | "$and" | "$or" | "$xor" | "$xnor" => {
                width("A") == width("Y") && (self.kind == "$not" || width("B") == width("Y"))
            }
            "$mux" | "$pmux" => pin != "S",
            _ => self.is_register() && ["D", "AD"].contains(&pin),
        }
    }

    /// Returns what the input `pin` of the cell `name` controls, if it is control.
    fn controls(&self, name: &str, pin: &str) -> Option<&'static str> {
        match pin {
            "RD_ADDR" | "WR_ADDR" if self.is_memory() => Some("address"),
            "RD_EN" | "WR_EN" if self.is_memory() => Some("enable"),
            "RD_CLK" | "WR_CLK" if self.is_memory() => Some("clock"),
            "RD_ARST" | "RD_SRST" if self.is_memory() => Some("reset"),
            "CLK" if self.is_register() => Some("clock"),
            "EN" if self.is_register() => Some("enable"),
            _ if self.is_register() && !self.is_bitwise(pin) => Some("reset"),
            "S" if self.is_multiplexer() && !is_in_unit(name) => Some("select"),
            _ => None,
        }
    }

    /// Returns the name of what the cell holds or computes: of its memory or of its output.
    fn owner(&self, name: &str, names: &Names<'_>) -> String {
        if let Some(memory) = self.parameters.get("MEMID") {
            return memory.trim_start_matches('\\').to_owned();
        }
        let mut outputs = self.pins("output").flat_map(|(_, bits)| numbers(bits));
        let named = outputs.find_map(|(_, bit)| names.get(&bit));
        named.copied().unwrap_or(name).to_owned()
    }

    fn pins(&self, direction: &'static str) -> impl Iterator<Item = (&str, &[Bit])> {
        let pins = self.connections.iter();
        pins.filter(move |(pin, _)| self.port_directions[*pin] == direction)
            .map(|(pin, bits)| (pin.as_str(), bits.as_slice()))
    }
}

/// Returns true if a cell lies in an arithmetic unit. yosys names a cell of instance `dmul0`
/// `$flatten\dmul0.$add$...`.
fn is_in_unit(cell: &str) -> bool {
    let path = cell.strip_prefix("$flatten").unwrap_or(cell);
    let Some((instance, _)) = path.trim_start_matches('\\').split_once('.') else {
        return false;
    };
    UNITS.contains(&instance.trim_end_matches(|digit: char| digit.is_ascii_digit()))
}

fn numbers(bits: &[Bit]) -> impl Iterator<Item = (usize, usize)> {
    let numbered = bits.iter().enumerate();
    numbered.filter_map(|(i, bit)| match *bit {
        Bit::Number(number) => Some((i, number)),
        Bit::Constant(_) => None,
    })
}

impl Netlist {
    /// Reads the module `top` from yosys' JSON.
    pub fn parse(json: &str, top: &str) -> Self {
        let mut design: Design = serde_json::from_str(json).expect("a netlist");
        let netlist = design.modules.remove(top).expect("the top module");
        for (name, cell) in &netlist.cells {
            let memory = cell.kind.starts_with("$mem") && !cell.is_memory();
            let known = cell.kind.starts_with('$') && !memory;
            assert!(known, "{name} is a {}, whose inputs are unknown", cell.kind);
        }
        netlist
    }

    /// Judges every control bit.
    pub fn verdict(&self) -> Verdict {
        let names = self.names();
        let steps = self.steps();
        let sources = self.tainted(&steps, &names);
        let source = |bit: usize| sources.get(&Place::Bit(bit));
        let mut verdict = Verdict {
            judged: BTreeMap::new(),
            leaks: BTreeSet::new(),
            data_out: 0,
        };
        let mut judge = |what: String, bits: &[Bit]| {
            for (_, bit) in numbers(bits) {
                if let Some(source) = source(bit) {
                    verdict.leaks.insert(format!("{what} depends on {source}"));
                }
            }
            *verdict.judged.entry(what).or_default() += bits.len();
        };
        for (name, port) in &self.ports {
            if port.direction == "output" && name != DATA_OUT {
                judge(format!("output {name}"), &port.bits);
            }
        }
        for (name, cell) in &self.cells {
            for (pin, bits) in cell.pins("input") {
                if let Some(what) = cell.controls(name, pin) {
                    judge(format!("{what} of {}", cell.owner(name, &names)), bits);
                }
            }
        }
        let out = &self.ports[DATA_OUT].bits;
        verdict.data_out = numbers(out)
            .filter(|&(_, bit)| source(bit).is_some())
            .count();
        verdict
    }

    /// Returns a name for each bit that has one: the shortest that the source gives.
    fn names(&self) -> Names<'_> {
        let mut names = Names::new();
        let public = self.netnames.iter().filter(|(name, _)| !name.contains('$'));
        for (name, net) in public {
            for (_, bit) in numbers(&net.bits) {
                let known = names.entry(bit).or_insert(name);
                if name.len() < known.len() {
                    *known = name;
                }
            }
        }
        names
    }

    /// Returns the places that each place reaches in one step.
    fn steps(&self) -> Steps<'_> {
        let mut steps = Steps::new();
        for (name, cell) in &self.cells {
            let here = Place::Cell(name);
            let outputs: Vec<&[Bit]> = cell.pins("output").map(|(_, bits)| bits).collect();
            for (_, bit) in outputs.iter().flat_map(|bits| numbers(bits)) {
                steps.entry(here).or_default().push(Place::Bit(bit));
            }
            for (pin, bits) in cell.pins("input") {
                for (i, bit) in numbers(bits) {
                    let to = steps.entry(Place::Bit(bit)).or_default();
                    match *outputs {
                        [output] if cell.is_bitwise(pin) => match output[i % output.len()] {
                            Bit::Number(number) => to.push(Place::Bit(number)),
                            Bit::Constant(_) => {}
                        },
                        _ => to.push(here),
                    }
                }
            }
        }
        steps
    }

    /// Returns the places that data can reach, each with a source of the data.
    fn tainted<'a>(&'a self, steps: &Steps<'a>, names: &Names<'_>) -> HashMap<Place<'a>, String> {
        let mut waiting: Vec<(Place<'_>, String)> = numbers(&self.ports[DATA_IN].bits)
            .map(|(_, bit)| (Place::Bit(bit), DATA_IN.to_owned()))
            .collect();
        for (name, cell) in &self.cells {
            let written = cell.connections.get("WR_DATA");
            if written.is_some_and(|bits| !bits.is_empty()) {
                waiting.push((Place::Cell(name), cell.owner(name, names)));
            }
        }
        let mut tainted = HashMap::new();
        while let Some((place, source)) = waiting.pop() {
            if tainted.contains_key(&place) {
                continue;
            }
            let next = steps.get(&place).into_iter().flatten();
            waiting.extend(next.map(|&next| (next, source.clone())));
            tainted.insert(place, source);
        }
        tainted
    }

    /// Returns what keeps a unit from being a pipeline: memories, registers with more than a clock
    /// and a word, and places that a loop reaches.
    pub fn waits(&self) -> BTreeSet<String> {
        let names = self.names();
        let mut waits = BTreeSet::new();
        for (name, cell) in &self.cells {
            let holds = |pin| cell.controls(name, pin).is_some_and(|what| what != "clock");
            let register = cell.is_register() && cell.pins("input").any(|(pin, _)| holds(pin));
            if register || cell.is_memory() {
                waits.insert(format!("{} of {}", cell.kind, cell.owner(name, &names)));
            }
        }
        let steps = self.steps();
        let mut left: HashSet<Place<'_>> = steps.keys().copied().collect();
        loop {
            // No loop reaches a place to which nothing leads.
            let next = left.iter().flat_map(|place| &steps[place]);
            let next: HashSet<Place<'_>> = next.filter(|to| left.contains(*to)).copied().collect();
            if next.len() == left.len() {
                break;
            }
            left = next;
        }
        waits.extend(left.into_iter().map(|place| match place {
            Place::Bit(bit) => {
                let name = names.get(&bit).copied().unwrap_or_default();
                format!("loop that reaches {name}")
            }
            Place::Cell(name) => format!("loop that reaches {name}"),
        }));
        waits
    }
}
