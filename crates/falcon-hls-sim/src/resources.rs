//! Resources of a circuit, compared with the paper's Table II.
//!
//! The DSP slices are the sum over the cores and agree with Table II. Everything else is an
//! estimate, since the paper does not say which circuits take its lookup tables and flip-flops. The
//! control of the loops and the adapters of AXI are left out, since no source has numbers for them.
//! Block RAM follows from the shape of the memories:
//!
//! - a memory of polynomials, which uses both ports: `ceil(bits / 16)` block RAMs of 1024 words of
//!   16 bits side by side, `ceil(words / 1024)` deep;
//! - the twiddles, which use one port: `ceil(bits / 32)` block RAMs of 512 words of 32 bits side by
//!   side, `ceil(words / 512)` deep.
//!
//! A polynomial of degree `n` has `n` words of 64 bits in one bank, `n/2` words in each of two
//! banks of parts, or `n/4` words of 128 bits in each of two banks of complex numbers. The twiddles
//! are `n/2` words of 128 bits.

use crate::accelerator::{Kernel, blank_memories};
use crate::catalog::{BRAM_BITS, BRAM_PORTS, BRAM_WIDTH, DSCALE, Device, FpCore};
use crate::design::{Design, Preset, StorageKind};
use crate::graph::{Banking, Graph, Operation, UnitKind};
use crate::schedule::Schedule;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, Mul};

/// Resources of an FPGA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// DSP slices.
    pub dsp: u32,
    /// Lookup tables.
    pub lut: u32,
    /// Flip-flops.
    pub ff: u32,
    /// Block RAMs of 18 kbit.
    pub bram: u32,
}

impl Resources {
    /// Resources of a device.
    pub fn of(device: Device) -> Self {
        Self {
            dsp: device.dsp,
            lut: device.lut,
            ff: device.ff,
            bram: device.bram,
        }
    }

    /// Returns the four numbers with their names.
    pub fn named(self) -> [(&'static str, u32); 4] {
        [
            ("DSP", self.dsp),
            ("LUT", self.lut),
            ("FF", self.ff),
            ("BRAM", self.bram),
        ]
    }
}

impl Add for Resources {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            dsp: self.dsp + other.dsp,
            lut: self.lut + other.lut,
            ff: self.ff + other.ff,
            bram: self.bram + other.bram,
        }
    }
}

impl Mul<u32> for Resources {
    type Output = Self;

    fn mul(self, count: u32) -> Self {
        Self {
            dsp: self.dsp * count,
            lut: self.lut * count,
            ff: self.ff * count,
            bram: self.bram * count,
        }
    }
}

impl Sum for Resources {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Self::add)
    }
}

/// Returns the resources of `preset` in the paper's Table II, if it has this design. `[P]`
pub fn table_ii(preset: Preset) -> Option<Resources> {
    let [dsp, lut, ff, bram] = match preset {
        Preset::PaperOriginal => [25, 6048, 5093, 16],
        Preset::PaperOptimized => [17, 6661, 5790, 24],
        _ => return None,
    };
    Some(Resources { dsp, lut, ff, bram })
}

/// Equal components of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name of the component.
    pub name: String,
    /// Number of such components.
    pub count: u32,
    /// Resources of one component.
    pub each: Resources,
    /// Source of the numbers.
    pub source: &'static str,
}

/// A circuit, described by its components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The components.
    pub items: Vec<Item>,
    /// Ports of a bank, if the polynomials are in block RAM.
    ports: Option<u32>,
}

/// A reason why a circuit does not fit a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// The circuit needs more than the part has.
    Exceeds {
        /// Name of the resource.
        resource: &'static str,
        /// Number that the circuit needs.
        needed: u32,
        /// Number that the part has.
        available: u32,
    },
    /// A block RAM has fewer ports than the design asks for.
    Ports {
        /// Ports that a bank should have.
        ports: u32,
    },
}

impl Display for Concern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exceeds {
                resource,
                needed,
                available,
            } => write!(f, "{resource}: {needed} needed, {available} available"),
            Self::Ports { ports } => write!(
                f,
                "ports: {ports} for a bank, but a block RAM has {BRAM_PORTS}: the memory's clock \
                 would have to be {} times as fast",
                ports.div_ceil(BRAM_PORTS)
            ),
        }
    }
}

impl Estimate {
    /// Estimates the circuit of one transform of degree `2^logn`.
    pub fn new(design: &Design, kernel: &Kernel, logn: u32) -> Self {
        let mut items = cores(design, &kernel.body.graph);
        items.extend(multiplexers(&kernel.body.graph, &kernel.body.schedule));
        items.push(registers(&kernel.body.graph, &kernel.body.schedule));
        let in_bram = design.storage.kind == StorageKind::Bram;
        items.extend(memories(design, kernel, logn));
        Self {
            items,
            ports: in_bram.then_some(design.storage.ports),
        }
    }

    /// Returns the sum over all components.
    pub fn total(&self) -> Resources {
        self.items.iter().map(|item| item.each * item.count).sum()
    }

    /// Returns the reasons why the circuit does not fit `device`.
    pub fn concerns(&self, device: Device) -> Vec<Concern> {
        let needed = self.total().named().into_iter();
        let exceeds = needed.zip(Resources::of(device).named()).filter_map(
            |((resource, needed), (_, available))| {
                (needed > available).then_some(Concern::Exceeds {
                    resource,
                    needed,
                    available,
                })
            },
        );
        let ports = self.ports.filter(|&ports| ports > BRAM_PORTS);
        exceeds
            .chain(ports.map(|ports| Concern::Ports { ports }))
            .collect()
    }
}

fn cores(design: &Design, graph: &Graph) -> Vec<Item> {
    let cores = [
        (UnitKind::Multiplier, design.multiplier),
        (UnitKind::Adder, design.adder),
        (UnitKind::Scaler, DSCALE),
    ];
    let item = |(kind, core): (UnitKind, FpCore)| {
        let mut units = graph.units.iter().enumerate();
        let (_, unit) = units.find(|&(i, unit)| unit.kind == kind && graph.uses(i) > 0)?;
        Some(Item {
            name: core.name.into(),
            count: unit.count as u32,
            each: Resources {
                dsp: core.dsp,
                lut: core.lut,
                ff: core.ff,
                bram: 0,
            },
            source: core.source,
        })
    };
    cores.into_iter().filter_map(item).collect()
}

/// Bits of a real number.
pub(crate) const REAL_BITS: u32 = 64;

/// Returns the multiplexers that choose the operands of a core that several operations share.
pub(crate) fn multiplexers(graph: &Graph, schedule: &Schedule) -> Vec<Item> {
    let mut lut = 0;
    for (i, unit) in graph.units.iter().enumerate() {
        for instance in 0..unit.count {
            let nodes = graph.nodes.iter().zip(&schedule.instances);
            let shared = nodes.filter(|(node, at)| {
                let computes = !matches!(node.operation, Operation::Load(_) | Operation::Store(_));
                computes && node.unit == i && **at == instance
            });
            let inputs: Vec<usize> = shared.map(|(node, _)| node.inputs.len()).collect();
            // A table of six inputs can choose among four bits. For more bits, several tables form
            // a tree.
            let tables = (inputs.len() as u32).saturating_sub(1).div_ceil(3);
            lut += inputs.first().map_or(0, |&inputs| inputs as u32) * REAL_BITS * tables;
        }
    }
    let item = Item {
        name: "operand multiplexers".into(),
        count: 1,
        each: Resources {
            lut,
            ..Resources::default()
        },
        source: "a 4-to-1 multiplexer a bit and LUT6, by the operations that share a core [D]",
    };
    Vec::from_iter((lut > 0).then_some(item))
}

/// Returns the registers that hold results until their last readers start.
pub(crate) fn registers(graph: &Graph, schedule: &Schedule) -> Item {
    let mut last_use = std::collections::HashMap::new();
    for (node, &start) in graph.nodes.iter().zip(&schedule.starts) {
        for input in &node.inputs {
            let last = last_use.entry((input.node, input.output)).or_insert(0);
            *last = start.max(*last);
        }
    }
    let lifetimes = last_use.iter().map(|(&(node, _), &last)| {
        let ready = schedule.starts[node] + graph.nodes[node].latency;
        // Number of iterations that hold this result at the same time.
        (last - ready).div_ceil(schedule.interval)
    });
    Item {
        name: "registers between operations".into(),
        count: 1,
        each: Resources {
            ff: REAL_BITS * lifetimes.sum::<u32>(),
            ..Resources::default()
        },
        source: "64 bits for each result that waits, by the schedule [D]",
    }
}

/// Returns the number of block RAMs of 18 kbit for `words` words of `bits` bits, if each block RAM
/// is `width` bits wide.
pub(crate) fn block_rams(words: u32, bits: u32, width: u32) -> u32 {
    bits.div_ceil(width) * words.div_ceil(BRAM_BITS / width)
}

fn memories(design: &Design, kernel: &Kernel, logn: u32) -> Vec<Item> {
    let blank = blank_memories(kernel.transform, logn);
    let shapes = kernel.body.graph.memories.iter().zip(&blank);
    let in_bram = design.storage.kind == StorageKind::Bram;
    let count = kernel.body.graph.memories.len();
    let item = |(i, (memory, words)): (usize, (&crate::graph::Memory, &Vec<[u64; 2]>))| {
        let complex = words.len() as u32;
        let twiddles = i + 1 == count;
        let (name, banks, bram) = if twiddles {
            // A block RAM with one port is twice as wide.
            let bram = block_rams(complex, 2 * REAL_BITS, 2 * BRAM_WIDTH);
            (format!("twiddles, {complex} x 128 bits"), 1, bram)
        } else if in_bram {
            let (banks, words, bits) = match memory.banking {
                Banking::Single => (1, 2 * complex, REAL_BITS),
                Banking::ReIm => (2, complex, REAL_BITS),
                Banking::Parity => (2, complex.div_ceil(2), 2 * REAL_BITS),
            };
            let name = format!("bank of {}, {words} x {bits} bits", memory.name);
            (name, banks, block_rams(words, bits, BRAM_WIDTH))
        } else {
            return None;
        };
        Some(Item {
            name,
            count: banks,
            each: Resources {
                bram,
                ..Resources::default()
            },
            source: "shape of the memory [D] in block RAMs of 18 kbit [V]",
        })
    };
    shapes.enumerate().filter_map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::XC7Z020;
    use crate::nest::Transform;

    fn estimate(design: &Design, transform: Transform, logn: u32) -> Estimate {
        let kernel = Kernel::new(design, transform).expect("a design");
        Estimate::new(design, &kernel, logn)
    }

    #[test]
    fn the_dsp_slices_of_table_ii_close() {
        for preset in Preset::ALL {
            let ours = estimate(&preset.design(), Transform::Fft, 9).total();
            assert_eq!(ours.dsp, preset.design().dsp());
            if let Some(paper) = table_ii(preset) {
                assert_eq!(ours.dsp, paper.dsp);
                // The estimate does not include control and adapters, so it is smaller.
                assert!(ours.lut < paper.lut && ours.ff < paper.ff, "{ours:?}");
            }
        }
    }

    #[test]
    fn block_ram_follows_from_the_shape_of_the_memories() {
        let brams = |preset: Preset, transform, logn| {
            estimate(&preset.design(), transform, logn).total().bram
        };
        // The twiddles of degree 512 are 256 x 128 bits in four block RAMs. Four also suffice for
        // degree 1024.
        assert_eq!(brams(Preset::PaperOriginal, Transform::Fft, 9), 4);
        assert_eq!(brams(Preset::PaperOptimized, Transform::Fft, 9), 4 + 4);
        assert_eq!(brams(Preset::PaperOptimized, Transform::Fft, 10), 4 + 4);
        assert_eq!(brams(Preset::Ii2, Transform::Fft, 9), 2 * 4 + 4);
        assert_eq!(brams(Preset::Ii1Xor, Transform::Fft, 9), 2 * 8 + 4);
        // A split also needs memories for the two halves.
        assert_eq!(
            brams(Preset::PaperOptimized, Transform::Split, 9),
            3 * 4 + 4
        );
        assert_eq!(block_rams(1025, 64, BRAM_WIDTH), 8);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let mut design = Preset::Ii1Xor.design();
        assert!(
            estimate(&design, Transform::Fft, 10)
                .concerns(XC7Z020)
                .is_empty()
        );
        design.multipliers = 64;
        design.storage.ports = 5;
        let concerns = estimate(&design, Transform::Fft, 10).concerns(XC7Z020);
        assert_eq!(
            concerns.iter().map(Concern::to_string).collect::<Vec<_>>(),
            [
                "DSP: 722 needed, 220 available",
                "ports: 5 for a bank, but a block RAM has 2: the memory's clock would have to be 3 times as fast"
            ]
        );
    }

    #[test]
    fn a_core_that_is_not_used_takes_nothing() {
        let design = Preset::PaperOptimized.design();
        let has = |transform| {
            let items = estimate(&design, transform, 9).items;
            items.iter().any(|item| item.name == DSCALE.name)
        };
        assert!(!has(Transform::Fft) && has(Transform::Ifft));
    }
}
