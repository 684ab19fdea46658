//! `kat`: checks this machine and engine against known-answer files, or generates such files.

use crate::{
    PROGRAM,
    engine::Compute,
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, is_standard, open},
    output::{Content, Overwrite, Pending, refuse_closed_stdout},
    parallel::on_all_cores,
    progress::{Progress, Unit},
    ui::{BAD, GOOD, Styled, Ui},
};
use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use falcon_kat::{
    Algorithm, EngineSubject, KeyForm,
    replay::{self, CheckError, GenerateError, Report},
    rsp::Style,
};
use serde::Serialize;
use std::{
    fmt,
    io::{self, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Check or generate known-answer files of NIST and PQClean
#[derive(Debug, Subcommand)]
pub(crate) enum Kat {
    Check(Check),
    Generate(Generate),
}

/// Regenerate every record of a file from its seed and compare all bytes
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files in NIST's `.rsp` format; `-` is standard input
    #[arg(value_name = "FILE.rsp", required = true)]
    files: Vec<PathBuf>,
    /// The algorithm, if a file does not tell it
    #[arg(short, long, ignore_case = true, value_parser = algorithm_parser())]
    algorithm: Option<Algorithm>,
}

/// Print a known-answer file
#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// The algorithm
    #[arg(short, long, ignore_case = true, value_parser = algorithm_parser())]
    algorithm: Algorithm,
    /// Number of records; NIST's files have 100, PQClean's have 1
    #[arg(short = 'n', long)]
    count: u64,
    /// File layout to write
    #[arg(long, default_value = "nist", value_parser = style_parser())]
    style: Style,
    /// Write to FILE; `-` is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite FILE
    #[arg(long, requires = "output")]
    force: bool,
}

fn algorithm_parser() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name))
        .try_map(|name| name.parse::<Algorithm>())
}

fn style_parser() -> impl TypedValueParser<Value = Style> {
    PossibleValuesParser::new(["nist", "pqclean"]).try_map(|name| name.parse::<Style>())
}

/// Returns a subject that uses all lanes of the engine.
fn subject(engine: &Compute) -> EngineSubject<&Compute> {
    EngineSubject {
        engine,
        form: KeyForm::Batch,
    }
}

impl Kat {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        match self {
            Self::Check(check) => check.run(engine, ui),
            Self::Generate(generate) => generate.run(engine, ui),
        }
    }
}

impl Check {
    /// Checks every file, and continues after failures.
    fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        at_most_one_standard(self.files.iter().map(PathBuf::as_path))?;
        let mut status = Status::Valid;
        for file in &self.files {
            let outcome = match self.check(file, engine, ui) {
                Ok(answer) => {
                    ui.report(&answer)?;
                    if answer.matches {
                        Status::Valid
                    } else {
                        Status::Invalid
                    }
                }
                Err(error) => {
                    ui.error(&error);
                    Status::Failure
                }
            };
            status = status.max(outcome);
        }
        Ok(status)
    }

    fn check<'a>(&self, file: &'a Path, engine: &Compute, ui: Ui) -> Result<Answer<'a>> {
        let input = BufReader::new(open(file)?);
        let progress = Progress::new(ui, Unit::Items("records"), None);
        let mut known = 0;
        let told = |done| {
            progress.add(done - known);
            known = done;
        };
        let report = on_all_cores(|| replay::check(input, self.algorithm, &subject(engine), told))?
            .map_err(|error| check_error(file, &error))?;
        Ok(Answer::new(file, engine, &report))
    }
}

fn check_error(path: &Path, error: &CheckError) -> Error {
    let told = Error::at(path, "cannot be checked").because(error);
    match error {
        CheckError::Algorithm => told.hint("pass --algorithm"),
        CheckError::Empty | CheckError::Read(_) => told,
    }
}

impl Generate {
    fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        match self.file() {
            None => {
                refuse_closed_stdout()?;
                let mut out = BufWriter::new(io::stdout());
                self.write(engine, ui, &mut out)?;
                out.flush().map_err(|error| Error::stdout(&error))?;
            }
            Some(path) => {
                let overwrite = Overwrite::from_force(self.force);
                let mut file = Pending::create(&PROGRAM, path, Content::Result, overwrite)?;
                self.write(engine, ui, &mut file)?;
                file.commit()?;
            }
        }
        Ok(Status::Valid)
    }

    /// Path of the output, or `None` for standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_standard(path))
    }

    fn write(&self, engine: &Compute, ui: Ui, out: &mut (impl Write + Send)) -> Result<()> {
        let progress = Progress::new(ui, Unit::Items("records"), Some(self.count));
        let mut known = 0;
        let told = |done| {
            progress.add(done - known);
            known = done;
        };
        on_all_cores(|| {
            replay::generate(
                self.algorithm,
                self.count,
                self.style,
                &subject(engine),
                out,
                told,
            )
        })?
        .map(|_| ())
        .map_err(|error| match (error, self.file()) {
            (GenerateError::Io(error), Some(path)) => Error::io(path, "cannot write", &error),
            (GenerateError::Io(error), None) => Error::stdout(&error),
            (GenerateError::Failure(failure), _) => Error::new(failure),
        })
    }
}

/// The result of a check.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(serialize_with = "serialize_path")]
    file: &'a Path,
    algorithm: &'static str,
    engine: &'static str,
    matches: bool,
    /// Number of records that match, up to the first record that does not.
    records: u64,
    /// True if all seeds and messages come from NIST's generator.
    #[serde(skip_serializing_if = "Option::is_none")]
    nist_inputs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
}

impl<'a> Answer<'a> {
    fn new(file: &'a Path, engine: &Compute, report: &Report) -> Self {
        Self {
            file,
            algorithm: report.algorithm.name(),
            engine: engine.name(),
            matches: report.finding.is_none(),
            records: report.records,
            nist_inputs: report.finding.is_none().then_some(report.nist_inputs),
            finding: report.finding.as_ref().map(ToString::to_string),
        }
    }
}

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = Escaped(shown(self.file));
        let Self {
            records,
            algorithm,
            engine,
            ..
        } = self;
        match &self.finding {
            None => write!(
                f,
                "{file}: {}: {records} record{} of {algorithm} match on engine {engine}",
                Styled(GOOD, "OK"),
                if *records == 1 { "" } else { "s" }
            )?,
            Some(finding) => write!(
                f,
                "{file}: {}: {finding} ({algorithm}, engine {engine}, {records} record{} before it {})",
                Styled(BAD, "DIFFERENT"),
                if *records == 1 { "" } else { "s" },
                if *records == 1 { "matches" } else { "match" }
            )?,
        }
        if self.nist_inputs == Some(false) {
            f.write_str("; seeds and messages are not NIST's")?;
        }
        Ok(())
    }
}
