//! Data-flow graphs of a round of Keccak-f, of absorption, and of moving a state to the circuit and
//! back.
//!
//! Symbols: `a[x + 5y]` are the words of the state, `c[x]` the parities of its columns, and
//! `d[x] = c[x - 1] + (c[x + 1] <<< 1)`. A round is theta (`a + d`), rho (a rotation of each word),
//! pi (a permutation of the words), chi (along the rows), iota (a constant added to `a[0]`).
//!
//! Source: FIPS 202, section 3.2.

use super::design::{KeccakDesign, State, WORDS};
use crate::catalog;
use crate::graph::{
    Access, Banking, ComplexPart, Dependence, Graph, Memory, Operation, UnitKind, Value,
};
use crate::logic::Logic;
use crate::nest::constant;

/// Index of the state's memory.
pub const STATE: usize = 0;
/// Index of the other memory: the round constants, the block to absorb, or the
/// processor's memory.
pub const OTHER: usize = 1;

/// Rotations of rho by word. If `(x, y)` starts at `(1, 0)` and steps to `(y, 2x + 3y)`, rotation
/// number `t` is `(t + 1)(t + 2)/2`.
pub const ROTATIONS: [u32; WORDS] = {
    let mut rotations = [0; WORDS];
    let (mut x, mut y, mut t) = (1, 0, 0);
    while t < 24 {
        rotations[x + 5 * y] = ((t + 1) * (t + 2) / 2) % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    rotations
};

/// The constants of iota. Bit `2^j - 1` of the constant of round `i` is the output of the LFSR
/// `x^8 + x^6 + x^5 + x^4 + 1` at `7 i + j`.
pub const ROUND_CONSTANTS: [u64; 24] = {
    let mut constants = [0; 24];
    let mut lfsr = 1u32;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j < 7 {
            constants[round] |= ((lfsr & 1) as u64) << ((1 << j) - 1);
            lfsr <<= 1;
            if lfsr & 0x100 != 0 {
                lfsr ^= 0x171;
            }
            j += 1;
        }
        round += 1;
    }
    constants
};

/// Returns the loop over rounds. Slot `k` of iteration `i` has the number of its `k`-th round.
pub fn rounds(design: &KeccakDesign) -> Graph {
    let mut builder = Builder::new(design, "rc", design.unrolled_rounds as usize);
    let mut words: Vec<Value> = (0..WORDS)
        .map(|word| builder.load(STATE, constant(word), format!("load a[{word}]")))
        .collect();
    for round in 0..design.unrolled_rounds {
        let number = round as usize;
        let constant = builder.load(OTHER, number, format!("round constant {number}"));
        let last = round + 1 == design.unrolled_rounds;
        // A register of the state holds the result of the last round.
        let held = last && design.state == State::Registers;
        let latency = if held { 0 } else { design.round_latency };
        words = builder.round(&words, constant, latency);
    }
    for (word, value) in words.into_iter().enumerate() {
        builder.store(STATE, constant(word), format!("store a[{word}]"), value);
    }
    builder.carry_state();
    builder.graph
}

/// Returns the loop of absorption. Iteration `i` adds word `i` of a block to the state. Slot 0 is
/// `i`.
pub fn absorption(design: &KeccakDesign) -> Graph {
    let mut builder = Builder::new(design, "block", 1);
    let word = builder.load(STATE, 0, "load a".into());
    let input = builder.load(OTHER, 0, "load block".into());
    let sum = builder.logic("a + block".into(), Logic::Xor, 0, &[word, input]);
    builder.store(STATE, 0, "store a".into(), sum);
    if design.state == State::Axi {
        builder.graph.keep_order(builder.other);
    }
    builder.graph
}

/// Returns the loop that moves a state, one word in each iteration. If `fetch` is true, it moves
/// from the processor's memory to that of `design`, otherwise back. Slot 0 is the word's number.
pub fn movement(design: &KeccakDesign, fetch: bool) -> Graph {
    let mut builder = Builder::new(design, "axi", 1);
    builder.other_latency = [catalog::AXI_READ_LATENCY, catalog::AXI_WRITE_LATENCY];
    let [from, to] = if fetch {
        [OTHER, STATE]
    } else {
        [STATE, OTHER]
    };
    let word = builder.load(from, 0, "load".into());
    builder.store(to, 0, "store".into(), word);
    builder.graph
}

/// Returns the access to a single 64-bit word.
fn word_of(memory: usize, slot: usize) -> Access {
    Access {
        memory,
        slots: vec![slot],
        part: ComplexPart::Re,
    }
}

struct Builder<'a> {
    design: &'a KeccakDesign,
    graph: Graph,
    /// Unit that reads the state.
    read: usize,
    /// Unit that writes the state.
    write: usize,
    /// Unit that accesses the other memory.
    other: usize,
    /// Latencies of the other memory: from a read to its word, and from a write to the first read
    /// that sees it. A table of constants and the register of a stream have latency 0.
    other_latency: [u32; 2],
    /// Unit of the lookup tables. It has one instance for each operation.
    tables: usize,
}

impl<'a> Builder<'a> {
    fn new(design: &'a KeccakDesign, other: &'static str, others: usize) -> Self {
        let mut graph = Graph::default();
        for name in ["a", other] {
            graph.memories.push(Memory {
                name,
                banking: Banking::Single,
            });
        }
        let (read, write) = match design.state {
            State::Registers => (
                graph.unit(UnitKind::Port(STATE), "registers, read", WORDS),
                graph.unit(UnitKind::Port(STATE), "registers, write", WORDS),
            ),
            State::Bram { ports } => {
                let port = graph.unit(UnitKind::Port(STATE), "port of a", ports as usize);
                (port, port)
            }
            State::Axi => (
                graph.unit(UnitKind::Channel, "axi read", 1),
                graph.unit(UnitKind::Channel, "axi write", 1),
            ),
        };
        let other = graph.unit(UnitKind::Rom, other, others);
        let tables = graph.unit(UnitKind::Logic, "lookup tables", 0);
        Self {
            design,
            graph,
            read,
            write,
            other,
            other_latency: [0; 2],
            tables,
        }
    }

    fn load(&mut self, memory: usize, slot: usize, name: String) -> Value {
        let load = Operation::Load(word_of(memory, slot));
        let (unit, latency) = if memory == STATE {
            (self.read, self.design.state.read_latency())
        } else {
            (self.other, self.other_latency[0])
        };
        self.graph.node(name, load, unit, latency, &[])
    }

    fn store(&mut self, memory: usize, slot: usize, name: String, value: Value) {
        let store = Operation::Store(word_of(memory, slot));
        let (unit, latency) = if memory == STATE {
            (self.write, self.design.state.write_latency())
        } else {
            (self.other, self.other_latency[1])
        };
        self.graph.node(name, store, unit, latency, &[value]);
    }

    fn logic(&mut self, name: String, logic: Logic, latency: u32, operands: &[Value]) -> Value {
        self.graph.units[self.tables].count += 1;
        let operation = Operation::Logic(logic);
        self.graph
            .node(name, operation, self.tables, latency, operands)
    }

    /// Adds a round. Its results are ready `latency` cycles after chi.
    fn round(&mut self, a: &[Value], round_constant: Value, latency: u32) -> Vec<Value> {
        let parity_latency = self.design.parity_latency;
        let parities: Vec<Value> = (0..5)
            .map(|x| {
                let column: Vec<Value> = (0..5).map(|y| a[x + 5 * y]).collect();
                self.logic(format!("c[{x}]"), Logic::Xor, parity_latency, &column)
            })
            .collect();
        let d: Vec<Value> = (0..5)
            .map(|x| {
                let next = parities[(x + 1) % 5];
                let next = self.logic(format!("c[{x}+1]<<<1"), Logic::Rotate(1), 0, &[next]);
                let operands = [parities[(x + 4) % 5], next];
                self.logic(format!("d[{x}]"), Logic::Xor, 0, &operands)
            })
            .collect();
        // Theta and rho work word by word. Pi moves (x, y) to (y, 2x + 3y).
        let mut b = a.to_vec();
        for (word, &value) in a.iter().enumerate() {
            let (x, y) = (word % 5, word / 5);
            let sum = self.logic(format!("a[{word}]+d"), Logic::Xor, 0, &[value, d[x]]);
            let rotation = Logic::Rotate(ROTATIONS[word]);
            let moved = y + 5 * ((2 * x + 3 * y) % 5);
            b[moved] = self.logic(format!("b[{moved}]"), rotation, 0, &[sum]);
        }
        (0..WORDS)
            .map(|word| {
                let (x, row) = (word % 5, 5 * (word / 5));
                let operands = [b[word], b[row + (x + 1) % 5], b[row + (x + 2) % 5]];
                // Iota only adds one more input to the tables of the first word.
                let latency_of_chi = if word == 0 { 0 } else { latency };
                let chi = self.logic(
                    format!("chi[{word}]"),
                    Logic::Chi,
                    latency_of_chi,
                    &operands,
                );
                if word == 0 {
                    self.logic("iota".into(), Logic::Xor, latency, &[chi, round_constant])
                } else {
                    chi
                }
            })
            .collect()
    }

    /// Adds the dependences of an iteration on the previous one.
    fn carry_state(&mut self) {
        if self.design.state == State::Axi {
            self.graph.keep_order(self.other);
            self.graph.assume_aliasing(self.other);
            return;
        }
        let of_state = |access: &Access| access.memory == STATE;
        let loads: Vec<(usize, usize)> = self
            .graph
            .loads()
            .filter(|(_, access)| of_state(access))
            .map(|(i, access)| (i, access.slots[0]))
            .collect();
        let stores = self.graph.stores();
        let carried: Vec<Dependence> = stores
            .flat_map(|(from, access)| {
                let same = loads.iter().filter(|(_, slot)| *slot == access.slots[0]);
                same.map(move |&(to, _)| (from, to))
            })
            .map(|(from, to)| Dependence {
                from,
                to,
                latency: self.graph.nodes[from].latency,
                distance: 1,
            })
            .collect();
        self.graph.dependences.extend(carried);
    }
}
