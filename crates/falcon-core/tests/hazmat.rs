//! Functions of `hazmat` for other systems: the vectors of falcon.py at every degree, from a stream
//! that is already in use; keys from a basis; other nonces; faults that signing finds.

use core::cell::Cell;
use falcon_core::batch::{
    BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob, VerifyJob,
};
use falcon_core::hazmat::{
    self, BatchSignRaw, FaultError, Fit, OtherNonce, RawJob, RawRandomness, VerifyAfterSign,
    insecure, sign_deterministic, sign_with_seeds, sign_with_seeds_on, signing_key_from_basis,
    verify_with_hash,
};
use falcon_core::{
    DecodeError, Engine, ExpandedKey, Falcon512, Falcon1024, Format, Parameters, Scratch,
    Signature, SignatureError, SigningKey,
};
use sha3::digest::{ExtendableOutput, Update, XofReader};

type Stream = sha3::Shake256Reader;

/// The stream that gives the randomness of all vectors.
fn stream() -> Stream {
    sha3::Shake256::default().chain(b"external").finalize_xof()
}

/// A line of the vectors.
struct Vector {
    degree: usize,
    /// Number of bytes of the stream that key generation reads.
    keygen: usize,
    /// The basis `f`, `g`, `F`, `G`.
    basis: [Vec<i8>; 4],
    signature: Vec<u8>,
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("../../../kat/falcon-py/sign.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let vectors = lines.map(|line| {
        let fields: Vec<_> = line.split(' ').collect();
        let [degree, words, basis @ .., signature] = &fields[..] else {
            panic!("a line of {} fields", fields.len())
        };
        let bytes = |hex: &str| base16ct::lower::decode_vec(hex).expect("hexadecimal");
        let polynomial = |hex: &&str| bytes(hex).iter().map(|&x| x as i8).collect();
        Vector {
            degree: degree.parse().expect("a degree"),
            keygen: 8 * words.parse::<usize>().expect("a number"),
            basis: basis
                .iter()
                .map(polynomial)
                .collect::<Vec<_>>()
                .try_into()
                .expect("four"),
            signature: bytes(signature),
        }
    });
    vectors.collect()
}

fn basis(polynomials: &[Vec<i8>; 4]) -> [&[i8]; 4] {
    polynomials.each_ref().map(|polynomial| &polynomial[..])
}

/// Signs `b"data1"` as falcon.py does: the nonce and the seeds are the next bytes of `stream`.
fn sign<P: Parameters>(
    engine: Engine,
    key: &impl hazmat::SecretKey<P>,
    stream: &mut Stream,
) -> Signature<P> {
    let mut nonce = [0; 40];
    stream.read(&mut nonce);
    let next_seed = |seed: &mut [u8; 56]| {
        stream.read(seed);
        Ok::<_, FaultError>(())
    };
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("enough");
    let fit = Fit::Padded;
    sign_with_seeds_on(engine, key, &nonce, next_seed, b"data1", fit, &mut scratch)
        .expect("no fault")
}

fn vector_is_reproduced<P: Parameters>(vector: &Vector, stream: &mut Stream) {
    stream.read(&mut vec![0; vector.keygen]);
    let key = signing_key_from_basis::<P>(basis(&vector.basis)).expect("a key");
    let same = SigningKey::<P>::try_from(key.to_bytes().as_ref()).expect("its encoding");
    assert_eq!(hazmat::secret_basis(&same), basis(&vector.basis));

    let expanded = key.expand();
    let before = stream.clone();
    for engine in Engine::available() {
        *stream = before.clone();
        let signature = sign(engine, &key, stream);
        assert_eq!(
            signature.to_bytes().as_bytes(),
            vector.signature,
            "{engine}"
        );
        assert!(
            sign(engine, &expanded, &mut before.clone()) == signature,
            "{engine}"
        );
        let public = key.verifying_key();
        assert_eq!(public.verify(b"data1", &signature), Ok(()));
        assert!(public.verify(b"data2", &signature).is_err());
    }
}

#[test]
fn the_120_vectors_of_falcon_py_are_reproduced_on_every_engine() {
    let mut stream = stream();
    let vectors = vectors();
    assert_eq!(vectors.len(), 120);
    for vector in &vectors {
        let stream = &mut stream;
        match vector.degree {
            2 => vector_is_reproduced::<insecure::InsecureFalcon2>(vector, stream),
            4 => vector_is_reproduced::<insecure::InsecureFalcon4>(vector, stream),
            8 => vector_is_reproduced::<insecure::InsecureFalcon8>(vector, stream),
            16 => vector_is_reproduced::<insecure::InsecureFalcon16>(vector, stream),
            32 => vector_is_reproduced::<insecure::InsecureFalcon32>(vector, stream),
            64 => vector_is_reproduced::<insecure::InsecureFalcon64>(vector, stream),
            128 => vector_is_reproduced::<insecure::InsecureFalcon128>(vector, stream),
            256 => vector_is_reproduced::<insecure::InsecureFalcon256>(vector, stream),
            512 => vector_is_reproduced::<Falcon512>(vector, stream),
            1024 => vector_is_reproduced::<Falcon1024>(vector, stream),
            degree => panic!("no parameter set of degree {degree}"),
        }
    }
}

/// The reason why no signature was made.
#[derive(Debug, PartialEq)]
enum Failure {
    /// The seeds ended. Holds the number of seeds that were used.
    End(usize),
    Fault,
}

impl From<FaultError> for Failure {
    fn from(_: FaultError) -> Self {
        Self::Fault
    }
}

/// A seed that is refused once is refused every time. Without a bound, signing with the same seed
/// for every attempt would never end.
#[test]
fn a_seed_that_is_refused_again_and_again_is_a_fault() {
    let key = SigningKey::<insecure::InsecureFalcon4>::from_seed(&[7; 32]).expect("no fault");
    let mut reals = [0.0; Scratch::<insecure::InsecureFalcon4>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("enough");
    let mut faults = 0;
    for byte in 0..20 {
        let mut attempts = 0;
        let same = |seed: &mut [u8; 56]| {
            attempts += 1;
            seed.fill(byte);
            Ok(())
        };
        let signed = sign_with_seeds(&key, &[1; 40], same, b"m", Fit::Any, &mut scratch);
        match signed {
            Ok(_) => assert_eq!(attempts, 1),
            Err(error) => {
                assert_eq!((error, attempts), (FaultError, 256));
                faults += 1;
            }
        }
    }
    assert!((1..20).contains(&faults), "{faults}");
}

/// If the seeds end, there is no signature, even after refused attempts, and the error is the
/// caller's.
#[test]
fn seeds_that_end_give_the_error_of_the_caller() {
    let key = SigningKey::<insecure::InsecureFalcon4>::from_seed(&[7; 32]).expect("no fault");
    let mut reals = [0.0; Scratch::<insecure::InsecureFalcon4>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("enough");
    let mut attempts = |nonce: u8, limit: usize| {
        let mut taken = 0;
        let next_seed = |seed: &mut [u8; 56]| {
            if taken == limit {
                return Err(Failure::End(taken));
            }
            taken += 1;
            *seed = [taken as u8; 56];
            Ok(())
        };
        let nonce = &[nonce; 40];
        let result = sign_with_seeds(&key, nonce, next_seed, b"m", Fit::Any, &mut scratch);
        result.map(|_| taken)
    };
    let mut refused = 0;
    for nonce in 0..100 {
        let needed = attempts(nonce, 256).expect("a signature");
        for limit in 0..needed {
            assert_eq!(attempts(nonce, limit), Err(Failure::End(limit)));
        }
        assert_eq!(attempts(nonce, needed), Ok(needed));
        refused += needed - 1;
    }
    assert!(refused > 10, "{refused}");
}

/// Nonces and sampler seeds depend on the secret hash, so the hash must be the same, too.
#[test]
fn a_key_of_its_own_basis_is_the_same_key() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let same = signing_key_from_basis::<Falcon512>(hazmat::secret_basis(&key)).expect("a key");
    assert_eq!(*same.to_bytes(), *key.to_bytes());
    assert_eq!(same.verifying_key(), key.verifying_key());
    assert_eq!(hazmat::secret_hash(&same), hazmat::secret_hash(&key));
}

#[test]
fn a_basis_that_is_no_key_is_refused() {
    type P = insecure::InsecureFalcon16;
    let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
    let good = hazmat::secret_basis(&key).map(<[i8]>::to_vec);
    let error = |change: fn(&mut [Vec<i8>; 4])| {
        let mut changed = good.clone();
        change(&mut changed);
        signing_key_from_basis::<P>(basis(&changed)).err()
    };
    assert_eq!(error(|_| ()), None);
    assert_eq!(error(|p| p[3].truncate(15)), Some(DecodeError::Length));
    assert_eq!(error(|p| p[0].push(0)), Some(DecodeError::Length));
    assert_eq!(error(|p| p[2][5] = -128), Some(DecodeError::Range));
    assert_eq!(error(|p| p[0][5] = 127), Some(DecodeError::InvalidKey));
    assert_eq!(error(|p| p[0].fill(0)), Some(DecodeError::InvalidKey));
    assert_eq!(error(|p| p[2][5] ^= 1), Some(DecodeError::InvalidKey));
    assert_eq!(error(|p| p[3][5] ^= 1), Some(DecodeError::InvalidKey));
    assert_eq!(error(|p| p[3][0] = -p[3][0]), Some(DecodeError::InvalidKey));
    // At degree 512, a coefficient of `f` or `g` has six bits.
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let mut wide = hazmat::secret_basis(&key).map(<[i8]>::to_vec);
    wide[1][0] = 32;
    let error = signing_key_from_basis::<Falcon512>(basis(&wide)).err();
    assert_eq!(error, Some(DecodeError::Range));
}

#[test]
fn another_nonce_is_hashed_in_place_of_the_signature_s() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let mut stream = key.sign_stream_from_seed(&[8; 32]);
    stream.update(b"message");
    let signature = stream.finish().expect("no fault");
    let nonce = *signature.nonce();
    let without = hazmat::signature_from_nonce_and_s2::<Falcon512>(&[0; 40], signature.s2());
    let without = without.expect("a signature");
    let verify = |nonce: &[u8], message: &[u8]| {
        verify_with_hash(key.verifying_key(), &OtherNonce(nonce), message, &without)
    };
    assert!(key.verifying_key().verify(b"message", &without).is_err());
    assert_eq!(verify(&nonce, b"message"), Ok(()));
    // Nonces of other lengths: the same bytes are divided at another place.
    let whole = [&nonce[..], b"message"].concat();
    for len in [0, 1, 39, 41, whole.len()] {
        assert_eq!(verify(&whole[..len], &whole[len..]), Ok(()));
        assert!(verify(&whole[..len], b"message").is_err());
    }
}

#[test]
fn padded_signatures_are_attached_in_front_of_the_message() {
    fn check<P: Parameters>() {
        let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
        let mut stream = key.sign_stream_from_seed(&[8; 32]);
        stream.update(b"message");
        let signature = stream.finish().expect("no fault");
        let len = P::PADDED_LEN + 7;
        let mut out = vec![0xa5; len + 1];
        assert_eq!(
            signature.encode_attached_padded(b"message", &mut out),
            Ok(len)
        );
        assert_eq!(out[len], 0xa5);
        let padded = signature.to_vec(Format::Padded).expect("it fits");
        assert_eq!(out[..len], [&padded, &b"message"[..]].concat());
        for short in [0, P::PADDED_LEN - 1, len - 1] {
            assert!(
                signature
                    .encode_attached_padded(b"message", &mut out[..short])
                    .is_err()
            );
        }

        let read = Signature::<P>::from_attached_padded(&out[..len]);
        assert_eq!(read, Ok((signature, &b"message"[..])));
        let empty = Signature::<P>::from_attached_padded(&padded);
        assert_eq!(empty, Ok((signature, &[][..])));
        let cut = Signature::<P>::from_attached_padded(&padded[..P::PADDED_LEN - 1]);
        assert_eq!(cut, Err(DecodeError::Length));
        out[0] ^= 0x40;
        let header = Signature::<P>::from_attached_padded(&out);
        assert_eq!(header, Err(DecodeError::Header));
    }
    check::<insecure::InsecureFalcon2>();
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// An expanded key in memory with a fault. Readings with a number in `from..until` return one wrong
/// real.
struct Faulty<'a> {
    sound: &'a [f64],
    spoilt: &'a [f64],
    readings: &'a Cell<usize>,
    from: usize,
    until: usize,
    /// Memory of the key while it is expanded.
    own: Vec<f64>,
}

impl AsRef<[f64]> for Faulty<'_> {
    fn as_ref(&self) -> &[f64] {
        let reading = self.readings.replace(self.readings.get() + 1);
        if (self.from..self.until).contains(&reading) {
            self.spoilt
        } else {
            self.sound
        }
    }
}

impl AsMut<[f64]> for Faulty<'_> {
    fn as_mut(&mut self) -> &mut [f64] {
        &mut self.own
    }
}

/// Signing finds a fault in one of the two computations, even if the fault gives a valid signature.
/// A fault in both is found if the signature is not valid.
#[test]
fn deterministic_signing_finds_faults() {
    type P = Falcon512;
    let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
    let expanded = key.expand();
    let sound = hazmat::expanded_reals(&expanded);
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");
    let expected = sign_deterministic(&key, b"message", &mut scratch);
    assert!(expected.is_ok());

    // The first place is a value of the basis, from which `s2` is computed. The second is a value
    // of the tree: with it, the sampler finds another point of the same lattice, so the signature
    // is valid.
    for (place, only_other) in [(3 * 512 + 17, false), (4 * 512 + 17, true)] {
        let mut spoilt = sound.to_vec();
        spoilt[place] += 3.0;
        let mut sign = |from, until| {
            let readings = Cell::new(0);
            let storage = Faulty {
                sound,
                spoilt: &spoilt,
                readings: &readings,
                from,
                until,
                own: vec![0.0; ExpandedKey::<P>::LEN],
            };
            let key = key.expand_in(storage, &mut scratch).expect("enough");
            let signed = sign_deterministic(&key, b"message", &mut scratch);
            let mut stream = key.sign_stream_from_seed(&[1; 32]);
            stream.update(b"message");
            (signed, stream.finish(), readings.get())
        };
        let (signed, _, readings) = sign(0, 0);
        assert_eq!(signed, expected);
        // One reading for each signature, and one to find the length of the scratch.
        assert_eq!(readings, 4);
        assert_eq!(sign(0, 1).0, Err(FaultError), "{place}");
        assert_eq!(sign(1, 2).0, Err(FaultError), "{place}");

        let (_, faulty, _) = sign(2, 4);
        let faulty = faulty.expect("an attempt is accepted");
        let verdict = key.verifying_key().verify(b"message", &faulty);
        assert_ne!(Ok(faulty), sign(0, 0).1);
        if only_other {
            assert_eq!(verdict, Ok(()), "verifying alone does not find it");
        } else {
            assert_eq!(verdict, Err(SignatureError));
            assert_eq!(
                sign(0, 2).0,
                Err(FaultError),
                "twice the same, and not valid"
            );
        }
    }
}

/// An engine that changes a coefficient in the signature of one job.
struct Spoiling(usize);

impl Spoiling {
    fn spoil<P: Parameters>(&self, out: &mut [Signature<P>]) {
        if let Some(signature) = out.get_mut(self.0) {
            let mut s2 = signature.s2().to_vec();
            s2[3] += 1;
            let spoilt = hazmat::signature_from_nonce_and_s2(signature.nonce(), &s2);
            *signature = spoilt.expect("a signature");
        }
    }
}

impl<P: Parameters> BatchSign<P> for Spoiling {
    fn sign_part(
        &self,
        seed: &[u8; 32],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        Engine::best().sign_part(seed, first, jobs, out)?;
        self.spoil(out);
        Ok(())
    }
}

impl<P: Parameters> BatchSignRaw<P> for Spoiling {
    fn sign_batch_raw(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        Engine::best().sign_batch_raw(jobs, fit, out)?;
        self.spoil(out);
        Ok(())
    }
}

impl<P: Parameters> BatchVerify<P> for Spoiling {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        Engine::best().verify_batch(jobs, out)
    }
}

#[test]
fn a_batch_with_a_wrong_signature_is_not_given() {
    type P = Falcon512;
    let keys = [1, 2].map(|seed| SigningKey::<P>::from_seed(&[seed; 32]).expect("no fault"));
    let messages: Vec<_> = (0..6).map(|i| vec![i; 10 * usize::from(i)]).collect();
    let randomness = RawRandomness {
        nonce: &[1; 40],
        seed: &[2; 48],
    };
    let jobs = messages.iter().zip(0..);
    let raw: Vec<_> = jobs
        .clone()
        .map(|(message, i)| RawJob::new(&keys[i / 3], message, randomness))
        .collect();
    let jobs: Vec<_> = jobs
        .map(|(message, i)| SignJob::new(&keys[i / 3], message))
        .collect();
    let sign = |spoilt: usize, raw_jobs: bool| {
        let engine = VerifyAfterSign(Spoiling(spoilt));
        let mut out = [Signature::EMPTY; 6];
        let result = if raw_jobs {
            engine.sign_batch_raw(&raw, Fit::Any, &mut out)
        } else {
            engine.sign_batch(&[3; 32], &jobs, &mut out)
        };
        result.map(|()| out).inspect_err(|_| {
            assert_eq!(out, [Signature::EMPTY; 6]);
        })
    };
    let mut expected = [Signature::EMPTY; 6];
    let engine = Engine::best();
    engine.sign_batch(&[3; 32], &jobs, &mut expected).unwrap();
    assert_eq!(sign(6, false), Ok(expected));
    engine
        .sign_batch_raw(&raw, Fit::Any, &mut expected)
        .unwrap();
    assert_eq!(sign(6, true), Ok(expected));
    for job in 0..6 {
        for raw_jobs in [false, true] {
            assert_eq!(sign(job, raw_jobs), Err(BatchError::Fault { job }));
        }
    }
    let engine = VerifyAfterSign(Engine::best());
    let short = engine.sign_batch(&[3; 32], &jobs, &mut expected[..5]);
    assert_eq!(short, Err(BatchError::OutputLength { jobs: 6, output: 5 }));

    // The wrapped engine verifies batches as the engine itself does.
    engine.sign_batch(&[3; 32], &jobs, &mut expected).unwrap();
    expected.swap(0, 1);
    let claims: Vec<_> = jobs
        .iter()
        .zip(&expected)
        .map(|(job, signature)| VerifyJob {
            key: job.key.verifying_key(),
            message: job.message,
            signature,
        })
        .collect();
    let mut verdicts = [Ok(()); 6];
    engine.verify_batch(&claims, &mut verdicts).unwrap();
    let mut of_engine = [Ok(()); 6];
    engine.0.verify_batch(&claims, &mut of_engine).unwrap();
    assert_eq!(verdicts, of_engine);
    assert!(verdicts[0].is_err() && verdicts[2].is_ok());
    let encoded: Vec<_> = expected.iter().map(Signature::to_bytes).collect();
    let claims: Vec<_> = claims
        .iter()
        .zip(&encoded)
        .map(|(claim, signature)| VerifyBytesJob {
            key: claim.key,
            message: claim.message,
            signature,
        })
        .collect();
    let mut verdicts = [Verdict::Malformed; 6];
    engine.verify_bytes_batch(&claims, &mut verdicts).unwrap();
    assert_eq!(verdicts.map(Result::from), of_engine);
}
