//! Makes the JavaScript bindings of a WebAssembly module, for the web:
//! `falcon-wasm-bindgen MODULE.wasm FOLDER`.

use std::env::args_os;
use std::path::PathBuf;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let [module, folder] = &args_os().skip(1).map(PathBuf::from).collect::<Vec<_>>()[..] else {
        eprintln!("usage: falcon-wasm-bindgen MODULE.wasm FOLDER");
        return ExitCode::FAILURE;
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen
        .input_path(module)
        .out_name("native")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate_output())
        .and_then(|mut output| {
            // Only linkers and optimisers read this section.
            output.wasm_mut().customs.remove_raw("target_features");
            output.emit(folder)
        });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error:#}", module.display());
            ExitCode::FAILURE
        }
    }
}
