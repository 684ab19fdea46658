//! The leaks that `plant.py` wrote into the copies of the crates that this program was built with.

use crate::cases::Case;
use falcon_lanes::planted::ACTIVE;
use std::sync::atomic::Ordering;

/// Turns `cases` into one leaking case for each planted leak.
pub(crate) fn plant(cases: Vec<Case>) -> Vec<Case> {
    let lines = include_str!("../plants.txt").lines();
    let plants = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut planted = Vec::new();
    for (number, plant) in (1..).zip(plants) {
        let name = plant.split(" | ").next().unwrap_or_default();
        let case = cases.iter().position(|case| case.name == name);
        let run = cases[case.unwrap_or_else(|| panic!("no case {name:?}"))]
            .run
            .clone();
        planted.push(Case {
            name: plant.into(),
            leaks: true,
            run: std::rc::Rc::new(move || {
                ACTIVE.store(number, Ordering::Relaxed);
                run();
                ACTIVE.store(0, Ordering::Relaxed);
            }),
        });
    }
    planted
}
