//! Mutation tests: for every small change of a crate's code, one of its tests must fail.
//!
//! All mutants of a crate are compiled into one copy of it, each behind a switch ([`rewrite`]), so
//! that one build contains them all. A first run of every test records the mutants that it reaches.
//! Then the tests that reach a mutant run with it, the quickest first, until one fails. If no test
//! kills a mutant, it must be listed with an argument in the crate's file in `survivors`.

mod compile;
mod macros;
mod packages;
mod rewrite;
mod runs;
mod sites;
mod survivors;
mod tree;
mod variants;

use clap::Parser;
use packages::{PACKAGES, Package};
use sites::{Form, Mutant};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs, thread};
use survivors::Name;
use variants::Variants;

/// Prefix of the argument for a survivor that a test kills on processors with AVX-512 VBMI.
const WITHOUT_VBMI: &str = "Without AVX-512 VBMI: ";

/// Returns true if a mutant with this argument survives on this processor.
fn survives_here(argument: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    let vbmi = is_x86_feature_detected!("avx512vbmi");
    #[cfg(not(target_arch = "x86_64"))]
    let vbmi = false;
    !(vbmi && argument.starts_with(WITHOUT_VBMI))
}

/// Mutates crates, and shows that a test fails for every mutant.
#[derive(Parser)]
struct Options {
    /// Mutate this crate, and no others; may be repeated. By default, all in the list `PACKAGES`
    #[arg(long, value_parser = PACKAGES.map(|package| package.name))]
    package: Vec<String>,
    /// Number of mutants of a crate to draw, beside removed calls, removed wipes and listed
    /// survivors, which are all taken [default: a number for each crate]
    #[arg(long)]
    sample: Option<usize>,
    /// Leave out the listed survivors. They take longest: every test that reaches one runs
    #[arg(long)]
    unlisted: bool,
    /// Take all mutants
    #[arg(long)]
    all: bool,
    /// Take all mutants whose line in `--list` contains this, and no others; may be repeated
    #[arg(long)]
    only: Vec<String>,
    /// Run only tests whose name contains this; may be repeated. What survives them may be killed
    /// by others
    #[arg(long)]
    by: Vec<String>,
    /// Print file, function and text of the mutants that are drawn, and stop
    #[arg(long)]
    list: bool,
    /// Number of mutants that run at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// A source file, and the mutants that are drawn from it, by number.
struct Source {
    text: String,
    mutants: BTreeMap<u32, Mutant>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let chosen = |package: &&Package| {
        options.package.is_empty() || options.package.iter().any(|name| name == package.name)
    };
    let mut failures = Vec::new();
    for package in PACKAGES.iter().filter(chosen) {
        // If a crate fails, the remaining crates are still tested.
        if let Err(error) = mutate(package, &options) {
            eprintln!("{}: {error}", package.name);
            failures.push(package.name);
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!("failed: {}", failures.join(", ")).into())
}

/// Mutates one crate, and compares its survivors with the listed ones.
fn mutate(package: &Package, options: &Options) -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = target.join("mutants");
    fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    let list = format!("tests/mutants/survivors/{}.tsv", package.name);
    let listed = survivors::read(&fs::read_to_string(root.join(&list))?);
    let listed = listed.map_err(|error| format!("{list}: {error}"))?;

    let Drawn {
        mut sources,
        names,
        total,
    } = draw(package, &root, options, &listed)?;
    if options.list {
        names.iter().for_each(|name| println!("{name}"));
        return Ok(());
    }
    println!("{}: {} of {total} mutants drawn", package.name, names.len());
    let programs = build(package, &root, &folder, &mut sources, names.len())?;
    let folder = folder.join(package.name);
    fs::create_dir_all(&folder)?;
    let compiled: BTreeSet<u32> = sources
        .values()
        .flat_map(|source| source.mutants.keys().copied())
        .collect();
    println!("{} mutants compile", compiled.len());

    let begin = Instant::now();
    let runs = |test: &str| {
        let named = |part: &String| test.contains(part.as_str());
        !package.skipped.contains(&test) && (options.by.is_empty() || options.by.iter().any(named))
    };
    let tests = runs::record(&programs, runs, &folder.join("reached"))
        .map_err(|failed| format!("without a mutant fail: {}", failed.join(", ")))?;
    let seconds = begin.elapsed().as_secs();
    println!("{} tests pass without a mutant in {seconds} s", tests.len());

    let mut list = String::new();
    for test in &tests {
        let seconds = test.time.as_secs_f64();
        writeln!(
            list,
            "{seconds:.2}\t{}\t{}",
            test.reaches.len(),
            test.name()
        )?;
    }
    fs::write(folder.join("tests.tsv"), list)?;

    // Each line is written as soon as it is known, since a run takes long and may be stopped.
    let report = Mutex::new(File::create(folder.join("report.tsv"))?);
    let outcomes = kill(&tests, &names, &compiled, options.jobs, &report)?;
    judge(&names, &compiled, &outcomes, &listed)
}

/// Mutants that were drawn.
struct Drawn {
    /// Files, with their mutants by number.
    sources: BTreeMap<String, Source>,
    /// Names of the drawn mutants, by number.
    names: Vec<Name>,
    /// Number of all mutants, drawn or not.
    total: usize,
}

/// Draws mutants from all files.
fn draw(
    package: &Package,
    root: &Path,
    options: &Options,
    listed: &BTreeMap<Name, String>,
) -> Result<Drawn, Box<dyn Error>> {
    let mut variants = Variants::default();
    let folder = root.join(package.sources());
    let all = tree::sources(&folder)?;
    package.check(root, &all)?;
    for file in all {
        let text = fs::read_to_string(&file)?;
        let added = variants.add(&text);
        added.map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let mut sources = BTreeMap::new();
    let mut all: Vec<(Name, &str, Mutant)> = Vec::new();
    let files = package.files.iter().map(|&file| (file, false));
    for (file, wipes_only) in files.chain(package.wipes_only().map(|file| (file, true))) {
        let text = fs::read_to_string(folder.join(file))?;
        let mut found =
            sites::mutants(&text, &variants).map_err(|error| format!("{file}: {error}"))?;
        if wipes_only {
            found.retain(Mutant::removes_a_wipe);
        }
        let mut seen = BTreeMap::new();
        for mutant in found {
            let mut name = Name {
                file: file.to_owned(),
                function: mutant.function.clone(),
                text: mutant.text.clone(),
            };
            let count = seen.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count > 1 {
                name.text += &format!(" #{count}");
            }
            all.push((name, file, mutant));
        }
        let mutants = BTreeMap::new();
        sources.insert(file.to_owned(), Source { text, mutants });
    }
    let total = all.len();
    let known: BTreeSet<&Name> = all.iter().map(|(name, ..)| name).collect();
    let gone = listed.keys().filter(|name| !known.contains(name));
    let gone: Vec<_> = gone.map(Name::to_string).collect();
    if !gone.is_empty() {
        return Err(format!(
            "the list of survivors has what is gone:\n{}",
            gone.join("\n")
        )
        .into());
    }

    // Takes every mutant that removes a statement or a wipe, since checks and wipes are among
    // these. Then draws a share of the mutants of each file, slightly more for small files.
    let mut drawn = BTreeSet::new();
    let calls = all
        .iter()
        .filter(|(.., mutant)| matches!(mutant.form, Form::Statement | Form::Wiper));
    drawn.extend(calls.map(|(name, ..)| name.clone()));
    for &file in package.files {
        let mut of_file: Vec<_> = known.iter().filter(|name| name.file == file).collect();
        of_file.sort_by_key(|name| name.lot());
        let sample = options.sample.unwrap_or(package.sample);
        let share = sample.saturating_mul(of_file.len()).div_ceil(total).max(6);
        let whole = options.all || !options.only.is_empty();
        let share = if whole { of_file.len() } else { share };
        drawn.extend(of_file.into_iter().take(share).map(|&name| name.clone()));
    }
    if options.unlisted {
        drawn.retain(|name| !listed.contains_key(name));
    } else {
        drawn.extend(listed.keys().cloned());
    }
    if !options.only.is_empty() {
        drawn.retain(|name| {
            let line = name.to_string();
            options.only.iter().any(|part| line.contains(part))
        });
    }
    let mut names = Vec::new();
    for (name, file, mutant) in all {
        if drawn.contains(&name) {
            let source = sources.get_mut(file).expect("a file");
            source.mutants.insert(names.len() as u32, mutant);
            names.push(name);
        }
    }
    Ok(Drawn {
        sources,
        names,
        total,
    })
}

/// Builds the tests of the rewritten tree. Mutants that do not compile are removed from `sources`.
fn build(
    package: &Package,
    root: &Path,
    folder: &Path,
    sources: &mut BTreeMap<String, Source>,
    count: usize,
) -> Result<Vec<compile::Program>, Box<dyn Error>> {
    let (copy, target) = (folder.join("tree"), folder.join("build"));
    let features = package.features.iter();
    let features: Vec<_> = features.map(|list| format!("--features={list}")).collect();
    let features = features.iter().map(String::as_str);
    let of_package = format!("-p={}", package.name);
    let whole: Vec<_> = ["--locked", "--quiet", &of_package]
        .into_iter()
        .chain(features)
        .collect();
    // `cargo check` is quick and finds most errors.
    let check = [&["check", "--lib"], &whole[..]].concat();
    let tests = [&["test", "--no-run"], &whole[..], package.tests].concat();
    let mut commands = [check, tests].into_iter();
    let sources_at = package.sources();
    let library = format!("{sources_at}/lib.rs");
    let mut command = commands.next();
    while let Some(arguments) = &command {
        let mut placed = BTreeMap::new();
        for (file, source) in &*sources {
            let mutants = source.mutants.iter().map(|(id, mutant)| (*id, mutant));
            let rewritten = rewrite::rewrite(&source.text, mutants);
            placed.insert(format!("{sources_at}/{file}"), rewritten);
        }
        tree::copy(root, &copy, |name, content| match placed.get(name) {
            _ if name == library => {
                let source = placed
                    .get(name)
                    .map(|rewritten| rewritten.source.clone().into_bytes());
                [
                    &source.unwrap_or(content),
                    &b"\npub(crate) mod mutants;\n"[..],
                ]
                .concat()
            }
            Some(rewritten) => rewritten.source.clone().into_bytes(),
            None => content,
        })?;
        let mut mutants = sources.values().flat_map(|source| source.mutants.values());
        let switches = rewrite::switches(count, mutants.any(|it| it.form == Form::Wiper));
        let module = copy.join(&sources_at).join("mutants.rs");
        tree::write_if_changed(&module, switches.as_bytes())?;
        match compile::cargo(&copy, &target, arguments)? {
            Ok(programs) => {
                command = commands.next();
                if command.is_none() {
                    return Ok(programs);
                }
            }
            Err(refusals) => {
                let blamed = refusals.iter().flat_map(|refusal| {
                    let blamed_at = |places| blamed(&placed, places);
                    let moved = || wiper_before(&sources_at, sources, &placed, refusal);
                    let mut found = blamed_at(&refusal.places);
                    if found.is_empty() {
                        found.extend(moved());
                    }
                    if found.is_empty() {
                        found = blamed_at(&refusal.others);
                    }
                    found
                });
                let refused: BTreeSet<u32> = blamed.collect();
                // An error can cause further errors, which disappear with it.
                if refused.is_empty() {
                    let texts: Vec<_> = refusals.into_iter().map(|refusal| refusal.text).collect();
                    return Err(texts.concat().into());
                }
                println!("{} mutants do not compile", refused.len());
                for source in sources.values_mut() {
                    source.mutants.retain(|id, _| !refused.contains(id));
                }
            }
        }
    }
    Ok(Vec::new())
}

/// Returns the mutants that caused a compiler's error at `places`: those of the smallest mutated
/// range around a place or, if there is no such range, those inside the places. The list is empty
/// if the error follows from another one.
fn blamed(rewritten: &BTreeMap<String, rewrite::Rewritten>, places: &[compile::Place]) -> Vec<u32> {
    let placed = |file| rewritten.get(file).map_or(&[][..], |file| &file.placed);
    let around = places.iter().find_map(|(file, at)| {
        placed(file)
            .iter()
            .filter(|(range, _)| range.start <= at.start && at.end <= range.end)
            .min_by_key(|(range, _)| range.len())
    });
    if let Some((_, ids)) = around {
        return ids.clone();
    }
    let within = places.iter().flat_map(|(file, at)| {
        placed(file)
            .iter()
            .filter(|(range, _)| at.start <= range.start && range.end <= at.end)
    });
    within.flat_map(|(_, ids)| ids.clone()).collect()
}

/// Returns the mutant that makes an unwiped buffer, if the compiler refuses it. The error is at a
/// later place, where the buffer is moved and a wiped one is required.
fn wiper_before(
    sources_at: &str,
    sources: &BTreeMap<String, Source>,
    rewritten: &BTreeMap<String, rewrite::Rewritten>,
    refusal: &compile::Refusal,
) -> Option<u32> {
    let (file, at) = refusal.places.first()?;
    let source = sources.get(file.strip_prefix(sources_at)?.strip_prefix('/')?)?;
    let is_wiper = |id: &u32| {
        source
            .mutants
            .get(id)
            .is_some_and(|m| m.form == Form::Wiper)
    };
    let before = rewritten.get(file)?.placed.iter();
    let before = before.filter(|(range, _)| range.end <= at.start);
    let wipers = before.flat_map(|(range, ids)| ids.iter().map(move |id| (range.start, *id)));
    let last = wipers.filter(|(_, id)| is_wiper(id)).max();
    last.filter(|_| refusal.text.contains("Wiped<"))
        .map(|(_, id)| id)
}

/// The test that kills each mutant, and the seconds that it took.
type Outcomes = BTreeMap<u32, (Option<String>, f64)>;

fn kill(
    tests: &[runs::Test<'_>],
    names: &[Name],
    compiled: &BTreeSet<u32>,
    jobs: usize,
    report: &Mutex<File>,
) -> Result<Outcomes, Box<dyn Error>> {
    let (queue, outcomes) = (Mutex::new(compiled.iter()), Mutex::new(Outcomes::new()));
    let work = || -> Result<(), String> {
        loop {
            let next = queue.lock().expect("no panic").next();
            let Some(&id) = next else {
                return Ok(());
            };
            let begin = Instant::now();
            let killer = runs::killer(tests, id).map_err(|error| error.to_string())?;
            let killer = killer.map(|(test, end)| match end {
                runs::End::CutOff => format!("{} (cut off)", test.name()),
                _ => test.name(),
            });
            let seconds = begin.elapsed().as_secs_f64();
            let name = &names[id as usize];
            if killer.is_none() {
                println!("survived after {seconds:.0} s: {name}");
            }
            let by = killer.as_deref().unwrap_or("SURVIVED");
            let mut file = report.lock().expect("no panic");
            writeln!(file, "{name}\t{by}\t{seconds:.2}").map_err(|error| error.to_string())?;
            let mut outcomes = outcomes.lock().expect("no panic");
            outcomes.insert(id, (killer, seconds));
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    Ok(outcomes.into_inner()?)
}

/// Compares the survivors with the listed ones.
fn judge(
    names: &[Name],
    compiled: &BTreeSet<u32>,
    outcomes: &Outcomes,
    listed: &BTreeMap<Name, String>,
) -> Result<(), Box<dyn Error>> {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (id, (killer, _)) in outcomes {
        let name = &names[*id as usize];
        let count = counts.entry(&name.file).or_default();
        count[usize::from(killer.is_none())] += 1;
        match (killer, listed.get(name)) {
            (None, None) => wrong.push(format!("survives, not listed: {name}")),
            (Some(killer), Some(argument)) if survives_here(argument) => {
                wrong.push(format!("listed, killed by {killer}: {name}"));
            }
            (None, Some(argument)) if !survives_here(argument) => {
                wrong.push(format!("survives, though AVX-512 VBMI kills it: {name}"));
            }
            _ => {}
        }
    }
    for (id, name) in (0..).zip(names) {
        if compiled.contains(&id) {
            continue;
        }
        println!("does not compile: {name}");
        if listed.contains_key(name) {
            wrong.push(format!("listed, does not compile: {name}"));
        }
    }
    println!("{:24} killed survived", "file");
    for (file, [killed, survived]) in &counts {
        println!("{file:24} {killed:6} {survived:8}");
    }
    let [killed, survived] = counts
        .values()
        .fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
    println!("{:24} {killed:6} {survived:8}", "all");
    let killers = outcomes.values().flat_map(|(killer, _)| killer);
    let cut_off = killers.filter(|killer| killer.ends_with("(cut off)"));
    println!(
        "{} of the killed took too long, and were cut off",
        cut_off.count()
    );
    if wrong.is_empty() {
        return Ok(());
    }
    Err(wrong.join("\n").into())
}
