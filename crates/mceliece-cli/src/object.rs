//! Encodings of keys and ciphertexts in files: PEM with a label that names the set, or the bytes of
//! the specification.

use crate::sets::{COMPRESSED_LEN, SETS, Set, find, names};
use clap::ValueEnum;
use falcon_terminal::{
    error::{Error, Result},
    escape::Escaped,
    input::read_object,
    pem_text::pem_blocks,
    program::{Program, Secret},
    seed::SEED_LEN,
};
use mceliece_core::DecodeError;
use pem_rfc7468::{Decoder, LineEnding};
use serde::Serialize;
use std::{fmt, path::Path};
use zeroize::Zeroizing;

/// Name of the program, and rules by which it names and recognises files.
pub(crate) static PROGRAM: Program = Program {
    name: "mceliece-cli",
    temporary: ".mceliece-",
    locked: &["key", "secret"],
    environment: &[],
    secret_in,
};

/// Number of bytes of text that a file may have around its PEM block.
const TEXT_AROUND: usize = 16 * 1024;

/// Length of the longest file in bytes: base64, line ends of two bytes, boundaries, text around
/// them.
pub(crate) const MAX_FILE: u64 = {
    let (mut longest, mut i) = (0, 0);
    while i < SETS_LEN.len() {
        if SETS_LEN[i] > longest {
            longest = SETS_LEN[i];
        }
        i += 1;
    }
    let base64 = longest.div_ceil(3) * 4;
    (base64 + base64.div_ceil(64) * 2 + 256 + TEXT_AROUND) as u64
};

/// Lengths of the longest public keys. No other object is longer.
const SETS_LEN: [usize; 2] = [
    <mceliece_core::Mceliece6960119 as mceliece_core::Parameters>::PUBLIC_KEY_LEN,
    <mceliece_core::Mceliece8192128 as mceliece_core::Parameters>::PUBLIC_KEY_LEN,
];

/// Returns the kind of secret in a file that begins with `start` and is not PEM. Raw files have no
/// mark, so their length decides.
pub(crate) fn secret_in(start: &[u8]) -> Option<Secret> {
    match start.len() {
        SEED_LEN => Some(Secret::KeyOrShared(SEED_LEN)),
        len => has_len_of_secret_key(len).then_some(Secret::Key),
    }
}

fn has_len_of_secret_key(len: usize) -> bool {
    SETS.iter().any(|set| Form::of_len(set, len).is_some())
}

/// Returns true if a file of this length that is not PEM may be a key.
pub(crate) fn has_len_of_key(len: u64) -> bool {
    let is_public = |set: &Set| set.public_key_len as u64 == len;
    SETS.iter().any(is_public) || usize::try_from(len).is_ok_and(has_len_of_secret_key)
}

/// Kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    PublicKey,
    SecretKey,
    Ciphertext,
}

impl Kind {
    const ALL: [Self; 3] = [Self::PublicKey, Self::SecretKey, Self::Ciphertext];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PublicKey => "public key",
            Self::SecretKey => "secret key",
            Self::Ciphertext => "ciphertext",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::PublicKey => "PUBLIC KEY",
            Self::SecretKey => "SECRET KEY",
            Self::Ciphertext => "CIPHERTEXT",
        }
    }

    /// Refuses bytes that are not an encoding of this kind.
    fn check(self, set: &Set, bytes: &[u8]) -> std::result::Result<(), DecodeError> {
        match self {
            Self::PublicKey => (set.check_public_key)(bytes),
            Self::Ciphertext => (set.check_ciphertext)(bytes),
            // The short forms are checked when they are expanded.
            Self::SecretKey => match Form::of_len(set, bytes.len()) {
                Some(Form::Compressed | Form::Seed) => Ok(()),
                Some(Form::Full) | None => (set.check_secret_key)(bytes),
            },
        }
    }

    fn has_len(self, set: &Set, len: usize) -> bool {
        match self {
            Self::PublicKey => set.public_key_len == len,
            Self::Ciphertext => set.ciphertext_len == len,
            Self::SecretKey => Form::of_len(set, len).is_some(),
        }
    }
}

/// Form of a secret key. Each form is a prefix of the next longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// 6,492 to 14,120 bytes; decapsulation starts at once
    Full,
    /// 40 bytes; decapsulation first computes the full form
    Compressed,
    /// 32 bytes; decapsulation first generates the key pair again
    Seed,
}

impl Form {
    pub(crate) fn of_len(set: &Set, len: usize) -> Option<Self> {
        match len {
            SEED_LEN => Some(Self::Seed),
            COMPRESSED_LEN => Some(Self::Compressed),
            len => (len == set.secret_key_len).then_some(Self::Full),
        }
    }

    /// Length in bytes.
    pub(crate) fn len(self, set: &Set) -> usize {
        match self {
            Self::Full => set.secret_key_len,
            Self::Compressed => COMPRESSED_LEN,
            Self::Seed => SEED_LEN,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Compressed => "compressed",
            Self::Seed => "seed",
        })
    }
}

/// Wrapping of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Container {
    Pem,
    Raw,
}

/// A key or ciphertext whose encoding has been checked.
pub(crate) struct Object {
    pub(crate) set: &'static Set,
    pub(crate) kind: Kind,
    pub(crate) container: Container,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
}

/// Encodes an object for a file. The memory is wiped: it may be a secret key.
pub(crate) fn encode(set: &Set, kind: Kind, bytes: &[u8], raw: bool) -> Result<Zeroizing<Vec<u8>>> {
    if raw {
        return Ok(Zeroizing::new(bytes.to_vec()));
    }
    let label = format!("{} {}", set.label(), kind.label());
    let failed = |error| Error::new("cannot be written as PEM").because(error);
    // The memory has the right length from the start, and is wiped on every return.
    let len = pem_rfc7468::encoded_len(&label, LineEnding::LF, bytes).map_err(failed)?;
    let mut text = Zeroizing::new(vec![0; len]);
    pem_rfc7468::encode(&label, LineEnding::LF, bytes, &mut text).map_err(failed)?;
    Ok(text)
}

/// Reads the object of a file. If the file holds raw bytes, the caller must give the set. Without a
/// `wanted` kind, the length of the bytes decides.
pub(crate) fn read(path: &Path, set: Option<&'static Set>, wanted: Option<Kind>) -> Result<Object> {
    let what = wanted.map_or("Classic McEliece key or ciphertext", Kind::name);
    let bytes = read_object(path, MAX_FILE, what)?;
    decode(bytes, set, wanted).map_err(|error| error.of_path(path))
}

/// Decodes the content of a file. The fuzz target `mceliece_files` calls this function.
pub(crate) fn decode(
    bytes: Zeroizing<Vec<u8>>,
    set: Option<&'static Set>,
    wanted: Option<Kind>,
) -> Result<Object> {
    if bytes.is_empty() {
        return Err(Error::new("is empty"));
    }
    let object = match &pem_blocks(&bytes).map_err(Error::new)?[..] {
        [] => from_raw(bytes, set, wanted)?,
        [pem] => from_pem(pem, set, wanted)?,
        blocks => {
            return Err(Error::new(format_args!(
                "holds {} PEM blocks, and one is expected",
                blocks.len()
            )));
        }
    };
    let Object { set, kind, .. } = object;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != kind) {
        return Err(Error::new(format_args!(
            "is a {set} {}, not a {}",
            kind.name(),
            wanted.name()
        )));
    }
    kind.check(set, &object.bytes)
        .map_err(|error| malformed(set, kind, object.bytes.len(), error))?;
    Ok(object)
}

fn from_pem(pem: &[u8], named: Option<&'static Set>, wanted: Option<Kind>) -> Result<Object> {
    let damaged = || Error::new("is damaged PEM: was it truncated or edited?");
    let mut decoder = Decoder::new_detect_wrap(pem).map_err(|_| damaged())?;
    let label = decoder.type_label();
    let known = label.split_once(' ').and_then(|(set, kind)| {
        let set = find(set).filter(|known| known.label() == set)?;
        let kind = Kind::ALL.into_iter().find(|it| it.label() == kind)?;
        Some((set, kind))
    });
    let Some((set, kind)) = known else {
        return Err(Error::new(format_args!(
            "is PEM of the type {}, not a Classic McEliece key or ciphertext",
            Escaped(label.chars().take(64).collect::<String>())
        )));
    };
    if let Some(named) = named.filter(|named| *named != set) {
        // The caller reads a ciphertext for a key, so `named` is the set of the key.
        if kind == Kind::Ciphertext && wanted == Some(kind) {
            return Err(Error::new(format_args!(
                "is a {set} ciphertext, but the key is a {named} key"
            )));
        }
        return Err(Error::new(format_args!(
            "is a {set} {}, but --parameters names {named}",
            kind.name()
        ))
        .hint("leave --parameters out: the file names its set"));
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(decoder.remaining_len()));
    decoder.decode_to_end(&mut bytes).map_err(|_| damaged())?;
    Ok(Object {
        set,
        kind,
        container: Container::Pem,
        bytes,
    })
}

fn from_raw(
    bytes: Zeroizing<Vec<u8>>,
    set: Option<&'static Set>,
    wanted: Option<Kind>,
) -> Result<Object> {
    let len = bytes.len();
    let Some(set) = set else {
        return Err(unknown_set(len, wanted));
    };
    // If no kind has this length, the error is about keys and ciphertexts.
    let of_len = || Kind::ALL.into_iter().find(|kind| kind.has_len(set, len));
    let Some(kind) = wanted.or_else(of_len) else {
        return Err(Error::new(format_args!(
            "{len} bytes; neither a key nor a ciphertext of {set} has that length"
        )));
    };
    Ok(Object {
        set,
        kind,
        container: Container::Raw,
        bytes,
    })
}

/// Returns the error for raw bytes of an unknown set.
fn unknown_set(len: usize, wanted: Option<Kind>) -> Error {
    let candidates = |kind: Kind| SETS.iter().filter(move |set| kind.has_len(set, len));
    let kinds: Vec<_> = match wanted {
        Some(kind) => vec![kind],
        None => Kind::ALL.to_vec(),
    };
    let fits = kinds
        .into_iter()
        .find(|&kind| candidates(kind).next().is_some());
    match fits {
        None => Error::new(format_args!(
            "{len} bytes; no {} has that length. Was it truncated?",
            wanted.map_or("Classic McEliece key or ciphertext", Kind::name)
        )),
        Some(_) if len == SEED_LEN && wanted.is_none() => Error::new(format_args!(
            "{len} bytes: a shared secret, or a secret key in the form seed; the file does not say \
             which"
        ))
        .hint("to see the fingerprint of the key, add --parameters and its set"),
        Some(kind) => {
            let sets: Vec<_> = candidates(kind).collect();
            let error = Error::new(format_args!(
                "has the length of a {}, but raw bytes do not name their set",
                kind.name()
            ));
            if sets.len() == SETS.len() {
                error.hint("add --parameters and the set of the key; `mceliece-cli keygen --help` lists the sets")
            } else {
                error.hint(format_args!(
                    "add --parameters and the set: {}",
                    names(sets.into_iter())
                ))
            }
        }
    }
}

/// Returns the error for bytes of a known kind that do not decode.
pub(crate) fn malformed(set: &Set, kind: Kind, len: usize, error: DecodeError) -> Error {
    let name = kind.name();
    match error {
        DecodeError::Length { expected, .. } => {
            let how = if len < expected {
                "Was it truncated?"
            } else {
                "Was something added?"
            };
            Error::new(format_args!(
                "{len} bytes; a {set} {name} has {expected}. {how}"
            ))
        }
        error => Error::new(format_args!("is not a valid {set} {name}")).because(error),
    }
}
