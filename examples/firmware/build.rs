//! Writes the byte files that the firmware embeds, from record 0 of the known answers of Falcon-512
//! and of Classic McEliece, and passes the memory map to the linker.

use falcon_kat::{Drbg, rsp};
use std::{env, error::Error, fs, fs::File, io::BufReader, path::PathBuf};

#[cfg(feature = "mceliece")]
#[path = "build/mceliece.rs"]
mod mceliece;

const RECORDS: &str = "../../kat/falcon-round3/falcon512-KAT.first10.rsp";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={RECORDS}");
    let memory = if cfg!(feature = "large") {
        "memory/large.x"
    } else if cfg!(feature = "mceliece") {
        "memory/mceliece.x"
    } else {
        "memory/small.x"
    };
    println!("cargo:rerun-if-changed={memory}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::copy(memory, out.join("memory.x"))?;
    println!("cargo:rustc-link-search={}", out.display());

    let mut records = rsp::Reader::new(BufReader::new(File::open(RECORDS)?));
    let record = records.next().ok_or("no record")??;

    // Draws the same values as the reference, in the same order.
    let mut drbg = Drbg::new(&record.seed);
    let _keygen_seed = drbg.bytes::<48>();
    let nonce = drbg.bytes::<40>();
    let sampler_seed = drbg.bytes::<48>();

    // The format is: length of the last part (2) || nonce (40) || message || 0x29 || s2.
    let attached = &record.signed_message;
    if attached[2..42] != nonce {
        return Err("the record's nonce is not the generator's".into());
    }
    let s2 = attached
        .get(42 + record.message.len() + 1..)
        .ok_or("short record")?;
    let signature = [&[0x39][..], &nonce, s2].concat();

    for (name, bytes) in [
        ("verifying_key", &record.public_key[..]),
        ("signing_key", &record.secret_key),
        ("message", &record.message),
        ("nonce", &nonce),
        ("sampler_seed", &sampler_seed),
        ("signature", &signature),
    ] {
        fs::write(out.join(name), bytes)?;
    }
    #[cfg(feature = "mceliece")]
    mceliece::write_known_answers(&out)?;
    Ok(())
}
