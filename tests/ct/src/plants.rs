//! The leaks that `plant.py` wrote into copies of the crates. This program was built with these
//! copies.

use crate::cases::Case;
use crate::valgrind::count_errors;
use falcon_lanes::planted::{ACTIVE, REPORTED};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of errors that were reported before the current case.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

/// Turns `cases` into one leaking case for each planted leak. Leaks in AVX-512 code are left out
/// where it cannot run: under Valgrind, and on other processors.
pub(crate) fn plant(cases: Vec<Case>) -> Vec<Case> {
    let _ = REPORTED.set(|| count_errors() > BEFORE.load(Ordering::Relaxed));
    let lines = include_str!("../plants.txt").lines();
    let plants = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut planted = Vec::new();
    for (number, plant) in (1..).zip(plants) {
        let name = plant.split(" | ").next().unwrap_or_default();
        // The cases of Classic McEliece are the same on every engine.
        #[cfg(target_arch = "aarch64")]
        let name = &name.replace("avx2: mceliece", "neon: mceliece");
        let case = cases.iter().position(|case| case.name == *name);
        if case.is_none() && !is_here(name) {
            continue;
        }
        let run = cases[case.unwrap_or_else(|| panic!("no case {name:?}"))]
            .run
            .clone();
        planted.push(Case {
            name: plant.into(),
            leaks: true,
            run: std::rc::Rc::new(move || {
                BEFORE.store(count_errors(), Ordering::Relaxed);
                ACTIVE.store(number, Ordering::Relaxed);
                // After the report of the leak, a panic ends the case.
                let _ = catch_unwind(AssertUnwindSafe(|| run()));
                ACTIVE.store(0, Ordering::Relaxed);
            }),
        });
    }
    planted
}

/// True if the processor has the instruction set that the case is named after.
fn is_here(name: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = [
        ("avx512", falcon_x86::Avx512::detect().is_some()),
        ("neon", false),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let has = [("avx512", false), ("avx2", false)];
    !has.iter().any(|(set, has)| name.starts_with(set) && !has)
}
