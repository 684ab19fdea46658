//! The fields of `--json` are those that `fields` describes.

use crate::sandbox::{Sandbox, json_lines, text, with};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// Fields of a command, each with the texts that it had.
type Fields = BTreeMap<String, BTreeSet<String>>;

/// Adds the fields of an object. A field of an object in an array `keys` is `keys[].field`.
fn collect(object: &Value, prefix: &str, fields: &mut Fields) {
    for (name, value) in object.as_object().unwrap() {
        match value.as_array() {
            Some(items) => {
                let prefix = format!("{prefix}{name}[].");
                items.iter().for_each(|item| collect(item, &prefix, fields));
            }
            None => {
                let texts = fields.entry(format!("{prefix}{name}")).or_default();
                texts.extend(value.as_str().map(str::to_owned));
            }
        }
    }
}

/// Runs commands and collects the fields that they print.
struct Collector<'a> {
    sandbox: &'a Sandbox,
    fields: BTreeMap<String, Fields>,
}

impl Collector<'_> {
    /// Runs a command, which may fail. The fields of standard output are those of `name`.
    fn run(&mut self, name: &str, arguments: &[&str]) -> Vec<Value> {
        let output = self.sandbox.run(&with(arguments, ["--json"]));
        let lines = json_lines(&output);
        for line in &lines {
            collect(line, "", self.fields.entry(name.to_owned()).or_default());
        }
        for line in text(&output.stderr).lines() {
            let line = serde_json::from_str(line).unwrap();
            collect(
                &line,
                "",
                self.fields.entry("errors".to_owned()).or_default(),
            );
        }
        lines
    }

    fn keys(&mut self) {
        self.run("keygen", &["keygen"]);
        self.run("pubkey", &["pubkey", "k", "-o", "copy.pub"]);
        self.run(
            "passwd",
            &[
                "passwd",
                "falcon.key",
                "--add",
                "--new-passphrase-file",
                "p",
            ],
        );
        self.run("convert", &["convert", "k", "--to", "oqs", "-o", "oqs"]);
        self.run("fingerprint", &["fingerprint", "k"]);
    }

    fn signatures(&mut self) {
        let key = ["--passphrase-file", "p"];
        self.run("sign", &with(&["sign", "m"], key));
        self.run("verify", &["verify", "m"]);
        self.run("verify", &["verify", "-s", "m.sig", "seed"]);
        let both = [
            self.sandbox.read("falcon.key.pub"),
            self.sandbox.read("k.pub"),
        ]
        .concat();
        self.sandbox.write("both", both);
        self.run("verify", &["verify", "-p", "both", "m", "missing"]);
        let comment = ["--comment", "checked", "--force"];
        self.run("sign", &with(&["sign", "-k", "k", "m"], comment));
        self.run("trust add", &["trust", "add", "team", "Ann", "k.pub"]);
        self.run("verify", &["verify", "--trust", "team", "m"]);
        fs::create_dir(self.sandbox.path("d")).unwrap();
        self.sandbox.write("d/f", "a file");
        self.run(
            "manifest sign",
            &with(&["manifest", "sign", "-k", "k", "d"], &comment[..2]),
        );
        let verify = ["manifest", "verify", "d"];
        self.run("manifest verify", &with(&verify, ["-p", "both"]));
        self.run("manifest verify", &with(&verify, ["--trust", "team"]));
        self.run("manifest verify", &verify);
        self.sandbox.write("d/g", "another file");
        self.run("manifest verify", &with(&verify, ["-p", "k.pub"]));
    }

    fn lists(&mut self) {
        self.run(
            "trust add",
            &["trust", "add", "team", "Bob", "falcon.key.pub"],
        );
        self.run("trust remove", &["trust", "remove", "team", "Bob"]);
        let revoke = ["trust", "revoke", "team", "Ann", "--reason", "lost"];
        self.run("trust revoke", &revoke);
        self.run(
            "trust revoke",
            &with(&revoke, ["--at", "2025-06-01T12:00:00Z"]),
        );
        self.run("trust list", &["trust", "list", "team"]);
        self.run("verify", &["verify", "--trust", "team", "m"]);
    }

    fn inspections(&mut self) {
        let kat = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kat/");
        let kinds = ["certificate", "request", "revocation-list"];
        let documents = kinds.map(|kind| format!("{kat}x509/falcon-x509-512.{kind}.pem"));
        let deterministic = ["-a", "falcon-det1024", "-k", "large", "n"];
        self.sandbox.write("n", "a message");
        self.sandbox
            .succeeds(&["keygen", "large", "-a", "falcon-1024"]);
        self.sandbox.succeeds(&with(&["sign"], deterministic));
        self.sandbox
            .succeeds(&["sign", "-k", "k", "m", "-o", "bare"]);
        let files = ["k", "k.pub", "m.sig", "bare", "n.sig", "team", "d.manifest"];
        let inspect = with(&with(&["inspect"], files), &documents);
        for line in self.run("inspect", &inspect) {
            let is_key = line["kind"].as_str().unwrap().ends_with(" key");
            let verified = match line["signature"].as_str() {
                _ if is_key => None,
                signature => Some(signature == Some("valid")),
            };
            assert_eq!(
                line.get("verified").and_then(Value::as_bool),
                verified,
                "{line}"
            );
        }
        self.run("inspect --engines", &["inspect", "--engines"]);
        let vectors = format!("{kat}falcon-round3/falcon512-KAT.first10.rsp");
        self.run("kat check", &["kat", "check", &vectors]);
        let changed = fs::read_to_string(&vectors)
            .unwrap()
            .replacen("pk = 09", "pk = 0A", 1);
        self.sandbox.write("vectors", changed);
        self.run("kat check", &["kat", "check", "vectors"]);
    }

    fn errors(&mut self) {
        self.run("errors", &["trust", "list", "m"]);
        self.run("errors", &["sign", "-k", "missing", "m"]);
    }

    fn measurements(&mut self) {
        let bench = [
            "bench",
            "--seconds",
            "0",
            "-a",
            "falcon-512",
            "--engine",
            "scalar",
        ];
        self.run("bench", &with(&bench, ["--threads", "1", "--batch", "1"]));
        self.run("demo", &["demo", "m"]);
    }
}

#[test]
fn every_field_is_described_and_every_described_field_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write_secret("p", "secret\n");
    let mut printed = Collector {
        sandbox: &sandbox,
        fields: BTreeMap::new(),
    };
    printed.keys();
    printed.signatures();
    printed.lists();
    printed.inspections();
    printed.measurements();
    printed.errors();
    let mut described = BTreeMap::<String, BTreeSet<String>>::new();
    for line in printed.run("fields", &["fields"]) {
        let [command, field, meaning] =
            ["command", "field", "meaning"].map(|name| line[name].as_str().unwrap());
        let fields = described.entry(command.to_owned()).or_default();
        assert!(fields.insert(field.to_owned()), "{line}");
        // A meaning that begins with a value lists all values.
        if meaning.starts_with('`') {
            let values: Vec<_> = meaning.split('`').skip(1).step_by(2).collect();
            for text in &printed.fields[command][field] {
                assert!(values.contains(&text.as_str()), "{line}: {text}");
            }
        }
    }
    for (command, fields) in &printed.fields {
        let names: BTreeSet<_> = fields.keys().cloned().collect();
        assert_eq!(described.get(command), Some(&names), "{command}");
    }
    assert_eq!(printed.fields.len(), described.len());
}

#[test]
fn the_fields_of_one_command_are_asked_for() {
    let sandbox = Sandbox::empty();
    let lines = json_lines(&sandbox.succeeds(&["fields", "trust", "add", "--json"]));
    assert!(!lines.is_empty() && lines.iter().all(|line| line["command"] == "trust add"));
    let told = sandbox.succeeds(&["fields", "pubkey"]);
    assert!(text(&told.stdout).starts_with("pubkey\n  algorithm "));
    let told = sandbox.refuses(&["fields", "completions"]);
    assert!(
        told.contains("no fields are listed for the command completions"),
        "{told}"
    );
}
