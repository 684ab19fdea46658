//! The program `falcon-cli`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    falcon_cli::main()
}
