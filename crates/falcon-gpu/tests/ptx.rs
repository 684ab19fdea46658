//! Checks the compiled kernels. Their arithmetic rounds as the specification requires, their
//! registers are within a budget, and their sources are those of the tree.

use falcon_gpu::kernels::SIGNING_LANES;
use falcon_gpu::{CUBINS, IMAGES, PTX};
use falcon_gpu_host::kernels;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const RESOURCES: &str = include_str!("../ptx/resources.tsv");
const SOURCES: &str = include_str!("../ptx/sources.sha256");
const OUTPUTS: &str = include_str!("../ptx/outputs.sha256");

/// Returns the instructions, without their guards.
fn instructions(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = match line.strip_prefix('@') {
            Some(guarded) => guarded.split_once(char::is_whitespace)?.1.trim_start(),
            None => line,
        };
        line.split_whitespace().next()
    })
}

#[test]
fn binary64_is_rounded_after_every_operation() {
    for ptx in PTX {
        let mut counts = BTreeMap::new();
        for name in instructions(ptx).filter(|name| name.ends_with(".f64")) {
            let operation = name.split('.').next().unwrap();
            match operation {
                // A quotient or a root is one instruction here. Drivers compile it to code that
                // rounds once, as IEEE 754 requires.
                "add" | "sub" | "mul" | "div" | "rcp" | "sqrt" => {
                    assert_eq!(name, format!("{operation}.rn.f64"));
                }
                // These instructions do not round, except `cvt`, whose full name says how it
                // rounds.
                "neg" | "abs" | "mov" | "ld" | "st" | "selp" | "setp" | "cvt" | "ldu" | "shfl" => {}
                _ => panic!("{name}: may it round in another way?"),
            }
            *counts.entry(operation).or_insert(0) += 1;
        }
        for fused in ["fma", "mad"] {
            assert!(
                !instructions(ptx).any(|name| name.starts_with(fused) && name.ends_with(".f64"))
            );
        }
        // Only the estimate of the sampler's filter uses this instruction. The bounds of the
        // estimate hold with and without fusing.
        assert!(instructions(ptx).any(|name| name == "fma.rn.f32"));
        for used in ["add", "sub", "mul", "sqrt"] {
            assert!(counts.contains_key(used), "no {used}");
        }
    }
}

#[test]
fn every_kernel_is_there_under_its_name() {
    for (ptx, logn) in PTX.into_iter().zip(9..) {
        for kernel in kernels(logn) {
            let entry = format!(".visible .entry {}(", kernel.name());
            assert_eq!(ptx.matches(&entry).count(), 1, "{entry}");
        }
        assert_eq!(ptx.matches(".entry ").count(), kernels(logn).len());
        let mut lines = ptx.lines().filter(|line| line.starts_with('.'));
        // The version that drivers from 450 on read.
        assert_eq!(lines.next(), Some(".version 7.0"));
        assert_eq!(lines.next(), Some(".target sm_80"));
    }
}

#[test]
fn a_multiprocessor_signs_48_jobs_at_once() {
    const SIGNING_WARPS: u32 = 12;
    assert_eq!(SIGNING_WARPS * 32 / SIGNING_LANES, 48);
    let bounds = format!(".maxntid 32, 1, 1\n.minnctapersm {SIGNING_WARPS}\n");
    for ptx in PTX {
        for kernel in ptx.split(".entry sign_").skip(1) {
            assert!(kernel.split('{').next().unwrap().contains(&bounds));
        }
    }
}

/// With sixteen warps on a multiprocessor, each thread can have 128 registers. With twelve warps,
/// as for kernels that sign, it can have 168. No register is spilled and no stack is used, so
/// threads leave data only in registers.
#[test]
fn registers_and_spills_are_within_the_budget() {
    let mut rows = RESOURCES.lines();
    let header = "kernel\tdevice\tregisters\tstack\tspilled\tshared";
    assert_eq!(rows.next(), Some(header));
    let mut seen = BTreeMap::new();
    for row in rows {
        let row: Vec<_> = row.split('\t').collect();
        let [kernel, device, registers, stack, spilled, shared] = row[..] else {
            panic!("{row:?}");
        };
        let number = |text: &str| text.parse::<u32>().unwrap();
        let most = if kernel.starts_with("sign_") {
            168
        } else {
            128
        };
        assert!(number(registers) <= most, "{row:?}");
        assert_eq!(number(stack), 0, "{row:?}");
        assert_eq!(number(spilled), 0, "{row:?}");
        // Shared memory is requested only at the launch.
        assert_eq!(number(shared), 0, "{row:?}");
        *seen.entry((kernel, device)).or_insert(0) += 1;
    }
    for device in ["sm_80", "sm_89", "sm_90"] {
        for kernel in [kernels(9), kernels(10)].concat() {
            assert!(seen.contains_key(&(kernel.name().as_str(), device)));
        }
    }
}

/// Groups of lanes clear their shared memory at the end. Checks that the compiler has not removed
/// these stores, although nobody reads the memory afterwards.
#[test]
fn kernels_of_groups_clear_their_shared_memory() {
    for (ptx, logn) in PTX.into_iter().zip(9..) {
        for kernel in kernels(logn) {
            let entry = format!(".visible .entry {}(", kernel.name());
            let body = ptx.split_once(&entry).unwrap().1;
            let body = body.split(".entry ").next().unwrap();
            let clears = instructions(body).any(|name| name.starts_with("st.volatile.shared.u"));
            assert_eq!(clears, kernel.shared_reals() > 0, "{}", kernel.name());
        }
    }
}

/// Checks that the crate contains exactly the committed images, in the documented order.
#[test]
fn images_are_the_files_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    for (number, logn) in [9, 10].into_iter().enumerate() {
        assert!(IMAGES[number] == read(&format!("kernels_{logn}.ptx")));
        for (device, name) in [80, 89, 90].into_iter().enumerate() {
            let cubin = CUBINS[3 * number + device];
            assert!(cubin == read(&format!("kernels_{logn}.sm_{name}.cubin")));
            assert!(cubin == IMAGES[2 + 3 * number + device]);
        }
    }
    let files = fs::read_dir(folder).unwrap();
    let bytes: u64 = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= 8 << 20, "ptx/ has {bytes} bytes");
}

/// Returns the files under `folder` whose hashes differ from those in the list, and the number of
/// listed files.
fn changed(list: &str, folder: &Path) -> (Vec<String>, usize) {
    let mut changed = Vec::new();
    for line in list.lines() {
        let (hash, path) = line.split_once("  ").unwrap();
        let bytes = fs::read(folder.join(path)).unwrap_or_default();
        if base16ct::lower::encode_string(&Sha256::digest(bytes)) != hash {
            changed.push(path.to_owned());
        }
    }
    (changed, list.lines().count())
}

/// Checks that the images were not changed by hand.
#[test]
fn the_text_is_what_the_compiler_made() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx");
    let (changed, known) = changed(OUTPUTS, &folder);
    assert_eq!(changed, [""; 0], "run ptx.sh");
    let lists = ["sources.sha256", "outputs.sha256"];
    let files = fs::read_dir(folder).unwrap();
    let files = files.filter(|file| {
        let name = file.as_ref().unwrap().file_name();
        !lists.iter().any(|list| name == *list)
    });
    assert_eq!(files.count(), known, "there is another file: run ptx.sh");
}

#[test]
fn the_text_was_made_from_the_kernels_that_are_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (changed, known) = changed(SOURCES, folder);
    assert_eq!(changed, [""; 0], "run ptx.sh");
    let is_source = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("h" | "inc" | "cu"))
    };
    let files = fs::read_dir(folder.join("kernels")).unwrap();
    let files = files.filter(|file| is_source(&file.as_ref().unwrap().path()));
    assert_eq!(files.count(), known, "there is a new source: run ptx.sh");
}
