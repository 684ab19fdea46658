//! Names the shared library for the programs that are linked with it.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = |part: &str| env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    // Before version 1.0 every minor version may change the interface.
    let interface = match version("MAJOR").as_str() {
        "0" => format!("0.{}", version("MINOR")),
        major => major.to_owned(),
    };
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libfalconsign.so.{interface}");
        }
        Ok("macos") => println!(
            "cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libfalconsign.{interface}.dylib"
        ),
        _ => {}
    }
}
