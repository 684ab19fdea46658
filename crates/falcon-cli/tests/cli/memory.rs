//! Looks for copies of secrets in the memory of the program.

use crate::sandbox::Sandbox;
use falcon_core::pkcs8::DecodePrivateKey;
use std::{fs, process::Stdio};

type Falcon512Key = falcon_core::SigningKey<falcon_core::Falcon512>;

#[test]
fn no_copy_of_the_polynomials_is_left_while_a_message_is_awaited() {
    use std::io::Write;
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    let key = Falcon512Key::from_seed(&[7; 32])
        .expect("no fault")
        .to_bytes();
    sandbox.write("raw", *key);
    for arguments in [
        &["sign", "-k", "k", "-"][..],
        &["sign", "-k", "raw", "-"],
        &["sign", "-k", "e", "--passphrase-file", "p", "-"],
    ] {
        let mut child = sandbox
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The message is longer than the buffer of a pipe, so after this write the program has read
        // the key.
        let message = child.stdin.as_mut().unwrap();
        message.write_all(&[0; 1 << 20]).unwrap();
        let copies = count_in_memory(child.id(), piece(&*key));
        child.kill().unwrap();
        child.wait().unwrap();
        // `copies` is `None` on systems that do not let a parent read the memory of its child.
        assert!(matches!(copies, None | Some(0)), "{arguments:?} {copies:?}");
    }
}

/// Checks that a new key is in memory only once, at the place where it is kept.
#[test]
fn a_new_key_is_in_memory_once() {
    let sandbox = Sandbox::empty();
    let mut demo = sandbox.demo_that_waits();
    let folder = fs::read_dir(sandbox.path("tmp")).unwrap().next();
    let pem = folder.unwrap().unwrap().path().join("demo.key");
    let key = Falcon512Key::from_pkcs8_pem(&fs::read_to_string(pem).unwrap()).unwrap();
    let key = key.to_bytes();
    let copies = count_in_memory(demo.id(), piece(&*key));
    demo.kill().unwrap();
    demo.wait().unwrap();
    assert!(matches!(copies, None | Some(1)), "{copies:?}");
}

/// Returns a piece of the polynomial F. Every form of the key has a byte for each coefficient of F,
/// so this piece finds every copy.
fn piece(key: &[u8]) -> &[u8] {
    &key[key.len() - 256..][..16]
}

/// Counts the occurrences of the bytes in the writable memory of a process.
fn count_in_memory(process: u32, piece: &[u8]) -> Option<usize> {
    use std::os::unix::fs::FileExt;
    let memory = fs::File::open(format!("/proc/{process}/mem")).ok()?;
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
    let mut found = 0;
    for map in maps.lines().filter(|map| map.contains(" rw")) {
        let (range, _) = map.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16));
        let (start, end) = (start.ok()?, end.ok()?);
        let mut bytes = vec![0; (end - start) as usize];
        if memory.read_exact_at(&mut bytes, start).is_ok() {
            found += bytes.windows(piece.len()).filter(|&at| at == piece).count();
        }
    }
    Some(found)
}
