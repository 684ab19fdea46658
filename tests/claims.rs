//! `claims/claims.tsv` lists the promises of README and SECURITY, and the evidence for each. The
//! tests check that the pages still contain them, that figures stand with their date in the named
//! page, and that named steps and scripts exist. `claims/run.sh` runs the commands.

use falcon_tests::{root, sources};
use std::fs;

/// Returns page, sentence and evidence of each claim.
fn claims() -> Vec<[String; 3]> {
    let table = include_str!("claims/claims.tsv");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .skip(1)
        .map(|line| {
            let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
            cells.try_into().expect("three columns")
        })
        .collect()
}

/// Returns the text of a file, with single spaces instead of line breaks.
fn text(path: &str) -> String {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|_| panic!("no file {path}"));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_pages_say_so() {
    for [page, sentence, _] in claims() {
        assert!(text(&page).contains(&sentence), "{page}: {sentence}");
    }
}

#[test]
fn figures_stand_in_the_page_that_is_named() {
    let mut figures = 0;
    for [_, sentence, shown] in claims() {
        if let Some(place) = shown.strip_prefix("in ") {
            let (page, figure) = place.split_once(": ").expect("a page and a text");
            assert!(text(page).contains(figure), "{sentence}: {figure}");
            figures += 1;
        }
    }
    assert!(figures > 5);
}

#[test]
fn steps_and_tests_that_are_named_exist() {
    let steps = fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
    for [_, sentence, shown] in claims() {
        let words: Vec<&str> = shown.split(' ').collect();
        match words[0] {
            "in" => {}
            ".ci/run" => {
                for step in &words[1..] {
                    let function = format!("\nstep_{step}() {{");
                    assert!(steps.contains(&function), "{sentence}: no step {step}");
                }
            }
            "cargo" | "env" => {}
            script => assert!(root().join(script).is_file(), "{sentence}: no {script}"),
        }
    }
}

/// Checks that every filter matches a test. Cargo would accept a filter that matches no test if
/// another filter matches one.
#[test]
fn tests_that_commands_name_exist() {
    let files = ["crates", "tests"].map(|folder| sources(&root().join(folder)));
    let texts = files.iter().flatten().map(fs::read_to_string);
    let text: String = texts.collect::<Result<_, _>>().expect("text");
    // Cargo runs every test whose path contains the filter.
    let defines = |line: &&str| line.contains("fn ") || line.contains("mod ");
    let defined: Vec<&str> = text.lines().filter(defines).collect();
    let mut names = 0;
    for [_, sentence, shown] in claims() {
        let Some((_, filters)) = shown
            .split_once(" -- ")
            .filter(|_| shown.contains("cargo test"))
        else {
            continue;
        };
        for name in filters.split([' ', ':']).filter(|name| !name.is_empty()) {
            let exists = defined.iter().any(|line| line.contains(name));
            assert!(exists, "{sentence}: no test {name}");
            names += 1;
        }
    }
    assert!(names > 10);
}

/// Checks that every row in SECURITY's table of properties is also a claim.
#[test]
fn every_property_of_security_is_listed() {
    let page = fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md");
    let (_, table) = page.split_once("| property |").expect("the table");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let properties: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
    assert!(properties.len() > 5);
    for property in properties {
        let listed = claims()
            .iter()
            .any(|[page, sentence, _]| page == "SECURITY.md" && sentence == property.trim());
        assert!(listed, "{property}");
    }
}

#[test]
fn survivors_are_counted() {
    let page = fs::read_to_string(root().join("docs/TESTING.md")).expect("the page");
    let header =
        "| crate | possible | taken | noticed | survived | not valid Rust | listed today |";
    let (_, rows) = page.split_once(header).expect("the table");
    let rows = rows
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut crates = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        let list = root().join(format!("tests/mutants/survivors/{name}.tsv"));
        let list = fs::read_to_string(list).expect("a list of survivors");
        let listed = list
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        assert_eq!(cells[6], listed.count().to_string(), "{name}");
        crates += 1;
    }
    let lists = fs::read_dir(root().join("tests/mutants/survivors")).expect("a folder");
    assert_eq!(crates, lists.count());
}
