//! Both sides get the same secret, through files and pipes.

use crate::sandbox::{QUICK, Sandbox, json_lines, text};

/// Names of the sets, as the program lists them.
const SETS: [&str; 18] = [
    "mceliece348864",
    "mceliece348864f",
    "mceliece460896",
    "mceliece460896f",
    "mceliece460896pc",
    "mceliece460896pcf",
    "mceliece6688128",
    "mceliece6688128f",
    "mceliece6688128pc",
    "mceliece6688128pcf",
    "mceliece6960119",
    "mceliece6960119f",
    "mceliece6960119pc",
    "mceliece6960119pcf",
    "mceliece8192128",
    "mceliece8192128f",
    "mceliece8192128pc",
    "mceliece8192128pcf",
];

#[test]
fn every_set_makes_a_secret_that_both_sides_have() {
    for set in SETS {
        let sandbox = Sandbox::of(set);
        let begin = format!("-----BEGIN {} SECRET KEY-----\n", set.to_uppercase());
        assert!(sandbox.read("k").starts_with(begin.as_bytes()), "{set}");
        sandbox.succeeds(&["encaps", "-p", "k.pub", "-o", "c", "--secret", "s"]);
        assert_eq!(sandbox.decaps("k", "c"), sandbox.read("s"), "{set}");
        // Each encapsulation has a different secret.
        let arguments = [
            "encaps", "-p", "k.pub", "-o", "c2", "--secret", "s2", "--json",
        ];
        let made = json_lines(&sandbox.succeeds(&arguments));
        assert_ne!(sandbox.read("s"), sandbox.read("s2"), "{set}");
        assert_ne!(sandbox.read("c"), sandbox.read("c2"), "{set}");
        let described = json_lines(&sandbox.succeeds(&["inspect", "--json", "k", "k.pub", "c"]));
        for line in &described {
            assert_eq!(line["parameters"], set);
            assert_eq!(line["container"], "pem");
        }
        assert_eq!(described[0]["fingerprint"], described[1]["fingerprint"]);
        assert_eq!(made[0]["fingerprint"], described[1]["fingerprint"]);
        assert!(made[0]["fingerprint"].is_string());
    }
}

#[test]
fn raw_files_are_the_bytes_of_the_specification() {
    for (set, public, secret, ciphertext) in [
        ("mceliece348864f", 261_120, 6_492, 96),
        ("mceliece460896pcf", 524_160, 13_608, 188),
    ] {
        let sandbox = Sandbox::empty();
        sandbox.succeeds(&["keygen", "--parameters", set, "k", "--raw"]);
        let named = ["--parameters", set];
        let encaps = ["encaps", "-p", "k.pub", "-o", "c", "--secret", "s", "--raw"];
        sandbox.succeeds(&[&encaps[..], &named].concat());
        for (name, len) in [
            ("k", secret),
            ("k.pub", public),
            ("c", ciphertext),
            ("s", 32),
        ] {
            assert_eq!(sandbox.read(name).len(), len, "{set} {name}");
        }
        let decaps = ["decaps", "-k", "k", "c", "--secret", "s2"];
        sandbox.succeeds(&[&decaps[..], &named].concat());
        assert_eq!(sandbox.read("s"), sandbox.read("s2"));
    }
}

#[test]
fn every_form_of_a_secret_key_is_the_same_key() {
    for set in [QUICK, "mceliece348864"] {
        let sandbox = Sandbox::empty();
        sandbox.write("random", [0xf3; 32]);
        for (form, len) in [("full", 6492), ("compressed", 40), ("seed", 32)] {
            let keygen = ["keygen", "--parameters", set, form, "--form", form];
            let more = ["--seed-file", "random", "--raw"];
            sandbox.succeeds(&[&keygen[..], &more].concat());
            let key = sandbox.read(form);
            assert_eq!(key.len(), len);
            assert!(sandbox.read("full").starts_with(&key));
            let public = format!("{form}.pub");
            assert_eq!(sandbox.read(&public), sandbox.read("full.pub"));
        }
        let named = ["--parameters", set];
        let encaps = ["encaps", "-p", "full.pub", "-o", "c", "--secret", "s"];
        sandbox.succeeds(&[&encaps[..], &named].concat());
        for form in ["full", "compressed", "seed"] {
            let decaps = ["decaps", "-k", form, "c", "--secret", "-"];
            let opened = sandbox.succeeds(&[&decaps[..], &named].concat()).stdout;
            assert_eq!(opened, sandbox.read("s"), "{set} {form}");
            let pubkey = ["pubkey", form, "-o", "-", "--raw"];
            let public = sandbox.succeeds(&[&pubkey[..], &named].concat()).stdout;
            assert_eq!(public, sandbox.read("full.pub"), "{set} {form}");
        }
    }
}

#[test]
fn files_go_through_pipes() {
    let sandbox = Sandbox::new();
    let key = sandbox.read("k.pub");
    let encaps = ["encaps", "-p", "-", "-o", "-", "--secret", "s2"];
    let sent = sandbox.piped(&encaps, &key);
    assert!(sent.status.success(), "{sent:?}");
    assert!(
        sent.stdout
            .starts_with(b"-----BEGIN MCELIECE348864F CIPHERTEXT-----\n")
    );
    let decaps = ["decaps", "-k", "k", "-", "--secret", "-"];
    assert_eq!(
        sandbox.piped(&decaps, &sent.stdout).stdout,
        sandbox.read("s2")
    );
    let decaps = ["decaps", "-k", "-", "c", "--secret", "-"];
    let opened = sandbox.piped(&decaps, &sandbox.read("k")).stdout;
    assert_eq!(opened, sandbox.read("s"));
    let public = sandbox.piped(&["pubkey", "-", "-o", "-"], &sandbox.read("k"));
    assert_eq!(public.stdout, key);
    let described = sandbox.piped(&["inspect", "-"], &key);
    assert!(text(&described.stdout).starts_with("-: mceliece348864f public key"));
}

#[test]
fn a_secret_in_hexadecimal_is_the_same_secret() {
    let sandbox = Sandbox::new();
    let expected: String = sandbox
        .read("s")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    sandbox.succeeds(&["decaps", "-k", "k", "c", "--secret", "hex", "--hex"]);
    assert_eq!(text(&sandbox.read("hex")), format!("{expected}\n"));
    let encaps = [
        "encaps", "-p", "k.pub", "-o", "c2", "--secret", "-", "--hex",
    ];
    let shown = sandbox.succeeds(&encaps).stdout;
    let decaps = ["decaps", "-k", "k", "c2", "--secret", "-", "--hex"];
    assert_eq!(sandbox.succeeds(&decaps).stdout, shown);
    assert_eq!(shown.len(), 65);
}

/// Implicit rejection: a ciphertext that was made for another key causes no error.
#[test]
fn another_key_gives_an_unrelated_secret_and_no_error() {
    for set in [QUICK, "mceliece460896pcf"] {
        let sandbox = Sandbox::of(set);
        sandbox.succeeds(&["keygen", "--parameters", set, "other"]);
        sandbox.succeeds(&["encaps", "-p", "k.pub", "-o", "c", "--secret", "s"]);
        let unrelated = sandbox.decaps("other", "c");
        assert_ne!(unrelated, sandbox.read("s"), "{set}");
        assert_eq!(unrelated, sandbox.decaps("other", "c"), "{set}");
    }
}

#[test]
fn a_seed_restores_the_key_and_no_seed_makes_another() {
    let sandbox = Sandbox::empty();
    let seed = [0xf3; 32];
    sandbox.write("seed", seed);
    sandbox.write("digits", "f3".repeat(32));
    let keygen = ["keygen", "--parameters", QUICK];
    sandbox.succeeds(&[&keygen[..], &["a", "--seed-file", "seed"]].concat());
    sandbox.succeeds(&[&keygen[..], &["b", "--seed-file", "digits"]].concat());
    sandbox.succeeds(&[&keygen[..], &["other"]].concat());
    assert_eq!(sandbox.read("a"), sandbox.read("b"));
    assert_eq!(sandbox.read("a.pub"), sandbox.read("b.pub"));
    assert_ne!(sandbox.read("a"), sandbox.read("other"));
    // With `f`, the first attempt with this seed gives a key, so the key begins with the seed.
    let raw = ["raw", "--seed-file", "seed", "--raw", "--form", "seed"];
    sandbox.succeeds(&[&keygen[..], &raw].concat());
    assert_eq!(sandbox.read("raw"), seed);
}

/// Without `f`, a key often does not begin with the seed of the file. The help says so, too.
#[test]
fn a_seed_that_gives_no_key_is_followed_by_one_that_does() {
    let sandbox = Sandbox::empty();
    let mut followed = 0;
    for i in 0..12 {
        let (seed, key) = (format!("seed{i}"), format!("k{i}"));
        sandbox.write(&seed, [0x80 | i; 32]);
        let keygen = ["keygen", "--parameters", "mceliece348864", &key, "--raw"];
        let more = ["--form", "seed", "--seed-file", &seed];
        sandbox.succeeds(&[&keygen[..], &more].concat());
        followed += usize::from(sandbox.read(&key) != sandbox.read(&seed));
    }
    assert!((1..12).contains(&followed), "{followed}");
}
