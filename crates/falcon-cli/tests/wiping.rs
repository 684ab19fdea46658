//! A secret key that a command reads is wiped before its memory is freed.
#![cfg(target_os = "linux")]

#[path = "../../../tests/stacks/freed.rs"]
mod freed;

use falcon_core::pkcs8::{EncodePrivateKey, LineEnding};
use falcon_core::{Falcon512, SigningKey};
use freed::{freed_by, look_for};
use std::fs;

#[test]
fn a_secret_key_that_is_read_is_not_in_freed_memory() {
    let key = SigningKey::<Falcon512>::from_seed_boxed(&[7; 32]).expect("no fault");
    let bytes = key.to_bytes();
    let document = key.to_pkcs8_der().expect("it is written");
    let text = key.to_pkcs8_pem(LineEnding::LF).expect("it is written");
    // In PEM, the search begins in a line that contains only bytes of the key.
    look_for(&[&bytes[400..], &text.as_bytes()[650..]]);
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("raw", &bytes[..]),
        ("der", document.as_bytes()),
        ("pem", text.as_bytes()),
    ];
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("it is written");
        let path = path.to_str().expect("UTF-8");
        let read = || assert_eq!(falcon_cli::fuzz(&["inspect", path]), 0, "{name}");
        assert_eq!(freed_by(read), 0, "{name}");
    }
}
