//! Encapsulation to a public key that arrives in pieces.

use crate::ciphertexts::{Ciphertext, SharedSecret};
use crate::code::MAX_T;
use crate::encapsulate::finish;
use crate::encode::Encoding;
use crate::error::DecodeError;
use crate::operations;
use crate::params::Parameters;
use crate::stack::wipe_below;
use crate::weight::fixed_weight;
use core::fmt;
use core::marker::PhantomData;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Encapsulation to a public key that arrives in pieces of any length.
///
/// The pieces are not kept: the state has less than 1.5 KB. With the same randomness,
/// [`PublicKey::encapsulate`](crate::PublicKey::encapsulate) gives the same ciphertext and secret.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), mceliece_core::DecodeError> {
/// use mceliece_core::{EncapsulateStream, KeyPair, Mceliece348864f};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// # let received = pair.public_key.as_bytes();
///
/// let mut stream = EncapsulateStream::<Mceliece348864f>::new(&mut rng);
/// for piece in received.chunks(1000) {
///     stream.update(piece);
/// }
/// let (ciphertext, secret) = stream.finish()?;
/// assert_eq!(pair.secret_key.decapsulate(&ciphertext), secret);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
pub struct EncapsulateStream<P: Parameters> {
    encoding: Encoding,
    /// Number of bytes so far, including bytes after the end of the key.
    len: usize,
    /// OR of the padding bits so far.
    padding: u8,
    parameters: PhantomData<P>,
}

impl<P: Parameters> EncapsulateStream<P> {
    /// Draws the error vector. The shared secret is derived from it.
    // Not inlined: compilers copy the state when they inline functions that move it.
    #[inline(never)]
    pub fn new<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut positions = Zeroizing::new([0; MAX_T]);
        fixed_weight(&P::CODE, rng, &mut positions);
        Self {
            encoding: Encoding::new(&P::CODE, &positions),
            len: 0,
            padding: 0,
            parameters: PhantomData,
        }
    }

    /// Adds the next piece of the public key. If there are bytes after the end of the key,
    /// [`finish`](Self::finish) fails.
    pub fn update(&mut self, piece: &[u8]) -> &mut Self {
        let row_len = P::CODE.row_len();
        let mut rest = piece;
        while !rest.is_empty() && self.len < P::PUBLIC_KEY_LEN {
            let (row, offset) = (self.len / row_len, self.len % row_len);
            let (now, later) = rest.split_at(rest.len().min(row_len - offset));
            operations::add_piece(&mut self.encoding, row, offset, now);
            if let Some(&last) = now.last()
                && offset + now.len() == row_len
            {
                // Without padding, every bit of the last byte is used.
                let used = (0xff_u32 >> (8 * row_len - P::CODE.k())) as u8;
                self.padding |= last & !used;
            }
            self.len += now.len();
            rest = later;
        }
        self.len = self.len.saturating_add(rest.len());
        self
    }

    /// Ends the public key, and returns the ciphertext and the shared secret.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if the pieces do not have
    /// [`PUBLIC_KEY_LEN`](Parameters::PUBLIC_KEY_LEN) bytes together. [`DecodeError::Padding`] if a
    /// padding bit is not zero.
    #[inline(never)]
    pub fn finish(mut self) -> Result<(Ciphertext<P>, SharedSecret), DecodeError> {
        if self.len != P::PUBLIC_KEY_LEN {
            return Err(DecodeError::Length {
                expected: P::PUBLIC_KEY_LEN,
                actual: self.len,
            });
        }
        if self.padding != 0 {
            return Err(DecodeError::Padding);
        }
        // The result is computed in a called function, and its copy may stay there until `self` is
        // dropped.
        self.end()
    }

    /// Makes ciphertext and secret.
    #[inline(never)]
    fn end(&mut self) -> Result<(Ciphertext<P>, SharedSecret), DecodeError> {
        let (mut ciphertext, mut secret) = (Ciphertext::EMPTY, Zeroizing::new([0; 32]));
        let out = ciphertext.bytes_mut();
        finish(&mut self.encoding, &P::CODE, out, &mut secret);
        Ok((ciphertext, SharedSecret::copy(&secret)))
    }
}

/// Overwrites the stack below this frame, which may hold pieces of the error vector. The fields
/// wipe themselves.
impl<P: Parameters> Drop for EncapsulateStream<P> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe_below();
    }
}

impl<P: Parameters> fmt::Debug for EncapsulateStream<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncapsulateStream")
            .field("parameters", &P::NAME)
            .finish_non_exhaustive()
    }
}
