//! Builds the rewritten tree with cargo and reads the messages.

use serde_json::Value;
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// File name, relative to the root of the workspace, and a range of bytes in the file.
pub type Place = (String, Range<usize>);

/// An error of the compiler.
pub struct Refusal {
    /// Places of the error. For code of a macro, these are the place in its body and then the place
    /// of the call.
    pub places: Vec<Place>,
    /// Other places that the message names.
    pub others: Vec<Place>,
    /// Message, as the compiler prints it.
    pub text: String,
}

/// A program with tests.
pub struct Program {
    /// Name of the package and of the program.
    pub name: String,
    /// Program file.
    pub path: PathBuf,
    /// Folder of the package, in which the tests run.
    pub folder: PathBuf,
}

/// Result of a build: programs, or the compiler's errors.
pub type Built = Result<Vec<Program>, Vec<Refusal>>;

/// Runs `cargo` with `arguments` in `tree`. The build folder is `target`.
pub fn cargo(tree: &Path, target: &Path, arguments: &[&str]) -> io::Result<Built> {
    let mut child = Command::new("cargo")
        .args(arguments)
        .arg("--message-format=json")
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", target)
        // Mutants cause many warnings, about comparisons and unused values.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stdout(Stdio::piped())
        .spawn()?;
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let (mut programs, mut refusals) = (Vec::new(), Vec::new());
    for line in lines {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        match message["reason"].as_str() {
            Some("compiler-message") => refusals.extend(refusal(&message["message"])),
            Some("compiler-artifact") => programs.extend(program(&message)),
            _ => {}
        }
    }
    let status = child.wait()?;
    if !refusals.is_empty() {
        return Ok(Err(refusals));
    }
    if !status.success() {
        return Err(io::Error::other(format!("cargo {arguments:?}: {status}")));
    }
    Ok(Ok(programs))
}

/// Reads a message of the compiler. Returns `None` if it is not an error.
fn refusal(message: &Value) -> Option<Refusal> {
    if message["level"] != "error" {
        return None;
    }
    let spans = message["spans"].as_array()?;
    let is_primary = |span: &&Value| span["is_primary"] == true;
    let others = spans.iter().filter(|span| !is_primary(span));
    Some(Refusal {
        places: places(spans.iter().find(is_primary)?)?,
        others: others.filter_map(places).flatten().collect(),
        text: message["rendered"].as_str()?.to_owned(),
    })
}

/// Returns the place of a span, and those of the macro calls around it.
fn places(mut span: &Value) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    while !span.is_null() {
        let at = |key: &str| span[key].as_u64().map(|at| at as usize);
        let range = at("byte_start")?..at("byte_end")?;
        places.push((span["file_name"].as_str()?.to_owned(), range));
        span = &span["expansion"]["span"];
    }
    Some(places)
}

fn program(message: &Value) -> Option<Program> {
    if message["profile"]["test"] != true {
        return None;
    }
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_str()?;
    let target = message["target"]["name"].as_str()?.replace('_', "-");
    Some(Program {
        name: format!("{package}/{target}"),
        path,
        folder: folder.to_owned(),
    })
}
