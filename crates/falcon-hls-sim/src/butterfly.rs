//! The butterflies of the FFT on the units of a design.
//!
//! Forward: `(x, y) -> (x + wy, x - wy)`. Inverse: `(x, y) -> (x + y, (x - y) w*)`, with `x` and
//! `y` scaled by a power of two first. On reals, a butterfly is four loads, four multiplications,
//! six additions or subtractions, and four stores. Operations are in the same order as in
//! `falcon_core::seams::fft`, so the results have the same bits.

use crate::catalog::{BRAM_READ_LATENCY, DSCALE};
use crate::design::{Aliasing, Design, StorageKind};
use crate::graph::{Access, Banking, ComplexPart, Graph, Memory, Operation, UnitKind, Value};
use crate::nest::{TO_X, TO_Y, Transform, W, X, Y};

/// A complex number, real part first.
type Complex = [Value; 2];

/// Memories of a transform: sources, destinations, and the twiddles. A transform in place reads and
/// writes one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Memory from which `x` is loaded.
    pub x: usize,
    /// Memory from which `y` is loaded.
    pub y: usize,
    /// Memory of the first result.
    pub to_x: usize,
    /// Memory of the second result.
    pub to_y: usize,
    /// Memory of the twiddles.
    pub w: usize,
}

impl Places {
    /// Returns the memories of `transform`, as indices into [`memories`]. The twiddles come after
    /// these.
    pub fn of(transform: Transform) -> Self {
        let [x, y, to_x, to_y] = match transform {
            Transform::Fft | Transform::Ifft => [0; 4],
            Transform::Split => [0, 0, 1, 2],
            Transform::Merge => [1, 2, 0, 0],
        };
        Self {
            x,
            y,
            to_x,
            to_y,
            w: memories(transform).len(),
        }
    }
}

/// Returns the names of the memories of polynomials. The first memory has the whole polynomial, and
/// the others have its halves.
pub fn memories(transform: Transform) -> &'static [&'static str] {
    match transform {
        Transform::Fft | Transform::Ifft => &["f"],
        Transform::Split | Transform::Merge => &["f", "f0", "f1"],
    }
}

/// Returns the graph of one butterfly, the loop body of `transform`, on the units of `design`.
pub fn graph(design: &Design, transform: Transform) -> Graph {
    Builder::new(design, transform).build(transform)
}

/// Units that do the arithmetic, and the memory of the twiddles.
struct Units {
    multiplier: usize,
    adder: usize,
    scaler: usize,
    rom: usize,
}

/// Units that access a memory's bank.
#[derive(Clone, Copy)]
struct Ports {
    read: usize,
    write: usize,
}

struct Builder<'a> {
    design: &'a Design,
    graph: Graph,
    units: Units,
    /// Units of the ports, by memory and bank.
    ports: Vec<Vec<Ports>>,
}

impl<'a> Builder<'a> {
    fn new(design: &'a Design, transform: Transform) -> Self {
        let mut graph = Graph::default();
        let units = Units {
            multiplier: graph.unit(
                UnitKind::Multiplier,
                design.multiplier.name,
                design.multipliers as usize,
            ),
            adder: graph.unit(UnitKind::Adder, design.adder.name, design.adders as usize),
            // Scalers cost next to nothing, so there are as many as an iteration needs in one
            // cycle: four.
            scaler: graph.unit(UnitKind::Scaler, DSCALE.name, 4),
            rom: graph.unit(UnitKind::Rom, "rom", 1),
        };
        let storage = &design.storage;
        let names = memories(transform);
        let count = storage.ports as usize;
        let mut ports = Vec::new();
        for name in names {
            graph.memories.push(Memory {
                name,
                banking: storage.banking,
            });
        }
        // The channels of AXI serve all memories.
        let channels = (storage.kind == StorageKind::Axi).then(|| Ports {
            read: graph.unit(UnitKind::Channel, "axi read", count),
            write: graph.unit(UnitKind::Channel, "axi write", count),
        });
        for (memory, name) in names.iter().enumerate() {
            let banks = match storage.banking {
                Banking::Single => &[""][..],
                Banking::ReIm => &[".re", ".im"],
                // An access moves both parts of a number at once.
                Banking::Parity => &[""],
            };
            let of_bank = |bank: &&str| {
                channels.unwrap_or_else(|| {
                    let port = graph.unit(
                        UnitKind::Port(memory),
                        format!("port of {name}{bank}"),
                        count,
                    );
                    Ports {
                        read: port,
                        write: port,
                    }
                })
            };
            ports.push(banks.iter().map(of_bank).collect());
        }
        graph.memories.push(Memory {
            name: "w",
            banking: Banking::Single,
        });
        Self {
            design,
            graph,
            units,
            ports,
        }
    }

    fn build(mut self, transform: Transform) -> Graph {
        let places = Places::of(transform);
        let [x, y] = self.load_pair([places.x, places.y]);
        let w = self.load_twiddle(places.w);
        let results = if transform.is_inverse() {
            let [x, y] = [self.scale("x", x), self.scale("y", y)];
            let sum = self.add("x+y", x, y);
            let difference = self.subtract("x-y", x, y);
            [sum, self.multiply("d", difference, w, true)]
        } else {
            let p = self.multiply("y", y, w, false);
            [self.add("x+p", x, p), self.subtract("x-p", x, p)]
        };
        self.store_pair([places.to_x, places.to_y], results);
        if self.design.storage.kind == StorageKind::Axi {
            self.graph.keep_order(self.units.rom);
        }
        if self.design.aliasing == Aliasing::Assumed {
            self.graph.assume_aliasing(self.units.rom);
        }
        self.graph
    }

    fn port(&self, memory: usize, part: ComplexPart) -> Ports {
        let banks = &self.ports[memory];
        banks[usize::from(part == ComplexPart::Im) % banks.len()]
    }

    /// Loads `x` and `y`: as single reals, or as complex numbers if the banks are chosen by parity.
    fn load_pair(&mut self, memory: [usize; 2]) -> [Complex; 2] {
        let latency = self.design.storage.read_latency;
        let numbers = [("x", memory[0], X), ("y", memory[1], Y)];
        if self.design.storage.banking != Banking::Parity {
            return numbers.map(|(name, memory, slot)| {
                [(ComplexPart::Re, "re"), (ComplexPart::Im, "im")].map(|(part, suffix)| {
                    let load = Operation::Load(Access {
                        memory,
                        slots: vec![slot],
                        part,
                    });
                    let port = self.port(memory, part).read;
                    let name = format!("load {name}.{suffix}");
                    self.graph.node(name, load, port, latency, &[])
                })
            });
        }
        let mut load = |name: &str, memory, slots: Vec<usize>| {
            let load = Operation::Load(Access {
                memory,
                slots,
                part: ComplexPart::Both,
            });
            let port = self.port(memory, ComplexPart::Both).read;
            self.graph.node(name, load, port, latency, &[])
        };
        let complex = |first: Value, i: usize| -> Complex {
            [0, 1].map(|part| Value {
                output: 2 * i + part,
                ..first
            })
        };
        if memory[0] == memory[1] {
            let both = load("load x, y", memory[0], vec![X, Y]);
            [complex(both, 0), complex(both, 1)]
        } else {
            numbers.map(|(name, memory, slot)| {
                complex(load(&format!("load {name}"), memory, vec![slot]), 0)
            })
        }
    }

    fn store_pair(&mut self, memory: [usize; 2], numbers: [Complex; 2]) {
        let latency = self.design.storage.write_latency;
        let places = [("x", memory[0], TO_X), ("y", memory[1], TO_Y)];
        if self.design.storage.banking != Banking::Parity {
            for ((name, memory, slot), number) in places.into_iter().zip(numbers) {
                let parts = [(ComplexPart::Re, "re"), (ComplexPart::Im, "im")];
                for ((part, suffix), value) in parts.into_iter().zip(number) {
                    let store = Operation::Store(Access {
                        memory,
                        slots: vec![slot],
                        part,
                    });
                    let port = self.port(memory, part).write;
                    let name = format!("store {name}.{suffix}");
                    self.graph.node(name, store, port, latency, &[value]);
                }
            }
            return;
        }
        let mut store = |name: &str, memory, slots: Vec<usize>, values: &[Value]| {
            let store = Operation::Store(Access {
                memory,
                slots,
                part: ComplexPart::Both,
            });
            let port = self.port(memory, ComplexPart::Both).write;
            self.graph.node(name, store, port, latency, values);
        };
        if memory[0] == memory[1] {
            store("store x, y", memory[0], vec![TO_X, TO_Y], &numbers.concat());
        } else {
            for ((name, memory, slot), number) in places.into_iter().zip(numbers) {
                store(&format!("store {name}"), memory, vec![slot], &number);
            }
        }
    }

    fn load_twiddle(&mut self, memory: usize) -> Complex {
        let load = Operation::Load(Access {
            memory,
            slots: vec![W],
            part: ComplexPart::Both,
        });
        let re = self
            .graph
            .node("load w", load, self.units.rom, BRAM_READ_LATENCY, &[]);
        [re, Value { output: 1, ..re }]
    }

    fn on_adder(&mut self, name: String, operation: Operation, a: Value, b: Value) -> Value {
        let latency = self.design.adder.latency;
        self.graph
            .node(name, operation, self.units.adder, latency, &[a, b])
    }

    fn add(&mut self, name: &str, a: Complex, b: Complex) -> Complex {
        let part =
            |(i, suffix)| self.on_adder(format!("{name}.{suffix}"), Operation::Add, a[i], b[i]);
        [(0, "re"), (1, "im")].map(part)
    }

    fn subtract(&mut self, name: &str, a: Complex, b: Complex) -> Complex {
        let part = |(i, suffix)| {
            self.on_adder(format!("{name}.{suffix}"), Operation::Subtract, a[i], b[i])
        };
        [(0, "re"), (1, "im")].map(part)
    }

    fn scale(&mut self, name: &str, a: Complex) -> Complex {
        [(0, "re"), (1, "im")].map(|(i, suffix)| {
            let name = format!("scale {name}.{suffix}");
            let unit = self.units.scaler;
            self.graph
                .node(name, Operation::Scale, unit, DSCALE.latency, &[a[i]])
        })
    }

    /// Returns `a w`, or `a w*` if `conjugate` is true.
    fn multiply(&mut self, name: &str, a: Complex, w: Complex, conjugate: bool) -> Complex {
        let mut product = |i: usize, j: usize| {
            let part = ["re", "im"];
            let name = format!("{name}.{}*w.{}", part[i], part[j]);
            let latency = self.design.multiplier.latency;
            let unit = self.units.multiplier;
            self.graph
                .node(name, Operation::Multiply, unit, latency, &[a[i], w[j]])
        };
        let [rr, ii, ri, ir] = [product(0, 0), product(1, 1), product(0, 1), product(1, 0)];
        let re = format!("p.re of {name}w");
        let im = format!("p.im of {name}w");
        if conjugate {
            [
                self.on_adder(re, Operation::Add, rr, ii),
                self.on_adder(im, Operation::Subtract, ir, ri),
            ]
        } else {
            [
                self.on_adder(re, Operation::Subtract, rr, ii),
                self.on_adder(im, Operation::Add, ri, ir),
            ]
        }
    }
}
