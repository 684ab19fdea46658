//! Signatures in the format that the algorithm identifiers of the keys announce.

use super::{AlgorithmIdentifierRef, AssociatedAlgorithmIdentifier, algorithm, der::asn1::AnyRef};
use crate::error::DecodeError;
use crate::params::Parameters;
use crate::signatures::{Format, Signature, SignatureBytes};
use crate::verify::VerifyingKey;
use signature::{MultipartVerifier, SignatureEncoding, Verifier};
#[cfg(feature = "alloc")]
use {
    super::{der, spki::SignatureBitStringEncoding},
    crate::expand::{ExpandedKey, Storage},
    crate::keys::SigningKey,
    rand_core::TryCryptoRng,
    signature::{RandomizedMultipartSigner, RandomizedSigner},
};

/// A signature in the format of certificates, [`Format::Compressed`]. This is the format that
/// belongs to the identifiers [`FALCON_512`](super::FALCON_512) and
/// [`FALCON_1024`](super::FALCON_1024).
///
/// The bytes of this type are compressed wherever they are written or read. Those of
/// [`Signature`] are padded. Code that is generic over the traits of the crates `signature` and
/// `spki` takes this type to build or check a certificate.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::pkcs8::{CertificateSignature, spki::SignatureBitStringEncoding};
/// use falcon_core::signature::{RandomizedSigner, Verifier};
/// use falcon_core::{Falcon512, SigningKey};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// let signature: CertificateSignature<Falcon512> =
///     RandomizedSigner::try_sign_with_rng(&key, &mut rng, b"to be signed")?;
/// let bits = signature.to_bitstring()?;
///
/// let read = CertificateSignature::try_from(bits.raw_bytes())?;
/// Verifier::verify(key.verifying_key(), b"to be signed", &read)?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CertificateSignature<P: Parameters>(Signature<P>);

impl<P: Parameters> From<Signature<P>> for CertificateSignature<P> {
    fn from(signature: Signature<P>) -> Self {
        Self(signature)
    }
}

impl<P: Parameters> From<CertificateSignature<P>> for Signature<P> {
    fn from(signature: CertificateSignature<P>) -> Self {
        signature.0
    }
}

impl<P: Parameters> TryFrom<&[u8]> for CertificateSignature<P> {
    type Error = DecodeError;

    /// Decodes a compressed signature.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        Signature::from_bytes(Format::Compressed, bytes).map(Self)
    }
}

/// Encodes the signature compressed.
impl<P: Parameters> From<CertificateSignature<P>> for SignatureBytes<P> {
    fn from(signature: CertificateSignature<P>) -> Self {
        signature.0.first_that_fits(&[Format::Compressed])
    }
}

impl<P: Parameters> SignatureEncoding for CertificateSignature<P> {
    type Repr = SignatureBytes<P>;
}

#[cfg(feature = "alloc")]
impl<P: Parameters> SignatureBitStringEncoding for CertificateSignature<P> {
    fn to_bitstring(&self) -> der::Result<der::asn1::BitString> {
        der::asn1::BitString::from_bytes(&self.to_bytes())
    }
}

impl<P: Parameters> AssociatedAlgorithmIdentifier for CertificateSignature<P> {
    type Params = AnyRef<'static>;
    const ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<P>();
}

impl<P: Parameters> Verifier<CertificateSignature<P>> for VerifyingKey<P> {
    fn verify(
        &self,
        message: &[u8],
        signature: &CertificateSignature<P>,
    ) -> Result<(), signature::Error> {
        Verifier::verify(self, message, &signature.0)
    }
}

impl<P: Parameters> MultipartVerifier<CertificateSignature<P>> for VerifyingKey<P> {
    fn multipart_verify(
        &self,
        message: &[&[u8]],
        signature: &CertificateSignature<P>,
    ) -> Result<(), signature::Error> {
        self.multipart_verify(message, &signature.0)
    }
}

/// The signing traits, the same for both forms of a secret key.
#[cfg(feature = "alloc")]
macro_rules! signing_traits {
    ($key:ty, $($generics:tt)*) => {
        impl<$($generics)*> RandomizedSigner<CertificateSignature<P>> for $key {
            fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<CertificateSignature<P>, signature::Error> {
                RandomizedSigner::try_sign_with_rng(self, rng, message).map(CertificateSignature)
            }
        }

        impl<$($generics)*> RandomizedMultipartSigner<CertificateSignature<P>> for $key {
            fn try_multipart_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[&[u8]],
            ) -> Result<CertificateSignature<P>, signature::Error> {
                self.try_multipart_sign_with_rng(rng, message).map(CertificateSignature)
            }
        }
    };
}

#[cfg(feature = "alloc")]
signing_traits!(SigningKey<P>, P: Parameters);
#[cfg(feature = "alloc")]
signing_traits!(ExpandedKey<P, B>, P: Parameters, B: Storage);
