//! Resources of a circuit for Keccak-f, compared with the paper's.

use super::{KeccakCircuit, State, WORDS};
use crate::catalog::{BRAM_WIDTH, Device};
use crate::graph::Operation;
use crate::logic::{Logic, WORD_BITS};
use crate::resources::{Resources, block_rams, registers};
use crate::scheduled::Scheduled;
use serde::Serialize;

/// Flip-flops of the paper's `process_block`, % of the part. `[P]`
pub const PAPER_FF_PERCENT: u32 = 6;
/// Block RAM of the paper's `process_block`, % of the part. `[P]`
pub const PAPER_BRAM_PERCENT: u32 = 3;
/// Lookup tables of the paper's `process_block`, % of the part. `[P]`
pub const PAPER_LUT_PERCENT: u32 = 32;

/// Resources of the loop over rounds, without its control and without the loops that move the
/// state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KeccakResources {
    /// Resources if the operations are mapped to tables of six inputs. `[D]`
    pub mapped: Resources,
    /// Number of lookup tables if every operation of two operands took one table for each bit, as a
    /// tool estimates before mapping. `[D]`
    pub unmapped_lut: u32,
}

impl KeccakResources {
    /// Estimates the resources of `circuit`.
    pub fn of(circuit: &KeccakCircuit) -> Self {
        let body = &circuit.rounds().body;
        let nodes = || logic(body);
        let tables = nodes().map(|(logic, operands, _)| logic.tables(operands));
        let binary = nodes().map(|(logic, operands, _)| logic.binary_operations(operands));
        let held = nodes().map(|(_, _, latency)| latency);
        let waiting = registers(&body.graph, &body.schedule).each.ff;
        let (state_ff, bram) = match circuit.design().state {
            State::Registers => (WORD_BITS * WORDS as u32, 0),
            State::Bram { .. } => (0, block_rams(WORDS as u32, WORD_BITS, BRAM_WIDTH)),
            State::Axi => (0, 0),
        };
        Self {
            mapped: Resources {
                dsp: 0,
                lut: WORD_BITS * tables.sum::<u32>(),
                ff: state_ff + waiting + WORD_BITS * held.sum::<u32>(),
                bram,
            },
            unmapped_lut: WORD_BITS * binary.sum::<u32>(),
        }
    }

    /// Resources of the paper's circuit on `device`.
    pub fn of_the_paper(device: Device) -> Resources {
        let percent = |whole: u32, percent: u32| whole * percent / 100;
        Resources {
            dsp: 0,
            lut: percent(device.lut, PAPER_LUT_PERCENT),
            ff: percent(device.ff, PAPER_FF_PERCENT),
            bram: percent(device.bram, PAPER_BRAM_PERCENT),
        }
    }
}

/// Returns the operations in lookup tables, with the number of their operands and their latency.
fn logic(body: &Scheduled) -> impl Iterator<Item = (Logic, usize, u32)> + '_ {
    body.graph
        .nodes
        .iter()
        .filter_map(|node| match node.operation {
            Operation::Logic(logic) => Some((logic, node.inputs.len(), node.latency)),
            _ => None,
        })
}
