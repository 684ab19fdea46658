//! The modules at the root of every library stand in layers: no module uses one that uses it.
//! A folder is one module. Programs without `lib.rs` are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module of a crate uses. A folder is one module.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The crates that consist of modules.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found: Vec<_> = fs::read_dir(root.join("crates"))
        .expect("the crates")
        .map(|entry| entry.expect("a crate").path())
        .chain([root.join("kat"), root.join("benches")])
        .map(|path| path.join("src"))
        .filter(|src| src.join("lib.rs").exists())
        .collect();
    found.sort();
    found
}

/// Every source file under `folder`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The module of the crate in `src` to which a file belongs: none for the root, and
/// for tests.
fn module_of(src: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(src).expect("a file of the crate");
    let mut parts = inside.iter().map(|part| part.to_str().expect("UTF-8"));
    let first = parts.next()?.trim_end_matches(".rs");
    let is_test = |part: &str| part.trim_end_matches(".rs") == "tests";
    let root = matches!(first, "lib" | "main" | "bin");
    (!root && !is_test(first) && !parts.any(is_test)).then(|| first.to_owned())
}

/// The names that stand after `crate::` in `text`, up to its unit tests: one, or those of
/// a group in braces.
fn names_used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().expect("one");
    let lines = code
        .lines()
        .map(|line| line.split("//").next().expect("one"));
    let code = lines.collect::<Vec<_>>().join(" ");
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        // Whether the next name is one of the crate's: it follows `crate::`, or the brace or
        // a comma of its group.
        let mut depth = 0;
        let mut expected = true;
        let mut name = String::new();
        for c in rest.chars().chain([';']) {
            if c.is_alphanumeric() || c == '_' {
                name.push(c);
                continue;
            }
            if expected && !name.is_empty() {
                names.push(name.clone());
                expected = false;
            }
            name.clear();
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => expected = true,
                _ => {}
            }
            if depth == 0 && !expected {
                break;
            }
        }
    }
    names
}

fn uses(src: &Path) -> Uses {
    let mut files = Vec::new();
    sources(src, &mut files);
    let modules: BTreeSet<_> = files.iter().filter_map(|f| module_of(src, f)).collect();
    let mut uses = Uses::new();
    for file in &files {
        let Some(module) = module_of(src, file) else {
            continue;
        };
        let text = fs::read_to_string(file).expect("a source file");
        let mut used = names_used(&text);
        used.retain(|name| *name != module && modules.contains(name));
        uses.entry(module).or_default().extend(used);
    }
    uses
}

/// Takes away modules that use none of those that are left, until nothing changes.
/// What stays is in a circle, or above one.
fn circles(mut uses: Uses) -> Uses {
    loop {
        let left: BTreeSet<_> = uses.keys().cloned().collect();
        let before = uses.len();
        uses.retain(|_, used| {
            used.retain(|name| left.contains(name));
            !used.is_empty()
        });
        if uses.len() == before {
            return uses;
        }
    }
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let crates = crates();
    assert!(crates.len() >= 10, "{crates:?}");
    for src in crates {
        let left = circles(uses(&src));
        assert!(left.is_empty(), "{}: {left:#?}", src.display());
    }
}

#[test]
fn a_circle_is_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = Uses::new();
        for &(from, to) in pairs {
            uses.entry(to.into()).or_default();
            uses.entry(from.into()).or_default().insert(to.into());
        }
        uses
    };
    let line = [("sign", "fft"), ("fft", "lanes"), ("sign", "lanes")];
    assert!(circles(uses(&line)).is_empty());
    let back = [&line[..], &[("lanes", "fft")]].concat();
    assert_eq!(circles(uses(&back)).len(), 3);
    let names = names_used("use crate::fft::Fft; // crate::sign\nuse crate::{a::{b, c}, d};\n");
    assert_eq!(names, ["fft", "a", "d"]);
    let names = names_used("let x = crate::hash::new(a, b) + { c };\n");
    assert_eq!(names, ["hash"]);
}
