//! Signs and verifies a file of any size in constant memory:
//! `cargo run --release -p falcon-core --example streaming -- FILE`.

use falcon_core::{Falcon1024, SigningKey};
use rand_core::UnwrapErr;
use std::fs::File;
use std::io::Read;

/// Feeds a file to `update`, 64 KiB at a time.
fn feed(path: &str, mut update: impl FnMut(&[u8])) -> std::io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            n => update(&buffer[..n]),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "README.md".into());
    let mut rng = UnwrapErr(getrandom::SysRng);
    let key = SigningKey::<Falcon1024>::generate(&mut rng)?;

    let mut stream = key.sign_stream(&mut rng);
    feed(&path, |part| stream.update(part))?;
    let signature = stream.finish()?;

    let public = key.verifying_key();
    let mut hasher = public.hasher(signature.nonce());
    feed(&path, |part| hasher.update(part))?;
    public.verify_hashed(hasher, &signature)?;
    println!(
        "{path}: signed and verified, {} bytes of signature",
        signature.to_bytes().len()
    );
    Ok(())
}
