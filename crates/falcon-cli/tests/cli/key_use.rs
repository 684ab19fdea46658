//! Keys for certificates only: every command that signs respects the mark, and every command that
//! writes keys keeps it.

use crate::certificates::{certificate, fields_of, with_signature};
use crate::sandbox::{Sandbox, json_lines, text, with};
use falcon_core::pkcs8::der::pem;
use falcon_core::pkcs8::{KeyUse, LineEnding, decrypt_private_key};
use falcon_core::{AnySigningKey, Falcon512, SigningKey};
use std::collections::BTreeSet;

/// The attribute `keyUsage` with `keyCertSign` and `cRLSign`.
const MARK: [u8; 15] = [
    0xa0, 0x0d, 0x30, 0x0b, 0x06, 0x03, 0x55, 0x1d, 0x0f, 0x31, 0x04, 0x03, 0x02, 0x01, 0x06,
];

/// Returns a folder with the marked keys `c`, `encrypted` (passphrase in `p`), `theirs` (in Bouncy
/// Castle's form) and `large` (Falcon-1024). The key `k` is not marked.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p", "correct horse\n");
    let keygen = ["keygen", "--use", "certificates"];
    sandbox.succeeds(&with(&keygen, ["c"]));
    sandbox.succeeds(&with(&keygen, ["encrypted", "--passphrase-file", "p"]));
    sandbox.succeeds(&with(&keygen, ["large", "-a", "falcon-1024"]));
    sandbox.succeeds(&["convert", "c", "--to", "bouncy-castle", "-o", "theirs"]);
    sandbox
}

/// Returns the document of a key file, decrypted.
fn document(sandbox: &Sandbox, key: &str) -> Vec<u8> {
    let (label, der) = pem::decode_vec(&sandbox.read(key))
        .map(|(l, der)| (l.to_owned(), der))
        .unwrap();
    match &*label {
        "PRIVATE KEY" => der,
        _ => decrypt_private_key(&der, "correct horse")
            .unwrap()
            .as_bytes()
            .to_vec(),
    }
}

fn is_marked(sandbox: &Sandbox, key: &str) -> bool {
    KeyUse::of_document(&document(sandbox, key)).unwrap() == KeyUse::CertificatesOnly
}

/// Arguments of every command that signs with a key. The path of the key follows them.
const DOORS: &[&[&str]] = &[
    &["sign", "m", "-k"],
    &["sign", "m", "--format", "compressed", "-k"],
    &["sign", "m", "--format", "ct", "-k"],
    &["sign", "m", "--format", "pem", "-k"],
    &["sign", "m", "--format", "envelope", "-k"],
    &["sign", "m", "--comment", "paid", "-k"],
    &["sign", "m", "-o", "-", "-k"],
    &["sign", "--list", "list", "-k"],
    &["sign", "m", "--algorithm", "falcon-det1024", "-k"],
    &["manifest", "sign", "folder", "-k"],
    #[cfg(feature = "tables")]
    &["sign-table", "t.parquet", "-o", "signed", "-k"],
];

#[test]
fn a_key_for_certificates_signs_nothing_else() {
    let sandbox = sandbox();
    sandbox.write("list", "m\n");
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.write("folder/file", "content");
    let before = sandbox.names();
    for door in DOORS {
        for key in ["c", "encrypted", "theirs", "large"] {
            let mut arguments = with(door, [key]);
            if key == "encrypted" {
                arguments.extend(["--passphrase-file", "p"]);
            }
            let message = sandbox.refuses(&arguments);
            let told = format!("error: {key}: is a key for certificates only, and signs nothing");
            assert!(message.contains(&told), "{arguments:?}: {message}");
            assert!(message.contains("name another key with -k"), "{message}");
            assert_eq!(sandbox.names(), before, "{arguments:?}");
        }
    }
    // The option permits only X.509 documents: no other message, and no statement about a document.
    for door in DOORS.iter().filter(|door| door[0] == "sign") {
        let message = sandbox.refuses(&with(door, ["large", "--allow-x509"]));
        assert!(message.contains("and the key signs nothing else") || message.contains("only"));
        assert_eq!(sandbox.names(), before, "{door:?}");
    }
    let message = sandbox.refuses(&["sign", "m", "-k", "c", "--allow-x509"]);
    assert!(
        message.contains("error: m: is not the signed part of a certificate"),
        "{message}"
    );
}

/// Returns the commands with an option `--key` in their help. All begin with the words `before`.
fn commands_with_a_key(sandbox: &Sandbox, before: &[&str]) -> BTreeSet<String> {
    let help = sandbox.succeeds(&with(before, ["--help"]));
    let help = text(&help.stdout).to_owned();
    let mut found = BTreeSet::new();
    let (_, commands) = help.split_once("\nCommands:\n").unwrap_or_default();
    for line in commands.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        // Lines of commands begin with two blanks. Descriptions may continue on a further line.
        if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
            found.extend(commands_with_a_key(sandbox, &with(before, [name])));
        }
    }
    if help.contains("--key <") {
        found.insert(before.join(" "));
    }
    found
}

#[test]
fn no_other_command_signs_with_a_key() {
    let sandbox = Sandbox::empty();
    let doors = DOORS.iter().map(|door| match door {
        ["manifest", ..] => "manifest sign".to_owned(),
        [command, ..] => (*command).to_owned(),
        [] => String::new(),
    });
    assert_eq!(commands_with_a_key(&sandbox, &[]), doors.collect());
}

/// A plain signature of such a text would be that of a TLS server.
#[test]
fn what_a_tls_handshake_signs_is_refused() {
    let sandbox = sandbox();
    let text = format!("{}TLS 1.3, server CertificateVerify\0", " ".repeat(64));
    sandbox.write("m", [text.as_bytes(), &[7; 48]].concat());
    let message = sandbox.refuses(&["sign", "m", "-k", "k"]);
    assert!(
        message.contains("looks like the signed part of a TLS handshake"),
        "{message}"
    );
    assert!(message.contains("add --allow-x509"), "{message}");
    sandbox.succeeds(&["sign", "m", "-k", "k", "--allow-x509"]);
    // An envelope has a hash of its own.
    sandbox.succeeds(&["sign", "m", "-k", "k", "--format", "envelope", "--force"]);
}

/// Other programs wrap lines at another length, or not at all.
#[test]
fn pem_with_lines_of_any_length_is_read() {
    let sandbox = sandbox();
    sandbox.write("m", b"order #42");
    for width in [37, 76, 1 << 20] {
        for name in ["k", "k.pub"] {
            let text = String::from_utf8(sandbox.read(name)).unwrap();
            let (begin, rest) = text.split_once('\n').unwrap();
            let (body, end) = rest.split_once("-----END").unwrap();
            let body = body.replace('\n', "").into_bytes();
            let lines: Vec<_> = body.chunks(width).map(String::from_utf8_lossy).collect();
            let text = format!("{begin}\n{}\n-----END{end}", lines.join("\n"));
            sandbox.write(&format!("{width}.{name}"), text);
        }
        let [secret, public] = ["k", "k.pub"].map(|name| format!("{width}.{name}"));
        sandbox.succeeds(&["sign", "m", "-k", &secret, "--force"]);
        sandbox.succeeds(&["verify", "m", "-p", &public]);
    }
}

#[test]
fn a_key_for_certificates_signs_certificates() {
    let sandbox = sandbox();
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    sandbox.write("seed", [7; 32]);
    sandbox.succeeds(&[
        "keygen",
        "ca",
        "--use",
        "certificates",
        "--seed-file",
        "seed",
    ]);
    let der = certificate("CN=Root".parse().unwrap());
    sandbox.write("content", &fields_of(&der)[0]);
    let sign = ["sign", "content", "--format", "compressed", "-k", "ca"];
    let message = sandbox.refuses(&sign);
    assert!(message.contains("add --allow-x509"), "{message}");
    sandbox.succeeds(&with(&sign, ["--allow-x509"]));
    let made = with_signature(&der, &sandbox.read("content.sig"));
    let public = AnySigningKey::from(key).verifying_key();
    falcon_x509::verify_certificate(&made, &public).unwrap();
    // An envelope is not a certificate, even if its file is the signed part of a certificate.
    let envelope = ["sign", "content", "--format", "envelope", "--force"];
    let message = sandbox.refuses(&with(&envelope, ["-k", "ca", "--allow-x509"]));
    assert!(message.contains("for certificates only"), "{message}");
}

#[test]
fn commands_that_write_keys_keep_the_mark_or_change_it_when_told() {
    let sandbox = sandbox();
    sandbox.write("new", "correct horse\n");
    for key in ["c", "encrypted", "theirs", "large"] {
        assert!(is_marked(&sandbox, key), "{key}");
    }
    assert!(!is_marked(&sandbox, "k"));

    let convert = |from, form, to| {
        sandbox.succeeds(&["convert", from, "--to", form, "-o", to, "--force"]);
        is_marked(&sandbox, to)
    };
    assert!(convert("theirs", "oqs", "ours") && convert("ours", "bouncy-castle", "again"));
    assert_eq!(sandbox.read("ours"), sandbox.read("c"));
    assert_eq!(sandbox.read("again"), sandbox.read("theirs"));
    assert!(!convert("k", "oqs", "copy") && !convert("k", "bouncy-castle", "copy"));

    let passphrase = ["--passphrase-file", "p", "--new-passphrase-file", "new"];
    let passwd = |key, options: &[&str]| {
        sandbox.succeeds(&with(&["passwd", key], options.iter().copied()));
        is_marked(&sandbox, key)
    };
    assert!(passwd("encrypted", &passphrase));
    assert!(passwd("c", &["--add", "--new-passphrase-file", "new"]));
    assert!(passwd("c", &["--passphrase-file", "new", "--remove"]));
    assert_eq!(sandbox.read("c"), sandbox.read("ours"));

    // Marks are set and removed on request, while the key stays the same.
    let told = |key_use, to| {
        let convert = [
            "convert", "k", "--to", "oqs", "--json", "-o", to, "--use", key_use,
        ];
        json_lines(&sandbox.succeeds(&convert))[0].clone()
    };
    assert_eq!(told("certificates", "marked")["use"], "certificates");
    assert_eq!(told("any", "plain")["use"], "any");
    assert!(is_marked(&sandbox, "marked"));
    assert_eq!(sandbox.read("plain"), sandbox.read("k"));
    let unmark = [
        "convert", "marked", "--to", "oqs", "--use", "any", "-o", "unmarked",
    ];
    sandbox.succeeds(&unmark);
    assert_eq!(sandbox.read("unmarked"), sandbox.read("k"));
    assert!(!passwd("encrypted", &with(&passphrase, ["--use", "any"])));
    assert!(passwd(
        "encrypted",
        &with(&passphrase, ["--use", "certificates"])
    ));
    // Commands that read a secret key without signing also accept a marked key.
    sandbox.succeeds(&["pubkey", "marked"]);
    assert_eq!(sandbox.read("marked.pub"), sandbox.read("k.pub"));
    sandbox.succeeds(&["fingerprint", "marked"]);
}

/// Checks that attributes of other programs are never lost when a file is replaced.
#[test]
fn other_attributes_are_not_lost_silently() {
    let sandbox = sandbox();
    // The attribute friendlyName, without a value.
    let name = [
        0x30, 0x0d, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 0x14, 0x31, 0,
    ];
    let mark = &MARK[2..];
    for (file, attributes) in [("named", name.to_vec()), ("both", [mark, &name].concat())] {
        let plain = document(&sandbox, "k");
        let attributes = [&[0xa0, attributes.len() as u8][..], &attributes].concat();
        let content = [&plain[4..], &attributes].concat();
        let length = (content.len() as u16).to_be_bytes();
        let der = [&[0x30, 0x82][..], &length, &content].concat();
        let pem = pem::encode_string("PRIVATE KEY", LineEnding::LF, &der).unwrap();
        sandbox.write(file, &pem);
        let passwd = ["passwd", file, "--add", "--new-passphrase-file", "p"];
        let told = sandbox.refuses(&passwd);
        assert!(told.contains("has attributes of another program"), "{told}");
        assert_eq!(sandbox.read(file), pem.as_bytes());
        let copy = ["convert", file, "--to", "oqs", "--force", "-o", "copy"];
        let told = sandbox.succeeds(&copy);
        assert!(text(&told.stderr).contains("has attributes of another program"));
    }
}

#[test]
fn a_mark_that_goes_is_told() {
    let sandbox = sandbox();
    let convert = ["convert", "c", "--to", "oqs", "--use"];
    let output = sandbox.run(&with(&convert, ["any", "-o", "unmarked"]));
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("it was for certificates only"));
    let output = sandbox.run(&with(&convert, ["certificates", "-o", "marked"]));
    assert!(!text(&output.stderr).contains("it was for certificates only"));
}

/// `passwd --use` changes the use in place and keeps the passphrase, if there is one.
#[test]
fn a_key_is_marked_in_place() {
    let sandbox = sandbox();
    let plain = sandbox.read("k");
    for (key_use, told) in [
        (
            "certificates",
            ", for certificates only: k, not encrypted\n",
        ),
        ("any", ": k, not encrypted\n"),
    ] {
        let changed = sandbox.succeeds(&["passwd", "k", "--use", key_use]);
        assert_eq!(
            text(&changed.stdout),
            format!("Falcon-512 secret key{told}")
        );
        assert_eq!(is_marked(&sandbox, "k"), key_use == "certificates");
    }
    assert_eq!(sandbox.read("k"), plain);

    let passphrase = ["--passphrase-file", "p", "--use"];
    for (key_use, told) in [
        (
            "any",
            "secret key: encrypted, encrypted with the same passphrase\n",
        ),
        (
            "certificates",
            "only: encrypted, encrypted with the same passphrase\n",
        ),
    ] {
        let passwd = with(&["passwd", "encrypted"], passphrase);
        let changed = sandbox.succeeds(&with(&passwd, [key_use]));
        assert!(text(&changed.stdout).ends_with(told), "{changed:?}");
        // The key still opens with the old passphrase.
        assert_eq!(is_marked(&sandbox, "encrypted"), key_use == "certificates");
    }
    // `passwd` can change the use and the passphrase together.
    sandbox.write("new", "battery staple\n");
    let both = ["--use", "any", "--add", "--new-passphrase-file", "new"];
    sandbox.succeeds(&with(&["passwd", "k"], both));
    let opened = [
        "passwd",
        "k",
        "--passphrase-file",
        "new",
        "--remove",
        "--json",
    ];
    let told = &json_lines(&sandbox.succeeds(&opened))[0];
    assert_eq!(
        (&told["use"], &told["encrypted"]),
        (&"any".into(), &false.into())
    );
    assert_eq!(sandbox.read("k"), plain);
    let refused = sandbox.refuses(&["passwd", "k", "--use", "any", "--passphrase-file", "p"]);
    assert!(refused.contains("is not encrypted"), "{refused}");
}

/// Returns a document of the key `k` in DER, with these attributes of at most 127 bytes.
fn with_attributes(sandbox: &Sandbox, attributes: &[u8]) -> Vec<u8> {
    let attributes = [&[0xa0, attributes.len() as u8][..], attributes].concat();
    let fields = [&document(sandbox, "k")[4..], &attributes].concat();
    let length = (fields.len() as u16).to_be_bytes();
    [&[0x30, 0x82][..], &length, &fields].concat()
}

/// `keyUsage` may have bits that this program does not write.
#[test]
fn an_attribute_of_the_same_use_stays_as_it_is() {
    let sandbox = sandbox();
    for (bits, key_use) in [
        (0x02_u8, "certificates"),
        (0x04, "certificates"),
        (0x08, "certificates"),
        (0x06, "certificates"),
        (0x80, "any"),
        (0x40, "any"),
        (0xc6, "any"),
    ] {
        let mut usage = MARK[2..].to_vec();
        let at = usage.len() - 2;
        usage[at..].copy_from_slice(&[bits.trailing_zeros() as u8, bits]);
        let given = with_attributes(&sandbox, &usage);
        let marked = |key: &str| document(&sandbox, key).ends_with(&usage);
        let other = match key_use {
            "any" => "certificates",
            _ => "any",
        };
        let passwd = |options: &[&str]| {
            let pem = pem::encode_string("PRIVATE KEY", LineEnding::LF, &given).unwrap();
            sandbox.write("key", pem);
            sandbox.succeeds(&with(&["passwd", "key"], options.iter().copied()));
        };
        // Encryption is slow and treats all bits alike.
        if matches!(bits, 0x06 | 0xc6) {
            passwd(&["--add", "--new-passphrase-file", "p"]);
            assert_eq!(document(&sandbox, "key"), given);
            sandbox.succeeds(&["passwd", "key", "--passphrase-file", "p", "--use", key_use]);
            sandbox.succeeds(&["passwd", "key", "--passphrase-file", "p", "--remove"]);
            assert_eq!(document(&sandbox, "key"), given);
        }
        passwd(&["--use", key_use]);
        assert_eq!(document(&sandbox, "key"), given);
        passwd(&["--use", other]);
        assert!(!marked("key"), "{bits:x}");
        assert_eq!(is_marked(&sandbox, "key"), other == "certificates");

        sandbox.write("key.der", &given);
        for form in ["oqs", "bouncy-castle"] {
            let convert = ["convert", "key.der", "--to", form, "--force", "-o", "copy"];
            let told = sandbox.succeeds(&with(&convert, ["--use", key_use]));
            assert!(marked("copy") && !text(&told.stderr).contains("attributes"));
            sandbox.succeeds(&convert);
            assert!(marked("copy"), "{form} {bits:x}");
            sandbox.succeeds(&with(&convert, ["--use", other]));
            assert!(!marked("copy") && is_marked(&sandbox, "copy") == (other == "certificates"));
            std::fs::remove_file(sandbox.path("copy")).unwrap();
        }
    }
}

/// A key without the mark replaces a marked key only if the user asks for it.
#[test]
fn a_mark_is_not_overwritten() {
    let sandbox = sandbox();
    let copy = ["convert", "k", "--to", "oqs", "--force", "-o", "ca"];
    sandbox.succeeds(&with(&copy, ["--use", "certificates"]));
    let marked = sandbox.read("ca");
    let told = sandbox.refuses(&copy);
    assert!(
        told.contains("ca: is a copy of this key for certificates only"),
        "{told}"
    );
    assert_eq!(sandbox.read("ca"), marked);
    sandbox.succeeds(&with(&copy, ["--use", "certificates"]));
    assert_eq!(sandbox.read("ca"), marked);
    let told = sandbox.succeeds(&with(&copy, ["--use", "any"]));
    assert!(
        text(&told.stderr).contains("ca signs every message now"),
        "{told:?}"
    );
    assert_eq!(sandbox.read("ca"), sandbox.read("k"));

    sandbox.write("seed", [7; 32]);
    let keygen = ["keygen", "root", "--seed-file", "seed"];
    let force = with(&keygen, ["--force"]);
    sandbox.succeeds(&with(&keygen, ["--use", "certificates"]));
    let marked = sandbox.read("root");
    for again in [&force[..], &["keygen", "root", "--force"]] {
        let told = sandbox.refuses(again);
        assert!(
            told.contains("root: is a key for certificates only"),
            "{told}"
        );
        assert_eq!(sandbox.read("root"), marked);
    }
    sandbox.succeeds(&with(&force, ["--use", "certificates"]));
    assert_eq!(sandbox.read("root"), marked);
    sandbox.succeeds(&with(&force, ["--use", "any"]));
    assert!(!is_marked(&sandbox, "root"));
    let told = sandbox.succeeds(&force);
    assert!(!text(&told.stderr).contains("every message"), "{told:?}");
    // The program cannot tell whether an encrypted key is marked.
    let told = sandbox.succeeds(&["keygen", "encrypted", "--force"]);
    assert!(
        text(&told.stderr).contains("its use is not known"),
        "{told:?}"
    );
}

#[test]
fn convert_says_what_it_replaces() {
    let sandbox = sandbox();
    sandbox.write("text", "hello");
    let convert = |output, force: &[&'static str]| {
        let before = sandbox.read(output);
        let convert = ["convert", "c", "--to", "oqs", "-o", output];
        let told = sandbox.refuses(&with(&convert, force.iter().copied()));
        assert_eq!(sandbox.read(output), before);
        told
    };
    let told = convert("theirs", &[]);
    assert!(
        told.contains("--force replaces a copy of the same key"),
        "{told}"
    );
    assert!(!told.contains("destroy"), "{told}");
    let told = convert("encrypted", &["--force"]);
    assert!(
        told.contains("encrypted: is encrypted, so it cannot be compared"),
        "{told}"
    );
    for other in ["k", "k.pub", "text"] {
        let told = convert(other, &["--force"]);
        assert!(
            told.contains("is no copy of this key") || other == "k.pub",
            "{told}"
        );
    }
}

#[test]
fn deterministic_signatures_are_none_of_certificates() {
    let sandbox = sandbox();
    let keygen = [
        "keygen",
        "d",
        "-a",
        "falcon-det1024",
        "--use",
        "certificates",
    ];
    let output = sandbox.run(&keygen);
    assert!(!output.status.success() && !sandbox.path("d").exists());
    let sign = [
        "sign",
        "m",
        "-k",
        "large",
        "-a",
        "falcon-det1024",
        "--allow-x509",
    ];
    let told = sandbox.refuses(&sign);
    assert!(told.contains("signs nothing else"), "{told}");
}

#[test]
fn a_mark_is_shown() {
    let sandbox = sandbox();
    for (key, options) in [
        ("c", &[][..]),
        ("theirs", &[]),
        ("encrypted", &["--passphrase-file", "p"]),
    ] {
        let inspect = with(&["inspect", key], options.iter().copied());
        let told = sandbox.succeeds(&inspect);
        let told = text(&told.stdout);
        assert!(told.ends_with("\n  signs certificates only\n"), "{told}");
        let told = &json_lines(&sandbox.succeeds(&with(&inspect, ["--json"])))[0];
        assert_eq!(told["use"], "certificates");
    }
    let told = &json_lines(&sandbox.succeeds(&["inspect", "k", "--json"]))[0];
    assert_eq!(told["use"], "any");
    // The use is unknown without the passphrase.
    let told = &json_lines(&sandbox.succeeds(&["inspect", "encrypted", "--json"]))[0];
    assert!(told.get("use").is_none(), "{told}");
    let told = sandbox.succeeds(&["keygen", "new", "--use", "certificates"]);
    let told = text(&told.stdout);
    assert!(
        told.starts_with("Falcon-512 secret key, for certificates only: new\n"),
        "{told}"
    );
}

#[test]
fn documents_with_a_damaged_mark_are_refused() {
    let sandbox = Sandbox::new();
    let document = document(&sandbox, "k");
    let with_attributes = |attributes: &[u8]| {
        let fields = [&document[4..], attributes].concat();
        let length = (fields.len() as u16).to_be_bytes();
        [&[0x30, 0x82][..], &length, &fields].concat()
    };
    let marked = with_attributes(&MARK);
    sandbox.write("c.der", &marked);
    let pem = pem::encode_string("PRIVATE KEY", LineEnding::LF, &marked).unwrap();
    sandbox.write("c", pem);
    let message = sandbox.refuses(&["sign", "-k", "c", "m"]);
    assert!(message.contains("for certificates only"), "{message}");

    // Tests a mark with no bit set, and a repeated mark.
    let mut empty = MARK;
    *empty.last_mut().unwrap() = 0;
    let twice = [&[0xa0, 0x1a][..], &MARK[2..], &MARK[2..]].concat();
    for attributes in [&empty[..], &twice] {
        let damaged = with_attributes(attributes);
        sandbox.write("d.der", &damaged);
        let pem = pem::encode_string("PRIVATE KEY", LineEnding::LF, &damaged).unwrap();
        sandbox.write("d", pem);
        for command in [
            &["sign", "m", "-k"][..],
            &["sign", "m", "--allow-x509", "-k"],
            &["inspect"],
            &["pubkey", "--force"],
            &["convert", "--to", "oqs", "-o", "x"],
        ] {
            for key in ["d", "d.der"] {
                let message = sandbox.refuses(&with(command, [key]));
                assert!(message.contains("malformed attributes"), "{message}");
            }
        }
    }
}

/// A message that merely begins like a request is refused. With a key for certificates only, the
/// message must be a complete signed part in DER.
#[test]
fn a_key_for_certificates_signs_no_bytes_behind_the_fields_of_a_request() {
    let sandbox = sandbox();
    let fields = [2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0];
    let order = b"PAY 1000000 EUR TO MALLORY\n";
    let length = (fields.len() + order.len()) as u16;
    let short = [
        &[0x30, 0x82][..],
        &length.to_be_bytes(),
        &fields,
        &order[..],
    ];
    sandbox.write("order", short.concat());
    // The stated length exceeds the message. The beginning of a message does not show where it
    // ends.
    let open = [&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff][..], &fields].concat();
    let with_zeros = |megabytes: usize| {
        let mut long = open.clone();
        long.resize(open.len() + (megabytes << 20), 0);
        long
    };
    sandbox.write("long", with_zeros(8));
    sandbox.write("longer", with_zeros(17));
    let content = fields_of(&certificate("CN=Root".parse().unwrap())).remove(0);
    sandbox.write("behind", [&content[..], &[0]].concat());
    sandbox.write("cut", &content[..content.len() - 1]);
    // Writes the length of the whole document with a leading zero byte.
    assert_eq!(content[..2], [0x30, 0x82]);
    let padded = [&[0x30, 0x83, 0][..], &content[2..]].concat();
    sandbox.write("padded", padded);
    let before = sandbox.names();
    for (file, told) in [
        ("order", "is not the signed part of a certificate"),
        ("long", "is not the signed part of a certificate"),
        (
            "longer",
            "has 17,825,807 bytes; a key for certificates only takes at most 16 MiB",
        ),
        ("behind", "is not the signed part of a certificate"),
        ("cut", "is not the signed part of a certificate"),
        ("padded", "is not the signed part of a certificate"),
    ] {
        let options = ["sign", file, "--allow-x509", "-k", "c"];
        let message = sandbox.refuses(&options);
        let told = format!("error: {file}: {told}");
        assert!(message.contains(&told), "{message}");
        assert_eq!(sandbox.names(), before, "{options:?}");
    }
}

#[test]
fn a_key_for_certificates_signs_every_kind_of_signed_part() {
    let sandbox = sandbox();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kat/x509/");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pem") {
            continue;
        }
        let (label, der) = pem::decode_vec(&std::fs::read(&path).unwrap())
            .map(|(label, der)| (label.to_owned(), der))
            .unwrap();
        if label.ends_with("KEY") {
            continue;
        }
        sandbox.write("content", &fields_of(&der)[0]);
        sandbox.succeeds(&["sign", "content", "--allow-x509", "--force", "-k", "c"]);
        count += 1;
    }
    assert!(count >= 6, "{count}");
}

/// A key that is marked for another use counts as a key for certificates only.
#[test]
fn a_key_for_another_purpose_signs_no_messages() {
    let sandbox = Sandbox::new();
    let document = document(&sandbox, "k");
    let with_attributes = |attributes: &[u8]| {
        let fields = [&document[4..], attributes].concat();
        let length = (fields.len() as u16).to_be_bytes();
        [&[0x30, 0x82][..], &length, &fields].concat()
    };
    // The use keyAgreement.
    let mut agreement = MARK;
    agreement[13..].copy_from_slice(&[3, 8]);
    sandbox.write("a.der", with_attributes(&agreement));
    let message = sandbox.refuses(&["sign", "-k", "a.der", "m"]);
    assert!(message.contains("for certificates only"), "{message}");
    // Puts the mark behind other attributes or behind another field.
    for before in [&[0xa0, 0][..], &[0xa2, 2, 5, 0]] {
        sandbox.write("a.der", with_attributes(&[before, &MARK].concat()));
        let message = sandbox.refuses(&["sign", "-k", "a.der", "m"]);
        assert!(message.contains("malformed attributes"), "{message}");
    }
}
