//! `hls`: Falcon's FFT and Keccak-f as simulated circuits.

use crate::engine::{batch_failed, faulty};
use crate::error::{Error, Result, Status};
use crate::output::{Overwrite, ResultFiles, write_folder};
use crate::progress::{Progress, Unit};
use crate::scheme::{Algorithm, with_type};
use crate::ui::{Answer, BAD, GOOD, Styled, Ui};
use crate::{PROGRAM, escape::Escaped, seed::SEED_LEN};
use clap::{Args, Subcommand};
use falcon_core::{Parameters, SigningKey};
use falcon_hls_sim::accelerator::Accelerator;
use falcon_hls_sim::amdahl::{AmdahlError, predict::Processor};
use falcon_hls_sim::design::{Design, StorageKind};
use falcon_hls_sim::options::{CircuitOptions, DesignOptions, KeccakOptions, Show, ShowKeccak};
use falcon_hls_sim::options::{SweepOptions, TaskOptions, TimelineOptions, VerilogOptions};
use falcon_hls_sim::view::report::{KeccakVerilogForm, RunForm, VerilogForm};
use falcon_hls_sim::view::{
    Picture, Traced, ViewError, chart::chart, clocks::clocks, compare::Comparison, csv::csv,
};
use falcon_hls_sim::{catalog::XC7Z020, graph::Banking};
use falcon_hls_sim::{keccak::KeccakCircuit, keccak::Summary};
use falcon_hls_sim::{measurement::Measurement, signed::SignedForm};
use falcon_hls_sim::{sweep::SweepError, system::Table, verilog, verilog::Source};
use serde::Serialize;
use std::fmt::Display;
use std::path::PathBuf;

/// Simulate Falcon's FFT and Keccak-f as circuits: cycles, resources, timelines, Verilog
#[derive(Debug, Subcommand)]
pub(crate) enum Hls {
    #[command(flatten)]
    Show(Show),
    /// Sign with all butterflies on a design, and compare with the bytes of the processor
    #[command(after_help = "\
This is a test, not a way to sign: key, nonces and samples come from a fixed seed.

Exit status: 0 the bytes are equal and the signatures valid, 1 they are not, 2 wrong usage.")]
    Sign {
        #[command(flatten)]
        design: DesignOptions,
        /// Algorithm to sign with
        #[arg(
            short,
            long,
            value_enum,
            ignore_case = true,
            default_value = "falcon-512"
        )]
        algorithm: Algorithm,
        /// Number of signatures
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        count: u32,
    },
}

impl Hls {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        match self {
            Self::Show(command) => show(command, ui).map(|()| Status::Valid),
            Self::Sign {
                design,
                algorithm,
                count,
            } => {
                let circuit = Accelerator::new(checked(&design)?).map_err(refused)?;
                with_type!(algorithm.0, P => sign::<P>(&circuit, count, ui))
            }
        }
    }
}

fn show(command: Show, ui: Ui) -> Result<()> {
    match command {
        Show::Run(options) => run(&options, ui),
        Show::Compare(TaskOptions { logn, transform }) => {
            ui.report(&Comparison::new(transform, logn, XC7Z020).map_err(refused)?)
        }
        Show::Explain(options) => ui.report(&transform(&options)?.explain()),
        Show::Timeline(options) => timeline(&transform(&options.circuit)?, &options, ui),
        Show::Sweep(options) => sweep(&options, ui),
        Show::Verilog(options) => transform_verilog(&options, ui),
        Show::Keccak { view: None } => {
            let summary = Summary::new(&Processor::CORTEX_A9);
            let failed = |error| Error::new("cannot compare the presets").because(error);
            ui.report(&summary.map_err(failed)?)
        }
        Show::Keccak {
            view: Some(ShowKeccak::Explain(options)),
        } => ui.report(&rounds(options)?.explain()),
        Show::Keccak {
            view: Some(ShowKeccak::Timeline(options)),
        } => timeline(&rounds(options.circuit)?, &options, ui),
        Show::Keccak {
            view: Some(ShowKeccak::Verilog(options)),
        } => keccak_verilog(&options, ui),
        Show::Amdahl(options) => {
            checked(&options.design)?;
            ui.report(&options.report().map_err(|error| match error {
                AmdahlError::Accelerator(error) => refused(error),
                error => Error::new("cannot predict this").because(error),
            })?)
        }
        Show::System { degree, svg, force } => system(degree, &svg, force, ui),
    }
}

/// Returns the error for a circuit that cannot be built.
fn refused(error: impl Display) -> Error {
    Error::new("this circuit cannot be built").because(error)
}

/// Returns the design of these options, if its parameters are in range.
fn checked(options: &DesignOptions) -> Result<Design> {
    let design = options.design();
    let banked = design.storage.banking != Banking::Single;
    match design.check().map_err(refused) {
        Err(error) if banked && design.storage.kind == StorageKind::Axi => {
            Err(error.hint("only block RAM has banks: --memory bram"))
        }
        checked => checked.map(|()| design),
    }
}

fn transform(CircuitOptions { design, task }: &CircuitOptions) -> Result<Traced> {
    Traced::transform(&checked(design)?, task.transform, task.logn).map_err(refused)
}

fn rounds(options: KeccakOptions) -> Result<Traced> {
    Traced::rounds(options.preset.design()).map_err(refused)
}

fn run(options: &CircuitOptions, ui: Ui) -> Result<()> {
    let TaskOptions { logn, transform } = options.task;
    let design = checked(&options.design)?;
    let measurement = Measurement::new(design, transform, logn).map_err(refused)?;
    let form = RunForm::new(&measurement, XC7Z020).map_err(refused)?;
    ui.report(&form)?;
    let least = form.timing.interval;
    if let Some(asked) = options.design.interval().filter(|&asked| asked < least) {
        ui.warn(format_args!(
            "--interval {asked} is not possible; {least} is the smallest: see `hls explain`"
        ));
    }
    form.warnings().iter().for_each(|warning| ui.warn(warning));
    Ok(())
}

fn timeline<C: Args>(traced: &Traced, options: &TimelineOptions<C>, ui: Ui) -> Result<()> {
    let (TimelineOptions { svg, vcd, .. }, window) = (options, options.window());
    let overwrite = Overwrite::from_force(options.force);
    let files = ResultFiles::new(&PROGRAM, [("--svg", svg), ("--vcd", vcd)], overwrite);
    let to_standard = files.to_standard()?;
    files.check()?;
    let mut picture = None;
    for (path, draw) in [
        (svg, Traced::gantt as fn(_, _) -> _),
        (vcd, Traced::waveform),
    ] {
        if let Some(path) = path {
            let drawn: Picture = draw(traced, window).map_err(cannot_show)?;
            files.write(path, &drawn.content, ui)?;
            picture = Some(drawn.form);
        }
    }
    match picture {
        None => ui.report(&traced.timeline(window).map_err(cannot_show)?),
        // Standard output contains only the picture.
        Some(_) if to_standard => Ok(()),
        Some(form) => {
            let (text, files) = (form.to_string(), files.names());
            ui.report(&Answer { form, files, text })
        }
    }
}

fn cannot_show(error: ViewError) -> Error {
    let hint = match error {
        ViewError::Run(error) => return refused(error),
        ViewError::Iterations => "write a waveform, which has no such limit: --vcd FILE",
        ViewError::Cycles { .. } => "show fewer iterations: --iterations COUNT",
        _ => return Error::new(error),
    };
    Error::new(error).hint(hint)
}

fn sweep(options: &SweepOptions, ui: Ui) -> Result<()> {
    let (csv_file, svg) = (&options.csv, &options.svg);
    let overwrite = Overwrite::from_force(options.force);
    let files = ResultFiles::new(&PROGRAM, [("--csv", csv_file), ("--svg", svg)], overwrite);
    let to_standard = files.to_standard()?;
    if svg.is_some() && options.logn.len() > 1 {
        return Err(
            Error::new("a chart shows one degree").hint("write all degrees as a table: --csv FILE")
        );
    }
    files.check()?;
    let mut bar = None;
    let new_bar = |total| Progress::new(ui, Unit::Items("designs"), Some(total));
    let forms = options.run(XC7Z020, |total| {
        bar.get_or_insert_with(|| new_bar(total)).add(1)
    });
    drop(bar);
    let forms = forms.map_err(|error| match error {
        SweepError::Run(error) => refused(error),
        _ => Error::new("too many designs")
            .because(error)
            .hint("shorten a list"),
    })?;
    if let Some(path) = csv_file {
        files.write(path, csv(&forms).as_bytes(), ui)?;
    }
    if let (Some(path), [form]) = (svg, &forms[..]) {
        files.write(path, chart(form).as_bytes(), ui)?;
    }
    let mut above = "";
    for form in forms {
        form.warning().iter().for_each(|warning| ui.warn(warning));
        if !to_standard {
            let (text, files) = (format!("{above}{form}"), Vec::new());
            ui.report(&Answer { form, files, text })?;
        }
        above = "\n";
    }
    Ok(())
}

fn system(degree: u32, svg: &Option<PathBuf>, force: bool, ui: Ui) -> Result<()> {
    let overwrite = Overwrite::from_force(force);
    let outputs = ResultFiles::new(&PROGRAM, [("--svg", svg)], overwrite);
    let to_standard = outputs.to_standard()?;
    let failed = |error| Error::new("cannot read the table").because(error);
    let form = Table::committed().map_err(failed)?.of_degree(degree);
    if let Some(path) = svg {
        outputs.write(path, clocks(&form).as_bytes(), ui)?;
    }
    if to_standard {
        return Ok(());
    }
    let (text, files) = (form.to_string(), outputs.names());
    ui.report(&Answer { form, files, text })
}

fn sign<P: Parameters>(circuit: &Accelerator, count: u32, ui: Ui) -> Result<Status> {
    const SEED: [u8; SEED_LEN] = [7; SEED_LEN];
    const MESSAGE: &[u8] = b"the message that every run signs";
    let key = SigningKey::<P>::from_seed(&SEED);
    let key = key.map_err(|fault| faulty("cannot generate a key", fault))?;
    let form = SignedForm::new(circuit, &key, MESSAGE, &SEED, count).map_err(batch_failed)?;
    let style = |good| if good { GOOD } else { BAD };
    let text = form.text(|good, verdict| Styled(style(good), verdict).to_string());
    let status = match form.equal && form.valid {
        true => Status::Valid,
        false => Status::Invalid,
    };
    let files = Vec::new();
    ui.report(&Answer { form, files, text })?;
    Ok(status)
}

fn transform_verilog(options: &VerilogOptions<CircuitOptions>, ui: Ui) -> Result<()> {
    let CircuitOptions { design, task } = &options.circuit;
    let TaskOptions { logn, transform } = *task;
    let circuit = Accelerator::new(checked(design)?).map_err(refused)?;
    let emission = verilog::emit(&circuit, transform, logn).map_err(refused)?;
    let sources = emission.sources.iter().chain(&emission.companions);
    let form = VerilogForm::new(&circuit, &emission);
    let commands = "\nREADME.md has the commands to simulate and to synthesize";
    write_sources(options, sources, form, commands, ui)
}

fn keccak_verilog(options: &VerilogOptions<KeccakOptions>, ui: Ui) -> Result<()> {
    let circuit = KeccakCircuit::new(options.circuit.preset.design()).map_err(refused)?;
    let source = verilog::keccak::emit(&circuit).map_err(refused)?;
    let form = KeccakVerilogForm::new(&circuit);
    write_sources(options, [&source], form, "", ui)
}

/// Writes `sources` into the folder. Answers with `form`, the list of files and `below`.
fn write_sources<'a, C: Args>(
    options: &VerilogOptions<C>,
    sources: impl IntoIterator<Item = &'a Source>,
    form: impl Serialize + Display,
    below: &str,
    ui: Ui,
) -> Result<()> {
    let sources = sources.into_iter();
    let files = sources.map(|source| (source.name.as_str(), source.text.as_bytes()));
    let files = write_folder(
        &PROGRAM,
        &options.output,
        files,
        Overwrite::from_force(options.force),
    )?;
    let listed = files.iter().map(|file| format!("\n  {}", Escaped(file)));
    let listed: String = listed.collect();
    let text = format!("{form}{listed}{below}");
    ui.report(&Answer { form, files, text })
}
