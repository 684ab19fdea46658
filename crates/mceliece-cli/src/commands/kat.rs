//! `kat`: checks this machine and engine against published known answers.

use crate::{
    engine::Engine,
    sets::{self, Set},
};
use clap::{Args, builder::TypedValueParser};
use falcon_kat::Drbg;
use falcon_terminal::{
    error::{Error, Result, Status},
    progress::{Progress, Unit},
    ui::{BAD, GOOD, Styled, Ui},
};
use mceliece_core::DecodeError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fmt};

/// Replay the known answers of the submission and compare all bytes
#[derive(Debug, Args)]
#[command(after_help = "\
Ten records of each set are generated from their seeds: key pair, ciphertext, shared secret. The
text of the records, as the submission's program writes it, is compared by its SHA-256, which this
program contains. The sets with pc have no official vectors, so they are not among the sets here.")]
pub(crate) struct Kat {
    /// Replay one parameter set only
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = parser())]
    parameters: Option<&'static Set>,
}

/// SHA-256 of the response texts, by the names that their source gives the sets.
const HASHES: &str = include_str!("../../../../kat/mceliece/text_hashes.json");

/// Number of records of a response text.
const RECORDS: usize = 10;

/// SHA-256 of the response texts of a set.
#[derive(Clone, Debug, Deserialize)]
struct Hashes {
    /// SHA-256 of record 0.
    single: String,
    /// SHA-256 of all records, with an empty line between them.
    all: String,
}

/// Returns the sets without `pc`. Only these have known-answer vectors.
fn known() -> impl Iterator<Item = &'static Set> {
    sets::SETS.iter().filter(|set| !set.name.contains("pc"))
}

fn parser() -> impl TypedValueParser<Value = &'static Set> {
    sets::parser_of(known())
}

impl Kat {
    /// Checks every set. If a set differs, still checks the others.
    pub(crate) fn run(self, engine: Engine, ui: Ui) -> Result<Status> {
        let hashes: BTreeMap<String, Hashes> = serde_json::from_str(HASHES)
            .map_err(|error| Error::new("the hashes cannot be read").because(error))?;
        let chosen = |set: &&Set| self.parameters.is_none_or(|it| it == *set);
        let sets: Vec<_> = known().filter(chosen).collect();
        let total = (sets.len() * RECORDS) as u64;
        let progress = Progress::new(ui, Unit::Items("records"), Some(total));
        let mut status = Status::Valid;
        for set in sets {
            let name = set.name.replace("mceliece", "Classic-McEliece-");
            let expected = hashes
                .get(&name)
                .ok_or_else(|| Error::new(format_args!("there are no known answers of {set}")))?;
            let finding = check(set, expected, || progress.add(1));
            progress.clear_for_result();
            if finding.is_some() {
                status = Status::Invalid;
            }
            ui.report(&Answer {
                parameters: set,
                engine: engine.name(),
                matches: finding.is_none(),
                records: RECORDS,
                finding,
            })?;
        }
        Ok(status)
    }
}

/// Generates the records of a set. Returns the first difference, if there is one.
fn check(set: &Set, expected: &Hashes, mut done: impl FnMut()) -> Option<String> {
    let mut seeds = Drbg::nist();
    let mut all = Sha256::new();
    for count in 0..RECORDS {
        let text = match record(set, count, &seeds.bytes()) {
            Ok(text) => text,
            Err(finding) => return Some(finding),
        };
        if count == 0 {
            if hex(&Sha256::digest(&text)) != expected.single {
                return Some("record 0 differs".to_owned());
            }
        } else {
            all.update(b"\n");
        }
        all.update(&text);
        done();
    }
    let differs = hex(&all.finalize()) != expected.all;
    differs.then(|| {
        format!(
            "record 0 matches, but one of the records 1 to {} differs",
            RECORDS - 1
        )
    })
}

/// Returns record `count`, whose generator has the seed `seed`, in the format of the submission's
/// program. Fails if decapsulation does not give the secret.
fn record(set: &Set, count: usize, seed: &[u8; 48]) -> Result<String, String> {
    let mut rng = Drbg::new(seed);
    let failed = |error: DecodeError| format!("record {count}: {error}");
    let (secret_key, public_key) = (set.keygen)(&rng.bytes());
    let (ciphertext, secret) = (set.encapsulate)(&public_key, &mut rng).map_err(failed)?;
    let opened = (set.decapsulate)(&secret_key, &ciphertext).map_err(failed)?;
    if opened != secret {
        return Err(format!(
            "record {count}: decapsulation gives another secret"
        ));
    }
    let mut text = format!("count = {count}\n");
    // The secrets are public test data.
    for (name, bytes) in [
        ("seed", seed.as_slice()),
        ("pk", &public_key),
        ("sk", &secret_key),
        ("ct", &ciphertext),
        ("ss", secret.as_bytes()),
    ] {
        text += name;
        text += " = ";
        text += &base16ct::upper::encode_string(bytes);
        text += "\n";
    }
    Ok(text)
}

fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

/// The result of a set.
#[derive(Serialize)]
struct Answer {
    parameters: &'static Set,
    engine: &'static str,
    matches: bool,
    /// Number of records in the response text.
    records: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            parameters,
            engine,
            records,
            ..
        } = self;
        match &self.finding {
            None => write!(
                f,
                "{parameters}: {}: {records} records match on engine {engine}",
                Styled(GOOD, "OK")
            ),
            Some(finding) => write!(
                f,
                "{parameters}: {}: {finding} (engine {engine})",
                Styled(BAD, "DIFFERENT")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(name: &str) -> Hashes {
        let mut hashes: BTreeMap<String, Hashes> = serde_json::from_str(HASHES).unwrap();
        hashes.remove(name).unwrap()
    }

    #[test]
    fn every_set_without_confirmation_has_known_answers() {
        let hashes: BTreeMap<String, Hashes> = serde_json::from_str(HASHES).unwrap();
        assert_eq!(known().count(), 10);
        assert_eq!(hashes.len(), 10);
    }

    #[test]
    fn a_difference_is_found_and_named() {
        let set = sets::find("mceliece348864f").unwrap();
        let right = expected("Classic-McEliece-348864f");
        assert_eq!(check(set, &right, || {}), None);
        let wrong = Hashes {
            single: right.all.clone(),
            ..right.clone()
        };
        let finding = check(set, &wrong, || {}).unwrap();
        assert_eq!(finding, "record 0 differs");
        let wrong = Hashes {
            all: right.single.clone(),
            ..right
        };
        let finding = check(set, &wrong, || {}).unwrap();
        assert!(finding.contains("records 1 to 9"), "{finding}");
    }

    #[test]
    fn the_answers_of_one_set_are_not_those_of_another() {
        let set = sets::find("mceliece348864f").unwrap();
        let other = expected("Classic-McEliece-348864");
        assert!(check(set, &other, || {}).is_some());
    }
}
