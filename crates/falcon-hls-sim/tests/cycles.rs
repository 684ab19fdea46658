//! Faults that the cycle simulator reports, and limits of the scheduler.

use falcon_hls_sim::accelerator::{Accelerator, Error, Kernel, twiddle_rom};
use falcon_hls_sim::butterfly;
use falcon_hls_sim::cycles::{self, Control, Fault, Interlock, Observer, Run, Words};
use falcon_hls_sim::design::{Aliasing, Design, Pipelining, Preset};
use falcon_hls_sim::fp::Subnormals;
use falcon_hls_sim::graph::{Access, Banking, ComplexPart, Graph, Memory, Operation, UnitKind};
use falcon_hls_sim::nest::{Iteration, TO_X, TO_Y, Transform, X, Y};
use falcon_hls_sim::schedule::{Bounds, Schedule};
use std::collections::HashMap;

const CONTROL: Control = Control {
    pipelining: Pipelining::Flattened,
    interlock: Interlock::Stall,
    subnormals: Subnormals::Flush,
};

/// Runs the FFT of degree `2^logn` with `kernel` on zeros.
fn run(kernel: &Kernel, control: Control, logn: u32) -> Result<Run, Fault> {
    let iterations = Transform::Fft.iterations(logn);
    let mut memories: [Words; 2] = [vec![[0; 2]; 1 << (logn - 1)], twiddle_rom(logn)];
    kernel
        .body
        .run(control, &iterations, &mut memories, &mut ())
}

fn kernel(preset: Preset) -> Kernel {
    Kernel::new(&preset.design(), Transform::Fft).expect("a preset")
}

#[test]
fn without_the_interlock_small_degrees_read_too_early() {
    let absent = Control {
        interlock: Interlock::Absent,
        ..CONTROL
    };
    for preset in [Preset::PaperOptimized, Preset::Ii2, Preset::Ii1Xor] {
        let kernel = kernel(preset);
        for logn in 2..=10 {
            let stalls = run(&kernel, CONTROL, logn).expect("it waits").stalls;
            let result = run(&kernel, absent, logn);
            if stalls == 0 {
                assert!(result.is_ok(), "{}, {logn}: {result:?}", preset.name());
            } else {
                assert!(
                    matches!(result, Err(Fault::Hazard { .. })),
                    "{}, {logn}: {result:?}",
                    preset.name()
                );
            }
        }
    }
    // Some runs fail and some succeed.
    assert!(run(&kernel(Preset::Ii1Xor), absent, 7).is_err());
    assert!(run(&kernel(Preset::Ii1Xor), absent, 8).is_ok());
}

#[test]
fn a_unit_that_is_used_twice_ends_the_run() {
    let mut kernel = kernel(Preset::PaperOptimized);
    let mut adders = (0..kernel.body.graph.nodes.len())
        .filter(|&i| kernel.body.graph.units[kernel.body.graph.nodes[i].unit].name == "daddsub");
    let (a, b) = (adders.next().expect("one"), adders.next().expect("two"));
    kernel.body.schedule.starts[b] = kernel.body.schedule.starts[a] + kernel.body.schedule.interval;
    kernel.body.schedule.instances[b] = kernel.body.schedule.instances[a];
    assert!(
        kernel
            .body
            .schedule
            .broken_rule(&kernel.body.graph)
            .is_some()
    );
    let result = run(&kernel, CONTROL, 9);
    assert!(
        matches!(result, Err(Fault::UnitConflict { .. })),
        "{result:?}"
    );
}

#[test]
fn an_operand_that_is_not_there_is_noticed() {
    for preset in Preset::ALL {
        let kernel = kernel(preset);
        let (graph, schedule) = (&kernel.body.graph, &kernel.body.schedule);
        assert_eq!(schedule.broken_rule(graph), None);
        // Moves operations that start as soon as their operands are ready one cycle earlier, so
        // that the schedule breaks a rule.
        for (i, node) in graph.nodes.iter().enumerate() {
            let inputs = node.inputs.iter();
            let ready =
                inputs.map(|input| schedule.starts[input.node] + graph.nodes[input.node].latency);
            if ready.max() == Some(schedule.starts[i]) {
                let mut too_early = kernel.clone();
                let schedule = &mut too_early.body.schedule;
                schedule.starts[i] -= 1;
                assert!(schedule.broken_rule(graph).is_some(), "{}", node.name);
                let result = run(&too_early, CONTROL, 9);
                assert!(
                    matches!(
                        result,
                        Err(Fault::NotReady { .. } | Fault::UnitConflict { .. })
                    ),
                    "{}: {result:?}",
                    node.name
                );
            }
        }
    }
}

/// Makes a schedule for units that are quicker than the real ones. It has fewer cycles, but does
/// not run on the real units.
#[test]
fn a_schedule_for_other_latencies_does_not_run() {
    for preset in Preset::ALL {
        let mut quick = preset.design();
        quick.multiplier.latency = 1;
        quick.adder.latency = 1;
        let quick = Kernel::new(&quick, Transform::Fft).expect("a design");
        let mut kernel = kernel(preset);
        kernel.body.schedule = quick.body.schedule;
        let result = run(&kernel, CONTROL, 9);
        assert!(
            matches!(result, Err(Fault::NotReady { .. })),
            "{}: {result:?}",
            preset.name()
        );
    }
}

/// Returns a loop that copies from `X` to `TO_X`, and later from `Y` to `TO_Y`.
fn copies(early: u32, late: u32) -> (Graph, Schedule) {
    let mut graph = Graph::default();
    graph.memories.push(Memory {
        name: "m",
        banking: Banking::Single,
    });
    let port = graph.unit(UnitKind::Port(0), "port", 4);
    let access = |slot| Access {
        memory: 0,
        slots: vec![slot],
        part: ComplexPart::Re,
    };
    for (from, to) in [(X, TO_X), (Y, TO_Y)] {
        let word = graph.node("load", Operation::Load(access(from)), port, 1, &[]);
        graph.node("store", Operation::Store(access(to)), port, 1, &[word]);
    }
    let schedule = Schedule {
        interval: 1,
        starts: vec![early, early + 1, late, late + 1],
        instances: vec![0, 1, 2, 3],
    };
    (graph, schedule)
}

fn run_copies(addresses: &[[u16; 5]]) -> Result<Vec<u64>, Fault> {
    let (graph, schedule) = copies(0, 10);
    assert_eq!(schedule.broken_rule(&graph), None);
    let iterations: Vec<Iteration> = addresses
        .iter()
        .map(|&addresses| Iteration {
            addresses,
            scale: 0,
            ends_loop: false,
        })
        .collect();
    let mut memories: [Words; 1] = [(0..8).map(|i| [i, 0]).collect()];
    cycles::run(
        &graph,
        &schedule,
        CONTROL,
        &iterations,
        &mut memories,
        &mut (),
    )?;
    Ok(memories[0].iter().map(|word| word[0]).collect())
}

#[test]
fn a_word_that_is_overwritten_before_it_was_read_is_noticed() {
    // Slots: X, Y, W, TO_X, TO_Y.
    let apart = run_copies(&[[0, 1, 0, 2, 3], [0, 1, 0, 4, 5]]);
    assert_eq!(apart, Ok(vec![0, 1, 0, 1, 0, 1, 6, 7]));
    // The second iteration writes address 1 before the first has read it.
    let result = run_copies(&[[0, 1, 0, 2, 3], [0, 6, 0, 1, 5]]);
    assert!(
        matches!(result, Err(Fault::Hazard { address: 1, .. })),
        "{result:?}"
    );
}

#[test]
fn a_write_that_is_overtaken_is_noticed() {
    // The first iteration writes address 3 after the second iteration has written it.
    let result = run_copies(&[[0, 1, 0, 2, 3], [0, 1, 0, 3, 5]]);
    assert!(
        matches!(result, Err(Fault::Overtaken { address: 3, .. })),
        "{result:?}"
    );
}

/// Cycles in which iterations start.
#[derive(Default)]
struct Starts(Vec<u64>);

impl Observer for Starts {
    fn started(&mut self, cycle: u64, _: usize) {
        self.0.push(cycle);
    }
}

/// Returns the polynomial's words that `access` moves in an iteration: address and part.
fn words(kernel: &Kernel, access: &Access, iteration: &Iteration) -> Vec<(usize, usize)> {
    if kernel.body.graph.memories[access.memory].name != "f" {
        return Vec::new();
    }
    let parts = access.part.components();
    let addresses = access.slots.iter().map(|&slot| iteration.address(slot));
    addresses
        .flat_map(|address| parts.iter().map(move |&part| (address, part)))
        .collect()
}

/// Counts the waits of a run and checks each wait: if the iteration started one interval earlier, a
/// load would precede the write of its word. Apart from the starts of the iterations, the check
/// uses only addresses and the schedule, not the simulator.
fn checked_waits(kernel: &Kernel, logn: u32) -> usize {
    let schedule = &kernel.body.schedule;
    let interval = u64::from(schedule.interval);
    let iterations = kernel.transform.iterations(logn);
    let mut memories: [Words; 2] = [vec![[0; 2]; 1 << (logn - 1)], twiddle_rom(logn)];
    let mut starts = Starts::default();
    let run = kernel
        .body
        .run(CONTROL, &iterations, &mut memories, &mut starts);
    run.expect("it runs");
    // Cycle from which each word can be read.
    let mut visible: HashMap<(usize, usize), u64> = HashMap::new();
    let (mut next, mut waits) = (0, 0);
    for (iteration, &start) in iterations.iter().zip(&starts.0) {
        let at = |node: usize| start + u64::from(schedule.starts[node]);
        let mut slack = u64::MAX;
        for (node, access) in kernel.body.graph.loads() {
            for word in words(kernel, access, iteration) {
                let since = visible.get(&word).copied().unwrap_or(0);
                slack = slack.min(at(node).checked_sub(since).expect("not too early"));
            }
        }
        if start > next {
            assert!(slack < interval, "{slack} cycles too many before {start}");
            waits += 1;
        }
        for (node, access) in kernel.body.graph.stores() {
            let latency = u64::from(kernel.body.graph.nodes[node].latency);
            for word in words(kernel, access, iteration) {
                visible.insert(word, at(node) + latency);
            }
        }
        next = start + interval;
    }
    waits
}

#[test]
fn stalls_are_as_short_as_can_be() {
    let mut waits = 0;
    for preset in [Preset::PaperOptimized, Preset::Ii2, Preset::Ii1Xor] {
        for transform in [Transform::Fft, Transform::Ifft] {
            let kernel = Kernel::new(&preset.design(), transform).expect("a preset");
            for logn in 2..=10 {
                waits += checked_waits(&kernel, logn);
            }
        }
    }
    assert!(waits > 50, "{waits}");
}

#[test]
fn words_of_one_bank_cannot_be_read_together() {
    let mut kernel = kernel(Preset::Ii1Xor);
    kernel.body.graph.memories[0].banking = Banking::Single;
    assert!(matches!(
        run(&kernel, CONTROL, 9),
        Err(Fault::BankConflict { .. })
    ));
}

#[test]
fn addresses_and_memories_are_checked() {
    let kernel = kernel(Preset::PaperOptimized);
    let iterations = Transform::Fft.iterations(5);
    let mut short: [Words; 2] = [vec![[0; 2]; 15], twiddle_rom(5)];
    let result = kernel.body.run(CONTROL, &iterations, &mut short, &mut ());
    assert!(
        matches!(result, Err(Fault::OutOfRange { .. })),
        "{result:?}"
    );
    let result = kernel
        .body
        .run(CONTROL, &iterations, &mut short[..1], &mut ());
    assert_eq!(result, Err(Fault::Memories { expected: 2 }));

    let accelerator = Accelerator::new(Preset::Ii2.design()).expect("a preset");
    let mut f = vec![0.0; 16];
    for (logn, error) in [
        (0, Error::Degree { logn: 0 }),
        (11, Error::Degree { logn: 11 }),
        (
            5,
            Error::Length {
                expected: 32,
                given: 16,
            },
        ),
    ] {
        let result = accelerator.transform(Transform::Fft, logn, &mut f, &mut ());
        assert_eq!(result, Err(error));
    }
}

#[test]
fn nested_loops_drain_before_the_next_begins() {
    let design = Design {
        pipelining: Pipelining::Innermost { overhead: 2 },
        ..Preset::PaperOptimized.design()
    };
    let accelerator = Accelerator::new(design).expect("a design");
    let mut f = vec![0.0; 512];
    let run = accelerator
        .transform(Transform::Fft, 9, &mut f, &mut ())
        .expect("it runs");
    let kernel = accelerator.kernel(Transform::Fft);
    // There are 255 loops. After each loop except the last, two cycles pass before the next loop.
    let (loops, interval) = (255, u64::from(kernel.body.schedule.interval));
    let drain = u64::from(kernel.body.depth()) - interval;
    assert_eq!(
        run.cycles,
        interval * 1024 + loops * drain + (loops - 1) * 2
    );
    assert_eq!(run.stalls, 0);
}

/// Checks that every design of a grid has a schedule that runs. The test pins how close the
/// intervals come to their bounds, so that it would notice a worse scheduler.
#[test]
fn designs_of_a_grid_are_scheduled_close_to_their_bounds() {
    let mut designs = 0;
    let (mut at_bound, mut worst) = (0, 0);
    for preset in Preset::ALL {
        for multipliers in 1..=5 {
            for adders in 1..=7 {
                for aliasing in [Aliasing::Assumed, Aliasing::Excluded] {
                    let design = Design {
                        multipliers,
                        adders,
                        aliasing,
                        ..preset.design()
                    };
                    for transform in Transform::ALL {
                        let graph = butterfly::graph(&design, transform);
                        let schedule = Schedule::find(&graph, 1, 1000).expect("a schedule");
                        let excess = schedule.interval - Bounds::of(&graph).interval();
                        at_bound += usize::from(excess == 0);
                        worst = worst.max(excess);
                    }
                    let kernel = Kernel::new(&design, Transform::Fft).expect("a schedule");
                    for logn in [3, 6, 9] {
                        let run = run(&kernel, CONTROL, logn).expect("it runs");
                        assert_eq!(run.iterations, u64::from(logn - 1) << (logn - 2));
                    }
                    designs += 1;
                }
            }
        }
    }
    assert_eq!(designs, 5 * 5 * 7 * 2);
    // Of 1400 loops, 780 are at their bound. The worst is 7 cycles above it.
    assert_eq!((at_bound, worst), (780, 7));
}
