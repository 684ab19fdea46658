//! Compiles `../kernels` for this processor in three builds, and the driver for tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(kernels)");
    for file in ["build.rs", "emulate.h", "emulate.cpp", "driver.cpp"] {
        println!("cargo::rerun-if-changed={file}");
    }
    let kernels = Path::new("../kernels");
    println!("cargo::rerun-if-changed={}", kernels.display());

    if let Err(why) = compiler() {
        println!(
            "cargo::warning=GPU kernels are NOT tested: {why}. Install a C++17 compiler (g++ or clang++)."
        );
        return;
    }
    build(kernels).compile("falcon_kernels");
    // In the variant, nodes of another level are kept in registers. This does not change any output
    // byte.
    beside(kernels, "variant")
        .define("FALCON_SMALL", "3")
        .compile("falcon_kernels_variant");
    // Lanes run as fibers, with the operations of a GPU.
    beside(kernels, "emulated")
        .include(".")
        .file("emulate.cpp")
        .define("FALCON_EMULATE", None)
        .opt_level(1)
        .compile("falcon_kernels_emulated");
    println!("cargo::rustc-cfg=kernels");
    println!(
        "cargo::rustc-env=FALCON_TEST_DRIVER_FOLDER={}",
        driver(kernels).display()
    );
}

/// Compiles the driver for tests and returns its folder, or an empty path if that fails.
fn driver(kernels: &Path) -> PathBuf {
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("driver");
    let mut compile = build(kernels).get_compiler().to_command();
    compile
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "driver.cpp"])
        .arg(kernels.join("host.cpp"))
        .arg("-o")
        .arg(folder.join("libcuda.so.1"));
    let made = fs::create_dir_all(&folder).is_ok()
        && compile.status().is_ok_and(|status| status.success());
    if made { folder } else { PathBuf::new() }
}

/// Checks for a compiler with the features that the kernels need: products of 128 bits, an option
/// that forbids fused operations, and fibers.
fn compiler() -> Result<(), String> {
    let tool = cc::Build::new()
        .cpp(true)
        .try_get_compiler()
        .map_err(|error| error.to_string())?;
    if tool.is_like_msvc() {
        return Err("this compiler has no integers of 128 bits".to_owned());
    }
    if env::var("CARGO_CFG_TARGET_POINTER_WIDTH").as_deref() != Ok("64") {
        return Err("this target has no integers of 128 bits".to_owned());
    }
    if env::var("CARGO_CFG_TARGET_ENV").as_deref() != Ok("gnu") {
        return Err("fibers need the C library of GNU".to_owned());
    }
    let run = tool.to_command().arg("--version").output();
    match run {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(format!("{} does not work", tool.path().display())),
        Err(error) => Err(format!("{}: {error}", tool.path().display())),
    }
}

/// Configures another build of the kernels. Its symbols contain `name`, so they do not clash with
/// those of the default build.
fn beside(kernels: &Path, name: &str) -> cc::Build {
    let mut build = build(kernels);
    build
        .define("FALCON_BUILD", name)
        .define("falcon", &*format!("falcon_{name}"));
    build
}

fn build(kernels: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .flag("-ffp-contract=off")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .file(kernels.join("host.cpp"));
    build
}
