//! Record 0 of the known answers of Classic McEliece. The vectors hold no public key, so the key is
//! generated from the seed of the record.

use falcon_kat::Drbg;
use mceliece_core::rand_core::{TryCryptoRng, TryRng};
use mceliece_core::{
    KeyPair, Mceliece348864, Mceliece348864f, Mceliece460896, Mceliece6688128, Mceliece8192128,
    Parameters,
};
use serde_json::Value;
use std::{convert::Infallible, error::Error, fs, path::Path};

/// The generator of the record. It keeps the bytes that were drawn.
struct Recorder {
    drbg: Drbg,
    drawn: Vec<u8>,
}

impl TryRng for Recorder {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.drbg.fill(out);
        self.drawn.extend_from_slice(out);
        Ok(())
    }
}

impl TryCryptoRng for Recorder {}

/// Writes the files of all parameter sets that the programs use.
pub fn write_known_answers(out: &Path) -> Result<(), Box<dyn Error>> {
    write_with_public_key::<Mceliece348864>(out)?;
    write_with_public_key::<Mceliece348864f>(out)?;
    write_with_public_key::<Mceliece8192128>(out)?;
    write_record::<Mceliece460896>(out)?;
    write_record::<Mceliece6688128>(out)?;
    Ok(())
}

/// Writes secret key, ciphertext and shared secret of the record.
fn write_record<P: Parameters>(out: &Path) -> Result<Value, Box<dyn Error>> {
    let path = format!("../../kat/mceliece/{}_first2.json", P::NAME);
    println!("cargo:rerun-if-changed={path}");
    let records: Value = serde_json::from_slice(&fs::read(path)?)?;
    for (field, name) in [
        ("sk", "secret_key"),
        ("ct", "ciphertext"),
        ("ss", "shared_secret"),
    ] {
        write::<P>(out, name, &bytes(&records[0][field])?)?;
    }
    Ok(records)
}

/// Writes the same files, and also the public key and the randomness of key generation and of
/// encapsulation.
fn write_with_public_key<P: Parameters>(out: &Path) -> Result<(), Box<dyn Error>> {
    let records = write_record::<P>(out)?;
    let field = |name: &str| bytes(&records[0][name]);
    let entropy = field("seed")?.try_into().map_err(|_| "48 bytes expected")?;
    let mut drbg = Drbg::new(&entropy);
    let seed = drbg.bytes();
    let pair = KeyPair::<P>::from_seed(&seed);
    let drawn = Vec::new();
    let mut recorder = Recorder { drbg, drawn };
    let (ciphertext, secret) = pair.public_key.encapsulate(&mut recorder);
    if pair.secret_key.as_bytes() != field("sk")?
        || ciphertext.as_bytes() != field("ct")?
        || secret.as_bytes()[..] != field("ss")?
    {
        return Err(format!("{}: the record is another one", P::NAME).into());
    }
    write::<P>(out, "public_key", pair.public_key.as_bytes())?;
    write::<P>(out, "seed", &seed)?;
    write::<P>(out, "randomness", &recorder.drawn)
}

fn write<P: Parameters>(out: &Path, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(out.join(format!("{}_{name}", P::NAME)), bytes)?)
}

/// Decodes hexadecimal text.
fn bytes(text: &Value) -> Result<Vec<u8>, Box<dyn Error>> {
    let digits = text.as_str().ok_or("text expected")?.as_bytes();
    let byte = |pair: &[u8]| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
    digits.chunks(2).map(byte).collect()
}
