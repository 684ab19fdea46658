//! Regenerates the records of a NIST file from their seeds, and compares.
//!
//! Two generators are at work. The outer one, [`Drbg::nist`], draws for record
//! i = 0, 1, .. a seed (48 bytes) and a message (33(i + 1) bytes). An inner
//! one, started from the record's seed, is what the implementation draws
//! from: 48 bytes in key generation, then nonce (40) and 48 bytes in signing.
//! Records therefore do not depend on each other, and all cores share them.

use crate::{
    Algorithm, Drbg, Subject, SubjectError,
    rsp::{Field, ReadError, Reader, Record, Style, Writer, hex_upper},
};
use rayon::prelude::*;
use std::{
    fmt,
    io::{self, BufRead, Write},
};

/// Records worked on together: enough for the cores, little memory.
const CHUNK: usize = 64;

/// Bytes shown on each side of a difference.
const EXCERPT: usize = 8;

/// Inputs of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Number of the record.
    pub count: u64,
    /// Entropy of the inner generator.
    pub seed: [u8; 48],
    /// The message.
    pub message: Vec<u8>,
}

/// The inputs of NIST's file, which has the first 100; they go on for ever.
pub fn nist_inputs() -> impl Iterator<Item = Inputs> {
    let mut outer = Drbg::nist();
    (0u64..).map(move |count| {
        let seed = outer.bytes();
        let mut message = vec![0; 33 * (count as usize + 1)];
        outer.fill(&mut message);
        Inputs {
            count,
            seed,
            message,
        }
    })
}

/// Step that an implementation was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Key generation.
    Keygen,
    /// Signing.
    Sign,
    /// Opening the record's attached signature with the record's public key.
    Open,
}

/// The implementation refused.
#[derive(Debug)]
pub struct Failure {
    /// The record.
    pub count: u64,
    /// Step that failed.
    pub step: Step,
    /// Error of the implementation.
    pub source: SubjectError,
}

/// First difference of two records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The record.
    pub count: u64,
    /// The first field that differs.
    pub field: Field,
    /// The first byte that differs, or the shorter length.
    pub offset: usize,
    /// Bytes of the expected value and of the other.
    pub lengths: [usize; 2],
    /// The expected value from `offset` on, eight bytes of it.
    pub expected: Vec<u8>,
    /// The other value from `offset` on, eight bytes of it.
    pub got: Vec<u8>,
}

/// The first thing that is wrong.
#[derive(Debug)]
pub enum Finding {
    /// Other bytes came out.
    Difference(Difference),
    /// The implementation refused.
    Failure(Failure),
    /// The record's number does not follow that of the record before it.
    Count {
        /// The number that does.
        expected: u64,
        /// The number that is there.
        found: u64,
    },
}

/// The result of a check.
#[derive(Debug)]
pub struct Report {
    /// The algorithm that was checked, given or inferred.
    pub algorithm: Algorithm,
    /// Records that are right, before the first that is not.
    pub records: u64,
    /// True if seeds and messages are those of NIST's outer generator.
    pub nist_inputs: bool,
    /// The first thing that is wrong.
    pub finding: Option<Finding>,
}

/// The check could not be made.
#[derive(Debug)]
pub enum CheckError {
    /// The file could not be read.
    Read(ReadError),
    /// No algorithm was given and none could be inferred.
    Algorithm,
    /// The file has no records.
    Empty,
}

/// The file could not be generated.
#[derive(Debug)]
pub enum GenerateError {
    /// The output could not be written.
    Io(io::Error),
    /// The implementation refused.
    Failure(Failure),
}

/// Regenerates one record.
///
/// # Errors
/// The implementation refused.
pub fn produce(
    algorithm: Algorithm,
    inputs: &Inputs,
    subject: &impl Subject,
) -> Result<Record, Failure> {
    let failed = |step| {
        move |source| Failure {
            count: inputs.count,
            step,
            source,
        }
    };
    let mut inner = Drbg::new(&inputs.seed);
    let keys = subject
        .keygen(algorithm, &inner.bytes())
        .map_err(failed(Step::Keygen))?;
    let nonce = inner.bytes();
    let signed_message = subject
        .sign_attached(
            algorithm,
            &keys.secret,
            &nonce,
            &inner.bytes(),
            &inputs.message,
        )
        .map_err(failed(Step::Sign))?;
    Ok(Record {
        count: inputs.count,
        seed: inputs.seed,
        message: inputs.message.clone(),
        public_key: keys.public,
        secret_key: keys.secret,
        signed_message,
    })
}

/// Writes the first `count` records. `progress` is told how many are done.
///
/// # Errors
/// The implementation refused, or `out` did.
pub fn generate<W: Write>(
    algorithm: Algorithm,
    count: u64,
    style: Style,
    subject: &impl Subject,
    out: W,
    mut progress: impl FnMut(u64),
) -> Result<W, GenerateError> {
    let mut writer = Writer::new(out, style, algorithm.title()).map_err(GenerateError::Io)?;
    let mut inputs = nist_inputs();
    let mut done = 0;
    while done < count {
        let size = CHUNK.min(usize::try_from(count - done).unwrap_or(CHUNK));
        let chunk: Vec<Inputs> = inputs.by_ref().take(size).collect();
        let records: Vec<Result<Record, Failure>> = chunk
            .par_iter()
            .map(|inputs| produce(algorithm, inputs, subject))
            .collect();
        for record in records {
            writer
                .write(&record.map_err(GenerateError::Failure)?)
                .map_err(GenerateError::Io)?;
            done += 1;
        }
        progress(done);
    }
    Ok(writer.into_inner())
}

/// Replays every record of a file, up to the first that is wrong. `progress`
/// is told how many are done.
///
/// Without `algorithm`, the first record tells it ([`Algorithm::infer`]).
///
/// # Errors
/// The file cannot be read, has no records, or does not tell its algorithm.
pub fn check<R: BufRead>(
    input: R,
    algorithm: Option<Algorithm>,
    subject: &impl Subject,
    mut progress: impl FnMut(u64),
) -> Result<Report, CheckError> {
    let mut records = Reader::new(input).peekable();
    let algorithm = match (records.peek(), algorithm) {
        (None, _) => return Err(CheckError::Empty),
        (_, Some(algorithm)) => algorithm,
        (Some(Ok(first)), None) => Algorithm::infer(first).ok_or(CheckError::Algorithm)?,
        // The loop below takes this error out.
        (Some(Err(_)), None) => Algorithm::Falcon512,
    };
    let mut report = Report {
        algorithm,
        records: 0,
        nist_inputs: true,
        finding: None,
    };
    let mut outer = nist_inputs();
    let mut following = None;
    loop {
        let chunk: Vec<Record> = records
            .by_ref()
            .take(CHUNK)
            .collect::<Result<_, _>>()
            .map_err(CheckError::Read)?;
        if chunk.is_empty() {
            return Ok(report);
        }
        let findings: Vec<Option<Finding>> = chunk
            .par_iter()
            .map(|record| check_record(algorithm, record, subject))
            .collect();
        for (record, finding) in chunk.iter().zip(findings) {
            let found = record.count;
            let expected = following.unwrap_or(found);
            let order = (found != expected).then_some(Finding::Count { expected, found });
            following = Some(found.wrapping_add(1));
            let finding = order.or(finding);
            if finding.is_some() {
                report.finding = finding;
                return Ok(report);
            }
            report.nist_inputs &= outer.next().as_ref() == Some(&record.inputs());
            report.records += 1;
        }
        progress(report.records);
    }
}

/// Replays one record: keys, signature, and the opening of the signature.
pub fn check_record(
    algorithm: Algorithm,
    record: &Record,
    subject: &impl Subject,
) -> Option<Finding> {
    let produced = match produce(algorithm, &record.inputs(), subject) {
        Ok(produced) => produced,
        Err(failure) => return Some(Finding::Failure(failure)),
    };
    let opened = subject.open(algorithm, &record.public_key, &record.signed_message);
    record
        .difference(&produced)
        .map(Finding::Difference)
        .or_else(|| match opened {
            Ok(message) => record
                .field_difference(Field::Message, &record.message, &message)
                .map(Finding::Difference),
            Err(source) => Some(Finding::Failure(Failure {
                count: record.count,
                step: Step::Open,
                source,
            })),
        })
}

impl Record {
    /// Returns the inputs of this record.
    pub fn inputs(&self) -> Inputs {
        Inputs {
            count: self.count,
            seed: self.seed,
            message: self.message.clone(),
        }
    }

    /// Finds the first difference of `got` from this record, in the order of the file.
    pub fn difference(&self, got: &Self) -> Option<Difference> {
        [
            (Field::Seed, &self.seed[..], &got.seed[..]),
            (Field::Message, &self.message, &got.message),
            (Field::PublicKey, &self.public_key, &got.public_key),
            (Field::SecretKey, &self.secret_key, &got.secret_key),
            (
                Field::SignedMessage,
                &self.signed_message,
                &got.signed_message,
            ),
        ]
        .into_iter()
        .find_map(|(field, expected, got)| self.field_difference(field, expected, got))
    }

    fn field_difference(&self, field: Field, expected: &[u8], got: &[u8]) -> Option<Difference> {
        if expected == got {
            return None;
        }
        let offset = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
        let excerpt = |bytes: &[u8]| bytes.iter().skip(offset).take(EXCERPT).copied().collect();
        Some(Difference {
            count: self.count,
            field,
            offset,
            lengths: [expected.len(), got.len()],
            expected: excerpt(expected),
            got: excerpt(got),
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keygen => "key generation",
            Self::Sign => "signing",
            Self::Open => "opening the signature",
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "record {}: {} failed: {}",
            self.count, self.step, self.source
        )
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "record {}: `{}` differs at byte {}: expected {} (of {} bytes), got {} (of {} bytes)",
            self.count,
            self.field,
            self.offset,
            excerpt(&self.expected),
            self.lengths[0],
            excerpt(&self.got),
            self.lengths[1],
        )
    }
}

/// The bytes from the difference on, or that there are none.
fn excerpt(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        "the end".to_owned()
    } else {
        hex_upper(bytes)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Difference(difference) => difference.fmt(f),
            Self::Failure(failure) => failure.fmt(f),
            Self::Count { expected, found } => {
                write!(f, "record {expected}: its `count` is {found}")
            }
        }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Algorithm => f.write_str("cannot tell the algorithm from this file"),
            Self::Empty => f.write_str("the file has no records"),
        }
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Failure(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
impl std::error::Error for CheckError {}
impl std::error::Error for GenerateError {}

#[cfg(test)]
mod tests;
