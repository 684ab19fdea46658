//! Compares the header with the functions, structures and constants of the library. The C compiler
//! compares the types: it refuses two declarations of a function that differ.

mod common;

use common::Language::C99;
use common::{compiler, package, read};
use falcon_core::{Falcon512, Falcon1024, Parameters, SEED_LEN, det1024};
use falconsign::{FORMATS, SETS, STATUSES, VERDICTS, falconsign_sign_job, falconsign_verify_job};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::mem::{offset_of, size_of};
use std::process::{Command, Stdio};

/// An exported function: name, and declaration in C.
type Declared = (String, String);

/// Translates a type of Rust to C.
fn type_of(rust: &str) -> String {
    if let Some(of) = rust.strip_prefix("*const ") {
        return format!("const {} *", type_of(of));
    }
    if let Some(of) = rust.strip_prefix("*mut ") {
        return format!("{} *", type_of(of));
    }
    match rust {
        "c_int" => "int",
        "c_char" => "char",
        "u8" => "uint8_t",
        "usize" => "size_t",
        "" => "void",
        handle => {
            assert!(handle.starts_with("falconsign_"), "no type of C: {handle}");
            handle
        }
    }
    .to_owned()
}

/// Translates the exported functions of a source to C.
fn declarations(source: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    for part in source.split("extern \"C\" fn ").skip(1) {
        let (name, rest) = part.split_once('(').expect("arguments");
        let (arguments, rest) = rest.split_once(')').expect("an end");
        let (result, _) = rest.split_once('{').expect("a body");
        let result = result.trim().strip_prefix("-> ").unwrap_or_default();
        let types = arguments.split(',').filter_map(|argument| {
            let (_, rust) = argument.split_once(':')?;
            Some(type_of(rust.trim()))
        });
        let types: Vec<_> = types.collect();
        let types = if types.is_empty() {
            "void".to_owned()
        } else {
            types.join(", ")
        };
        found.push((
            name.to_owned(),
            format!("{} {name}({types});", type_of(result)),
        ));
    }
    found
}

/// Returns the exported functions of all sources.
fn exported() -> Vec<Declared> {
    let mut found = Vec::new();
    for entry in fs::read_dir(package().join("src")).expect("a folder") {
        let source = fs::read_to_string(entry.expect("an entry").path()).expect("a source");
        assert_eq!(
            source.matches("extern \"C\" fn").count(),
            source.matches("#[unsafe(no_mangle)]\n").count(),
        );
        found.extend(declarations(&source));
    }
    assert!(found.len() > 40, "{}", found.len());
    found
}

/// Returns the names of the functions that a text calls or declares.
fn names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = text.match_indices('(').map(|(at, _)| &text[..at]);
    let words = before.filter_map(|text| text.rsplit(|c| !is_part(c)).next());
    words
        .filter(|word| word.starts_with("falconsign_"))
        .map(str::to_owned)
        .collect()
}

/// Removes the comments of a text in C.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        kept + part.split_once("*/").expect("an end").1
    })
}

/// Returns whether a program that begins with `header` compiles.
fn compiles(header: &str, program: &str) -> bool {
    let (cc, _) = common::compilers().remove(0);
    let mut command = compiler(&cc, C99);
    // GCC notices ignored results only when it makes code.
    command.args(["-c", "-o", "/dev/null", "-x", "c", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cc");
    let mut input = child.stdin.take().expect("piped");
    input
        .write_all(format!("{header}\n{program}").as_bytes())
        .expect("read");
    drop(input);
    let output = child.wait_with_output().expect("cc ends");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

fn header() -> String {
    read("include/falconsign.h")
}

#[test]
fn functions_have_the_same_names_and_types() {
    let exported = exported();
    let declared: String = exported.iter().map(|(_, c)| format!("{c}\n")).collect();
    assert!(compiles(&header(), &declared));
    let all: BTreeSet<_> = exported.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names(&without_comments(&header())), all);
    // The program of hostile arguments calls every function.
    assert_eq!(names(&read("tests/c/refusals.c")), all);

    // Differences are noticed.
    for (from, to) in [
        (
            "int falconsign_verifier_finish(",
            "void falconsign_verifier_finish(",
        ),
        (
            "size_t falconsign_signing_key_len(int",
            "size_t falconsign_signing_key_len(long",
        ),
        ("const uint8_t *seed", "uint8_t *seed"),
        ("falconsign_signer **signer", "falconsign_signer *signer"),
        ("int format, uint8_t *signature,", "uint8_t *signature,"),
    ] {
        assert!(header().contains(from), "{from}");
        assert!(
            !compiles(&header().replacen(from, to, 1), &declared),
            "{to}"
        );
    }
}

/// Returns a declaration that compiles only if an expression of C has this value.
fn has_value(number: usize, expression: &str, value: i128) -> String {
    format!("typedef char check_{number}[({expression}) == {value} ? 1 : -1];\n")
}

/// Compilers warn if a verdict is ignored.
#[test]
fn an_ignored_result_of_a_verification_is_noticed() {
    let program = |call: &str| format!("void call(void);\nvoid call(void) {{ {call}; }}\n");
    let finish = "falconsign_verifier_finish(NULL)";
    assert!(!compiles(&header(), &program(finish)));
    let used = format!("if ({finish} != FALCONSIGN_OK) return");
    assert!(compiles(&header(), &program(&used)));
    assert!(compiles(
        &header(),
        &program("falconsign_verifier_update(NULL, NULL, 0)")
    ));
}

#[test]
fn constants_and_structures_are_the_same() {
    let mut values: Vec<(String, i128)> = Vec::new();
    let statuses = STATUSES.iter();
    values.extend(statuses.map(|(name, number)| (name.to_string(), i128::from(*number))));
    // A test for negative results finds every failure.
    assert!(values.iter().all(|(name, value)| match &name[..] {
        "FALCONSIGN_OK" => *value == 0,
        _ => *value < 0,
    }));
    let mut value = |name: &str, value: usize| values.push((name.to_owned(), value as i128));
    for (name, number, _) in SETS {
        value(name, number as usize);
    }
    for (name, number, _) in FORMATS {
        value(name, number as usize);
    }
    for (name, verdict) in VERDICTS {
        value(name, verdict as usize);
    }
    value("FALCONSIGN_512_SIGNING_KEY_LEN", Falcon512::SIGNING_KEY_LEN);
    value(
        "FALCONSIGN_1024_SIGNING_KEY_LEN",
        Falcon1024::SIGNING_KEY_LEN,
    );
    value(
        "FALCONSIGN_512_VERIFYING_KEY_LEN",
        Falcon512::VERIFYING_KEY_LEN,
    );
    value(
        "FALCONSIGN_1024_VERIFYING_KEY_LEN",
        Falcon1024::VERIFYING_KEY_LEN,
    );
    value("FALCONSIGN_512_PADDED_LEN", Falcon512::PADDED_LEN);
    value("FALCONSIGN_1024_PADDED_LEN", Falcon1024::PADDED_LEN);
    value(
        "FALCONSIGN_512_COMPRESSED_MAX",
        Falcon512::COMPRESSED_MAX_LEN,
    );
    value(
        "FALCONSIGN_1024_COMPRESSED_MAX",
        Falcon1024::COMPRESSED_MAX_LEN,
    );
    value("FALCONSIGN_512_CT_LEN", Falcon512::CT_LEN);
    value("FALCONSIGN_1024_CT_LEN", Falcon1024::CT_LEN);
    value(
        "FALCONSIGN_SIGNATURE_MAX",
        Falcon1024::CT_LEN.max(Falcon1024::COMPRESSED_MAX_LEN),
    );
    value("FALCONSIGN_FINGERPRINT_LEN", 32);
    value("FALCONSIGN_SEED_LEN", SEED_LEN);
    value("FALCONSIGN_REFERENCE_SEED_LEN", 48);
    value(
        "FALCONSIGN_DET1024_COMPRESSED_MAX",
        det1024::COMPRESSED_MAX_LEN,
    );
    value("FALCONSIGN_DET1024_CT_LEN", det1024::CT_LEN);
    // Longer than any document: tests/c/uses.c writes them into a buffer of this length.
    value("FALCONSIGN_DOCUMENT_MAX", 8192);
    value(
        "sizeof(falconsign_sign_job)",
        size_of::<falconsign_sign_job>(),
    );
    value(
        "sizeof(falconsign_verify_job)",
        size_of::<falconsign_verify_job>(),
    );
    macro_rules! offsets {
        ($job:ident: $($field:ident)*) => {
            $(
                let name = concat!("offsetof(", stringify!($job), ", ", stringify!($field), ")");
                value(name, offset_of!($job, $field));
            )*
        };
    }
    offsets!(falconsign_sign_job: key message message_len);
    offsets!(falconsign_verify_job: key message message_len signature signature_len);

    let checks = |values: &[(String, i128)]| -> String {
        let checks = values.iter().enumerate();
        checks
            .map(|(number, (name, value))| has_value(number, name, *value))
            .collect()
    };
    assert!(compiles(&header(), &checks(&values)));
    for (name, value) in values.iter().step_by(8) {
        let wrong = [(name.clone(), value + 1)];
        assert!(!compiles(&header(), &checks(&wrong)), "{name}");
    }

    // Every constant of the header was compared.
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = without_comments(&header());
    let constants = text
        .split(|c| !is_part(c))
        .filter(|word| word.starts_with("FALCONSIGN_"));
    let constants: BTreeSet<_> = constants.collect();
    let others = [
        "FALCONSIGN_H",
        "FALCONSIGN_VERSION",
        "FALCONSIGN_USE_RESULT",
    ];
    let compared = values.iter().map(|(name, _)| &name[..]);
    let compared = compared
        .filter(|name| name.starts_with("FALCONSIGN_"))
        .chain(others);
    assert_eq!(constants, compared.collect());
    let version = format!(
        "#define FALCONSIGN_VERSION \"{}\"\n",
        env!("CARGO_PKG_VERSION")
    );
    assert!(header().contains(&version));
}

/// Variables that the examples of the header use.
const VARIABLES: &str = "
#include <stdio.h>
extern falconsign_signing_key *key;
extern falconsign_verifying_key *public_key;
extern const uint8_t *message, *seed, *stored, *one, *two;
extern uint8_t signature[FALCONSIGN_SIGNATURE_MAX], signature_1[666], signature_2[666];
extern size_t message_len, seed_len, stored_len, one_len, two_len, length, n;
extern uint8_t buffer[100];
extern FILE *file;
";

#[test]
fn the_examples_compile() {
    let mut examples: Vec<String> = Vec::new();
    let mut is_code = false;
    for line in header().lines() {
        match line.strip_prefix(" *     ") {
            Some(code) => {
                if !is_code {
                    examples.push(String::new());
                }
                let example = examples.last_mut().expect("pushed");
                if code != "..." {
                    *example += &format!("    {code}\n");
                }
                is_code = true;
            }
            None => is_code = false,
        }
    }
    assert_eq!(examples.len(), 9);
    for (number, example) in examples.iter().enumerate() {
        let uses = if example.contains("int status") {
            "    (void)status;\n"
        } else {
            ""
        };
        // The keys of two examples have other types there.
        let key = if example.contains("verifying_key_to_bytes(key") || example.contains("{key, one")
        {
            "    falconsign_verifying_key *key = public_key;\n"
        } else {
            ""
        };
        let program = format!(
            "{VARIABLES}void example_{number}(void);\nvoid example_{number}(void)\n{{\n{key}{example}{uses}}}\n"
        );
        assert!(compiles(&header(), &program), "{program}");
    }
}

#[test]
fn the_shared_library_exports_the_functions_and_nothing_else() {
    let library = common::libraries().join("libfalconsign.so");
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(&library)
        .output();
    let text = String::from_utf8(output.expect("nm").stdout).expect("text");
    let symbols: BTreeSet<_> = text
        .lines()
        .filter_map(|line| line.rsplit(' ').next())
        .collect();
    let exported = exported();
    assert_eq!(
        symbols,
        exported.iter().map(|(name, _)| &name[..]).collect()
    );

    let output = Command::new("readelf").arg("-d").arg(&library).output();
    let text = String::from_utf8(output.expect("readelf").stdout).expect("text");
    let name = format!("[libfalconsign.so.{}]", common::interface());
    assert!(
        text.lines()
            .any(|line| line.contains("SONAME") && line.contains(&name)),
        "{text}"
    );
}
