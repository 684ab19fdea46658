//! Prints the public items of a crate, one on each line, from the JSON of rustdoc: `falcon-api
//! FILE.json`. `run.sh` compares these lines with the lists in `docs/api`.
//!
//! The traits that a type derives are on one line, `derives TYPE: TRAIT...`. An auto trait is
//! listed only for a type that does not implement it, and `Send` and `Sync` also for a type that
//! implements them under a condition.

use std::collections::{BTreeMap, BTreeSet};
use std::{env, process::ExitCode};

use public_api::Builder;

/// Traits that stable programs cannot name.
const UNSTABLE: [&str; 2] = [
    "core::marker::Freeze for ",
    "core::marker::UnsafeUnpin for ",
];
/// Auto traits. `Send` and `Sync` are also listed if they are implemented under a condition.
const AUTOMATIC: [&str; 5] = [
    " core::marker::Send for ",
    " core::marker::Sync for ",
    " core::marker::Unpin for ",
    " core::panic::unwind_safe::RefUnwindSafe for ",
    " core::panic::unwind_safe::UnwindSafe for ",
];

/// Returns the lines of the crate. The standard library implements `Into`, `Any` and the like for
/// all types; these are left out.
fn lines(path: &str, derived: bool) -> Result<Vec<String>, public_api::Error> {
    let api = Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .omit_auto_derived_impls(!derived)
        .build()?;
    Ok(api.items().map(ToString::to_string).collect())
}

/// Returns true if the line only says that a type has a trait that most types have.
fn is_automatic(line: &str) -> bool {
    let names = |names: &[&str]| names.iter().any(|name| line.contains(name));
    let is_told = line.contains(" where ") && names(&AUTOMATIC[..2]);
    names(&UNSTABLE) || names(&AUTOMATIC) && !is_told
}

/// Returns the traits that each type derives: the lines of `with` that `without` lacks.
fn derived(with: &[String], without: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let without: BTreeSet<&String> = without.iter().collect();
    let mut derived = BTreeMap::<_, BTreeSet<_>>::new();
    for line in with.iter().filter(|line| !without.contains(line)) {
        if let Some((implements, of_type)) = line.split_once(" for ")
            && implements.starts_with("impl")
            // `derive` adds this marker to `PartialEq`. Stable programs cannot name it.
            && !implements.ends_with("::StructuralPartialEq")
        {
            let name = implements.rsplit("::").next().unwrap_or(implements);
            derived
                .entry(of_type.to_owned())
                .or_default()
                .insert(name.to_owned());
        }
    }
    derived
}

fn print(path: &str) -> Result<(), public_api::Error> {
    let (with, without) = (lines(path, true)?, lines(path, false)?);
    for line in without.iter().filter(|line| !is_automatic(line)) {
        println!("{line}");
    }
    for (of_type, traits) in derived(&with, &without) {
        let traits: Vec<_> = traits.into_iter().collect();
        println!("derives {of_type}: {}", traits.join(" "));
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(path) = env::args().nth(1) else {
        eprintln!("usage: falcon-api FILE.json");
        return ExitCode::FAILURE;
    };
    match print(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
