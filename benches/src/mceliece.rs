//! Operations of Classic McEliece, of our code and the peers', for counting instructions. Only the
//! sets with `f` are counted, since their key generation succeeds at once for almost every seed.

use crate::counts::Row;
use crate::random::SplitMix;
use mceliece_core::engines::{choose, names};
use mceliece_core::*;
use pq_mceliece::Algorithm;
use serde::Serialize;
use std::fmt;
use std::hint::black_box;

/// Name of the Rust peer in the tables.
pub const PQ_MCELIECE: &str = "pq-mceliece";
/// Name of PQClean's portable C code in the tables. It is used through pqcrypto-classicmceliece.
pub const PQCLEAN: &str = "pqclean";

/// A counted operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A key pair from a seed.
    Keygen,
    /// A ciphertext and its secret.
    Encap,
    /// Encapsulation without its hash: the error vector and its syndrome.
    Encode,
    /// The secret of a ciphertext, from the secret key's bytes.
    Decap,
    /// The secret of a ciphertext, where many ciphertexts have the same key: one of a batch of
    /// [`BATCH`] ciphertexts, or with a key that was prepared once.
    DecapBatch,
}

impl Operation {
    /// Every operation.
    const ALL: [Self; 5] = [
        Self::Keygen,
        Self::Encap,
        Self::Encode,
        Self::Decap,
        Self::DecapBatch,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Encap => "encap",
            Self::Encode => "encode",
            Self::Decap => "decap",
            Self::DecapBatch => "decap-batch",
        }
    }

    /// Returns the number of calls before counting, and the number of calls to count. Encapsulation
    /// draws until an error vector is good. Calls of the other operations take almost the same
    /// number of instructions.
    pub fn calls(self) -> (u64, u64) {
        match self {
            // The call that made the keys counts as the first call.
            Self::Keygen => (0, 1),
            Self::Encap | Self::Encode => (1, 32),
            Self::Decap | Self::DecapBatch => (1, 1),
        }
    }
}

/// Number of ciphertexts in our batch.
pub const BATCH: usize = 8;

/// A row of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Operation.
    pub operation: Operation,
    /// Name of the parameter set.
    pub parameters: &'static str,
    /// Name of our engine, or of the peer.
    pub engine: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = self.operation.name();
        write!(f, "{operation}/{}/{}", self.parameters, self.engine)
    }
}

impl Case {
    /// Number of operations of one call.
    pub fn operations(&self) -> u64 {
        let is_peer = [PQ_MCELIECE, PQCLEAN].contains(&self.engine);
        if self.operation == Operation::DecapBatch && !is_peer {
            BATCH as u64
        } else {
            1
        }
    }

    /// Returns true if `selection` asks for the row.
    fn is_in(&self, selection: &Selection<'_>) -> bool {
        let group = format!("{}/{}/", self.operation.name(), self.parameters);
        let Selection {
            engine,
            pqclean,
            words,
        } = selection;
        engine.is_none_or(|engine| engine == self.engine)
            && (*pqclean || self.engine != PQCLEAN)
            && words.iter().all(|word| group.contains(word.as_str()))
    }
}

/// Selection of the rows to measure.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Name of the only engine or peer to measure.
    pub engine: Option<&'a str>,
    /// True to measure PQClean too.
    pub pqclean: bool,
    /// Only rows whose operation and set, written as in the first column, contain all of these
    /// words.
    pub words: &'a [String],
}

/// Callback that gets a row and the code to run it.
pub type Measure<'a> = dyn FnMut(Case, &mut dyn FnMut()) + 'a;

/// Measures the rows of `selection`.
pub fn each(selection: &Selection<'_>, measure: &mut Measure<'_>) {
    rows::<Mceliece348864f>(selection, measure);
    rows::<Mceliece460896f>(selection, measure);
    rows::<Mceliece6688128f>(selection, measure);
    rows::<Mceliece6960119f>(selection, measure);
    rows::<Mceliece8192128f>(selection, measure);
}

/// True if PQClean's code is built in.
pub const HAS_PQCLEAN: bool = cfg!(feature = "mceliece");

/// An operation of a peer.
type Peer<'a> = Box<dyn FnMut() + 'a>;

fn rows<P: Parameters>(selection: &Selection<'_>, measure: &mut Measure<'_>) {
    let parameters = P::NAME;
    // Keys are made only if rows need them, since making them takes longer than all rows of another
    // set.
    let wanted: Vec<Case> = Operation::ALL
        .into_iter()
        .flat_map(|operation| {
            let case = move |engine| Case {
                operation,
                parameters,
                engine,
            };
            names().map(case).chain([case(PQ_MCELIECE), case(PQCLEAN)])
        })
        .filter(|case| case.is_in(selection))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let best = names().next().unwrap_or("portable");
    choose(best);
    let seed = [1; 32];
    let pair = KeyPair::<P>::from_seed(&seed);
    let (ciphertext, _) = pair.public_key.encapsulate(&mut SplitMix::new(2));
    let mut rng = SplitMix::new(3);
    let batch = [(); BATCH].map(|()| pair.public_key.encapsulate(&mut rng).0);
    for case in wanted {
        let peer: Option<Peer<'_>> = match case.engine {
            PQ_MCELIECE => rust_peer(case.operation, &seed, &pair, &ciphertext),
            PQCLEAN => clean(case.operation, parameters, pair.public_key.as_bytes()),
            _ => None,
        };
        if let Some(mut run) = peer {
            measure(case, &mut run);
        } else if choose(case.engine) {
            let mut rng = SplitMix::new(2);
            match case.operation {
                Operation::Keygen => measure(case, &mut || {
                    drop(black_box(KeyPair::<P>::from_seed(black_box(&seed))));
                }),
                Operation::Encap => measure(case, &mut || {
                    drop(black_box(pair.public_key.encapsulate(&mut rng)));
                }),
                Operation::Decap => measure(case, &mut || {
                    drop(black_box(
                        pair.secret_key.decapsulate(black_box(&ciphertext)),
                    ));
                }),
                Operation::DecapBatch => measure(case, &mut || {
                    let batch = black_box(&batch);
                    drop(black_box(pair.secret_key.decapsulate_batch(batch)));
                }),
                // We have no function for this operation.
                Operation::Encode => {}
            }
            choose(best);
        }
    }
}

/// Makes an operation of pq-mceliece that works on our keys.
fn rust_peer<'a, P: Parameters>(
    operation: Operation,
    seed: &'a [u8; 32],
    pair: &KeyPair<P>,
    ciphertext: &Ciphertext<P>,
) -> Option<Peer<'a>> {
    let algorithm: Algorithm = P::NAME.parse().ok()?;
    let public = algorithm.encapsulation_key_from_bytes(pair.public_key.as_bytes());
    let public = public.ok()?;
    let secret = algorithm.decapsulation_key_from_bytes(pair.secret_key.as_bytes());
    let secret = secret.ok()?;
    let sent = algorithm
        .ciphertext_from_bytes(ciphertext.as_bytes())
        .ok()?;
    let mut rng = SplitMix::new(2);
    Some(match operation {
        Operation::Keygen => Box::new(move || {
            drop(black_box(
                algorithm.generate_keypair_from_seed(black_box(*seed)),
            ));
        }),
        Operation::Encap => Box::new(move || {
            drop(black_box(algorithm.encapsulate(&public, &mut rng)));
        }),
        Operation::Decap => Box::new(move || {
            drop(black_box(algorithm.decapsulate(&secret, black_box(&sent))));
        }),
        Operation::DecapBatch => {
            let prepared = secret.prepare();
            Box::new(move || drop(black_box(prepared.decapsulate(black_box(&sent)))))
        }
        Operation::Encode => return None,
    })
}

#[cfg(not(feature = "mceliece"))]
fn clean<'a>(_: Operation, _: &str, _: &'a [u8]) -> Option<Peer<'a>> {
    None
}

/// Makes an operation of PQClean's portable C code.
#[cfg(feature = "mceliece")]
fn clean<'a>(operation: Operation, parameters: &str, public: &'a [u8]) -> Option<Peer<'a>> {
    clean::Clean::of(parameters)?.operation(operation, public)
}

/// PQClean's portable C code. The operating system's generator, from which the code draws, is
/// replaced here.
#[cfg(feature = "mceliece")]
mod clean {
    use super::{Operation, Peer};
    use crate::seeded;
    use pqcrypto_classicmceliece::ffi;
    use std::ffi::c_int;
    use std::hint::black_box;

    type Keypair = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
    type Encap = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int;
    type Decap = unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int;
    /// Draws an error vector and writes its syndrome. Arguments: syndrome, public key, error
    /// vector.
    type Encrypt = unsafe extern "C" fn(*mut u8, *const u8, *mut u8);

    /// The functions of one set, and the lengths that belong to them.
    pub(super) struct Clean {
        keypair: Keypair,
        encap: Encap,
        decap: Decap,
        encrypt: Encrypt,
        public_len: usize,
        secret_len: usize,
        ciphertext_len: usize,
    }

    /// Length of the longest error vector in bytes.
    const ERROR_LEN: usize = 1024;

    macro_rules! sets {
        ($($name:literal: $keypair:ident $encap:ident $decap:ident $encrypt:ident
            $public:ident $secret:ident $ciphertext:ident;)*) => {
            unsafe extern "C" {
                $(fn $encrypt(syndrome: *mut u8, public: *const u8, error: *mut u8);)*
            }

            impl Clean {
                /// Returns the functions of a set.
                pub(super) fn of(parameters: &str) -> Option<Self> {
                    match parameters {
                        $($name => Some(Self {
                            keypair: ffi::$keypair,
                            encap: ffi::$encap,
                            decap: ffi::$decap,
                            encrypt: $encrypt,
                            public_len: ffi::$public,
                            secret_len: ffi::$secret,
                            ciphertext_len: ffi::$ciphertext,
                        }),)*
                        _ => None,
                    }
                }
            }
        };
    }

    sets! {
        "mceliece348864f":
            PQCLEAN_MCELIECE348864F_CLEAN_crypto_kem_keypair
            PQCLEAN_MCELIECE348864F_CLEAN_crypto_kem_enc
            PQCLEAN_MCELIECE348864F_CLEAN_crypto_kem_dec
            PQCLEAN_MCELIECE348864F_CLEAN_encrypt
            PQCLEAN_MCELIECE348864F_CLEAN_CRYPTO_PUBLICKEYBYTES
            PQCLEAN_MCELIECE348864F_CLEAN_CRYPTO_SECRETKEYBYTES
            PQCLEAN_MCELIECE348864F_CLEAN_CRYPTO_CIPHERTEXTBYTES;
        "mceliece460896f":
            PQCLEAN_MCELIECE460896F_CLEAN_crypto_kem_keypair
            PQCLEAN_MCELIECE460896F_CLEAN_crypto_kem_enc
            PQCLEAN_MCELIECE460896F_CLEAN_crypto_kem_dec
            PQCLEAN_MCELIECE460896F_CLEAN_encrypt
            PQCLEAN_MCELIECE460896F_CLEAN_CRYPTO_PUBLICKEYBYTES
            PQCLEAN_MCELIECE460896F_CLEAN_CRYPTO_SECRETKEYBYTES
            PQCLEAN_MCELIECE460896F_CLEAN_CRYPTO_CIPHERTEXTBYTES;
        "mceliece6688128f":
            PQCLEAN_MCELIECE6688128F_CLEAN_crypto_kem_keypair
            PQCLEAN_MCELIECE6688128F_CLEAN_crypto_kem_enc
            PQCLEAN_MCELIECE6688128F_CLEAN_crypto_kem_dec
            PQCLEAN_MCELIECE6688128F_CLEAN_encrypt
            PQCLEAN_MCELIECE6688128F_CLEAN_CRYPTO_PUBLICKEYBYTES
            PQCLEAN_MCELIECE6688128F_CLEAN_CRYPTO_SECRETKEYBYTES
            PQCLEAN_MCELIECE6688128F_CLEAN_CRYPTO_CIPHERTEXTBYTES;
        "mceliece6960119f":
            PQCLEAN_MCELIECE6960119F_CLEAN_crypto_kem_keypair
            PQCLEAN_MCELIECE6960119F_CLEAN_crypto_kem_enc
            PQCLEAN_MCELIECE6960119F_CLEAN_crypto_kem_dec
            PQCLEAN_MCELIECE6960119F_CLEAN_encrypt
            PQCLEAN_MCELIECE6960119F_CLEAN_CRYPTO_PUBLICKEYBYTES
            PQCLEAN_MCELIECE6960119F_CLEAN_CRYPTO_SECRETKEYBYTES
            PQCLEAN_MCELIECE6960119F_CLEAN_CRYPTO_CIPHERTEXTBYTES;
        "mceliece8192128f":
            PQCLEAN_MCELIECE8192128F_CLEAN_crypto_kem_keypair
            PQCLEAN_MCELIECE8192128F_CLEAN_crypto_kem_enc
            PQCLEAN_MCELIECE8192128F_CLEAN_crypto_kem_dec
            PQCLEAN_MCELIECE8192128F_CLEAN_encrypt
            PQCLEAN_MCELIECE8192128F_CLEAN_CRYPTO_PUBLICKEYBYTES
            PQCLEAN_MCELIECE8192128F_CLEAN_CRYPTO_SECRETKEYBYTES
            PQCLEAN_MCELIECE8192128F_CLEAN_CRYPTO_CIPHERTEXTBYTES;
    }

    impl Clean {
        /// Makes an operation with this public key, or with its own key pair.
        pub(super) fn operation(self, operation: Operation, public: &[u8]) -> Option<Peer<'_>> {
            assert_eq!(public.len(), self.public_len);
            seeded::restart(1);
            let mut ciphertext = vec![0; self.ciphertext_len];
            let mut shared = [0; 32];
            Some(match operation {
                Operation::Keygen => {
                    let mut public = vec![0; self.public_len];
                    let mut secret = vec![0; self.secret_len];
                    Box::new(move || {
                        seeded::restart(1);
                        // SAFETY: the buffers have the lengths that the function writes.
                        let status =
                            unsafe { (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) };
                        assert_eq!(black_box(status), 0);
                    })
                }
                Operation::Encap => Box::new(move || {
                    // SAFETY: the key has the length that the function reads. The other buffers
                    // have the lengths that it writes.
                    let status = unsafe {
                        (self.encap)(
                            ciphertext.as_mut_ptr(),
                            shared.as_mut_ptr(),
                            public.as_ptr(),
                        )
                    };
                    assert_eq!(black_box(status), 0);
                }),
                Operation::Encode => {
                    let mut error = [0; ERROR_LEN];
                    Box::new(move || {
                        // SAFETY: the key has the length that the function reads. A ciphertext is a
                        // syndrome, and no error vector is longer than its buffer.
                        unsafe {
                            (self.encrypt)(
                                ciphertext.as_mut_ptr(),
                                public.as_ptr(),
                                error.as_mut_ptr(),
                            );
                        }
                        black_box(&ciphertext);
                    })
                }
                Operation::Decap => {
                    let mut public = vec![0; self.public_len];
                    let mut secret = vec![0; self.secret_len];
                    // SAFETY: the buffers have the lengths that the function reads and writes.
                    unsafe {
                        (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr());
                        (self.encap)(
                            ciphertext.as_mut_ptr(),
                            shared.as_mut_ptr(),
                            public.as_ptr(),
                        );
                    }
                    Box::new(move || {
                        let mut opened = [0; 32];
                        // SAFETY: the buffers have the lengths that the function reads and writes.
                        let status = unsafe {
                            (self.decap)(opened.as_mut_ptr(), ciphertext.as_ptr(), secret.as_ptr())
                        };
                        assert_eq!((black_box(status), opened), (0, shared));
                    })
                }
                Operation::DecapBatch => return None,
            })
        }
    }
}

/// Largest number of instructions that the best of our engines may execute.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bar {
    /// Operation.
    pub operation: Operation,
    /// Name of the parameter set.
    pub parameters: &'static str,
    /// Instructions of one operation, about 2 % above the count.
    pub limit: u64,
    /// Goal: number of instructions to reach.
    pub goal: u64,
}

/// Bars that `count --mceliece --strict` checks.
pub const BARS: [Bar; 20] = {
    use Operation::*;
    const fn bar(operation: Operation, parameters: &'static str, limit: u64, goal: u64) -> Bar {
        Bar {
            operation,
            parameters,
            limit,
            goal,
        }
    }
    [
        bar(Keygen, "mceliece348864f", 37_500_000, 45_000_000),
        bar(Keygen, "mceliece460896f", 103_500_000, 120_000_000),
        bar(Keygen, "mceliece6688128f", 195_900_000, 220_000_000),
        bar(Keygen, "mceliece6960119f", 189_100_000, 205_000_000),
        bar(Keygen, "mceliece8192128f", 236_000_000, 255_000_000),
        bar(Encap, "mceliece348864f", 86_500, 90_000),
        bar(Encap, "mceliece460896f", 164_500, 150_000),
        bar(Encap, "mceliece6688128f", 302_500, 265_000),
        bar(Encap, "mceliece6960119f", 284_000, 265_000),
        bar(Encap, "mceliece8192128f", 350_500, 345_000),
        bar(Decap, "mceliece348864f", 380_500, 400_000),
        bar(Decap, "mceliece460896f", 876_500, 800_000),
        bar(Decap, "mceliece6688128f", 1_018_000, 900_000),
        bar(Decap, "mceliece6960119f", 971_000, 850_000),
        bar(Decap, "mceliece8192128f", 1_024_500, 900_000),
        bar(DecapBatch, "mceliece348864f", 289_000, 300_000),
        bar(DecapBatch, "mceliece460896f", 654_000, 600_000),
        bar(DecapBatch, "mceliece6688128f", 783_000, 700_000),
        bar(DecapBatch, "mceliece6960119f", 742_000, 650_000),
        bar(DecapBatch, "mceliece8192128f", 788_000, 700_000),
    ]
};

/// A bar and the row that is judged by it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Verdict {
    /// The bar.
    #[serde(flatten)]
    pub bar: Bar,
    /// The engine with the fewest instructions.
    pub engine: &'static str,
    /// Number of instructions of that engine.
    pub instructions: u64,
    /// True if the engine needs no more instructions than the bar allows.
    pub pass: bool,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<5} {} {}: {} on {}, at most {}, to reach {}",
            if self.pass { "PASS" } else { "short" },
            self.bar.operation.name(),
            self.bar.parameters,
            self.instructions,
            self.engine,
            self.bar.limit,
            self.bar.goal
        )
    }
}

impl Bar {
    /// Judges `rows`. Returns `None` if none of our rows is of this kind.
    pub fn judge(self, rows: &[Row<Case>]) -> Option<Verdict> {
        let of_kind = |row: &&Row<Case>| {
            let case = row.case;
            ![PQ_MCELIECE, PQCLEAN].contains(&case.engine)
                && (case.operation, case.parameters) == (self.operation, self.parameters)
        };
        let best = rows.iter().filter(of_kind);
        let best = best.min_by_key(|row| row.instructions)?;
        Some(Verdict {
            bar: self,
            engine: best.case.engine,
            instructions: best.instructions,
            pass: best.instructions <= self.limit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;

    #[test]
    fn a_bar_judges_our_best_engine_and_can_fail() {
        let bar = BARS[14];
        let row = |engine, instructions| {
            let case = Case {
                operation: bar.operation,
                parameters: bar.parameters,
                engine,
            };
            let counts = Counts {
                vector: instructions,
                ..Counts::default()
            };
            Row::new(case, 1, &counts)
        };
        let judge = |rows: &[Row<Case>]| bar.judge(rows).map(|verdict| verdict.pass);
        assert_eq!(judge(&[row(PQ_MCELIECE, 1)]), None);
        assert_eq!(
            judge(&[row("a", bar.limit + 1), row(PQCLEAN, 1)]),
            Some(false)
        );
        let rows = [row("a", bar.limit + 1), row("b", bar.limit)];
        assert_eq!(judge(&rows), Some(true));
        assert!(BARS[0].judge(&rows).is_none());
    }

    #[test]
    fn words_and_engine_choose_rows() {
        let case = Case {
            operation: Operation::DecapBatch,
            parameters: "mceliece348864f",
            engine: PQ_MCELIECE,
        };
        let matches = |engine, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let pqclean = true;
            case.is_in(&Selection {
                engine,
                pqclean,
                words: &words,
            })
        };
        assert!(matches(None, &["decap", "348864"]));
        assert!(matches(Some(PQ_MCELIECE), &["decap-batch/"]));
        assert!(!matches(Some(PQCLEAN), &[]));
        assert!(!matches(None, &["decap/"]));
        // Filter words do not match the engine, which has a separate option.
        assert!(!matches(None, &[PQ_MCELIECE]));
    }
}
