//! Prints the public items of a crate, one a line, from the JSON that rustdoc wrote:
//! `falcon-api FILE.json`. `run.sh` compares these lines with the lists in `docs/api`.

use std::{env, process::ExitCode};

use public_api::Builder;

/// Traits that every type has or lacks, and that no stable program can name.
const UNSTABLE: [&str; 3] = [
    " core::marker::Freeze for ",
    " core::marker::StructuralPartialEq for ",
    " core::marker::UnsafeUnpin for ",
];

fn main() -> ExitCode {
    let Some(path) = env::args_os().nth(1) else {
        eprintln!("usage: falcon-api FILE.json");
        return ExitCode::FAILURE;
    };
    // The standard library implements `Into`, `Any` and the like for all types.
    match Builder::from_rustdoc_json(&path)
        .omit_blanket_impls(true)
        .build()
    {
        Ok(api) => {
            for item in api.items().map(ToString::to_string) {
                if !UNSTABLE.iter().any(|name| item.contains(name)) {
                    println!("{item}");
                }
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
