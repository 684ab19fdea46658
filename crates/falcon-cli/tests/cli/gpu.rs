//! The GPU engine, first without a GPU, and then with a test driver that computes on the CPU.

use crate::sandbox::{Sandbox, json_lines, said, text};

/// Returns true if the program finds a GPU that it can use.
fn is_there(sandbox: &Sandbox) -> bool {
    let engines = json_lines(&sandbox.succeeds(&["inspect", "--engines", "--json"]));
    let gpu = engines.iter().find(|engine| engine["engine"] == "gpu");
    assert_eq!(gpu.is_some(), cfg!(feature = "cuda"));
    gpu.is_some_and(|gpu| gpu["lanes"] != 0)
}

#[test]
fn without_a_driver_the_gpu_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    if is_there(&sandbox) {
        return;
    }
    let reason = if cfg!(feature = "cuda") {
        "no CUDA driver: libcuda.so.1"
    } else {
        "built without the feature cuda"
    };
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    for name in ["gpu", "GPU", "gpu:1"] {
        for arguments in [
            &["sign", "-k", "k", "m", "--force"][..],
            &["verify", "-p", "k.pub", "m"],
            &["bench"],
            &["kat", "check", "no.rsp"],
            &["demo", "m"],
        ] {
            let arguments = [arguments, &["--engine", name]].concat();
            assert_eq!(sandbox.status(&arguments), 2, "{arguments:?}");
            let message = said(&sandbox.run(&arguments));
            assert!(message.contains("cannot use the GPU"), "{message}");
            assert!(message.contains(reason), "{message}");
            let without = format!("without --engine {}", name.to_lowercase());
            assert!(message.contains(&without), "{message}");
        }
    }
    for name in ["gpux", "gpu:", "gpu:x", "gpu:-1"] {
        let message = sandbox.refuses(&["sign", "-k", "k", "m", "--engine", name]);
        let listed = message.contains("and a GPU is gpu");
        assert_eq!(listed, cfg!(feature = "cuda"), "{message}");
    }
}

#[test]
fn a_gpu_in_the_environment_is_no_reason_to_refuse_to_verify() {
    let sandbox = Sandbox::new();
    if is_there(&sandbox) {
        return;
    }
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.env("FALCON_ENGINE", "gpu").output().unwrap()
    };
    let message = said(&run(&["sign", "-k", "k", "m"]));
    assert!(message.contains("without FALCON_ENGINE=gpu"), "{message}");
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let verified = run(&["verify", "-p", "k.pub", "m"]);
    assert!(verified.status.success());
    assert!(text(&verified.stderr).contains("cannot use the GPU"));
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
mod on_the_test_driver {
    use crate::sandbox::{Sandbox, said, text};
    use std::process::Output;

    /// Runs the program on the test driver, with the fault `wrong`. Returns `None` if there was no
    /// compiler to build the driver.
    fn run(sandbox: &Sandbox, arguments: &[&str], wrong: &str) -> Option<Output> {
        let Some(folder) = falcon_gpu_host::DRIVER_FOLDER else {
            eprintln!("NOT TESTED: the test driver needs a C++17 compiler");
            return None;
        };
        let arguments = [arguments, &["--engine", "gpu"]].concat();
        let mut command = sandbox.command(&arguments);
        command.env("LD_LIBRARY_PATH", folder);
        command.env("FALCON_TEST_DRIVER", wrong);
        Some(command.output().unwrap())
    }

    #[test]
    fn the_gpu_and_the_processor_agree() {
        let sandbox = Sandbox::new();
        let list = sandbox.files(40).join("\n");
        sandbox.write("list", list);
        let Some(signed) = run(&sandbox, &["sign", "-k", "k", "--list", "list"], "") else {
            return;
        };
        assert!(signed.status.success(), "{}", text(&signed.stderr));
        sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list"]);
        let on_gpu = || run(&sandbox, &["verify", "-p", "k.pub", "--check", "list"], "").unwrap();
        assert!(on_gpu().status.success());
        sandbox.flip("f0007", 0);
        let verdicts = on_gpu();
        assert_eq!(verdicts.status.code(), Some(1));
        assert_eq!(text(&verdicts.stdout).matches("INVALID").count(), 1);

        let generate = ["kat", "generate", "-n", "2", "-a", "falcon-1024"];
        let generated = run(&sandbox, &generate, "").unwrap();
        assert!(generated.status.success(), "{}", text(&generated.stderr));
        assert!(generated.stdout == sandbox.succeeds(&generate).stdout);
        sandbox.write("two.rsp", &generated.stdout);
        let checked = run(&sandbox, &["kat", "check", "two.rsp"], "").unwrap();
        assert!(text(&checked.stdout).contains("match on engine gpu"));

        let bench = ["bench", "-a", "512", "--seconds", "0", "--batch", "3"];
        let measured = run(&sandbox, &bench, "").unwrap();
        assert!(measured.status.success(), "{}", text(&measured.stderr));
        assert_eq!(text(&measured.stdout).matches("in batches of 3").count(), 2);
        let said_first = text(&measured.stderr);
        assert!(said_first.contains("2 rows, about "), "{said_first}");
        let threads = [&bench[..], &["--threads", "2"]].concat();
        let message = said(&run(&sandbox, &threads, "").unwrap());
        assert!(message.contains("--threads is for engines"), "{message}");
        let listed = run(&sandbox, &["inspect", "--engines"], "").unwrap();
        assert!(text(&listed.stdout).contains("batches on the test driver's device"));
    }

    #[test]
    fn what_is_wrong_with_the_driver_is_said_and_nothing_is_written() {
        let sandbox = Sandbox::new();
        sandbox.succeeds(&["sign", "-k", "k", "m"]);
        std::fs::rename(sandbox.path("m.sig"), sandbox.path("kept")).unwrap();
        let names = sandbox.names();
        for (wrong, reason) in [
            ("none", "no CUDA device"),
            (
                "old",
                "the driver supports CUDA 10.2, the kernels need 11.0",
            ),
            ("ancient", "compute capability 7.0, the kernels need 8.0"),
            ("memory", "out of memory"),
            (
                "launch",
                "failed: the test driver lets every kernel fail (error 719)",
            ),
            ("ptx", "the driver supports no PTX of CUDA 11.0"),
        ] {
            let Some(failed) = run(&sandbox, &["sign", "-k", "k", "m"], wrong) else {
                return;
            };
            assert_eq!(failed.status.code(), Some(2), "{wrong}");
            let message = said(&failed);
            assert!(message.contains(reason), "{wrong}: {message}");
            assert_eq!(sandbox.names(), names);
            let bench = ["bench", "-a", "512", "--json", "--seconds", "0"];
            let unmeasured = run(&sandbox, &bench, wrong).unwrap();
            assert!(said(&unmeasured).contains(reason), "{wrong}");
            assert_eq!(text(&unmeasured.stdout), "", "{wrong}: no rate");
            let verify = ["verify", "-p", "k.pub", "m", "-s", "kept"];
            assert_eq!(
                run(&sandbox, &verify, wrong).unwrap().status.code(),
                Some(2)
            );
        }
    }

    #[test]
    fn a_device_that_there_is_not_is_no_other_one() {
        let sandbox = Sandbox::new();
        let Some(folder) = falcon_gpu_host::DRIVER_FOLDER else {
            return;
        };
        let mut command = sandbox.command(&["sign", "-k", "k", "m", "--engine", "gpu:1"]);
        let message = said(&command.env("LD_LIBRARY_PATH", folder).output().unwrap());
        assert!(
            message.contains("no CUDA device has the number 1; there are 1"),
            "{message}"
        );
    }
}
