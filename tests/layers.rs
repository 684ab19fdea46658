//! Checks that functions and files are short, and that the modules of every crate are in layers:
//! within a folder, modules do not use each other in a circle.
//!
//! The modules of a folder are its files, its subfolders (each with its contents), and `own`: the
//! folder's own file, `folder.rs` beside `folder`, or `lib.rs`. A module uses another module if an
//! import or code has a path to an item that the other module defines. A path through an import
//! leads to the module that defines the item. So the own file may import and re-export items of its
//! children, for other folders and for its other children.
//!
//! Declarations of modules, re-exports of children by the own file, imports of modules as a whole,
//! comments and tests do not count.

use falcon_tests::{root, sources};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Largest number of lines of a function, outside tests and the folder `tests`.
const MOST_OF_A_FUNCTION: usize = 80;

/// Largest number of lines of a file, outside tests.
const MOST_OF_A_FILE: usize = 600;

/// Longer files that are tables, with the reason for their length.
const TABLES: [(&str, &str); 1] = [(
    "crates/falcon-core/src/fft/twiddle_table.rs",
    "roots of unity, one in a line",
)];

/// Circles that are allowed: an instruction set names its registers, and registers name their set.
const TRAITS: [(&str, &str); 1] = [(
    "crates/falcon-lanes/src/",
    "bytes doubles floats integers isa look_up register set_bits",
)];

/// Names of the modules from the root of a crate to a module, or to an item in it.
type Names = Vec<String>;

/// For each module, the modules that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// A module. It may be inline, within the file of another one.
#[derive(Default)]
struct Module {
    /// True if the module has a file or a folder.
    is_file: bool,
    /// True if the module is declared for tests only.
    is_test: bool,
    /// Imported names, each with its path as written in the import.
    imports: BTreeMap<String, Names>,
    /// Paths in imports and in code, and whether they are re-exported.
    paths: Vec<(Names, bool)>,
}

/// The modules of a crate.
#[derive(Default)]
struct Crate(BTreeMap<Names, Module>);

/// Appends the tokens of a source: words, `::` and other characters. Literals become `"`.
fn tokens(source: TokenStream, found: &mut Vec<String>) {
    for tree in source {
        match tree {
            TokenTree::Group(group) => {
                let [start, end] = match group.delimiter() {
                    Delimiter::Brace => ["{", "}"],
                    _ => ["(", ")"],
                };
                found.push(start.to_owned());
                tokens(group.stream(), found);
                found.push(end.to_owned());
            }
            TokenTree::Ident(word) => found.push(word.to_string()),
            TokenTree::Literal(_) => found.push("\"".to_owned()),
            TokenTree::Punct(punct) => match found.last_mut() {
                Some(last) if last == ":" && punct.as_char() == ':' => last.push(':'),
                _ => found.push(punct.to_string()),
            },
        }
    }
}

/// Appends the functions of a file longer than [`MOST_OF_A_FUNCTION`], except in `mod tests`.
fn long_functions(file: &str, source: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<_> = source.into_iter().collect();
    let word = |at: usize| trees.get(at).map(ToString::to_string).unwrap_or_default();
    let mut function = None;
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            // Not the type of a function, whose arguments follow at once.
            TokenTree::Ident(name)
                if name == "fn" && !matches!(trees.get(at + 1), Some(TokenTree::Group(_))) =>
            {
                function = Some((at, name.span().start().line));
            }
            TokenTree::Punct(end) if end.as_char() == ';' => function = None,
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Brace {
                    if at >= 2 && word(at - 2) == "mod" && word(at - 1) == "tests" {
                        continue;
                    }
                    if let Some((at, start)) = function.take() {
                        let lines = group.span_close().end().line + 1 - start;
                        if lines > MOST_OF_A_FUNCTION {
                            found.push(format!("{file}: {}: {lines}", word(at + 1)));
                        }
                    }
                }
                long_functions(file, group.stream(), found);
            }
            _ => {}
        }
    }
}

/// Returns the index after the item that begins at `start`.
fn end_of_item(tokens: &[&str], start: usize) -> usize {
    let mut depth = 0;
    let last = tokens[start..].iter().position(|token| {
        depth += i32::from(["{", "("].contains(token)) - i32::from(["}", ")"].contains(token));
        depth < 0 || depth == 0 && ["}", ";"].contains(token)
    });
    start + last.map_or(tokens.len() - start, |last| last + usize::from(depth == 0))
}

/// Returns the names that an import defines, each with its path.
fn imported(item: &[&str]) -> Vec<(String, Names)> {
    let mut found = Vec::new();
    let (mut groups, mut path, mut alias) = (Vec::new(), Names::new(), None);
    let mut tokens = item.iter();
    while let Some(token) = tokens.next() {
        let group: Names = groups.last().cloned().unwrap_or_default();
        match *token {
            "::" => {}
            "{" => groups.push(path.clone()),
            "as" => alias = tokens.next(),
            "}" | "," | ";" => {
                // In a group, `self` is the module itself.
                let is_module = path.len() > 1 && path.last().is_some_and(|name| name == "self");
                if is_module {
                    path.pop();
                }
                let named = is_module || path.len() > group.len();
                if let Some(last) = path.last().filter(|_| named) {
                    let name = alias
                        .take()
                        .map_or(last.clone(), |alias| (*alias).to_owned());
                    found.push((name, path));
                }
                path = group;
                if *token == "}" {
                    groups.pop();
                    path.clear();
                }
            }
            name => path.push(name.to_owned()),
        }
    }
    found
}

impl Crate {
    /// Reads the modules in `src`.
    fn read(src: &Path) -> Self {
        let mut modules = Self::default();
        for path in sources(src) {
            let file = path.strip_prefix(src).expect("inside").with_extension("");
            let names = file.iter().map(|name| name.to_str().expect("UTF-8"));
            let mut name: Names = names.map(str::to_owned).collect();
            // With `lib.rs` beside it, `main.rs` is a separate crate, like those in `bin`.
            if name[0] == "bin" || name == ["main"] && src.join("lib.rs").exists() {
                continue;
            }
            if name == ["lib"] || name == ["main"] || name.ends_with(&["mod".to_owned()]) {
                name.pop();
            }
            for len in 0..name.len() {
                modules.0.entry(name[..len].to_vec()).or_default().is_file = true;
            }
            modules.add(name, &fs::read_to_string(&path).expect("a source file"));
        }
        modules
    }

    /// Adds the module with this text.
    fn add(&mut self, name: Names, text: &str) {
        let mut found = Vec::new();
        tokens(text.parse().expect("Rust"), &mut found);
        let tokens: Vec<_> = found.iter().map(String::as_str).collect();
        self.0.entry(name.clone()).or_default().is_file = true;
        // The enclosing modules, and their depth in braces.
        let (mut inside, mut ends) = (name, Vec::new());
        let (mut depth, mut at) = (0, 0);
        while at < tokens.len() {
            let here = self.0.entry(inside.clone()).or_default();
            let mut next = at + 1;
            match &tokens[at..] {
                ["#", "(", "cfg", "(", "test", ..]
                | ["#", "(", "cfg", "(", "all", "(", "test", ..] => {
                    next = end_of_item(&tokens, at);
                    if let [.., "mod", name, ";"] = tokens[at..next] {
                        let name = [&inside[..], &[name.to_owned()]].concat();
                        self.0.entry(name).or_default().is_test = true;
                    }
                }
                ["mod", name, "{", ..] => {
                    inside.push((*name).to_owned());
                    ends.push(depth);
                }
                ["use", first, ..] if *first != "<" => {
                    next = end_of_item(&tokens, at);
                    let before = match &tokens[..at] {
                        [before @ .., ")"] => {
                            let open = before.iter().rposition(|token| *token == "(");
                            &tokens[..open.unwrap_or_default()]
                        }
                        before => before,
                    };
                    let reexported = before.last() == Some(&"pub");
                    for (name, path) in imported(&tokens[at + 1..next]) {
                        here.paths.push((path.clone(), reexported));
                        here.imports.insert(name, path);
                    }
                }
                ["{", ..] => depth += 1,
                ["}", ..] => {
                    depth -= 1;
                    if ends.pop_if(|end| *end == depth).is_some() {
                        inside.pop();
                    }
                }
                [first, "::", ..] => {
                    let mut path = vec![(*first).to_owned()];
                    while let ["::", name, ..] = &tokens[next..]
                        && !["<", "(", "{"].contains(name)
                    {
                        path.push((*name).to_owned());
                        next += 2;
                    }
                    here.paths.push((path, false));
                }
                _ => {}
            }
            at = next;
        }
    }

    /// Resolves `path`, as written in the module `here`. Returns the module with a file that
    /// defines the item, or `None` if `path` leads to another crate or names a whole module.
    fn definer(&self, here: &[String], path: &[String], steps: usize) -> Option<Names> {
        let (mut base, mut rest) = (here, &path[1..]);
        match path[0].as_str() {
            "crate" => base = &[],
            "self" => {}
            "super" => rest = path,
            _ if self.0.contains_key(&[here, &path[..1]].concat()) => rest = path,
            _ => {
                let import = self.0[here].imports.get(&path[0])?;
                return self.definer(here, &[import, rest].concat(), steps.checked_sub(1)?);
            }
        }
        while rest.first().is_some_and(|name| name == "super") {
            (base, rest) = (base.split_last()?.1, &rest[1..]);
        }
        let full = [base, rest].concat();
        let mut len = full.len();
        while !self.0.contains_key(&full[..len]) {
            len -= 1;
        }
        let (module, name) = (&full[..len], full.get(len)?);
        match self.0[module].imports.get(name) {
            _ if name == "*" => Some(self.file(module)),
            Some(import) => self.definer(
                module,
                &[import, &full[len + 1..]].concat(),
                steps.checked_sub(1)?,
            ),
            None => Some(self.file(module)),
        }
    }

    /// Returns the module with a file that contains `module`.
    fn file(&self, module: &[String]) -> Names {
        let mut module = module.to_vec();
        while !self.0[&module].is_file {
            module.pop();
        }
        module
    }

    /// Returns the folders whose modules use each other in a circle, with these modules.
    fn circles(&self) -> BTreeMap<String, String> {
        let mut folders: BTreeMap<_, Uses> = BTreeMap::new();
        for (here, module) in &self.0 {
            let is_test = |name: &[String]| self.0.get(name).is_some_and(|module| module.is_test);
            if (1..=here.len()).any(|len| is_test(&here[..len])) {
                continue;
            }
            let user = self.file(here);
            for (path, reexported) in &module.paths {
                let Some(used) = self.definer(here, path, 16) else {
                    continue;
                };
                if used == user || *reexported && used.starts_with(&user) {
                    continue;
                }
                let common = user.iter().zip(&used).take_while(|(a, b)| a == b).count();
                let node = |module: &Names| module.get(common).cloned().unwrap_or("own".into());
                let uses = folders.entry(user[..common].join("/")).or_default();
                uses.entry(node(&user)).or_default().insert(node(&used));
            }
        }
        let circles = folders
            .into_iter()
            .map(|(folder, uses)| (folder, circle(&uses)));
        circles.filter(|(_, circle)| !circle.is_empty()).collect()
    }
}

/// Returns the modules that use themselves through others.
fn circle(uses: &Uses) -> String {
    let reaches_itself = |module: &&String| {
        let mut reached = BTreeSet::new();
        let mut next = vec![*module];
        while let Some(module) = next.pop() {
            let used = uses.get(module).into_iter().flatten();
            next.extend(used.filter(|module| reached.insert(*module)));
        }
        reached.contains(module)
    };
    let modules: Vec<_> = uses.keys().filter(reaches_itself).cloned().collect();
    modules.join(" ")
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let mut found = BTreeMap::new();
    let roots = sources(root()).into_iter();
    let roots = roots.filter(|path| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs"));
    let crates: BTreeSet<PathBuf> = roots.map(|path| path.with_file_name("")).collect();
    assert!(crates.len() >= 30, "{crates:?}");
    for src in crates {
        let circles = Crate::read(&src).circles().into_iter();
        let src = src.strip_prefix(root()).expect("inside").to_str();
        let src = src.expect("UTF-8").replace('\\', "/");
        found.extend(circles.map(|(folder, circle)| (format!("{src}/{folder}"), circle)));
    }
    let known = TRAITS
        .iter()
        .map(|(folder, circle)| ((*folder).to_owned(), (*circle).to_owned()));
    assert_eq!(found, known.collect());
}

/// Returns what is too long in a file, `file: lines` or `file: function: lines`.
fn too_long(name: &str, text: &str) -> Vec<String> {
    let is_test = |name: &str| {
        name.split('/')
            .any(|part| ["tests", "tests.rs"].contains(&part))
    };
    let mut found = Vec::new();
    let lines = text.lines().count();
    let is_table = TABLES.iter().any(|(table, _)| *table == name);
    // The programs in the folder `tests` are no tests themselves.
    let below_tests = name.strip_prefix("tests/").unwrap_or(name);
    if lines > MOST_OF_A_FILE && !is_table && !is_test(below_tests) {
        found.push(format!("{name}: {lines}"));
    }
    if !is_test(name) {
        long_functions(name, text.parse().expect("Rust"), &mut found);
    }
    found
}

#[test]
fn functions_and_files_are_short() {
    let mut found = Vec::new();
    for path in sources(root()) {
        let text = fs::read_to_string(&path).expect("a source file");
        let name = path.strip_prefix(root()).expect("inside").to_str();
        found.extend(too_long(&name.expect("UTF-8").replace('\\', "/"), &text));
    }
    assert!(found.is_empty(), "too long: {found:#?}");
}

#[test]
fn what_is_too_long_is_found() {
    // 80 and 81 stand for the lines of a function, 601 for those of a file.
    let [most, over, file] = [79, 80, 601].map(|count| "\n".repeat(count));
    for (name, text, expected) in [
        ("a/src/b.rs", "fn f() {80} fn g(h: fn()) {80}", ""),
        ("a/src/b.rs", "trait T { fn f(); const A: () = {81}; }", ""),
        ("a/src/b.rs", "mod tests { fn f() {81} }", ""),
        ("a/src/b/tests.rs", "fn f() {81} 601", ""),
        ("a/tests/b.rs", "fn f() {81} 601", ""),
        ("tests/a/src/b.rs", "fn f() {81}", ""),
        ("tests/a/src/b.rs", "601", "tests/a/src/b.rs: 601"),
        ("a/src/b.rs", "601", "a/src/b.rs: 601"),
        (
            "a/src/b.rs",
            "impl A { fn f() -> [u8; 2] {81} }",
            "a/src/b.rs: f: 81",
        ),
        (
            "a/src/b.rs",
            "mod a { m! { fn $f() {81} } }",
            "a/src/b.rs: $: 81",
        ),
    ] {
        let text = text
            .replace("80", &most)
            .replace("81", &over)
            .replace("601", &file);
        assert_eq!(too_long(name, &text).concat(), expected, "{name}: {text}");
    }
}

/// Returns the circles of a crate with these files, each as `folder: modules`.
fn circles(files: &[(&str, &str)]) -> String {
    let mut modules = Crate::default();
    for (name, text) in files {
        let name = name.split('/').filter(|part| !part.is_empty());
        modules.add(name.map(str::to_owned).collect(), text);
    }
    let circles = modules.circles();
    let circles = circles
        .iter()
        .map(|(folder, circle)| format!("{folder}: {circle}"));
    circles.collect()
}

#[test]
fn circles_are_found() {
    let line = [
        (
            "",
            "mod a; mod b; mod c; pub use b::B; use a::A; fn f() { c::C }",
        ),
        ("a", "use crate::{b::{self, C as D}, B}; // crate::a"),
        ("c", "fn f() -> &'static str { \"super::a::A\" }"),
    ];
    let with = |b| circles(&[&line[..], &[("b", b)]].concat());
    for right in [
        "use super::c::C; use std::fmt;",
        "use a::A; use crate::c; use other::{self, a}; fn f() { a::g() }",
        "#[cfg(test)] mod tests { use crate::a::A; } fn f(x: &'a str) -> char { '\"' }",
        "/* super::a::A */ mod c { use super::super::c::C; }",
    ] {
        assert_eq!(with(right), "", "{right}");
    }
    for wrong in [
        "use super::a::A;",
        "use crate::A;",
        "use crate::{c::C, a::{A, E}};",
        "use super::a as x; fn f() { x::g() }",
        "use super::a::{self as x}; fn f() { x::g() }",
        "fn f() -> crate::a::A { '\\'' }",
        "#[cfg(test)] mod tests; mod c { use super::super::a::A; }",
        "#[cfg(test)] use super::c::{C}; macro_rules! m { () => { $crate::a::A } }",
        "const TEXT: &str = r#\"\"\\\"#; use super::a::*;",
    ] {
        assert_eq!(with(wrong), ": a b", "{wrong}");
    }
    assert_eq!(with("use super::f;"), ": a b own");
}

#[test]
fn circles_inside_folders_are_found() {
    let with = |own, x, y| circles(&[("", "mod f;"), ("f", own), ("f/x", x), ("f/y", y)]);
    let gathers = "mod x; mod y; pub use x::X; pub(crate) use y::Y; pub struct Own;";
    assert_eq!(with(gathers, "use super::Own;", "use super::{Own, X};"), "");
    assert_eq!(with(gathers, "use super::Y;", "use crate::f::X;"), "f: x y");
    let calls = "mod x; mod y; use x::X; pub struct Own; fn f() { y::f() }";
    assert_eq!(with(calls, "struct X;", "use super::X;"), "");
    assert_eq!(
        with(calls, "use super::Own;", "use super::X;"),
        "f: own x y"
    );
    assert_eq!(with(calls, "use super::y::Y;", "use super::X;"), "f: x y");
    let with_attribute = "mod x; mod y; #[cfg(unix)] use x::X; pub struct Own;";
    assert_eq!(with(with_attribute, "use super::Own;", ""), "f: own x");
    let with_glob = "mod x; mod y; use other::*; use x::X; pub struct Own;";
    assert_eq!(with(with_glob, "use super::*;", ""), "f: own x");
    assert_eq!(
        with(
            "#[cfg(test)] mod x; mod y;",
            "use super::y::Y;",
            "use super::x::X;"
        ),
        ""
    );
}
