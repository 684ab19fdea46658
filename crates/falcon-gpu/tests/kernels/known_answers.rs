//! NIST's records of round 3, signed by the kernels.

use crate::common::{Job, Randomness, Signing, kernels_available, sign, verify};
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature, SigningKey, VerifyingKey};
use falcon_gpu::kernels::{Grain, KeyMode, status};
use falcon_kat::{Algorithm, EngineSubject, KeyForm, KeyPair, Subject, SubjectError, replay};

/// Signing and verifying by kernels; keys from the core.
struct Kernels {
    mode: KeyMode,
    grain: Grain,
}

const KEYGEN: EngineSubject = EngineSubject {
    engine: falcon::Engine::Scalar,
    form: KeyForm::Key,
};

impl Kernels {
    fn sign<P: Parameters>(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Signature<P>, SubjectError> {
        let key = SigningKey::<P>::try_from(secret_key)?;
        let jobs = [Job {
            key: 0,
            message: message.to_vec(),
        }];
        let raw = [(*nonce, seed.to_vec())];
        let limit = algorithm.padded_len().unwrap_or(P::COMPRESSED_MAX_LEN);
        let how = Signing {
            limit: Some(limit as u32),
            ..Signing::new::<P>(self.mode, self.grain)
        };
        let signed = sign(how, &[key], &jobs, &Randomness::Raw(&raw));
        Ok(Signature::try_from(&signed.signatures[0][..])?)
    }

    fn attached<P: Parameters>(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        let signature = self.sign::<P>(algorithm, secret_key, nonce, seed, message)?;
        let mut out = vec![0; P::COMPRESSED_MAX_LEN + 2 + message.len()];
        let len = signature.encode_attached(message, &mut out)?;
        out.truncate(len);
        Ok(out)
    }

    fn open<P: Parameters>(
        &self,
        public_key: &[u8],
        signed: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        let key = VerifyingKey::<P>::try_from(public_key)?;
        let (signature, message) = Signature::<P>::from_attached(signed)?;
        let jobs = [Job {
            key: 0,
            message: message.to_vec(),
        }];
        let states = verify::<P>(
            crate::common::LAUNCH,
            &[key.h()],
            &jobs,
            &[signature.to_bytes().to_vec()],
        );
        if states == [status::DONE] {
            Ok(message.to_vec())
        } else {
            Err("not valid".into())
        }
    }
}

impl Subject for Kernels {
    fn keygen(&self, algorithm: Algorithm, seed: &[u8; 48]) -> Result<KeyPair, SubjectError> {
        KEYGEN.keygen(algorithm, seed)
    }

    fn sign_attached(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        match algorithm {
            Algorithm::Falcon512 => {
                self.attached::<Falcon512>(algorithm, secret_key, nonce, seed, message)
            }
            Algorithm::Falcon1024 => {
                self.attached::<Falcon1024>(algorithm, secret_key, nonce, seed, message)
            }
            _ => Err("not in NIST's files".into()),
        }
    }

    fn sign_detached(
        &self,
        _: Algorithm,
        _: &[u8],
        _: &[u8; 40],
        _: &[u8; 48],
        _: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        Err("not in NIST's files".into())
    }

    fn open(
        &self,
        algorithm: Algorithm,
        public_key: &[u8],
        signed_message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        match algorithm {
            Algorithm::Falcon512 => self.open::<Falcon512>(public_key, signed_message),
            _ => self.open::<Falcon1024>(public_key, signed_message),
        }
    }
}

#[test]
fn kernels_reproduce_nists_records() {
    if !kernels_available() {
        return;
    }
    let files = [
        (
            Algorithm::Falcon512,
            include_str!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        ),
        (
            Algorithm::Falcon1024,
            include_str!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
        ),
    ];
    for (algorithm, text) in files {
        for mode in [KeyMode::Raw, KeyMode::Balanced, KeyMode::Expanded] {
            for grain in [Grain::Thread, Grain::Warp] {
                let subject = Kernels { mode, grain };
                let report = replay::check(text.as_bytes(), Some(algorithm), &subject, |_| ());
                let report = report.expect("the file is well formed");
                assert_eq!(report.records, 10, "{algorithm}, {mode:?}, {grain:?}");
                assert!(
                    report.finding.is_none(),
                    "{algorithm}: {:?}",
                    report.finding
                );
            }
        }
    }
}
