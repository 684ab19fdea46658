//! `claims/claims.tsv` lists the promises of README and SECURITY, each with its evidence. These
//! tests check that the pages contain the promises and the figures, and that the named steps,
//! scripts and tests exist. `claims/run.sh` runs the commands. `claims/figures.tsv` lists figures
//! that pages share with lines of the source.

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

/// Returns the paths of all tests, such as `crates::falcon-core::src::params::tests::lengths`.
fn tests() -> Vec<String> {
    let mut paths = Vec::new();
    for file in ["crates", "tests", "benches"].map(|folder| sources(&root().join(folder))) {
        for file in file {
            let source = file.strip_prefix(root()).expect("in the tree");
            let source = source
                .with_extension("")
                .to_string_lossy()
                .replace('/', "::");
            let text = fs::read_to_string(&file).expect("text");
            // The modules around the current line, one for each level of indentation.
            let mut modules: Vec<&str> = Vec::new();
            let mut is_test = false;
            for line in text.lines() {
                let code = line.trim_start();
                let depth = (line.len() - code.len()) / 4;
                let (code, attribute) = (code.trim_start_matches("pub "), code.starts_with("#["));
                if let Some(name) = code
                    .strip_prefix("mod ")
                    .and_then(|it| it.strip_suffix(" {"))
                {
                    modules.truncate(depth);
                    modules.resize(depth, "");
                    modules.push(name);
                } else if let Some(rest) = code.strip_prefix("fn ").filter(|_| is_test) {
                    let (name, _) = rest.split_once('(').expect("arguments");
                    modules.truncate(depth);
                    let within = modules.iter().chain([&name]);
                    let within = within
                        .filter(|it| !it.is_empty())
                        .map(|it| format!("::{it}"));
                    paths.push(format!("{source}{}", within.collect::<String>()));
                }
                is_test = code == "#[test]" || (is_test && (attribute || code.starts_with("//")));
            }
        }
    }
    paths
}

/// Whether a `cargo test` command with this filter runs the test with this path.
fn takes(command: &[&str], test: &str, filter: &str) -> bool {
    let after = |option: &'static str| {
        let pairs = command.windows(2).filter(move |pair| pair[0] == option);
        pairs.map(|pair| pair[1])
    };
    let mut packages = after("-p").map(|name| format!("crates::{name}::"));
    let in_package = packages.any(|package| test.starts_with(&package));
    let mut targets = after("--test").map(|name| format!("::tests::{name}::"));
    let in_target = command.contains(&"--lib") && test.contains("::src::")
        || targets.any(|target| test.contains(&target));
    in_package && in_target && test.contains(filter)
}

/// `cargo test` also passes if one of several filters matches no test.
#[test]
fn tests_that_commands_name_exist() {
    let tests = tests();
    let mut filters_met = 0;
    for [_, sentence, shown] in claims() {
        let Some((command, filters)) = shown.split_once(" -- ") else {
            continue;
        };
        let command: Vec<&str> = command.split(' ').collect();
        if !command.contains(&"test") {
            continue;
        }
        for filter in filters.split(' ') {
            let met = tests.iter().any(|test| takes(&command, test, filter));
            assert!(met, "{sentence}: no test {filter}");
            filters_met += 1;
        }
    }
    assert!(filters_met > 10);
    // Only tests count, not other functions with such a name.
    let command = ["cargo", "test", "-p", "falcon-core", "--lib"];
    let met = |filter| tests.iter().any(|test| takes(&command, test, filter));
    assert!(met("params::tests::lengths") && !met("hash_to_point_in"));
}

/// Returns the list items and table rows of a page, each joined into one line, with the heading
/// above. Leaves out the headers of tables.
fn items(page: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(page)).expect("a page");
    let (mut items, mut heading): (Vec<(String, String)>, _) = (Vec::new(), String::new());
    let (mut fenced, mut open) = (false, false);
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        match line.split_once(' ') {
            _ if fenced => open = false,
            Some((mark, _)) if mark.starts_with('#') => heading = line.to_owned(),
            Some(("-" | "|", _)) => {
                items.push((heading.clone(), line.to_owned()));
                open = true;
            }
            Some(("", rest)) if open => {
                let (_, item) = items.last_mut().expect("an item");
                *item = format!("{item} {}", rest.trim());
            }
            _ => {
                // The row above this line was the header.
                if line.starts_with("|---") {
                    items.pop();
                }
                open = false;
            }
        }
    }
    items
}

/// Every list item and table row of both pages contains a claim, or is listed in
/// `claims/not-claims.txt`.
#[test]
fn every_item_is_listed() {
    let not_claims = include_str!("claims/not-claims.txt");
    let mut not_claims: Vec<(&str, bool)> = not_claims
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| (line, false))
        .collect();
    for page in ["README.md", "SECURITY.md"] {
        let items = items(page);
        assert!(items.len() > 20);
        for (heading, item) in items {
            let claimed = claims()
                .iter()
                .any(|[of, sentence, _]| of == page && item.contains(sentence));
            let listed = not_claims.iter_mut().find(|(line, _)| {
                let rest = line.strip_prefix(page).and_then(|it| it.strip_prefix(": "));
                rest.is_some_and(|rest| rest == heading || item.starts_with(rest))
            });
            assert!(claimed != listed.is_some(), "{page}: {item}");
            if let Some((_, used)) = listed {
                *used = true;
            }
        }
    }
    let unused: Vec<_> = not_claims.iter().filter(|(_, used)| !used).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

/// Returns the numbers in a text: `16,384`, `16_384`, `16 << 10`, `1.5`, `2 KiB`, `3 million`.
fn numbers(text: &str) -> Vec<f64> {
    let is_in_number = |c: char| c.is_ascii_digit() || ",_.".contains(c);
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let from = &rest[start..];
        let end = from.find(|c| !is_in_number(c)).unwrap_or(from.len());
        rest = &from[end..];
        let digits = from[..end].replace([',', '_'], "");
        let Ok(number) = digits.trim_end_matches('.').parse::<f64>() else {
            continue;
        };
        let shift = rest
            .strip_prefix(" << ")
            .map(|it| it.split(|c| !is_in_number(c)).next());
        let unit = rest.split_whitespace().next().unwrap_or_default();
        numbers.push(match (shift, unit) {
            (Some(shift), _) => {
                number * 2f64.powi(shift.expect("a text").parse().expect("a number"))
            }
            (_, "KiB") => number * 1024.0,
            (_, "MiB") => number * 1024.0 * 1024.0,
            (_, "million") => number * 1e6,
            _ => number,
        });
    }
    numbers
}

/// Each row of `claims/figures.tsv` has a sentence of a page and a line of the source. Both must
/// exist, and the line must contain each figure that the sentence has in braces.
#[test]
fn figures_are_those_of_the_source() {
    let table = include_str!("claims/figures.tsv");
    let mut compared = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [page, sentence, source, found] = cells[..] else {
            panic!("{line}");
        };
        let said = sentence.replace(['{', '}'], "");
        assert!(text(page).contains(&said), "{page}: {said}");
        assert!(text(source).contains(found), "{source}: {found}");
        let of_source = numbers(found);
        let figures: Vec<&str> = sentence.split('{').skip(1).collect();
        assert!(!figures.is_empty(), "{line}");
        for figure in figures {
            let (figure, _) = figure.split_once('}').expect("a brace");
            let [number] = numbers(figure)[..] else {
                panic!("{figure}");
            };
            assert!(
                of_source.contains(&number),
                "{said}: {number}, {of_source:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 25);
}

/// Formats a number with commas between thousands.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// Checks counts on pages that are sums over the lines of a file.
#[test]
fn sums_are_those_of_the_tree() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file");
    let is_row = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let executions = read("fuzz/EXECUTIONS.tsv");
    let millions = |of_tree: &str| {
        let rows = executions
            .lines()
            .filter(is_row)
            .map(|row| row.split('\t').collect());
        let rows = rows.filter(|row: &Vec<&str>| row[1].contains(of_tree));
        let sum: u64 = rows
            .map(|row| row[3].parse::<u64>().expect("a number"))
            .sum();
        thousands((sum + 500_000) / 1_000_000)
    };
    let (all, here) = (millions(""), millions("549f02ae5e33"));
    let extents = read("tests/reference/tests/extent.rs");
    let extent = |label: &str| {
        let calls = extents
            .split("extent(\"")
            .filter_map(|call| call.split_once("\", "));
        let calls = calls.filter(|(name, _)| name.starts_with("F") && name.contains(label));
        let full = calls.filter_map(|(_, rest)| rest.split_once(')')?.0.split(", ").nth(1));
        let full = full.map(|it| it.replace('_', "").parse::<u64>().expect("a number"));
        thousands(full.sum())
    };
    let falcon_py = read("kat/falcon-py/sign.txt")
        .lines()
        .filter(is_row)
        .count();
    for (page, sentence) in [
        (
            "fuzz/README.md",
            format!("{all} million inputs had been executed"),
        ),
        ("fuzz/README.md", format!("Of these, {here} million ran")),
        (
            "docs/TESTING.md",
            format!(
                "compares {} signatures of Falcon-512, {} of Falcon-1024, {} of FN-DSA, and {} \
                 keys",
                extent("Falcon-512: signatures"),
                extent("Falcon-1024: signatures"),
                extent("FN-DSA"),
                extent(": keys")
            ),
        ),
        (
            "docs/TESTING.md",
            format!("{falcon_py} vectors of falcon.py"),
        ),
    ] {
        assert!(text(page).contains(&sentence), "{page}: {sentence}");
    }
}

/// CONTRIBUTING.md lists every variable that a script reads with a default, except variables of
/// other programs.
#[test]
fn variables_of_scripts_are_listed() {
    let page = text("CONTRIBUTING.md");
    let folders = [".ci", "benches", "crates", "fuzz", "tests"].map(|name| root().join(name));
    let mut folders: Vec<_> = folders.into();
    let others = [
        "CARGO_BUILD_TARGET",
        "CARGO_HOME",
        "CARGO_PKG_NAME",
        "GUEST_DEBUG",
        "RUSTFLAGS",
        "TMPDIR",
    ];
    let mut variables = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                let is_built = name == "target" || name == "node_modules" || name.starts_with('.');
                folders.extend((!is_built).then_some(path));
                continue;
            }
            if !name.ends_with(".sh") && name != "run" {
                continue;
            }
            let script = fs::read_to_string(&path).expect("a script");
            let uses = script.split("${").filter_map(|it| it.split_once(":-"));
            let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            let names = uses.map(|(name, _)| name).filter(is_name);
            for name in names.filter(|name| !name.is_empty() && !others.contains(name)) {
                assert!(
                    page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}=")),
                    "{name}"
                );
                variables += 1;
            }
        }
    }
    assert!(variables > 20);
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
