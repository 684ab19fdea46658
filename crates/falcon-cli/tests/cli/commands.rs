//! `kat`, `demo`, `completions`, `man`.

use crate::sandbox::{Sandbox, json_lines, said, text};
use std::fs;

#[test]
fn known_answers_are_generated_and_checked() {
    let sandbox = Sandbox::empty();
    for algorithm in ["falcon-512", "falcon-padded-512"] {
        let generate = [
            "kat", "generate", "-a", algorithm, "-n", "3", "-o", "f", "--force",
        ];
        sandbox.succeeds(&generate);
        let checked = sandbox.succeeds(&["kat", "check", "f", "--json"]);
        let answer = &json_lines(&checked)[0];
        assert_eq!(answer["algorithm"], algorithm);
        assert_eq!(answer["records"], 3);
        assert_eq!(answer["matches"], true);
    }
    // Changes the last digit of the last signature, which is before the two line ends.
    let mut file = sandbox.read("f");
    let digit = file.iter_mut().rev().nth(2).unwrap();
    *digit = if *digit == b'0' { b'1' } else { b'0' };
    sandbox.write("f", file);
    let differs = sandbox.run(&["kat", "check", "f", "--json"]);
    assert_eq!(differs.status.code(), Some(1));
    let answer = &json_lines(&differs)[0];
    assert_eq!(answer["records"], 2);
    assert!(
        answer["finding"]
            .as_str()
            .unwrap()
            .contains("record 2: `sm`")
    );
}

#[test]
fn records_of_other_inputs_are_not_taken_for_those_of_nist() {
    let sandbox = Sandbox::empty();
    let generate = ["kat", "generate", "-a", "falcon-512", "-n", "2", "-o", "f"];
    sandbox.succeeds(&generate);
    let check = |expected: &str| {
        let shown = sandbox.succeeds(&["kat", "check", "f"]).stdout;
        assert!(text(&shown).ends_with(expected), "{}", text(&shown));
    };
    let engine = sandbox.succeeds(&["kat", "check", "f", "--json"]);
    let engine = json_lines(&engine)[0]["engine"].clone();
    let engine = engine.as_str().unwrap();
    check(&format!(
        "2 records of falcon-512 match on engine {engine}\n"
    ));
    // The record 1 alone, where NIST's file has its record 0.
    let file = sandbox.read("f");
    let file = text(&file);
    sandbox.write("f", &file[file.find("count = 1").unwrap()..]);
    check(&format!(
        "1 record of falcon-512 match on engine {engine}; seeds and messages are not NIST's\n"
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn known_answers_that_cannot_be_written_are_an_error() {
    let sandbox = Sandbox::empty();
    let full = fs::File::options().write(true).open("/dev/full");
    let generate = ["kat", "generate", "-a", "falcon-512", "-n", "1"];
    let output = sandbox.command(&generate).stdout(full.unwrap()).output();
    let message = said(&output.unwrap());
    assert!(
        message.contains("cannot write to standard output"),
        "{message}"
    );
}

#[test]
fn the_demo_refuses_a_flipped_bit() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["demo", "m", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = &json_lines(&output)[0];
    assert_eq!(shown["valid"], true);
    assert_eq!(shown["flipped_bit_refused"], true);
    // A call in repetition is faster than the first call, which also reads the file.
    for (first, warm) in [("sign_us", "warm_sign_us"), ("verify_us", "warm_verify_us")] {
        let [first, warm] = [first, warm].map(|name| shown[name].as_f64().unwrap());
        assert!(0.0 < warm && warm < first, "{shown}");
    }
    let (key, signature) = (&shown["public_key"], &shown["signature"]);
    let (key, signature) = (key.as_str().unwrap(), signature.as_str().unwrap());
    sandbox.succeeds(&["verify", "-p", key, "-s", signature, "m"]);
}

#[test]
fn a_demo_that_fails_leaves_nothing() {
    let sandbox = Sandbox::empty();
    let demo = sandbox.run(&["demo", "missing"]);
    said(&demo);
    assert!(sandbox.names().is_empty());
}

#[cfg(unix)]
#[test]
fn what_the_demo_proposes_can_be_typed() {
    let sandbox = Sandbox::empty();
    sandbox.write("a b", "x");
    let demo = sandbox.run(&["demo", "a b"]);
    let shown = text(&demo.stdout);
    for told in [
        "first call         warm\n",
        "The first call reads the file",
        "Warm: the median of repeated calls",
        "secret key",
        "remove the folder",
    ] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    let proposed = shown.lines().last().unwrap().trim();
    let typed = std::process::Command::new("sh")
        .args(["-c", proposed])
        .current_dir(sandbox.0.path())
        .output()
        .unwrap();
    assert!(typed.status.success(), "{proposed}: {typed:?}");
}

#[test]
fn shells_and_man_get_their_pages() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.succeeds(&["completions", shell]);
        assert!(text(&script.stdout).contains("keygen"), "{shell}");
    }
    let page = sandbox.succeeds(&["man"]);
    assert!(text(&page.stdout).starts_with(".ie"));
    let alone = text(&page.stdout).to_owned();
    sandbox.succeeds(&["man", "--dir", "pages"]);
    assert_eq!(alone, text(&sandbox.read("pages/falcon-cli.1")));
    for page in fs::read_dir(sandbox.path("pages")).unwrap() {
        let page = fs::read_to_string(page.unwrap().path()).unwrap();
        for section in ["OPTIONS", "ENVIRONMENT", "VERSION"] {
            assert!(page.contains(&format!("\n.SH {section}\n")), "{page}");
        }
        for name in ["FALCON_ENGINE", "NO_COLOR", "TMPDIR"] {
            assert!(page.contains(&format!("\n.TP\n\\fB{name}\\fR\n")), "{page}");
        }
        assert!(!page.contains(".SH EXTRA"), "{page}");
        // Every page that another page names is there.
        let named = page.replace('\\', "");
        for (end, _) in named.match_indices("(1)") {
            let start = named[..end].rfind(char::is_whitespace).unwrap() + 1;
            let name = format!("pages/{}.1", &named[start..end]);
            assert!(sandbox.path(&name).exists(), "{name}");
        }
    }
    assert!(alone.replace('\\', "").contains("falcon-cli-trust(1)"));
}

#[cfg(unix)]
#[test]
fn manual_pages_replace_other_files_only_if_that_is_asked_for() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::empty();
    let man = ["man", "--dir", "pages"];
    fs::create_dir(sandbox.path("pages")).unwrap();
    sandbox.write("precious", "precious");
    symlink("../precious", sandbox.path("pages/falcon-cli-sign.1")).unwrap();
    let message = sandbox.refuses(&man);
    assert!(
        message.contains("falcon-cli-sign.1: exists already"),
        "{message}"
    );
    assert_eq!(sandbox.read("precious"), b"precious");
    assert_eq!(fs::read_dir(sandbox.path("pages")).unwrap().count(), 1);
    sandbox.succeeds(&["man", "--dir", "pages", "--force"]);
    // Like every output, the page replaces the file that the link points to.
    assert!(sandbox.path("pages/falcon-cli-sign.1").is_symlink());
    assert!(text(&sandbox.read("precious")).starts_with(".ie"));
    sandbox.refuses(&man);
    sandbox.refuses(&["man", "--force"]);
}
