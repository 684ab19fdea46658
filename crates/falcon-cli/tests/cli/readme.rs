//! The README's commands run one after the other in a copy of the pages, and write only new files
//! that git ignores.

use crate::sandbox::Sandbox;
use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_falcon-cli");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README's block with commands of the program, without the installation before them.
fn commands() -> String {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let start = readme.find("falcon-cli keygen my.key").unwrap();
    let block = &readme[start..];
    block[..block.find("```").unwrap()].to_owned()
}

#[test]
fn the_readme_runs_from_top_to_bottom_in_one_folder() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("docs")).unwrap();
    for page in [
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "docs/FORMATS.md",
    ] {
        fs::copy(root().join(page), sandbox.path(page)).unwrap();
    }
    let before: BTreeSet<_> = sandbox.names().into_iter().collect();

    let programs = Path::new(PROGRAM).parent().unwrap();
    let mut path = programs.as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    let run = Command::new("sh")
        .args(["-e", "-c", &commands()])
        .current_dir(sandbox.path("."))
        .env("PATH", path)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(output.contains("signed by Ann"), "{output}");

    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let endings: Vec<_> = ignored
        .lines()
        .filter_map(|line| line.strip_prefix("/*").or(line.strip_prefix('*')))
        .collect();
    let made: Vec<_> = sandbox
        .names()
        .into_iter()
        .filter(|name| !before.contains(name))
        .collect();
    assert!(made.len() > 10, "{made:?}");
    for name in made {
        assert!(
            endings.iter().any(|ending| name.ends_with(ending)),
            "{name}"
        );
    }
}
