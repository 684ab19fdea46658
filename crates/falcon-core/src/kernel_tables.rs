//! Generates the constants of the GPU kernels from this crate's constants.
//!
//! `falcon-gpu/kernels/tables.h` and `twiddles.inc` contain the output of this module. The test
//! fails if they differ from it. `FALCON_WRITE_TABLES=1 cargo test -p falcon-core kernel_tables`
//! writes them.

use crate::fft::{TWIDDLE_IM, TWIDDLE_RE};
use crate::modq::{Modulus, Q, pow_mod};
use crate::params::{
    Falcon512, Falcon1024, INV_Q, INV_SIGMA, NONCE_LEN, Parameters, SIGMA_MIN, SIGNATURE_NORM_BOUND,
};
use crate::sampler::constants::{COEFFICIENTS, EXP2, INV_2_SIGMA_MAX_SQUARED, RCDT};
use std::format;
use std::string::String;
use std::vec::Vec;

/// Formats elements as rows of `width` elements.
fn rows(elements: Vec<String>, width: usize) -> String {
    let rows = elements.chunks(width).map(|row| row.join(", "));
    rows.map(|row| format!("    {row},\n")).collect()
}

fn array(kind: &str, ty: &str, name: &str, elements: Vec<String>, width: usize) -> String {
    let len = elements.len();
    format!(
        "{kind} {ty} {name}[{len}] = {{\n{}}};\n",
        rows(elements, width)
    )
}

fn parameters<P: Parameters>() -> String {
    let logn = P::LOGN as usize;
    let q = i64::from(Q::P);
    // This is 2^32 / n modulo q, since the kernels multiply twice and each product needs a factor
    // 2^16.
    let inverse = pow_mod((q + 1) / 2, P::LOGN, q);
    let scale = (1i64 << 32) % q * inverse % q;
    format!(
        "template <> struct Parameters<{logn}> {{\n\
         \x20   static constexpr double INV_SIGMA = {:?};\n\
         \x20   static constexpr double SIGMA_MIN = {:?};\n\
         \x20   static constexpr uint64_t SQUARED_NORM_BOUND = {};\n\
         \x20   static constexpr uint32_t PADDED_LEN = {};\n\
         \x20   // 2^32 / n modulo q.\n\
         \x20   static constexpr uint32_t NTT_SCALE = {scale};\n\
         }};\n",
        INV_SIGMA[logn],
        SIGMA_MIN[logn],
        SIGNATURE_NORM_BOUND[logn],
        P::PADDED_LEN,
    )
}

fn tables() -> String {
    let q = i64::from(Q::P);
    let zetas: Vec<String> = (0..1024u32)
        .map(|k| {
            let power = pow_mod(i64::from(Q::ROOT), k.reverse_bits() >> 22, q);
            format!("{}", power * 65536 % q)
        })
        .collect();
    let hex = |x: u64| format!("{x:#018x}");
    let signs = [1.0, -1.0].iter().cycle();
    let exp2 = EXP2.iter().zip(signs);
    let exp2 =
        exp2.map(|(&c, sign)| format!("{:?}f", (sign * c as f64 / (1u64 << 32) as f64) as f32));
    let log2_e = core::f64::consts::LOG2_E;
    [
        String::from(
            "// Written by `falcon-core/src/kernel_tables.rs` from the constants of the\n\
             // scheme: change those and write again.\n\
             #pragma once\n\n\
             #include \"platform.h\"\n#include \"real.h\"\n\n\
             namespace falcon {\n\n",
        ),
        format!("constexpr uint32_t Q = {q};\n"),
        format!("constexpr unsigned NONCE_LEN = {NONCE_LEN};\n"),
        format!("constexpr double INV_Q = {INV_Q:?};\n"),
        format!("constexpr double INV_2_SIGMA_MAX_SQUARED = {INV_2_SIGMA_MAX_SQUARED:?};\n"),
        format!("constexpr double LN2 = {:?};\n", core::f64::consts::LN_2),
        format!("constexpr double LOG2_E = {log2_e:?};\n"),
        format!(
            "// log2(e) / (2 sigma_max^2).\nconstexpr float PROPOSAL = {:?}f;\n\n",
            (log2_e * INV_2_SIGMA_MAX_SQUARED) as f32
        ),
        String::from("template <unsigned LOGN> struct Parameters;\n"),
        parameters::<Falcon512>(),
        parameters::<Falcon1024>(),
        String::from("\n// The base sampler: the 64 low and the 8 high bits of each entry, and the 32\n// high ones of those that have any.\n"),
        array("FALCON_CONSTANT", "uint64_t", "RCDT_LOW", RCDT.iter().map(|&x| hex(x as u64)).collect(), 3),
        array("FALCON_CONSTANT", "uint32_t", "RCDT_HIGH", RCDT.iter().map(|&x| format!("{:#04x}", (x >> 64) as u8)).collect(), 9),
        array(
            "FALCON_CONSTANT",
            "uint32_t",
            "RCDT_TOP",
            RCDT.iter().map(|&x| (x >> 40) as u32).filter(|&x| x != 0).map(|x| format!("{x:#010x}")).collect(),
            6,
        ),
        String::from("\n// 2^63 exp(-x), highest degree first, signs alternating.\n"),
        array("FALCON_CONSTANT", "uint64_t", "EXP_COEFFICIENTS", COEFFICIENTS.iter().map(|&x| hex(x)).collect(), 3),
        String::from("\n// 2^-f on [0, 1), lowest degree first: off by 2^-23.\n"),
        array("FALCON_CONSTANT", "float", "EXP2", exp2.collect(), 3),
        String::from("\n// g^brv(k) 2^16 modulo q, g a primitive 2048-th root, brv reversing ten bits.\n"),
        array("FALCON_TABLE", "uint16_t", "ZETAS", zetas, 12),
        String::from("\n} // namespace falcon\n"),
    ]
    .concat()
}

fn twiddles() -> String {
    let complex = |(re, im): (&f64, &f64)| format!("{{{{{re:?}}}, {{{im:?}}}}}");
    let list = TWIDDLE_RE.iter().zip(&TWIDDLE_IM).map(complex).collect();
    String::from("// Written by `falcon-core/src/kernel_tables.rs`: the twiddles of `fft/`.\n")
        + &rows(list, 2)
}

/// Checks that the headers of the kernels equal the output for this crate's constants.
#[test]
fn kernels_have_the_constants_of_the_scheme() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../falcon-gpu/kernels/");
    let write = std::env::var("FALCON_WRITE_TABLES").is_ok_and(|value| value == "1");
    for (name, text) in [("tables.h", tables()), ("twiddles.inc", twiddles())] {
        let path = std::path::Path::new(folder).join(name);
        if write {
            std::fs::write(&path, &text).expect("a folder that can be written");
        }
        let there = std::fs::read_to_string(&path).expect("the header");
        assert!(there == text, "{name} is not what the constants say");
    }
}
