#!/usr/bin/env python3
"""Checks that no branch and no address of the kernels that sign depends on a secret.

The kernels are compiled for the CPU, and Valgrind's Memcheck runs them with every secret marked as
undefined (`host/constant_time.cpp`). Then the leaks of `host/plants.txt` are planted, and Memcheck
must report the first one. With the argument `full` there are more levels of optimisation, and every
leak must be reported. What a GPU's compiler makes of the same source is not checked.

Needs g++, Valgrind and an x86-64 processor with FMA. Takes 20 seconds of the processor, and with
`full` a minute.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Levels at which a compiler makes branches in other places.
LEVELS = ("-O2", "-O1", "-O3", "-Os")
# Operations that are one instruction of a GPU are one instruction here, too.
OPTIONS = ("-std=c++17", "-g", "-ffp-contract=off", "-fno-math-errno", "-msse4.1", "-mfma", "-Wall",
           "-Wextra", "-Werror", "-DFALCON_SECRETS")


def build(folder, program, *options):
    source = folder / "host/constant_time.cpp"
    subprocess.run(["g++", *OPTIONS, *options, f"-I{folder / 'host'}", source, "-o", program],
                   check=True)


def run(program, log, *arguments):
    """Returns the exit status and the output of a program under Memcheck."""
    valgrind = ["valgrind", "--quiet", "--tool=memcheck", "--error-limit=no", f"--log-file={log}"]
    done = subprocess.run([*valgrind, program, *arguments], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def tail(log):
    """Returns the last reports."""
    return "".join(log.read_text().splitlines(keepends=True)[-60:])


def plants():
    """Returns file, text and condition of each planted leak."""
    lines = (HERE / "host/plants.txt").read_text().splitlines()
    return [line.split(" | ") for line in lines if line and not line.startswith("#")]


def planted(folder):
    """Copies the kernels to `folder`, with all leaks. A leak has a number from 1 on."""
    for name in ("kernels", "host"):
        shutil.copytree(HERE / name, folder / name)
    for number, (file, text, condition) in enumerate(plants(), start=1):
        path = folder / "kernels" / file
        source = path.read_text()
        if source.count(text) != 1:
            sys.exit(f"{file}: {source.count(text)} times instead of once: {text}")
        leak = f"{text} secrets::plant({number}, [&] {{ return bool({condition}); }});"
        path.write_text(source.replace(text, leak))


def main():
    full = sys.argv[1:] == ["full"]
    if sys.argv[1:] and not full:
        sys.exit(f"usage: {sys.argv[0]} [full]")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program, log = folder / "constant_time", folder / "log"
        for level in LEVELS if full else LEVELS[:1]:
            build(HERE, program, level)
            status, output = run(program, log)
            if status:
                sys.exit(f"{output}{tail(log)}FAILED with {level}")
            print(f"{level}: {output.count('silent')} launches of kernels, all silent")

        planted(folder)
        build(folder, program, "-O1")
        # Without an active leak this copy must be silent, too: otherwise every leak would count as
        # reported.
        if run(program, log, "0")[0] == 0:
            sys.exit(f"{tail(log)}FAILED: the copy with inactive leaks is not silent")
        count = len(plants()) if full else 1
        missed = [number for number in range(1, count + 1) if run(program, log, str(number))[0]]
        for number in missed:
            print(f"not reported: {' | '.join(plants()[number - 1])}")
        if missed:
            sys.exit(f"FAILED: {len(missed)} of {count} planted leaks were not reported")
        print(f"planted leaks: {count}, all reported")


main()
