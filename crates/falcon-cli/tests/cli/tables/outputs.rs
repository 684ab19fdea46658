//! The output folder: its contents before, during and after a command.

use super::*;
use std::{
    os::unix::fs::symlink,
    process::{Child, Output},
};

const VERIFY: [&str; 8] = {
    let [command, table, keys, file, output, folder] = VERIFY_EXAMPLE;
    [command, table, keys, file, output, folder, "--threads", "1"]
};

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Runs a command, suspends it while it writes its first table to `folder`, and runs `meanwhile`.
fn interrupted(
    sandbox: &Sandbox,
    arguments: &[&str],
    folder: &str,
    meanwhile: impl FnOnce(),
) -> Output {
    interrupted_after(sandbox, arguments, folder, folder, meanwhile)
}

/// Does the same as [`interrupted`], but suspends the command while it writes its first table after
/// the file `made` has appeared.
fn interrupted_after(
    sandbox: &Sandbox,
    arguments: &[&str],
    made: &str,
    folder: &str,
    meanwhile: impl FnOnce(),
) -> Output {
    let mut child = sandbox.command(arguments);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !sandbox.path(made).exists() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    wait_for_temporary(&sandbox.path(folder));
    signal(&child, "STOP");
    meanwhile();
    signal(&child, "CONT");
    child.wait_with_output().unwrap()
}

/// Replaces a file with other content, or with a link to `target`.
fn plant(sandbox: &Sandbox, name: &str, target: Option<&str>) {
    // The folder of outputs is missing until the first one is finished.
    fs::create_dir_all(sandbox.path(name).parent().unwrap()).unwrap();
    let new = sandbox.path("planted");
    match target {
        Some(target) => symlink(sandbox.path(target), &new).unwrap(),
        None => fs::write(&new, "theirs").unwrap(),
    }
    fs::rename(new, sandbox.path(name)).unwrap();
}

#[test]
fn what_appears_during_the_work_is_neither_replaced_nor_followed() {
    for (has_outputs, options) in [
        (true, &["--force"][..]),
        (true, &["--skip-existing", "--format", "ct"]),
        (false, &["--force"]),
        (false, &[]),
    ] {
        let sandbox = Sandbox::empty();
        let make = ["make-table", "ex", "--keys", "2", "--rows", "12000"];
        sandbox.succeeds(&with(&make, ["--tables", "3"]));
        if has_outputs {
            sandbox.succeeds(&VERIFY);
        }
        sandbox.write("victim", "mine");
        let run = interrupted(&sandbox, &with(&VERIFY, options), "v.reports", || {
            plant(&sandbox, "v/part-00000.parquet", Some("victim"));
            plant(&sandbox, "v/part-00001.parquet", None);
            plant(
                &sandbox,
                "v.reports/part-00002.parquet.json",
                Some("victim"),
            );
            plant(&sandbox, "v.reports/summary.json", Some("new"));
        });
        assert_eq!(run.status.code(), Some(2), "{options:?} {run:?}");
        let told = text(&run.stderr);
        for name in [
            "v/part-00000.parquet",
            "v/part-00001.parquet",
            "v.reports/summary.json",
        ] {
            assert!(
                told.contains(&format!(
                    "{name}: appeared or changed since the command began"
                )),
                "{options:?} {told}"
            );
        }
        assert_eq!(sandbox.read("victim"), b"mine");
        assert_eq!(sandbox.read("v/part-00001.parquet"), b"theirs");
        for name in [
            "v/part-00000.parquet",
            "v.reports/part-00002.parquet.json",
            "v.reports/summary.json",
        ] {
            let planted = sandbox.path(name);
            assert!(planted.is_symlink(), "{options:?} {name}");
        }
        assert!(!sandbox.path("new").exists());
    }
}

#[test]
fn a_table_that_is_made_does_not_replace_what_appears() {
    for options in [&["--force"][..], &[]] {
        let sandbox = Sandbox::empty();
        let make = ["make-table", "ex", "--keys", "2", "--rows", "3000"];
        let make = with(&with(&make, ["--tables", "2"]), options);
        sandbox.write("victim", "mine");
        let run = interrupted(&sandbox, &make, "ex", || {
            plant(&sandbox, "ex/ledger/part-00001.parquet", Some("victim"));
        });
        let message = said(&run);
        assert!(message.contains("appeared or changed"), "{message}");
        assert_eq!(sandbox.read("victim"), b"mine");
    }
}

/// A run ends with an error if another run replaced an output that this one skipped.
#[test]
fn a_skipped_output_that_is_replaced_is_an_error() {
    let sandbox = Sandbox::empty();
    let make = ["make-table", "ex", "--keys", "2", "--rows", "12000"];
    sandbox.succeeds(&with(&make, ["--tables", "2"]));
    sandbox.succeeds(&VERIFY);
    for name in ["v/part-00001.parquet", "v.reports/part-00001.parquet.json"] {
        fs::remove_file(sandbox.path(name)).unwrap();
    }
    let run = interrupted(
        &sandbox,
        &with(&VERIFY, ["--skip-existing"]),
        "v.reports",
        || {
            plant(&sandbox, "v/part-00000.parquet", None);
        },
    );
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let told = text(&run.stderr);
    assert!(
        told.contains("v/part-00000.parquet: appeared or changed since the command began"),
        "{told}"
    );
    assert!(errors(&sandbox, "v").contains_key("part-00000.parquet"));
}

/// Returns the errors in `summary.json`, by table.
pub(super) fn errors(
    sandbox: &Sandbox,
    folder: &str,
) -> serde_json::Map<String, serde_json::Value> {
    let sum = sandbox.read(&format!("{folder}.reports/summary.json"));
    let sum: serde_json::Value = serde_json::from_slice(&sum).unwrap();
    sum["errors"].as_object().unwrap().clone()
}

/// A run also ends with an error if another run replaced an output that it made.
#[test]
fn a_made_output_that_is_replaced_is_an_error() {
    let sandbox = Sandbox::empty();
    let make = ["make-table", "ex", "--keys", "2", "--rows", "12000"];
    sandbox.succeeds(&with(&make, ["--tables", "4"]));
    let made = "v.reports/part-00000.parquet.json";
    let run = interrupted_after(&sandbox, &VERIFY, made, "v.reports", || {
        plant(&sandbox, "v/part-00000.parquet", None);
    });
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let told = text(&run.stderr);
    assert!(
        told.contains("v/part-00000.parquet: appeared or changed since the command began"),
        "{told}"
    );
}

#[test]
fn a_table_that_changes_while_it_is_read_is_an_error() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["make-table", "ex", "--keys", "2", "--rows", "12000"]);
    let run = interrupted(&sandbox, &VERIFY, "v.reports", || {
        let table = sandbox.path("ex/ledger/part-00000.parquet");
        let table = File::options().append(true).open(table).unwrap();
        table
            .set_modified(std::time::SystemTime::UNIX_EPOCH)
            .unwrap();
    });
    let message = said(&run);
    let told = "part-00000.parquet: changed while it was read";
    assert!(message.contains(told), "{message}");
    assert!(!sandbox.path("v/part-00000.parquet").exists());
}

/// Suspends one run while another run makes all outputs with other keys.
#[test]
fn the_outputs_of_two_runs_do_not_mix() {
    let sandbox = Sandbox::empty();
    example(&sandbox, &["--tables", "2", "--rows", "12000"]);
    let other = ["make-table", "other", "--keys", "4", "--rows", "1"];
    sandbox.succeeds(&other);
    let force = with(&VERIFY, ["--force"]);
    sandbox.status(&force);
    let with_others = force.iter().map(|&it| match it {
        "ex/keys.parquet" => "other/keys.parquet",
        it => it,
    });
    let with_others: Vec<_> = with_others.collect();
    let run = interrupted(&sandbox, &force, "v.reports", || {
        assert_eq!(sandbox.status(&with_others), 1);
    });
    // The outputs are those of the other run: many verdicts are "unknown key", and the counts in
    // the summaries match.
    for table in ["part-00000.parquet", "part-00001.parquet"] {
        let summary = sandbox.read(&format!("v.reports/{table}.json"));
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        let found = only_verdicts(&sandbox.path(&format!("v/{table}")));
        let unknown = found.iter().filter(|&&verdict| verdict == 3).count();
        assert_eq!(summary["unknown_key"], unknown);
        assert!(unknown > 2000, "{unknown}");
    }
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let told = text(&run.stderr);
    assert!(told.contains("appeared or changed"), "{told}");
}

#[test]
fn an_output_is_finished_only_with_the_bytes_that_its_summary_names() {
    let sandbox = Sandbox::new();
    example(&sandbox, &["--rows", "60"]);
    let columns = [("message", Column::of([b"1", b"2"]))];
    write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
    let sign = ["sign-table", "-k", "k", "t.parquet", "-o", "s"];
    for (command, status, output, input) in [
        (
            &VERIFY[..],
            1,
            "v/part-00000.parquet",
            "ex/ledger/part-00000.parquet",
        ),
        (&sign, 0, "s/t.parquet", "t.parquet"),
    ] {
        assert_eq!(sandbox.status(command), status);
        let first = sandbox.read(output);
        // Another run makes the output, with another key or other randomness.
        let other = match command == sign {
            true => sandbox.status(&with(command, ["--force"])),
            false => sandbox.status(&["verify-table", input, "-p", "k.pub", "-o", "v", "--force"]),
        };
        assert_eq!(other, status);
        let second = sandbox.read(output);
        assert_ne!(first, second);
        let skip = with(command, ["--skip-existing"]);
        assert_eq!(sandbox.status(&skip), status);
        let before = sandbox.read(output);
        let skipped = sandbox.run(&skip);
        assert!(text(&skipped.stderr).contains("already"), "{skipped:?}");
        assert_eq!(sandbox.read(output), before);
        // The output is replaced by that of the other run, truncated, or emptied.
        for damaged in [
            &first[..],
            &second,
            &before[..before.len() - 1],
            &before[..9],
            b"",
        ] {
            if damaged == before {
                continue;
            }
            sandbox.write(output, damaged);
            let run = sandbox.run(&skip);
            assert_eq!(run.status.code(), Some(status), "{run:?}");
            assert!(!text(&run.stderr).contains("already"), "{run:?}");
            assert_eq!(
                rows(&sandbox.path(output)),
                if command == sign { 2 } else { 60 }
            );
            assert!(text(&sandbox.run(&skip).stderr).contains("already"));
            sandbox.write(output, damaged);
            assert_eq!(sandbox.status(&with(command, ["--force"])), status);
        }
        // A file of another program is not replaced, even if it has a summary beside it.
        for foreign in [b"text".to_vec(), sandbox.read(input)] {
            sandbox.write(output, &foreign);
            for option in ["--skip-existing", "--force"] {
                let message = sandbox.refuses(&with(command, [option]));
                assert!(
                    message.contains(&format!("{output}: exists already and is not an output")),
                    "{message}"
                );
                assert_eq!(sandbox.read(output), foreign);
            }
        }
    }
}

#[test]
fn a_damaged_table_needs_no_folder_for_its_output() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["make-table", "ex", "--keys", "2", "--rows", "9"]);
    fs::create_dir(sandbox.path("ex/ledger/a")).unwrap();
    sandbox.write("ex/ledger/a/b.parquet", "none");
    let message = sandbox.refuses(&with(&VERIFY, ["--force"]));
    assert!(message.contains("a/b.parquet: is a damaged"), "{message}");
    assert!(errors(&sandbox, "v").contains_key("ex/ledger/a/b.parquet"));
    let wanted = [
        "part-00000.parquet",
        "reports/part-00000.parquet.json",
        "reports/summary.json",
    ];
    assert_eq!(written(&sandbox, "v"), wanted);
}

fn rows(path: &Path) -> i64 {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.metadata().file_metadata().num_rows()
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_an_error_and_does_not_wait() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["make-table", "ex", "--keys", "2", "--rows", "9"]);
    sandbox.pipe("pipe");
    let socket = std::os::unix::net::UnixListener::bind(sandbox.path("socket")).unwrap();
    let keys = ["--keys", "ex/keys.parquet"];
    let table = "ex/ledger/part-00000.parquet";
    for other in ["pipe", "socket", "/dev/null"] {
        let run = |arguments: &[&str]| {
            let run = sandbox.run_briefly(&with(&["verify-table", "-o", "v"], arguments));
            said(&run)
        };
        let told = format!("{other}: is not a regular file");
        for message in [run(&with(&[other], keys)), run(&[table, "--keys", other])] {
            assert!(message.contains(&told), "{message}");
        }
        // The other tables are still verified.
        run(&with(&[other, table], keys));
        assert!(sandbox.path("v/part-00000.parquet").exists());
        for folder in ["v", "v.reports"] {
            fs::remove_dir_all(sandbox.path(folder)).unwrap();
        }
    }
    drop(socket);
    // Makes a pipe, or a link to a pipe, with the name of an output or of a summary.
    for folder in ["v", "v.reports"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    sandbox.write("damaged.parquet", "none");
    for (table, name) in [
        (table, "v/part-00000.parquet"),
        (table, "v.reports/part-00000.parquet.json"),
        (table, "v.reports/summary.json"),
        ("damaged.parquet", "v/damaged.parquet"),
    ] {
        let pipe = sandbox.pipe(name);
        let link = sandbox.path("link");
        for is_link in [false, true] {
            if is_link {
                fs::rename(&pipe, &link).unwrap();
                symlink(&link, &pipe).unwrap();
            }
            for option in ["--force", "--skip-existing"] {
                let verify = with(&["verify-table", table, "-o", "v", option], keys);
                let message = said(&sandbox.run_briefly(&verify));
                let told = format!("{name}: is not a regular file");
                assert!(message.contains(&told), "{message}");
            }
        }
        fs::remove_file(pipe).unwrap();
        fs::remove_file(link).unwrap();
    }
}
