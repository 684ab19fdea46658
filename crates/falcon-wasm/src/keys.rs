//! Signing keys and verifying keys.

use crate::documents;
use crate::errors::{Thrown, faulty, not_a_key, thrown};
use crate::random::fresh_seed;
use crate::signature::{decode, format_of, set_of};
use crate::stream::{Signer, Verifier};
use crate::wipe::on_wiped_stack;
use falcon_core::pkcs8::{KeyUse, OpenedKey, SecretDocument};
use falcon_core::{AnySigningKey, AnyVerifyingKey, ParameterSet};
use js_sys::Uint8Array;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

/// A signing key. Wiped when it is freed and no signer uses it.
#[wasm_bindgen]
pub struct NativeSigningKey {
    key: Rc<AnySigningKey>,
    /// The document of the key, if it says that the key signs certificates only.
    marked: Option<SecretDocument>,
    public: Rc<AnyVerifyingKey>,
}

impl From<AnySigningKey> for NativeSigningKey {
    fn from(key: AnySigningKey) -> Self {
        let public = Rc::new(key.verifying_key());
        Self {
            key: Rc::new(key),
            marked: None,
            public,
        }
    }
}

impl From<OpenedKey> for NativeSigningKey {
    fn from(opened: OpenedKey) -> Self {
        let marked = opened.key_use == KeyUse::CertificatesOnly;
        Self {
            marked: marked.then_some(opened.document),
            ..opened.key.into()
        }
    }
}

#[wasm_bindgen]
impl NativeSigningKey {
    /// Generates a key from random bytes.
    pub fn generate(large: bool) -> Result<Self, Thrown> {
        on_wiped_stack(|| {
            let seed = fresh_seed()?;
            let key = AnySigningKey::from_seed(set_of(large), &seed).map_err(faulty)?;
            Ok(key.into())
        })
    }

    /// Generates the key of a seed of 32 bytes.
    pub fn from_seed(seed: Vec<u8>, large: bool) -> Result<Self, Thrown> {
        let seed = Zeroizing::new(seed);
        on_wiped_stack(|| {
            let key = AnySigningKey::from_seed(set_of(large), exactly(&seed)?).map_err(faulty)?;
            Ok(key.into())
        })
    }

    /// Generates the key of the reference code for a seed of 48 bytes.
    pub fn from_reference_seed(seed: Vec<u8>, large: bool) -> Result<Self, Thrown> {
        let seed = Zeroizing::new(seed);
        on_wiped_stack(|| {
            let key = AnySigningKey::from_reference_seed(set_of(large), exactly(&seed)?);
            Ok(key.map_err(faulty)?.into())
        })
    }

    /// Decodes a key.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Thrown> {
        let bytes = Zeroizing::new(bytes);
        on_wiped_stack(|| {
            let key = AnySigningKey::try_from(&bytes[..])
                .map_err(|error| not_a_key("signing key", error, bytes.len()))?;
            Ok(key.into())
        })
    }

    /// Reads a PKCS#8 document in PEM.
    pub fn from_pem(text: Vec<u8>, passphrase: Option<Vec<u8>>) -> Result<Self, Thrown> {
        let (text, passphrase) = (Zeroizing::new(text), Zeroizing::new(passphrase));
        on_wiped_stack(|| Ok(documents::read_pem(&text, passphrase.as_deref())?.into()))
    }

    /// Reads a PKCS#8 document in DER.
    pub fn from_der(der: Vec<u8>, passphrase: Option<Vec<u8>>) -> Result<Self, Thrown> {
        let (der, passphrase) = (Zeroizing::new(der), Zeroizing::new(passphrase));
        on_wiped_stack(|| Ok(documents::read_der(&der, passphrase.as_deref())?.into()))
    }

    /// Encodes the key.
    pub fn to_bytes(&self) -> Uint8Array {
        on_wiped_stack(|| Uint8Array::from(&self.key.to_bytes()[..]))
    }

    /// Writes the key as PKCS#8 in PEM.
    pub fn to_pem(&self, passphrase: Option<Vec<u8>>) -> Result<JsValue, Thrown> {
        let passphrase = Zeroizing::new(passphrase);
        on_wiped_stack(|| {
            let text =
                documents::write_pem(&self.key, self.marked.as_ref(), passphrase.as_deref())?;
            Ok(JsValue::from_str(&text))
        })
    }

    /// Writes the key as PKCS#8 in DER.
    pub fn to_der(&self, passphrase: Option<Vec<u8>>) -> Result<Uint8Array, Thrown> {
        let passphrase = Zeroizing::new(passphrase);
        on_wiped_stack(|| {
            let document =
                documents::write_der(&self.key, self.marked.as_ref(), passphrase.as_deref())?;
            Ok(Uint8Array::from(document.as_bytes()))
        })
    }

    /// Returns the verifying key, which both objects share.
    pub fn verifying_key(&self) -> NativeVerifyingKey {
        NativeVerifyingKey {
            key: Rc::clone(&self.public),
        }
    }

    /// True if the document of the key says that it signs certificates only.
    pub fn certificates_only(&self) -> bool {
        self.marked.is_some()
    }

    /// Starts to sign a message. Refuses a key for certificates only.
    pub fn signer(&self) -> Result<Signer, Thrown> {
        if self.marked.is_some() {
            return Err(thrown("ERR_KEY_USE", "the key signs certificates only"));
        }
        on_wiped_stack(|| Signer::new(&self.key))
    }
}

/// A verifying key.
#[wasm_bindgen]
pub struct NativeVerifyingKey {
    key: Rc<AnyVerifyingKey>,
}

impl From<AnyVerifyingKey> for NativeVerifyingKey {
    fn from(key: AnyVerifyingKey) -> Self {
        Self { key: Rc::new(key) }
    }
}

#[wasm_bindgen]
impl NativeVerifyingKey {
    // A secret key that is passed by mistake is refused. Its copy is wiped.

    /// Decodes a key.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Thrown> {
        let bytes = Zeroizing::new(bytes);
        let key = AnyVerifyingKey::try_from(&bytes[..])
            .map_err(|error| not_a_key("verifying key", error, bytes.len()))?;
        Ok(key.into())
    }

    /// Reads a `SubjectPublicKeyInfo` document in PEM.
    pub fn from_pem(text: Vec<u8>) -> Result<Self, Thrown> {
        let text = Zeroizing::new(text);
        on_wiped_stack(|| Ok(documents::read_public_pem(&text)?.into()))
    }

    /// Reads a `SubjectPublicKeyInfo` document in DER.
    pub fn from_der(der: Vec<u8>) -> Result<Self, Thrown> {
        let der = Zeroizing::new(der);
        on_wiped_stack(|| Ok(documents::read_public_der(&der)?.into()))
    }

    /// Encodes the key.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.key.to_bytes()
    }

    /// Writes the key as a `SubjectPublicKeyInfo` document in PEM.
    pub fn to_pem(&self) -> Result<String, Thrown> {
        documents::write_public_pem(&self.key)
    }

    /// Writes the key as a `SubjectPublicKeyInfo` document in DER.
    pub fn to_der(&self) -> Result<Vec<u8>, Thrown> {
        documents::write_public_der(&self.key)
    }

    /// True for Falcon-1024.
    pub fn is_large(&self) -> bool {
        self.key.set() == ParameterSet::Falcon1024
    }

    /// Fingerprint as 64 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        base16ct::lower::encode_string(&self.key.fingerprint())
    }

    /// True if both keys have the same encoding.
    pub fn equals(&self, other: &NativeVerifyingKey) -> bool {
        self.key == other.key
    }

    /// Starts to verify a signature.
    pub fn verifier(&self, signature: &[u8], format: u8) -> Result<Verifier, Thrown> {
        let signature = decode(self.key.set(), format_of(format), signature)?;
        Ok(Verifier::new(&self.key, signature))
    }
}

fn exactly<const N: usize>(seed: &[u8]) -> Result<&[u8; N], Thrown> {
    seed.try_into().map_err(|_| {
        thrown(
            "ERR_INVALID_ARG_VALUE",
            &format!("the seed has {} bytes; it must have {N}", seed.len()),
        )
    })
}
