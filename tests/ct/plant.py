#!/usr/bin/env python3
"""Copies the tree into the folder of the first argument and plants the leaks of plants.txt there.

A planted leak is a branch on a secret condition, which runs only while `falcon-ct` runs the leak's
case. It is inserted after a text that must occur exactly once in its file.

A file belongs to falcon-core, unless a crate stands before its name, as in
`mceliece-core: weight.rs`.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The crate that contains the switch. The other crates depend on it.
LANES = "falcon-lanes"

# The function that a leak calls. The condition passes through `black_box`, so that the branch on it
# stays. When a leak has been reported (`REPORTED`), its case ends by unwinding.
SWITCH = """
/// Leaks.
pub mod planted {
extern crate std;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;

/// Number of the leak that is active.
pub static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// Tells whether the active leak was reported.
pub static REPORTED: OnceLock<fn() -> bool> = OnceLock::new();

#[cold]
#[inline(never)]
fn end() {
    std::panic::resume_unwind(std::boxed::Box::new(()));
}

/// Branches on `condition` if the leak is active.
#[inline(always)]
pub fn plant(number: usize, condition: impl FnOnce() -> bool) {
    if ACTIVE.load(Relaxed) == number {
        if core::hint::black_box(condition()) {
            core::hint::black_box(number);
        }
        if REPORTED.get().is_some_and(|reported| reported()) {
            ACTIVE.store(0, Relaxed);
            end();
        }
    }
}
}
"""


def source(copy, file):
    crate, found, name = file.rpartition(": ")
    return copy / "crates" / (crate if found else "falcon-core") / "src" / name


def insert(path, after, text):
    source = path.read_text()
    if source.count(after) != 1:
        sys.exit(f"{path.name}: {source.count(after)} times instead of once: {after}")
    path.write_text(source.replace(after, after + text))


def main():
    copy = pathlib.Path(sys.argv[1])
    shutil.rmtree(copy, ignore_errors=True)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)

    insert(source(copy, f"{LANES}: lib.rs"), "mod wipe;\n", SWITCH)
    lines = (ROOT / "tests/ct/plants.txt").read_text().splitlines()
    plants = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    for number, (_, file, after, condition) in enumerate(plants, start=1):
        after = after.replace("\\n", "\n")
        crate = "crate" if file.startswith(f"{LANES}: ") else "falcon_lanes"
        insert(source(copy, file), after, f" {crate}::planted::plant({number}, || {condition});")


main()
