//! What the cycle engine refuses, and what the scheduler may not do.

use falcon_hls_sim::accelerator::{Accelerator, Error, Kernel, twiddle_rom};
use falcon_hls_sim::butterfly;
use falcon_hls_sim::design::{Aliasing, Design, Pipelining, Preset};
use falcon_hls_sim::engine::{Control, Fault, Interlock, Run, Words};
use falcon_hls_sim::fp::Subnormals;
use falcon_hls_sim::graph::Banking;
use falcon_hls_sim::nest::Transform;
use falcon_hls_sim::schedule::{Bounds, Schedule};

const CONTROL: Control = Control {
    pipelining: Pipelining::Flattened,
    interlock: Interlock::Stall,
    subnormals: Subnormals::Flush,
};

/// The FFT of degree `2^logn` by `kernel` on zeros.
fn run(kernel: &Kernel, control: Control, logn: u32) -> Result<Run, Fault> {
    let iterations = Transform::Fft.iterations(logn);
    let mut memories: [Words; 2] = [vec![[0; 2]; 1 << (logn - 1)], twiddle_rom(logn)];
    kernel.run(control, &iterations, &mut memories, &mut ())
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
    // Both happen.
    assert!(run(&kernel(Preset::Ii1Xor), absent, 7).is_err());
    assert!(run(&kernel(Preset::Ii1Xor), absent, 8).is_ok());
}

#[test]
fn a_unit_that_is_used_twice_ends_the_run() {
    let mut kernel = kernel(Preset::PaperOptimized);
    let mut adders = (0..kernel.graph.nodes.len())
        .filter(|&i| kernel.graph.units[kernel.graph.nodes[i].unit].name == "daddsub");
    let (a, b) = (adders.next().expect("one"), adders.next().expect("two"));
    kernel.schedule.starts[b] = kernel.schedule.starts[a] + kernel.schedule.interval;
    kernel.schedule.instances[b] = kernel.schedule.instances[a];
    assert!(kernel.schedule.broken_rule(&kernel.graph).is_some());
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
        assert_eq!(kernel.schedule.broken_rule(&kernel.graph), None);
        // One cycle earlier breaks something for every operation that has operands.
        for (i, node) in kernel.graph.nodes.iter().enumerate() {
            let mut schedule = kernel.schedule.clone();
            let ready = node
                .inputs
                .iter()
                .map(|input| schedule.starts[input.node] + kernel.graph.nodes[input.node].latency);
            if ready.max() == Some(schedule.starts[i]) {
                schedule.starts[i] -= 1;
                assert!(
                    schedule.broken_rule(&kernel.graph).is_some(),
                    "{}",
                    node.name
                );
            }
        }
    }
}

#[test]
fn words_of_one_bank_cannot_be_read_together() {
    let mut kernel = kernel(Preset::Ii1Xor);
    kernel.graph.memories[0].banking = Banking::Single;
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
    let result = kernel.run(CONTROL, &iterations, &mut short, &mut ());
    assert!(
        matches!(result, Err(Fault::OutOfRange { .. })),
        "{result:?}"
    );
    let result = kernel.run(CONTROL, &iterations, &mut short[..1], &mut ());
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
    // 255 loops, of which each but the last leaves two cycles to the next.
    let (loops, interval) = (255, u64::from(kernel.schedule.interval));
    let drain = u64::from(kernel.depth()) - interval;
    assert_eq!(
        run.cycles,
        interval * 1024 + loops * drain + (loops - 1) * 2
    );
    assert_eq!(run.stalls, 0);
}

/// Every design of a grid has a schedule that keeps its rules and runs; its
/// interval is not below its bounds.
#[test]
fn every_design_of_a_grid_is_scheduled_soundly() {
    let mut designs = 0;
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
                        assert_eq!(schedule.broken_rule(&graph), None);
                        assert!(schedule.interval >= Bounds::of(&graph).interval());
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
}
