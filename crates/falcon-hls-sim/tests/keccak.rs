//! Runs Keccak-f as a circuit. The bits must be those of the permutation, and the cycles those of
//! the schedule, for every state.

use falcon_core::seams::hash::Shake256;
use falcon_hls_sim::accelerator::Error;
use falcon_hls_sim::amdahl::predict::Processor;
use falcon_hls_sim::catalog::XC7Z020;
use falcon_hls_sim::cycles::{self, Control, Fault, Interlock, Observer};
use falcon_hls_sim::design::{DesignError, Pipelining};
use falcon_hls_sim::fp::Subnormals;
use falcon_hls_sim::graph::{Graph, Operation};
use falcon_hls_sim::keccak::{
    KeccakCircuit, KeccakDesign, KeccakPreset, KeccakResources, RATE_WORDS, ROUND_CONSTANTS, State,
    Summary, WORDS, rounds,
};
use falcon_hls_sim::schedule::Schedule;

fn circuit(preset: KeccakPreset) -> KeccakCircuit {
    KeccakCircuit::new(preset.design()).unwrap()
}

/// Returns pseudorandom states, from a SHAKE256 that does not run on a circuit.
fn states(count: usize) -> Vec<[u64; WORDS]> {
    let mut stream = Shake256::reader(b"states");
    let mut word = || u64::from_le_bytes(stream.read_array());
    (0..count).map(|_| [(); WORDS].map(|()| word())).collect()
}

fn permuted(mut state: [u64; WORDS]) -> [u64; WORDS] {
    keccak::Keccak::new().with_f1600(|f1600| f1600(&mut state));
    state
}

#[test]
fn every_preset_permutes_as_the_keccak_crate() {
    for preset in KeccakPreset::ALL {
        let circuit = circuit(preset);
        for state in states(40)
            .into_iter()
            .chain([[0; WORDS], [u64::MAX; WORDS]])
        {
            let expected = permuted(state);
            let mut ours = state;
            let run = circuit.permute(&mut ours, &mut ()).unwrap();
            assert_eq!(ours, expected, "{}", preset.name());
            assert_eq!(run.cycles, circuit.cycles().permute);
            assert_eq!(run.stalls, 0);
            let mut ours = state;
            let cycles = circuit.process_block(&mut ours, &mut ()).unwrap();
            assert_eq!(ours, expected, "{}", preset.name());
            assert_eq!(cycles, circuit.cycles().process_block);
        }
    }
}

/// Checks designs that are not presets: combinations of memories, unrolled rounds and latencies.
#[test]
fn every_design_permutes_as_the_keccak_crate() {
    let state = states(1)[0];
    let expected = permuted(state);
    let memories = [
        State::Registers,
        State::Axi,
        State::Bram { ports: 1 },
        State::Bram { ports: 3 },
    ];
    for place in memories {
        for unrolled_rounds in [1, 2, 3] {
            for (parity_latency, round_latency, least_interval) in
                [(0, 0, 1), (2, 0, 1), (1, 3, 40)]
            {
                let design = KeccakDesign {
                    state: place,
                    unrolled_rounds,
                    parity_latency,
                    round_latency,
                    least_interval,
                    ..KeccakPreset::Pipelined.design()
                };
                let circuit = KeccakCircuit::new(design.clone()).unwrap();
                let mut ours = state;
                circuit.permute(&mut ours, &mut ()).unwrap();
                assert_eq!(ours, expected, "{design:?}");
                let body = &circuit.rounds().body;
                assert_eq!(body.schedule.broken_rule(&body.graph), None);
                assert!(body.schedule.interval >= least_interval);
            }
        }
    }
}

/// Computes SHAKE256 on a circuit, for inputs whose lengths are around the ends of blocks.
#[test]
fn sponges_on_a_circuit_are_shake256() {
    let rate = 8 * RATE_WORDS;
    for preset in KeccakPreset::ALL {
        let circuit = circuit(preset);
        for len in [0, 1, rate - 1, rate, rate + 1, 3 * rate] {
            let message: Vec<u8> = (0..len).map(|i| (i * 37 + 11) as u8).collect();
            let mut padded = message.clone();
            padded.push(0x1f);
            padded.resize(padded.len().next_multiple_of(rate), 0);
            *padded.last_mut().unwrap() |= 0x80;

            let mut state = [0; WORDS];
            for block in padded.chunks_exact(rate) {
                let word = |i: usize| block[8 * i..8 * i + 8].try_into().unwrap();
                let block = std::array::from_fn(|i| u64::from_le_bytes(word(i)));
                let run = circuit.absorb(&mut state, &block, &mut ()).unwrap();
                assert_eq!(run.cycles, circuit.cycles().absorb);
                circuit.permute(&mut state, &mut ()).unwrap();
            }
            let mut expected = vec![0; 2 * rate];
            Shake256::reader(&message).read(&mut expected);
            let squeezed = |state: &[u64; WORDS]| -> Vec<u8> {
                let words = state[..RATE_WORDS].iter();
                words.flat_map(|word| word.to_le_bytes()).collect()
            };
            assert_eq!(squeezed(&state), expected[..rate]);
            circuit.permute(&mut state, &mut ()).unwrap();
            assert_eq!(squeezed(&state), expected[rate..]);
        }
    }
}

/// Cycles in which iterations start.
#[derive(Default)]
struct Starts(Vec<u64>);

impl Observer for Starts {
    fn started(&mut self, cycle: u64, _: usize) {
        self.0.push(cycle);
    }
}

#[test]
fn presets_take_the_cycles_that_their_bounds_say() {
    // Name; interval; bounds by units and by the state; cycles of permutation, absorption and
    // process_block. Fetching 25 words takes 24 + 71 + 1 cycles. Putting them back takes 24 + 68
    // cycles from registers, and two more from block RAM.
    let expected = [
        (KeccakPreset::Sequential, 189, [25, 141], [4536, 155, 4536]),
        (KeccakPreset::Bram, 29, [25, 5], [696, 19, 96 + 696 + 94]),
        (KeccakPreset::Pipelined, 4, [1, 4], [48, 17, 96 + 48 + 92]),
        (
            KeccakPreset::RoundPerCycle,
            1,
            [1, 1],
            [24, 17, 96 + 24 + 92],
        ),
    ];
    for (preset, interval, [units, state], [permute, absorb, process_block]) in expected {
        let circuit = circuit(preset);
        let body = &circuit.rounds().body;
        let name = preset.name();
        assert_eq!(body.schedule.interval, interval, "{name}");
        assert_eq!(body.bounds.resources(), units, "{name}");
        assert_eq!(body.bounds.recurrence, state, "{name}");
        let cycles = circuit.cycles();
        let cycles = [cycles.permute, cycles.absorb, cycles.process_block];
        assert_eq!(cycles, [permute, absorb, process_block], "{name}");

        let mut starts = Starts::default();
        circuit.permute(&mut [0; WORDS], &mut starts).unwrap();
        let regular = (0..starts.0.len() as u64).map(|i| i * u64::from(interval));
        assert!(starts.0.iter().copied().eq(regular), "{name}");
    }
    for preset in KeccakPreset::ALL {
        assert_eq!(KeccakPreset::by_name(preset.name()), Some(preset));
    }
    assert_eq!(KeccakPreset::by_name("keccak"), None);
}

/// Checks that the bound by the state is real. Without it, the scheduler finds a smaller interval,
/// and the simulator finds a round that reads a word before it is written.
#[test]
fn a_round_that_starts_before_the_one_before_is_done_is_a_hazard() {
    let design = KeccakPreset::Pipelined.design();
    let graph = rounds(&design);
    assert_eq!(Schedule::with_interval(&graph, 3), None);
    let unaware = Graph {
        dependences: Vec::new(),
        ..graph.clone()
    };
    let hasty = Schedule::with_interval(&unaware, 3).unwrap();
    assert!(hasty.broken_rule(&graph).is_some());
    let circuit = KeccakCircuit::new(design).unwrap();
    let memory = |words: &[u64]| words.iter().map(|&word| [word, 0]).collect::<Vec<_>>();
    let run = |interlock| {
        let control = Control {
            pipelining: Pipelining::Flattened,
            interlock,
            subnormals: Subnormals::default(),
        };
        let mut memories = [memory(&[0; WORDS]), memory(&ROUND_CONSTANTS)];
        let iterations = circuit.rounds().iterations();
        cycles::run(&graph, &hasty, control, iterations, &mut memories, &mut ())
            .map(|run| (run, memories[0][0][0]))
    };
    assert!(matches!(run(Interlock::Absent), Err(Fault::Hazard { .. })));
    // With an interlock the result is right, but the circuit is not faster, since each round waits
    // for another start.
    let (stalled, first) = run(Interlock::Stall).unwrap();
    assert_eq!(first, permuted([0; WORDS])[0]);
    assert!(stalled.cycles > circuit.cycles().permute && stalled.stalls > 0);
}

#[test]
fn impossible_designs_are_refused() {
    let good = KeccakPreset::Bram.design();
    let range = |design: KeccakDesign| {
        let error = KeccakCircuit::new(design).unwrap_err();
        assert!(
            matches!(error, Error::Design(DesignError::Range { .. })),
            "{error}"
        );
    };
    for unrolled_rounds in [0, 6, 24] {
        range(KeccakDesign {
            unrolled_rounds,
            ..good.clone()
        });
    }
    range(KeccakDesign {
        clock_hz: 0,
        ..good.clone()
    });
    range(KeccakDesign {
        parity_latency: 1001,
        ..good.clone()
    });
    range(KeccakDesign {
        round_latency: 1001,
        ..good.clone()
    });
    range(KeccakDesign {
        least_interval: 0,
        ..good.clone()
    });
    for ports in [0, 65] {
        range(KeccakDesign {
            state: State::Bram { ports },
            ..good.clone()
        });
    }
    let five = KeccakDesign {
        unrolled_rounds: 5,
        ..good
    };
    let error = KeccakCircuit::new(five).unwrap_err();
    assert_eq!(error, Error::Design(DesignError::Rounds { unrolled: 5 }));
    assert_eq!(
        error.to_string(),
        "24 rounds are no multiple of 5 rounds of a loop's body"
    );
}

#[test]
fn tables_and_registers_follow_from_the_graph() {
    let of = |preset| KeccakResources::of(&circuit(preset));
    let round = of(KeccakPreset::RoundPerCycle);
    // The tables compute five parities, five sums of them, theta, chi and iota, each of 64 bits.
    // The flip-flops are one register of the state.
    assert_eq!(round.mapped.lut, 64 * (5 + 5 + 25 + 25 + 1));
    assert_eq!(round.mapped.ff, 1600);
    assert_eq!(round.unmapped_lut, 64 * (20 + 5 + 25 + 50 + 1));

    let two = of(KeccakPreset::Pipelined);
    assert_eq!(two.mapped.lut, 2 * round.mapped.lut);
    // There are four registers of the state, and two times five parities.
    assert_eq!(two.mapped.ff, 4 * 1600 + 2 * 320);

    // The paper's resources are 32 %, 6 % and 3 %. Its lookup tables exceed the unmapped count, by
    // less than a factor of 2.
    let paper = KeccakResources::of_the_paper(XC7Z020);
    assert_eq!([paper.lut, paper.ff, paper.bram], [17_024, 6384, 8]);
    assert!(two.unmapped_lut < paper.lut && paper.lut < 2 * two.unmapped_lut);
    assert!((0.9..1.15).contains(&(f64::from(two.mapped.ff) / f64::from(paper.ff))));
    assert_eq!(of(KeccakPreset::Bram).mapped.bram, 4);
}

#[test]
fn a_round_has_the_operations_of_the_standard() {
    let graph = rounds(&KeccakPreset::RoundPerCycle.design());
    let logic = |name: &str| {
        let nodes = graph.nodes.iter();
        nodes
            .filter(|node| format!("{:?}", node.operation).contains(name))
            .count()
    };
    // Theta has 5 rotations by 1, and rho has 25 rotations, including the rotation of the first
    // word by 0.
    assert_eq!([logic("Xor"), logic("Chi"), logic("Rotate")], [36, 25, 30]);
    let transfers = graph
        .nodes
        .iter()
        .filter(|node| matches!(node.operation, Operation::Load(_) | Operation::Store(_)));
    assert_eq!(transfers.count(), 2 * WORDS + 1);
}

/// Checks that the paper's 35 lies between two speedups of a pipelined loop on registers: with and
/// without moving its state.
#[test]
fn the_papers_factor_is_between_ours() {
    let summary = Summary::new(&Processor::CORTEX_A9).unwrap();
    let row = |preset: KeccakPreset| {
        let mut rows = summary.rows.iter();
        rows.find(|row| row.name == preset.name()).unwrap()
    };
    let [slow, fast] = [KeccakPreset::Sequential, KeccakPreset::Pipelined].map(row);
    assert_eq!(slow.factor_to_sequential, 1.0);
    let moved = fast.factor_to_sequential;
    let alone = slow.cycles.permute as f64 / fast.cycles.permute as f64;
    assert!(moved < summary.paper_factor && summary.paper_factor < alone);
    let text = summary.to_string();
    assert!(
        text.contains("keccak-round-per-cycle     1      17      24            212"),
        "{text}"
    );
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["rows"][3]["cycles"]["permute"], 24);
}
