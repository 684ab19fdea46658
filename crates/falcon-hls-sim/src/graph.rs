//! The body of a loop, as a data-flow graph on the units of a circuit. The body is a butterfly on
//! binary64 numbers, or rounds of Keccak-f on 64-bit words.
//!
//! A node is one operation of an iteration. The node occupies its unit for one clock cycle, since
//! every unit is pipelined, and its results are ready `latency` cycles later. Nodes are in the
//! order of the program, in which every operand is computed before it is used.

use serde::Serialize;

use crate::logic::Logic;

/// An operation of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reads words of a memory. It has one result for every part of every word.
    Load(Access),
    /// Writes words of a memory. It has one operand for every part of every word.
    Store(Access),
    /// The product of two binary64 numbers.
    Multiply,
    /// The sum of two binary64 numbers.
    Add,
    /// The difference of two binary64 numbers.
    Subtract,
    /// Multiplies a binary64 number by a power of two, which comes from the control.
    Scale,
    /// Computes a bitwise function or a rotation.
    Logic(Logic),
}

/// Words of one memory that are read or written in the same cycle, each through a port of a
/// different bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Index of the memory in [`Graph::memories`].
    pub memory: usize,
    /// Slots of the addresses. [`Iteration::address`](crate::nest::Iteration::address) returns the
    /// address of a slot.
    pub slots: Vec<usize>,
    /// Part of the words.
    pub part: ComplexPart,
}

impl Access {
    /// Number of 64-bit values that the access moves.
    pub fn values(&self) -> usize {
        self.slots.len() * self.part.components().len()
    }
}

/// Parts of a complex number that an access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComplexPart {
    /// The real part.
    Re,
    /// The imaginary part.
    Im,
    /// Both parts, as one word of 128 bits.
    Both,
}

impl ComplexPart {
    /// Positions in a complex number, real part first.
    pub fn components(self) -> &'static [usize] {
        match self {
            Self::Re => &[0],
            Self::Im => &[1],
            Self::Both => &[0, 1],
        }
    }
}

/// Result number `output` of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Index in [`Graph::nodes`].
    pub node: usize,
    /// Number of the node's result.
    pub output: usize,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name, such as `y.re*w.re`.
    pub name: String,
    /// Operation.
    pub operation: Operation,
    /// Unit: index in [`Graph::units`].
    pub unit: usize,
    /// Cycles from the node's start to its results. For a store, to the first read that sees it.
    pub latency: u32,
    /// Operands.
    pub inputs: Vec<Value>,
}

/// Kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// Multiplies binary64 numbers.
    Multiplier,
    /// Adds and subtracts binary64 numbers.
    Adder,
    /// Multiplies binary64 numbers by powers of two.
    Scaler,
    /// Reads or writes a memory (an index in [`Graph::memories`]) or one bank of it.
    Port(usize),
    /// Reads all memories of the processor, or writes all of them.
    Channel,
    /// Reads constants or words of a stream, or moves the state of Keccak-f over AXI.
    Rom,
    /// Computes bitwise functions and rotations.
    Logic,
}

/// Equal units of a circuit. An operation may use any of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Kind.
    pub kind: UnitKind,
    /// Name, such as `dmul`.
    pub name: String,
    /// Number of these units in the circuit.
    pub count: usize,
}

/// A memory that the loop's body reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Name.
    pub name: &'static str,
    /// Distribution of words over banks.
    pub banking: Banking,
}

/// Distribution of a memory's words over banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Banking {
    /// One bank.
    Single,
    /// Real parts in one bank, imaginary parts in the other.
    ReIm,
    /// Two banks, by the parity of the address's bits: addresses that differ in one bit lie
    /// in different banks.
    Parity,
}

impl Banking {
    /// Name, as the program prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::ReIm => "re-im",
            Self::Parity => "parity",
        }
    }

    /// Number of banks.
    pub fn banks(self) -> usize {
        match self {
            Self::Single => 1,
            Self::ReIm | Self::Parity => 2,
        }
    }

    /// Returns the bank of a part of the word at `address`.
    pub fn bank(self, address: usize, part: ComplexPart) -> usize {
        match self {
            Self::Single => 0,
            Self::ReIm => usize::from(part == ComplexPart::Im),
            Self::Parity => address.count_ones() as usize % 2,
        }
    }
}

/// Requires that node `to` starts at least `latency` cycles after node `from`, which is `distance`
/// iterations earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The node that comes first.
    pub from: usize,
    /// The node that waits for it.
    pub to: usize,
    /// Least number of cycles between the starts of both nodes.
    pub latency: u32,
    /// Number of iterations between the two nodes; 0 within one iteration.
    pub distance: u32,
}

/// A loop's body on the units of a circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The units.
    pub units: Vec<Unit>,
    /// The memories.
    pub memories: Vec<Memory>,
    /// The operations, in the order of the program.
    pub nodes: Vec<Node>,
    /// Dependences besides operands: the order of accesses, and values that are carried from one
    /// iteration to the next.
    pub dependences: Vec<Dependence>,
}

impl Graph {
    /// Adds a unit and returns its index.
    pub fn unit(&mut self, kind: UnitKind, name: impl Into<String>, count: usize) -> usize {
        self.units.push(Unit {
            kind,
            name: name.into(),
            count,
        });
        self.units.len() - 1
    }

    /// Adds a node and returns its first result.
    pub fn node(
        &mut self,
        name: impl Into<String>,
        operation: Operation,
        unit: usize,
        latency: u32,
        inputs: &[Value],
    ) -> Value {
        self.nodes.push(Node {
            name: name.into(),
            operation,
            unit,
            latency,
            inputs: inputs.to_vec(),
        });
        Value {
            node: self.nodes.len() - 1,
            output: 0,
        }
    }

    /// Returns every dependence: operands and `dependences`.
    pub fn edges(&self) -> impl Iterator<Item = Dependence> + '_ {
        let operands = self.nodes.iter().enumerate().flat_map(move |(to, node)| {
            node.inputs.iter().map(move |input| Dependence {
                from: input.node,
                to,
                latency: self.nodes[input.node].latency,
                distance: 0,
            })
        });
        operands.chain(self.dependences.iter().cloned())
    }

    /// Counts the operations of one iteration on unit `unit`.
    pub fn uses(&self, unit: usize) -> usize {
        self.nodes.iter().filter(|node| node.unit == unit).count()
    }

    /// Returns the nodes that load.
    pub fn loads(&self) -> impl Iterator<Item = (usize, &Access)> {
        self.nodes
            .iter()
            .enumerate()
            .filter_map(|(i, node)| match &node.operation {
                Operation::Load(access) => Some((i, access)),
                _ => None,
            })
    }

    /// Returns the nodes that store.
    pub fn stores(&self) -> impl Iterator<Item = (usize, &Access)> {
        self.nodes
            .iter()
            .enumerate()
            .filter_map(|(i, node)| match &node.operation {
                Operation::Store(access) => Some((i, access)),
                _ => None,
            })
    }

    /// Keeps the loads in program order, and the stores in program order, as AXI requires. Loads on
    /// unit `rom` are exempt.
    pub fn keep_order(&mut self, rom: usize) {
        let (loads, stores) = self.accesses(rom);
        for order in [loads, stores] {
            for pair in order.windows(2) {
                self.dependences.push(Dependence {
                    from: pair[0],
                    to: pair[1],
                    latency: 0,
                    distance: 0,
                });
            }
        }
    }

    /// Makes every load wait for every store of the previous iteration. Loads on unit `rom` are
    /// exempt.
    pub fn assume_aliasing(&mut self, rom: usize) {
        let (loads, stores) = self.accesses(rom);
        for &from in &stores {
            for &to in &loads {
                self.dependences.push(Dependence {
                    from,
                    to,
                    latency: self.nodes[from].latency,
                    distance: 1,
                });
            }
        }
    }

    /// Returns the nodes that load, except those on unit `rom`, and the nodes that store.
    fn accesses(&self, rom: usize) -> (Vec<usize>, Vec<usize>) {
        let loads = self.loads().map(|(i, _)| i);
        let loads = loads.filter(|&i| self.nodes[i].unit != rom).collect();
        (loads, self.stores().map(|(i, _)| i).collect())
    }
}
