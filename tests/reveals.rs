//! Every value that falcon-core reveals is listed, justified and next to a planted leak.
//!
//! `tests/ct/reveals.txt` lists each line that reveals something. The table of
//! `docs/CONSTANT-TIME.md` justifies it for the function, and `tests/ct/plants.txt` plants a leak
//! in the function.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Name of the function that a line of code begins.
fn function(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    rest.split(['(', '<']).next()
}

/// Whether a line of code names `reveal` or `reveal_all` as a word.
fn reveals(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == "reveal" || word == "reveal_all")
}

/// `file::function` and the line of each use in `text`, but for imports by their own name.
fn uses(name: &str, text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside = "";
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default().trim();
        inside = function(code).unwrap_or(inside);
        let import = code.starts_with("use crate::reveal::") && !code.contains(" as ");
        if reveals(code) && !import {
            found.push((format!("{name}::{inside}"), code.to_owned()));
        }
    }
    found
}

/// The uses in the sources under `folder`, but for the definition.
fn uses_under(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("a file of the crate");
        let name = name.to_str().expect("UTF-8");
        if path.is_dir() {
            uses_under(root, &path, found);
        } else if name != "reveal.rs" && name != "lib.rs" {
            found.extend(uses(name, &read(&path)));
        }
    }
}

/// The uses in falcon-core, in order.
fn all_uses() -> Vec<(String, String)> {
    let sources = root().join("crates/falcon-core/src");
    let mut found = Vec::new();
    uses_under(&sources, &sources, &mut found);
    found.sort();
    found
}

/// The functions that reveal something.
fn revealing() -> BTreeSet<String> {
    all_uses()
        .into_iter()
        .map(|(function, _)| function)
        .collect()
}

#[test]
fn every_revealed_value_is_listed() {
    let found: Vec<String> = all_uses()
        .iter()
        .map(|(function, line)| format!("{function} | {line}"))
        .collect();
    let listed = read(&root().join("tests/ct/reveals.txt"));
    let listed: Vec<&str> = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(found, listed, "in the code, in tests/ct/reveals.txt");
}

#[test]
fn every_function_that_reveals_is_justified() {
    let page = read(&root().join("docs/CONSTANT-TIME.md"));
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let names = rows.filter_map(|row| row.split(" | ").next());
    let justified: BTreeSet<String> = names
        .flat_map(|names| names.split('`').skip(1).step_by(2).map(str::to_owned))
        .collect();
    assert_eq!(revealing(), justified, "in the code, in the table");
}

#[test]
fn every_function_that_reveals_has_a_planted_leak() {
    let plants = read(&root().join("tests/ct/plants.txt"));
    let plants = plants
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let planted: BTreeSet<String> = plants
        .map(|plant| {
            let fields: Vec<&str> = plant.split(" | ").collect();
            let [_, file, before, _] = fields[..] else {
                panic!("not four fields: {plant}");
            };
            let before = before.replace("\\n", "\n");
            let text = read(&root().join("crates/falcon-core/src").join(file));
            let end = text
                .find(&before)
                .unwrap_or_else(|| panic!("nowhere: {plant}"));
            let mut lines = text[..end + before.len()].lines().rev();
            let inside = lines.find_map(function);
            format!("{file}::{}", inside.unwrap_or_default())
        })
        .collect();
    let without: Vec<_> = revealing().difference(&planted).cloned().collect();
    assert!(without.is_empty(), "no planted leak in {without:?}");
}

#[test]
fn uses_are_found_in_every_form() {
    let text = "fn a() {\n    if reveal(x) > 1 {}\n    s.map(reveal);\n}\nuse crate::reveal::reveal;\n\
        use crate::reveal::reveal as r;\nfn b<T>() { reveal_all(h) }\n// reveal(x)\n";
    let functions: Vec<_> = uses("f.rs", text)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(functions, ["f.rs::a", "f.rs::a", "f.rs::a", "f.rs::b"]);
}
