//! Writes the byte files that the firmware embeds, from record 0 of the known answers of Falcon-512
//! and of Classic McEliece, and passes the memory map to the linker.

#[cfg(feature = "system")]
use falcon_core::{
    Falcon512, Falcon1024, Format, Scratch, SigningKey,
    hazmat::{Fit, RawRandomness, insecure::InsecureFalcon256, sign_raw},
};
use falcon_kat::{Drbg, rsp};
#[cfg(feature = "system")]
use std::path::Path;
use std::{env, error::Error, fs, fs::File, io::BufReader, path::PathBuf};

#[cfg(feature = "mceliece")]
#[path = "build/mceliece.rs"]
mod mceliece;

const RECORDS: &str = "../../kat/falcon-round3/falcon512-KAT.first10.rsp";

/// Addresses and sizes of the simulated system, hexadecimal.
#[cfg(feature = "system")]
const MAP: &str = "../../crates/falcon-hls-sim/system/map.tsv";

/// Makes constants of the rows of [`MAP`], and a memory map and options for the linker.
#[cfg(feature = "system")]
fn write_system(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={MAP}");
    let map = fs::read_to_string(MAP)?;
    let rows: Vec<_> = map
        .lines()
        .filter(|line| !line.starts_with(['#', 'n']))
        .map(|line| line.splitn(3, '\t').collect::<Vec<_>>())
        .collect();
    let mut constants = String::new();
    let mut memory = String::from("MEMORY { RAM : ");
    for row in rows {
        let [name, value, meaning] = row[..] else {
            return Err("a row of the map has three columns".into());
        };
        constants += &format!("/// {meaning}\npub const {name}: usize = 0x{value};\n");
        match name {
            "RAM" => memory += &format!("ORIGIN = 0x{value}, "),
            "RAM_SIZE" => memory += &format!("LENGTH = 0x{value} }}\n"),
            _ => {}
        }
    }
    fs::write(out.join("map.rs"), constants)?;
    fs::write(out.join("memory.x"), memory)?;
    println!("cargo:rerun-if-changed=memory/system.x");
    fs::copy("memory/system.x", out.join("system.x"))?;
    println!("cargo:rustc-link-arg-bins=-Tsystem.x");
    Ok(())
}

/// Seed of the keys of the simulated system. It gives keys after few candidates.
#[cfg(feature = "system")]
const KEY_SEED: [u8; 32] = [1; 32];

/// Writes the key of `P` and a signature with `randomness`, as the host computes them.
#[cfg(feature = "system")]
fn write_known<P: falcon_core::Parameters>(
    out: &Path,
    message: &[u8],
    randomness: RawRandomness<'_>,
) -> Result<(), Box<dyn Error>> {
    let key = SigningKey::<P>::from_seed(&KEY_SEED)?;
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals)?;
    let signature = sign_raw(&key, randomness, message, Fit::Any, &mut scratch)?;
    for (name, bytes) in [
        ("signing_key", key.to_bytes().as_ref()),
        ("verifying_key", key.verifying_key().to_bytes().as_ref()),
        ("signature", &signature.to_vec(Format::Compressed)?),
    ] {
        fs::write(out.join(format!("{name}{}", P::N)), bytes)?;
    }
    Ok(())
}

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
    #[cfg(feature = "system")]
    {
        write_system(&out)?;
        fs::write(out.join("key_seed"), KEY_SEED)?;
        let randomness = RawRandomness {
            nonce: &nonce,
            seed: &sampler_seed,
        };
        write_known::<InsecureFalcon256>(&out, &record.message, randomness)?;
        write_known::<Falcon512>(&out, &record.message, randomness)?;
        write_known::<Falcon1024>(&out, &record.message, randomness)?;
    }
    #[cfg(feature = "mceliece")]
    mceliece::write_known_answers(&out)?;
    Ok(())
}
