//! Programs in C and C++ use the library, and exchange keys and signatures with `falcon-core`.

mod common;

use common::Language::{C99, Cpp17};
use common::{Linked, Programs, compiler, compilers, exists, package, succeeds};
use falcon_core::det1024::{self, CompressedSignature, CtSignature};
use falcon_core::pkcs8::{DecodePublicKey, KeyUse, OpenedKey};
use falcon_core::pkcs8::{EncodePrivateKey, LineEnding};
use falcon_core::{
    AnySignature, AnySigningKey, AnyVerifyingKey, Falcon1024, Format, ParameterSet, Signature,
    VerifyingKey,
};
use falcon_kat::{Drbg, rsp::Reader};
use falcon_x509::x509_cert::der::{DecodePem, Encode};
use falcon_x509::x509_cert::request::CertReq;
use falconsign::{FORMATS, SETS, Status};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Sources of the programs.
const SOURCES: [&str; 4] = [
    "tests/c/uses",
    "tests/c/refusals",
    "tests/c/exchange",
    "examples/sign_file",
];

/// Programs that test the library without arguments.
const TESTS: [&str; 2] = ["tests/c/uses", "tests/c/refusals"];

#[test]
fn every_compiler_takes_the_header_and_the_programs() {
    for (program, language) in compilers() {
        for source in SOURCES {
            let mut command = compiler(&program, language);
            let source = package().join(format!("{source}.c"));
            succeeds(command.arg("-fsyntax-only").arg(source));
        }
    }
}

#[test]
fn programs_run_with_the_static_and_the_shared_library() {
    let programs = Programs::new();
    for (language, linked) in [(C99, Linked::Static), (Cpp17, Linked::Shared)] {
        for source in TESTS {
            let program = programs.build(source, language, linked, &[]);
            succeeds(&mut programs.command(&program));
        }
    }
}

/// The sanitizers check the C code: its calls, and the memory that it passes and frees.
#[test]
fn sanitizers_find_nothing() {
    let programs = Programs::new();
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for source in TESTS {
        let program = programs.build(source, C99, Linked::Shared, &sanitizers);
        succeeds(&mut programs.command(&program));
    }
}

#[test]
fn valgrind_finds_nothing() {
    if !exists("valgrind") {
        return eprintln!("valgrind does not exist: not tested");
    }
    let programs = Programs::new();
    for source in TESTS {
        let program = programs.build(source, C99, Linked::Shared, &[]);
        let mut command = programs.command(Path::new("valgrind"));
        command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
        command.args([
            "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite",
        ]);
        succeeds(command.arg(program));
    }
}

/// A program for exchange, and its files.
struct Exchange {
    programs: Programs,
    program: std::path::PathBuf,
}

impl Exchange {
    fn new() -> Self {
        let programs = Programs::new();
        let program = programs.build("tests/c/exchange", C99, Linked::Shared, &[]);
        Self { programs, program }
    }

    /// Writes a file.
    fn give(&self, name: &str, contents: &[u8]) {
        fs::write(self.programs.path(name), contents).expect("written");
    }

    /// Reads a file.
    fn take(&self, name: &str) -> Vec<u8> {
        fs::read(self.programs.path(name)).expect("the program has written it")
    }

    /// Runs the program in the folder of its files, and returns the status of its last call.
    fn run(&self, arguments: &str) -> i32 {
        let mut command = self.programs.command(&self.program);
        command.current_dir(self.programs.folder.path());
        let output = command.args(arguments.split(' ')).output().expect("runs");
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        // The system keeps the last byte of a status, which has a sign.
        i32::from(output.status.code().expect("no signal") as i8)
    }
}

#[test]
fn the_example_signs_a_file() {
    let programs = Programs::new();
    let program = programs.build("examples/sign_file", C99, Linked::Shared, &[]);
    let key = AnySigningKey::from_seed(ParameterSet::Falcon1024, &[8; 32]).expect("no fault");
    let pem = key.to_pkcs8_pem(LineEnding::LF).expect("written");
    // Longer than one piece.
    let message: Vec<u8> = (0..10_000u32).map(|i| i as u8).collect();
    let [key_file, file] = ["key.pem", "file"].map(|name| programs.path(name));
    fs::write(&key_file, pem.as_bytes()).expect("written");
    fs::write(&file, &message).expect("written");
    let signed = succeeds(programs.command(&program).arg(&key_file).arg(&file));
    assert!(key.verifying_key().verify(&message, &signed.stdout).is_ok());
    let refused = programs.command(&program).arg(&file).arg(&file).output();
    let refused = refused.expect("the program starts");
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains("not a document of a Falcon key"), "{text}");
}

/// Decodes a signature in a format as the library does.
fn decode(set: ParameterSet, format: Format, bytes: &[u8]) -> AnySignature {
    AnySignature::from_bytes(set, format, bytes).expect("a signature in this format")
}

#[test]
fn keys_and_signatures_pass_both_ways() {
    let exchange = Exchange::new();
    let mut rng = UnwrapErr(SysRng);
    for (_, _, set) in SETS {
        let key = AnySigningKey::generate(set, &mut rng).expect("no fault");
        let public = key.verifying_key();
        exchange.give("secret", &key.to_bytes());
        exchange.give("public", &public.to_bytes());
        exchange.give("message", b"order #42");
        for (_, number, format) in FORMATS {
            let there = format!("sign secret {number} message signature");
            assert_eq!(exchange.run(&there), 0);
            let signature = decode(set, format, &exchange.take("signature"));
            assert_eq!(public.verify_decoded(b"order #42", &signature), Ok(()));

            let back = format!("verify public {number} message signature");
            let made = key.sign_with_rng(&mut rng, b"order #42").expect("no fault");
            let made = AnySignature::try_from(made).expect("canonical");
            exchange.give("signature", &made.to_vec(format).expect("fits"));
            assert_eq!(exchange.run(&back), 0);
            exchange.give("message", b"order #43");
            assert_eq!(exchange.run(&back), Status::InvalidSignature as i32);
            exchange.give("message", b"order #42");
            exchange.give("signature", b"\x39");
            assert_eq!(exchange.run(&back), Status::MalformedSignature as i32);
        }
    }
}

#[test]
fn documents_pass_both_ways() {
    let exchange = Exchange::new();
    let key = AnySigningKey::from_seed(ParameterSet::Falcon512, &[5; 32]).expect("no fault");
    let pem = key.to_pkcs8_pem(LineEnding::LF).expect("written");
    exchange.give("secret", pem.as_bytes());
    for passphrase in [None, Some(&b"correct horse"[..])] {
        exchange.give("passphrase", passphrase.unwrap_or_default());
        assert_eq!(exchange.run("pem secret passphrase key.pem public.pem"), 0);
        let text = String::from_utf8(exchange.take("key.pem")).expect("text");
        let opened = OpenedKey::from_pem(&text, passphrase).expect("opens");
        assert_eq!(opened.key.verifying_key(), key.verifying_key());
        if passphrase.is_none() {
            assert_eq!(text, *pem);
        }
        let public = String::from_utf8(exchange.take("public.pem")).expect("text");
        let public = AnyVerifyingKey::from_public_key_pem(&public).expect("reads");
        assert_eq!(public, key.verifying_key());
    }
}

#[test]
fn a_key_for_certificates_signs_only_these_and_keeps_its_mark() {
    let exchange = Exchange::new();
    let key = AnySigningKey::from_seed(ParameterSet::Falcon1024, &[6; 32]).expect("no fault");
    let plain = key.to_pkcs8_der().expect("written");
    let marked = KeyUse::CertificatesOnly.write(plain.as_bytes());
    let marked = marked
        .expect("written")
        .to_pem("PRIVATE KEY", LineEnding::LF);
    exchange.give("secret", marked.expect("written").as_bytes());
    exchange.give("message", b"order #42");
    exchange.give("passphrase", b"");
    for command in ["sign", "det"] {
        let command = format!("{command} secret 1 message signature");
        assert_eq!(exchange.run(&command), Status::KeyUse as i32);
        assert_eq!(exchange.take("signature"), []);
    }
    // The signed part of a request is signed, and nothing that has more or fewer bytes.
    let request = include_str!("../../../kat/x509/falcon-x509-1024.request.pem");
    let request = CertReq::from_pem(request).expect("a request");
    let part = request.info.to_der().expect("DER");
    for (message, status) in [
        (&part[..], 0),
        (&part[..part.len() - 1], Status::KeyUse as i32),
        (&[&part[..], &[0]].concat(), Status::KeyUse as i32),
    ] {
        exchange.give("message", message);
        assert_eq!(exchange.run("sign secret 1 message signature"), status);
    }
    exchange.give("message", &part);
    assert_eq!(exchange.run("sign secret 1 message signature"), 0);
    let signature = decode(
        ParameterSet::Falcon1024,
        Format::Compressed,
        &exchange.take("signature"),
    );
    let public = key.verifying_key();
    assert!(public.verify_decoded(&part, &signature).is_ok());
    assert_eq!(
        exchange.run("det secret 1 message signature"),
        Status::KeyUse as i32
    );

    assert_eq!(exchange.run("pem secret passphrase key.pem public.pem"), 0);
    let text = String::from_utf8(exchange.take("key.pem")).expect("text");
    let opened = OpenedKey::from_pem(&text, None).expect("opens");
    assert_eq!(opened.key_use, KeyUse::CertificatesOnly);
}

/// Keys are those of the NIST vectors, whose signatures verify.
#[test]
fn keys_are_those_of_the_known_answers() {
    let exchange = Exchange::new();
    let texts = [
        include_str!("../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        include_str!("../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
    ];
    for (text, (_, number, _)) in texts.into_iter().zip(SETS) {
        for record in Reader::new(text.as_bytes()).take(3) {
            let record = record.expect("a record");
            let seed: [u8; 48] = Drbg::new(&record.seed).bytes();
            exchange.give("seed", &seed);
            assert_eq!(
                exchange.run(&format!("reference {number} seed secret public")),
                0
            );
            assert_eq!(exchange.take("secret"), record.secret_key);
            assert_eq!(exchange.take("public"), record.public_key);

            // Length of the code, nonce, message, header, code.
            let (nonce, rest) = record.signed_message[2..].split_at(40);
            let (message, encoded) = rest.split_at(record.message.len());
            assert_eq!(message, record.message);
            let signature = [&[encoded[0] | 0x10], nonce, &encoded[1..]].concat();
            exchange.give("message", message);
            exchange.give("signature", &signature);
            assert_eq!(exchange.run("verify public 1 message signature"), 0);
        }
    }
}

#[test]
fn deterministic_signatures_are_those_of_algorand_s_code() {
    let exchange = Exchange::new();
    let text = include_str!("../../../kat/det1024/records.txt");
    let record = text
        .lines()
        .find(|line| line.starts_with("0 "))
        .expect("record 0");
    let expected = record.rsplit(' ').next().expect("a signature");
    let expected = base16ct::lower::decode_vec(expected).expect("hexadecimal");
    exchange.give("seed", b"key-0000");
    exchange.give("message", b"");
    assert_eq!(exchange.run("algorand seed secret public"), 0);
    assert_eq!(exchange.run("det secret 1 message signature"), 0);
    assert_eq!(exchange.take("signature"), expected);
    assert_eq!(exchange.run("det-verify public 1 message signature"), 0);

    assert_eq!(exchange.run("det secret 3 message signature"), 0);
    let fixed = CtSignature::try_from(&exchange.take("signature")[..]).expect("decodes");
    let expected = CompressedSignature::try_from(&expected[..]).expect("decodes");
    assert_eq!(fixed, expected.into());
    assert_eq!(exchange.run("det-verify public 3 message signature"), 0);
    exchange.give("message", b"another");
    let status = exchange.run("det-verify public 3 message signature");
    assert_eq!(status, Status::InvalidSignature as i32);

    let public = VerifyingKey::<Falcon1024>::try_from(&exchange.take("public")[..]);
    let public = public.expect("decodes");
    assert_eq!(
        public.verify(b"", &Signature::from(CompressedSignature::from(fixed))),
        Ok(())
    );
    assert!(
        det1024::VerifyingKey::from(public)
            .verify_ct(b"", &fixed)
            .is_ok()
    );
}

#[test]
fn a_child_process_signs_with_the_key_but_not_with_a_stream_of_its_parent() {
    let exchange = Exchange::new();
    let key = AnySigningKey::from_seed(ParameterSet::Falcon512, &[7; 32]).expect("no fault");
    exchange.give("secret", &key.to_bytes());
    assert_eq!(exchange.run("fork secret"), 0);
}

/// The script tells why it refuses, and its files are readable whatever the mask.
#[test]
fn the_install_script_refuses_and_sets_modes() {
    let programs = Programs::new();
    let script = package().join("install.sh");
    let refused = |command: &mut Command, reason: &str| {
        let output = command.output().expect("the script starts");
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(reason), "{text}");
    };
    refused(Command::new(&script).arg("usr"), "absolute path");
    let mut command = Command::new(&script);
    command.env("CARGO_BUILD_TARGET", "x86_64-unknown-linux-musl");
    refused(command.arg(programs.path("usr")), "CARGO_BUILD_TARGET");

    let mut command = Command::new("sh");
    command.args(["-c", "umask 077; CDPATH=/ \"$0\" \"$1\" \"$2\""]);
    command.arg(&script).arg(programs.path("usr"));
    succeeds(command.arg(common::libraries()));
    let installed = programs.path("usr/lib/pkgconfig/falconsign.pc");
    let mode = fs::metadata(installed)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn the_installed_library_is_found_by_pkg_config() {
    if !exists("pkg-config") {
        return eprintln!("pkg-config does not exist: not tested");
    }
    let programs = Programs::new();
    let prefix = programs.path("prefix with blank");
    let mut install = Command::new(package().join("install.sh"));
    succeeds(install.arg(&prefix).arg(common::libraries()));
    let flags = |options: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
        let output = succeeds(command.args(options).arg("falconsign"));
        String::from_utf8(output.stdout)
            .expect("text")
            .trim()
            .to_owned()
    };
    assert_eq!(flags(&["--modversion"]), env!("CARGO_PKG_VERSION"));
    let source = package().join("tests/c/uses.c");
    for (options, kind) in [("--libs", ""), ("--libs --static", "-static")] {
        // The shell splits the flags and takes their quoting away.
        let options: Vec<_> = ["--cflags"].into_iter().chain(options.split(' ')).collect();
        let script = format!("cc {kind} \"$0\" {} -o \"$1\"", flags(&options));
        let out = programs.path("installed");
        succeeds(
            Command::new("sh")
                .args(["-c", &script])
                .arg(&source)
                .arg(&out),
        );
        let mut command = Command::new(&out);
        succeeds(command.env("LD_LIBRARY_PATH", prefix.join("lib")));
    }
}
