//! Files that are truncated, too long, changed, or of the wrong kind.

use crate::sandbox::{QUICK, Sandbox, json_lines, text};

/// Makes the files of [`Sandbox::new`] in raw form, because PEM would notice damage.
fn raw() -> Sandbox {
    raw_of(QUICK)
}

fn raw_of(set: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["keygen", "--parameters", set, "k", "--raw"]);
    let encaps = ["encaps", "-p", "k.pub", "-o", "c", "--secret", "s", "--raw"];
    sandbox.succeeds(&[&encaps[..], &["--parameters", set]].concat());
    sandbox
}

/// Returns the commands that read the file `name`.
fn uses(name: &str) -> Vec<Vec<&'static str>> {
    match name {
        "k" => vec![
            vec!["decaps", "-k", "k", "c", "--secret", "out"],
            vec!["pubkey", "k", "-o", "out"],
            vec!["inspect", "k"],
        ],
        "k.pub" => vec![
            vec!["encaps", "-p", "k.pub", "-o", "out", "--secret", "out2"],
            vec!["inspect", "k.pub"],
        ],
        _ => vec![
            vec!["decaps", "-k", "k", "c", "--secret", "out"],
            vec!["inspect", "c"],
        ],
    }
}

#[test]
fn a_file_of_another_length_is_refused_and_nothing_is_written() {
    let sandbox = raw();
    let before = sandbox.names();
    for name in ["k", "k.pub", "c"] {
        let whole = sandbox.read(name);
        let longer = [&whole[..], b"\0"].concat();
        for (bytes, told) in [
            (&whole[..whole.len() - 1], "bytes"),
            (&whole[..1], "bytes"),
            (&[], "is empty"),
            (&longer[..], "bytes"),
        ] {
            sandbox.write(name, bytes);
            for arguments in uses(name) {
                let named = [&arguments[..], &["--parameters", QUICK]].concat();
                let message = sandbox.refuses(&named);
                assert!(
                    message.starts_with(&format!("error: {name}: ")),
                    "{message}"
                );
                assert!(message.contains(told), "{named:?} {message}");
            }
        }
        sandbox.write(name, whole);
        assert_eq!(sandbox.names(), before);
    }
}

#[test]
fn a_length_is_explained() {
    let sandbox = raw();
    let named = [
        "decaps",
        "-k",
        "k",
        "c",
        "--secret",
        "out",
        "--parameters",
        QUICK,
    ];
    sandbox.write("c", [7; 95]);
    let message = sandbox.refuses(&named);
    let told = "c: 95 bytes; a mceliece348864f ciphertext has 96. Was it truncated?";
    assert!(message.contains(told), "{message}");
    sandbox.write("c", [7; 97]);
    let message = sandbox.refuses(&named);
    assert!(message.contains("Was something added?"), "{message}");
}

#[test]
fn a_file_of_any_size_is_refused_without_reading_it_all() {
    let sandbox = raw();
    let file = std::fs::File::create(sandbox.path("k.pub")).unwrap();
    file.set_len(1 << 40).unwrap();
    let message = sandbox.refuses(&["encaps", "-p", "k.pub", "-o", "x", "--secret", "y"]);
    assert!(
        message.contains("too large to be a public key"),
        "{message}"
    );
}

/// A ciphertext with a flipped bit is not an error, by design of the scheme: it gives another
/// secret.
#[test]
fn a_flipped_bit_of_a_ciphertext_changes_the_secret() {
    for (set, len) in [(QUICK, 96), ("mceliece460896pcf", 188)] {
        let sandbox = raw_of(set);
        let whole = sandbox.read("c");
        assert_eq!(whole.len(), len);
        for index in [0, len / 2, len - 1] {
            let mut damaged = whole.clone();
            damaged[index] ^= 0x10;
            sandbox.write("c", damaged);
            let decaps = [
                "decaps",
                "-k",
                "k",
                "c",
                "--secret",
                "-",
                "--parameters",
                set,
            ];
            let secret = sandbox.succeeds(&decaps).stdout;
            assert_eq!(secret.len(), 32);
            assert_ne!(secret, sandbox.read("s"), "{set} {index}");
        }
    }
}

#[test]
fn padding_that_is_not_zero_is_refused() {
    let set = "mceliece6960119f";
    let sandbox = raw_of(set);
    for (name, use_it) in [
        ("c", &["decaps", "-k", "k", "c", "--secret", "out"][..]),
        (
            "k.pub",
            &["encaps", "-p", "k.pub", "-o", "out", "--secret", "out2"],
        ),
    ] {
        let whole = sandbox.read(name);
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 0x80;
        sandbox.write(name, damaged);
        let message = sandbox.refuses(&[use_it, &["--parameters", set]].concat());
        assert!(
            message.contains("is not a valid mceliece6960119f"),
            "{message}"
        );
        sandbox.write(name, whole);
    }
}

/// A secret key must match its seed, so the program finds damage of any byte.
#[test]
fn a_flipped_bit_of_a_secret_key_is_found_where_the_public_key_is_computed() {
    let sandbox = raw();
    let whole = sandbox.read("k");
    for index in [0, 31, 32, 40, 2000, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[index] ^= 1;
        sandbox.write("k", damaged);
        for arguments in [&["pubkey", "k", "-o", "-"][..], &["inspect", "k"]] {
            let message = sandbox.refuses(&[arguments, &["--parameters", QUICK]].concat());
            assert!(message.starts_with("error: k: "), "{index} {message}");
        }
    }
}

/// Other programs wrap lines at another length.
#[test]
fn pem_with_lines_of_any_length_is_read() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.read("c")).unwrap();
    let (begin, rest) = text.split_once('\n').unwrap();
    let (body, end) = rest.split_once("-----END").unwrap();
    let body = body.replace('\n', "").into_bytes();
    let lines: Vec<_> = body.chunks(76).map(String::from_utf8_lossy).collect();
    sandbox.write(
        "wide",
        format!("{begin}\n{}\n-----END{end}", lines.join("\n")),
    );
    let told = |name| String::from_utf8(sandbox.succeeds(&["inspect", name]).stdout).unwrap();
    assert_eq!(told("wide").replace("wide", "c"), told("c"));
}

#[test]
fn damaged_pem_is_refused() {
    let sandbox = Sandbox::new();
    for name in ["k", "k.pub", "c"] {
        let whole = sandbox.read(name);
        let middle = whole.len() / 2;
        let mut changed = whole.clone();
        changed[middle] = b'!';
        let end = whole.len() - 30;
        let cases = [changed, whole[..middle].to_vec(), whole[..end].to_vec()];
        let cases = cases.into_iter().map(|damaged| (damaged, "damaged PEM"));
        let stray = [&b"-----BEGUN----\n"[..], &whole].concat();
        let stray = (
            stray,
            "has dashes (-----) in line 1, outside of the PEM blocks",
        );
        let double = [&whole[..], &whole].concat();
        let double = (double, "holds 2 PEM blocks, and one is expected");
        for (damaged, told) in cases.chain([stray, double]) {
            sandbox.write(name, damaged);
            for arguments in uses(name) {
                let message = sandbox.refuses(&arguments);
                assert!(message.contains(told), "{name} {message}");
            }
        }
        sandbox.write(name, whole);
    }
    assert_eq!(sandbox.names(), ["c", "k", "k.pub", "s"]);
}

/// Mail programs and editors add text around PEM, and RFC 7468 permits parsers to ignore it.
#[test]
fn text_around_pem_is_ignored() {
    let sandbox = Sandbox::new();
    let secret = sandbox.read("s");
    for name in ["k", "k.pub", "c"] {
        let whole = text(&sandbox.read(name)).to_owned();
        for text in [
            format!("\u{feff}{whole}"),
            format!("Dear reader,\n\n{whole}\nYours\n"),
            format!("\n\n{whole}"),
            whole.replace('\n', "\r\n"),
            whole.replace('\n', "  \n"),
            format!("{whole}more"),
        ] {
            sandbox.write(name, text);
            for arguments in uses(name) {
                sandbox.succeeds(&arguments);
                for output in ["out", "out2"] {
                    let _ = std::fs::remove_file(sandbox.path(output));
                }
            }
            if name != "k.pub" {
                assert_eq!(sandbox.decaps("k", "c"), secret);
            }
        }
        sandbox.write(name, whole);
    }
}

/// A shared secret is as long as the shortest form of a secret key.
#[test]
fn inspect_says_that_32_bytes_have_two_meanings() {
    let sandbox = Sandbox::new();
    let message = sandbox.refuses(&["inspect", "s"]);
    let told = "s: 32 bytes: a shared secret, or a secret key in the form seed";
    assert!(message.contains(told), "{message}");
    assert!(message.contains("--parameters"), "{message}");
    let told = "or a shared secret: the file does not say which";
    let shown = sandbox.succeeds(&["inspect", "s", "--parameters", QUICK]);
    assert!(text(&shown.stdout).contains(told), "{shown:?}");
    let shown = sandbox.succeeds(&["inspect", "s", "--parameters", QUICK, "--json"]);
    assert_eq!(json_lines(&shown)[0]["or"], "shared-secret");
    for (form, more) in [("seed", &[][..]), ("compressed", &["--raw"])] {
        let keygen = ["keygen", "--parameters", QUICK, form, "--form", form];
        sandbox.succeeds(&[&keygen[..], more].concat());
        let shown = sandbox.succeeds(&["inspect", form, "--parameters", QUICK]);
        assert!(!text(&shown.stdout).contains("shared secret"), "{shown:?}");
    }
}

#[test]
fn a_file_of_another_kind_or_set_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("letter", "Dear reader\n");
    sandbox.write(
        "rsa",
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
    );
    let other = ["keygen", "--parameters", "mceliece460896f", "big"];
    sandbox.succeeds(&other);
    for (arguments, told) in [
        (
            &["encaps", "-p", "k", "-o", "x", "--secret", "y"][..],
            "not a public key",
        ),
        (
            &["encaps", "-p", "k", "-o", "x", "--secret", "y"],
            "name k.pub instead",
        ),
        (
            &["decaps", "-k", "k.pub", "c", "--secret", "y"],
            "not a secret key",
        ),
        (
            &["decaps", "-k", "k", "k.pub", "--secret", "y"],
            "not a ciphertext",
        ),
        (
            &["decaps", "-k", "big", "c", "--secret", "y"],
            "but the key is a mceliece460896f key",
        ),
        (
            &["inspect", "letter"],
            "no Classic McEliece key or ciphertext has that length",
        ),
        (&["inspect", "rsa"], "is PEM of the type RSA PRIVATE KEY"),
        (
            &["inspect", "k", "--parameters", "mceliece348864"],
            "--parameters names mceliece348864",
        ),
    ] {
        let message = sandbox.refuses(arguments);
        assert!(message.contains(told), "{arguments:?} {message}");
    }
    assert!(!sandbox.path("x").exists() && !sandbox.path("y").exists());
}

#[test]
fn raw_bytes_need_the_name_of_their_set() {
    let sandbox = raw();
    let message = sandbox.refuses(&["encaps", "-p", "k.pub", "-o", "x", "--secret", "y"]);
    let told = "add --parameters and the set: mceliece348864 or mceliece348864f";
    assert!(message.contains(told), "{message}");
    sandbox.write("k", [0xf3; 32]);
    let message = sandbox.refuses(&["decaps", "-k", "k", "c", "--secret", "y"]);
    assert!(message.contains("mceliece-cli keygen --help"), "{message}");
    assert!(message.contains("--parameters"), "{message}");
}

/// The program uses a damaged key, because such a key may still give the right secret.
#[test]
fn a_flipped_bit_of_a_secret_key_is_warned_about_where_it_is_used() {
    let sandbox = raw();
    let whole = sandbox.read("k");
    let decaps = |key: &[u8]| {
        sandbox.write("k", key);
        let options = ["--secret", "x", "--force", "--parameters", QUICK];
        let output = sandbox.succeeds(&[&["decaps", "-k", "k", "c"][..], &options].concat());
        text(&output.stderr).contains("warning: k: is not the secret key that its seed gives")
    };
    assert!(!decaps(&whole));
    for index in [0, 31, 2000, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[index] ^= 1;
        assert!(decaps(&damaged), "{index}");
    }
}
