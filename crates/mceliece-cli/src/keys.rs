//! Reads keys from files and expands them.

use crate::{
    object::{self, Container, Form, Kind, Object, malformed},
    sets::{SecretBytes, Set},
};
use falcon_terminal::{
    access::warn_if_exposed,
    error::{Error, Result},
    input::{read_start, regular_length},
    pem_text::has_pem_of_key,
    place::with_suffix,
    shell::quote,
    ui::Ui,
};
use std::{io::ErrorKind, path::Path};

/// A secret key, expanded to its full form.
pub(crate) struct SecretKey {
    pub(crate) set: &'static Set,
    pub(crate) form: Form,
    bytes: SecretBytes,
    /// The public key, if expanding the secret key has computed it.
    public: Option<Box<[u8]>>,
}

impl SecretKey {
    /// Generates the key pair from a seed.
    pub(crate) fn generate(set: &'static Set, seed: &[u8; 32]) -> Self {
        let (bytes, public) = (set.keygen)(seed);
        Self {
            set,
            form: Form::Seed,
            bytes,
            public: Some(public),
        }
    }

    /// Expands a key from its file.
    pub(crate) fn expand(object: &Object) -> Result<Self> {
        let Object { set, bytes, .. } = object;
        let malformed = |error| malformed(set, Kind::SecretKey, bytes.len(), error);
        if let Ok(seed) = bytes.as_slice().try_into() {
            return Ok(Self::generate(set, seed));
        }
        let (form, bytes) = match bytes.as_slice().try_into() {
            Ok(compressed) => {
                let bytes = (set.expand)(compressed).map_err(malformed)?;
                (Form::Compressed, bytes)
            }
            Err(_) => (Form::Full, SecretBytes::new(bytes.as_slice().into())),
        };
        Ok(Self {
            set,
            form,
            bytes,
            public: None,
        })
    }

    /// Returns the encoding in the full form. It is secret.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the secret encoding of the key in the given form. Every form is a prefix of the full
    /// form.
    pub(crate) fn in_form(&self, form: Form) -> &[u8] {
        &self.bytes[..form.len(self.set)]
    }

    /// Returns false for a key in full form whose first 40 bytes expand to another key or to none.
    /// This check is cheaper than [`public_key`](Self::public_key), which also computes the matrix.
    pub(crate) fn is_expansion(&self) -> bool {
        let Some(compressed) = self.bytes.first_chunk() else {
            return true;
        };
        if self.form != Form::Full {
            return true;
        }
        let Ok(expected) = (self.set.expand)(compressed) else {
            return false;
        };
        let pairs = expected.iter().zip(self.bytes.iter());
        pairs.fold(0, |different, (a, b)| different | (a ^ b)) == 0
    }

    /// Computes the public key. Fails if the seed does not give this secret key.
    pub(crate) fn public_key(&mut self) -> Result<&[u8]> {
        if self.public.is_none() {
            let computed = (self.set.public_key)(&self.bytes);
            self.public = Some(computed.map_err(|_| {
                Error::new(format_args!(
                    "is not the {} secret key that its seed gives: was it damaged?",
                    self.set
                ))
            })?);
        }
        Ok(self.public.as_deref().unwrap_or_default())
    }
}

/// Reads a secret key. Warns if other users have access to the file.
pub(crate) fn load_secret(path: &Path, set: Option<&'static Set>, ui: Ui) -> Result<SecretKey> {
    let object = object::read(path, set, Some(Kind::SecretKey)).map_err(|error| {
        if error.is(ErrorKind::NotFound) {
            error.hint("check the path: a new key cannot replace a lost one")
        } else {
            error
        }
    })?;
    warn_if_exposed(path, "secret key", ui);
    SecretKey::expand(&object).map_err(|error| error.of_path(path))
}

/// Reads a public key.
pub(crate) fn load_public(path: &Path, set: Option<&'static Set>) -> Result<Object> {
    object::read(path, set, Some(Kind::PublicKey)).map_err(|error| {
        let secret = path.with_extension("");
        let beside = path.extension().is_some_and(|it| it == "pub") && secret.exists();
        let public = with_suffix(path, ".pub");
        if error.is(ErrorKind::NotFound) && beside {
            error.hint(format_args!(
                "make it again from the secret key: mceliece-cli pubkey {}",
                quote(&secret)
            ))
        } else if error.next_step().is_none() && public.exists() {
            error.hint(format_args!("name {} instead", quote(&public)))
        } else {
            error
        }
    })
}

/// Returns true if the regular file has the length of a public or secret key, or begins with text
/// that contains a PEM boundary of a key.
pub(crate) fn is_key(path: &Path) -> Result<bool> {
    /// Number of bytes that are searched for a PEM boundary.
    const LOOKED_AT: u64 = 64 * 1024;
    let has_len = regular_length(path).is_some_and(object::has_len_of_key);
    Ok(has_len || has_pem_of_key(&read_start(path, LOOKED_AT)?.0))
}

/// Names the container of an object, for people.
pub(crate) fn container_name(container: Container) -> &'static str {
    match container {
        Container::Pem => "PEM",
        Container::Raw => "raw",
    }
}
