//! Every value that falcon-core or mceliece-core reveals is listed, justified, and accompanied by a
//! planted leak.
//!
//! `tests/ct/reveals.txt` lists each line that reveals a value. A table in `docs/CONSTANT-TIME.md`
//! or `docs/MCELIECE.md` justifies it for the function, and `tests/ct/plants.txt` plants a leak in
//! the function.

use falcon_tests::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A crate, the prefix of its files in the lists, and the page with the justifications.
struct Crate {
    name: &'static str,
    prefix: &'static str,
    page: &'static str,
}

const CRATES: [Crate; 2] = [
    Crate {
        name: "falcon-core",
        prefix: "",
        page: "docs/CONSTANT-TIME.md",
    },
    Crate {
        name: "mceliece-core",
        prefix: "mceliece-core: ",
        page: "docs/MCELIECE.md",
    },
];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the name of the function if a line of code begins one.
fn function(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    rest.split(['(', '<']).next()
}

/// True if a line of code contains `reveal` or `reveal_all` as a word.
fn reveals(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == "reveal" || word == "reveal_all")
}

/// Returns `file::function` and the line of each use in `text`. Imports without renaming do not
/// count.
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

impl Crate {
    fn sources(&self) -> PathBuf {
        root().join("crates").join(self.name).join("src")
    }

    /// Returns the uses in the crate in order, without the definition.
    fn uses(&self) -> Vec<(String, String)> {
        let sources = self.sources();
        let mut found = Vec::new();
        for path in falcon_tests::sources(&sources) {
            let name = path.strip_prefix(&sources).expect("a file of the crate");
            let name = name.to_str().expect("UTF-8");
            if name != "reveal.rs" && name != "lib.rs" {
                found.extend(uses(name, &read(&path)));
            }
        }
        found.sort();
        found
    }

    /// Returns the functions that reveal a value.
    fn revealing(&self) -> BTreeSet<String> {
        let uses = self.uses().into_iter();
        uses.map(|(function, _)| function).collect()
    }

    /// Returns the functions with a planted leak.
    fn planted(&self) -> BTreeSet<String> {
        let plants = read(&root().join("tests/ct/plants.txt"));
        let plants = plants
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let fields = plants.map(|plant| {
            let fields: Vec<String> = plant.split(" | ").map(str::to_owned).collect();
            <[String; 4]>::try_from(fields).unwrap_or_else(|_| panic!("not four fields: {plant}"))
        });
        let ours = fields.filter_map(|[_, file, before, _]| {
            let file = file.strip_prefix(self.prefix)?.to_owned();
            (!file.contains(": ")).then_some((file, before))
        });
        ours.map(|(file, before)| {
            let before = before.replace("\\n", "\n");
            let text = read(&self.sources().join(&file));
            let end = text
                .find(&before)
                .unwrap_or_else(|| panic!("nowhere in {file}: {before}"));
            let mut lines = text[..end + before.len()].lines().rev();
            let inside = lines.find_map(function);
            format!("{file}::{}", inside.unwrap_or_default())
        })
        .collect()
    }
}

#[test]
fn every_revealed_value_is_listed() {
    let of_crate = |of: &'static Crate| {
        let uses = of.uses().into_iter();
        uses.map(|(function, line)| format!("{}{function} | {line}", of.prefix))
    };
    let found: Vec<String> = CRATES.iter().flat_map(of_crate).collect();
    let listed = read(&root().join("tests/ct/reveals.txt"));
    let listed: Vec<&str> = listed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(found, listed, "in the code, in tests/ct/reveals.txt");
}

#[test]
fn every_function_that_reveals_is_justified() {
    for of in &CRATES {
        let page = read(&root().join(of.page));
        let (_, table) = page.split_once("| function in `").expect("a table");
        let rows = table.lines().take_while(|line| !line.is_empty());
        let names = rows
            .filter(|row| row.starts_with("| `"))
            .filter_map(|row| row.split(" | ").next());
        let justified: BTreeSet<String> = names
            .flat_map(|names| names.split('`').skip(1).step_by(2).map(str::to_owned))
            .collect();
        assert_eq!(of.revealing(), justified, "in {}, in its table", of.name);
    }
}

#[test]
fn every_function_that_reveals_has_a_planted_leak() {
    for of in &CRATES {
        let planted = of.planted();
        let without: Vec<_> = of.revealing().difference(&planted).cloned().collect();
        assert!(
            without.is_empty(),
            "no planted leak in {without:?} of {}",
            of.name
        );
    }
}

#[test]
fn the_pages_have_the_number_of_planted_leaks() {
    let plants = read(&root().join("tests/ct/plants.txt"));
    let plants = plants
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let of_mceliece = |plant: &&str| plant.split(" | ").next().unwrap_or("").contains("mceliece");
    let (mceliece, falcon): (Vec<_>, Vec<_>) = plants.partition(of_mceliece);
    for (of, plants) in CRATES.iter().zip([falcon, mceliece]) {
        let sentence = format!("writes {} of them", plants.len());
        assert!(
            read(&root().join(of.page)).contains(&sentence),
            "{}: {sentence}",
            of.page
        );
    }
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
