//! Signs without fresh randomness, and detects faults.

use crate::error::FaultError;
use crate::lanes::wipe;
use crate::params::Parameters;
use crate::reveal::reveal;
use crate::signatures::Signature;
use crate::verify::VerifyingKey;

/// Signs `message` twice with `sign`, compares the two signatures, and verifies the first one with
/// `key`.
///
/// Two different signatures of one point reveal the key, so this function wipes both if they differ
/// or are not valid.
///
/// # Errors
/// [`FaultError`] if the signatures differ or are not valid, and the error of `sign`.
pub(crate) fn sign_twice<P: Parameters>(
    key: &VerifyingKey<P>,
    message: &[u8],
    mut sign: impl FnMut() -> Result<Signature<P>, FaultError>,
) -> Result<Signature<P>, FaultError> {
    let mut both = [Signature::EMPTY; 2];
    for signature in &mut both {
        let mut signed = sign();
        match &mut signed {
            Ok(signed) => {
                *signature = *signed;
                // Without this statement, a copy would be left on the stack.
                wipe(signed.s2.as_mut());
            }
            Err(FaultError) => return first_if_right(false, &mut both),
        }
    }
    let [signature, again] = &both;
    let valid = key.verify(message, signature).is_ok();
    let words = signature.s2.as_ref().iter().zip(again.s2.as_ref());
    let difference = words.fold(0, |difference, (a, b)| difference | (a ^ b));
    let right = reveal(valid & (difference == 0)) && again.nonce == signature.nonce;
    first_if_right(right, &mut both)
}

/// Returns the first of two signatures of one message. If they are not `right`, wipes both, since
/// two signatures of one point reveal the key.
fn first_if_right<P: Parameters>(
    right: bool,
    both: &mut [Signature<P>; 2],
) -> Result<Signature<P>, FaultError> {
    if right {
        return Ok(both[0]);
    }
    for signature in both {
        wipe(signature.s2.as_mut());
    }
    Err(FaultError)
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::keys::SigningKey;
    use crate::params::Falcon512;

    type P = Falcon512;

    #[test]
    fn two_signatures_that_are_not_right_are_wiped() {
        let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
        let of = |seed: u8| {
            let stream = key.sign_stream_from_seed(&[seed; 32]);
            stream.finish().expect("no fault")
        };
        let mut both = [of(1), of(2)];
        assert_eq!(first_if_right(true, &mut both), Ok(of(1)));
        assert_eq!(first_if_right(false, &mut both), Err(FaultError));
        assert!(both.iter().all(|wiped| wiped.s2().iter().all(|&s| s == 0)));
    }

    #[test]
    fn a_fault_in_either_signature_is_found() {
        let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
        let of = |seed: u8| {
            let stream = key.sign_stream_from_seed(&[seed; 32]);
            stream.finish().expect("no fault")
        };
        let good = of(1);
        let valid_too = of(2);
        let mut longer = good;
        longer.s2.as_mut()[511] += 1;
        let mut renamed = good;
        renamed.nonce[39] ^= 1;
        let sign = |both: [Signature<P>; 2]| {
            let mut both = both.into_iter();
            sign_twice(key.verifying_key(), b"", || Ok(both.next().expect("two")))
        };
        assert_eq!(sign([good, good]), Ok(good));
        for faulty in [valid_too, longer, renamed] {
            assert_eq!(sign([good, faulty]), Err(FaultError));
            assert_eq!(sign([faulty, good]), Err(FaultError));
        }
        // The same fault comes twice, so only the verification finds it.
        assert_eq!(sign([longer, longer]), Err(FaultError));
        // Signing itself fails at either the first or the second time.
        for results in [[Err(FaultError), Ok(good)], [Ok(good), Err(FaultError)]] {
            let mut results = results.into_iter();
            let sign = || results.next().expect("at most two");
            assert_eq!(sign_twice(key.verifying_key(), b"", sign), Err(FaultError));
        }
    }
}
