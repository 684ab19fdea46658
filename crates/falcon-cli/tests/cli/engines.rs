//! The choice of the engine.

use crate::sandbox::{Sandbox, json_lines, said, text};
use std::ffi::OsStr;

#[test]
fn every_engine_signs_what_every_engine_verifies() {
    let sandbox = Sandbox::new();
    let mut engines = json_lines(&sandbox.succeeds(&["inspect", "--engines", "--json"]));
    // If there is no GPU, the engine is listed with the reason.
    engines.retain(|engine| engine["lanes"] != 0);
    assert!(engines.len() >= 2);
    assert_eq!(
        engines
            .iter()
            .filter(|engine| engine["chosen"] == true)
            .count(),
        1
    );
    for engine in &engines {
        let name = engine["engine"].as_str().unwrap();
        sandbox.succeeds(&["sign", "-k", "k", "m", "--force", "--engine", name]);
        sandbox.succeeds(&["verify", "-p", "k.pub", "m", "--engine", name]);
    }
    assert_eq!(
        sandbox.status(&["sign", "-k", "k", "m", "--engine", "abacus"]),
        2
    );
}

#[test]
fn the_environment_names_the_engine_unless_the_command_line_does() {
    let sandbox = Sandbox::new();
    let chosen = |in_environment: &str, arguments: &[&str]| {
        let arguments = [&["inspect", "--engines", "--json"], arguments].concat();
        let mut command = sandbox.command(&arguments);
        let command = command.env("FALCON_ENGINE", in_environment);
        let output = command.output().unwrap();
        assert!(output.stderr.is_empty(), "{output:?}");
        let lines = json_lines(&output);
        let chosen = lines.iter().find(|line| line["chosen"] == true).unwrap();
        chosen["engine"].as_str().unwrap().to_owned()
    };
    assert_eq!(chosen("soft", &[]), "soft");
    assert_eq!(chosen("soft", &["--engine", "scalar"]), "scalar");
    assert_eq!(chosen("Auto", &[]), chosen("", &[]));
}

#[test]
fn a_wrong_engine_in_the_environment_is_named_and_stops_only_signing() {
    wrong_engine("abacus".as_ref());
}

#[cfg(unix)]
#[test]
fn an_engine_in_the_environment_that_is_not_text_is_wrong() {
    use std::os::unix::ffi::OsStrExt;
    wrong_engine(OsStr::from_bytes(b"\xff"));
}

fn wrong_engine(name: &OsStr) {
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.env("FALCON_ENGINE", name).output().unwrap()
    };
    let message = said(&run(&["sign", "-k", "k", "m"]));
    assert!(message.contains("FALCON_ENGINE"), "{message}");
    sandbox.succeeds(&["sign", "-k", "k", "m", "--engine", "Scalar"]);
    assert!(run(&["verify", "-p", "k.pub", "m"]).status.success());
    assert!(
        run(&["sign", "-k", "k", "m", "--force", "--engine", "soft"])
            .status
            .success()
    );
    for arguments in [
        &["manifest", "sign", "-k", "k", "."][..],
        &["kat", "check", "k"],
        &["bench"],
        &["demo", "m"],
        #[cfg(feature = "tables")]
        &["sign-table", "-k", "k", "m", "-o", "signed"],
        #[cfg(feature = "tables")]
        &["make-table", "made"],
    ] {
        let refused = run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(said(&refused).contains("FALCON_ENGINE"), "{arguments:?}");
    }
    #[cfg(feature = "tables")]
    assert!(
        said(&run(&["verify-table", "-p", "k.pub", "m", "-o", "v"]))
            .starts_with("warning: the environment variable FALCON_ENGINE")
    );
    let listed = run(&["inspect", "--engines"]);
    assert!(text(&listed.stdout).contains("scalar"));
    assert!(said(&listed).contains("FALCON_ENGINE"));
}
