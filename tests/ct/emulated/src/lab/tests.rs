//! Tests of the rules of single instructions.

use super::*;

/// Formats a rule: the outputs, and for each source its name and the outputs of each byte, as a
/// mask in hexadecimal.
fn rule(word: u32) -> String {
    let rule = Lab::new().learn(word).expect("a rule");
    rule.to_string()
}

#[track_caller]
fn says(word: u32, lines: &[&str]) {
    let rule = rule(word);
    let found: Vec<_> = rule.lines().map(str::trim).collect();
    assert_eq!(found, lines, "{word:08x}");
}

#[test]
fn wires_are_exact() {
    let bytes = "1 2 4 8 10 20 40 80";
    // and w0, w1, w2
    let low = "1 2 4 8 0 0 0 0";
    let lines = [
        "writes x0 and []",
        &format!("x1: {low}"),
        &format!("x2: {low}"),
        "memory:",
    ];
    says(0x0a02_0020, &lines);
    // rev x0, x1
    says(
        0xdac0_0c20,
        &["writes x0 and []", "x1: 80 40 20 10 8 4 2 1", "memory:"],
    );
    // movk x0, #5, lsl #16
    says(
        0xf2a0_00a0,
        &["writes x0 and []", "x0: 1 2 0 0 10 20 40 80", "memory:"],
    );
    // csel x0, x1, x2, eq
    let lines = [
        "writes x0 and []",
        &format!("x1: {bytes}"),
        &format!("x2: {bytes}"),
        "flags: ff",
        "memory:",
    ];
    says(0x9a82_0020, &lines);
    // umov w0, v1.h[3]
    let lines = [
        "writes x0 and []",
        "v1: 0 0 0 0 0 0 1 2 0 0 0 0 0 0 0 0",
        "memory:",
    ];
    says(0x0e0e_3c20, &lines);
}

#[test]
fn what_is_kept_under_a_condition_is_an_input() {
    let bytes = "1 2 4 8 10 20 40 80";
    // csel x0, x0, x1, ne
    let lines = [
        "writes x0 and []",
        &format!("x0: {bytes}"),
        &format!("x1: {bytes}"),
        "flags: ff",
        "memory:",
    ];
    says(0x9a81_1000, &lines);
    // csel x0, x1, x0, ne
    says(0x9a80_1020, &lines);
    // csinv x0, x0, x1, ne
    says(0xda81_1000, &lines);
    // csinc x0, x0, xzr, eq; csinc x0, x0, x1, ne
    for word in [0x9a9f_0400, 0x9a81_1400] {
        let rule = rule(word);
        assert!(rule.contains(&format!("x0: {bytes}")), "{rule}");
    }
}

#[test]
fn comparisons_with_zero_are_seen() {
    // cmeq v0.4s, v1.4s, #0; fcmlt v0.2d, v1.2d, #0.0
    let lanes = "ff ff ff ff ff ff ff ff ff00 ff00 ff00 ff00 ff00 ff00 ff00 ff00";
    says(
        0x4ea0_9820,
        &["writes v0 and []", &format!("v1: {lanes}"), "memory:"],
    );
    let lanes = "ff ff ff ff ff ff ff ff ff00 ff00 ff00 ff00 ff00 ff00 ff00 ff00";
    says(
        0x4ee0_e820,
        &["writes v0 and []", &format!("v1: {lanes}"), "memory:"],
    );
}

#[test]
fn sums_and_comparisons_depend_on_whole_halves() {
    // add x0, x1, x2
    let whole = "ff ff ff ff ff ff ff ff";
    let lines = [
        "writes x0 and []",
        &format!("x1: {whole}"),
        &format!("x2: {whole}"),
        "memory:",
    ];
    says(0x8b02_0020, &lines);
    // cmp x3, x4
    let flags = "1 1 1 1 1 1 1 1";
    let lines = [
        "writes flags and []",
        &format!("x3: {flags}"),
        &format!("x4: {flags}"),
        "memory:",
    ];
    says(0xeb04_007f, &lines);
    // udiv x0, x1, x2
    let lines = [
        "writes x0 and []",
        &format!("x1: {whole}"),
        &format!("x2: {whole}"),
        "memory:",
    ];
    says(0x9ac2_0820, &lines);
    // add v0.4s, v1.4s, v2.4s; cmhi; sqdmulh
    let lanes = "ff ff ff ff ff ff ff ff ff00 ff00 ff00 ff00 ff00 ff00 ff00 ff00";
    for word in [0x4ea2_8420, 0x6ea2_3420, 0x4ea2_b420] {
        let lines = [
            "writes v0 and []",
            &format!("v1: {lanes}"),
            &format!("v2: {lanes}"),
            "memory:",
        ];
        says(word, &lines);
    }
    // fmul v0.2d, v1.2d, v2.2d; cmeq
    let lanes = "ff ff ff ff ff ff ff ff ff00 ff00 ff00 ff00 ff00 ff00 ff00 ff00";
    for word in [0x6e62_dc20, 0x6ee2_8c20] {
        let lines = [
            "writes v0 and []",
            &format!("v1: {lanes}"),
            &format!("v2: {lanes}"),
            "memory:",
        ];
        says(word, &lines);
    }
}

/// Checks the outputs of each byte of a source, in twenty experiments.
#[track_caller]
fn decides(word: u32, source: &str, outputs: &str) {
    let mut lab = Lab::new();
    for _ in 0..20 {
        let rule = lab.learn(word).expect("a rule").to_string();
        let line = rule
            .lines()
            .find_map(|line| line.trim().strip_prefix(source));
        assert_eq!(line, Some(format!(": {outputs}").as_str()), "{word:08x}");
    }
}

#[test]
fn rare_effects_are_not_missed() {
    // cmn x3, #1; adds x0, x1, #1; ands x0, x1, x2: every byte decides the flags.
    decides(0xb100_047f, "x3", "1 1 1 1 1 1 1 1");
    let all = ["1ff"; 8].join(" ");
    decides(0xb100_0420, "x1", &all);
    decides(0xea02_0020, "x1", "101 102 104 108 110 120 140 180");
    // cmn x0, #5; ccmn x0, #1, #4, ne; cmp x22, #3
    decides(0xb100_141f, "x0", "1 1 1 1 1 1 1 1");
    decides(0xba41_1804, "x0", "1 1 1 1 1 1 1 1");
    decides(0xf100_0edf, "x22", "1 1 1 1 1 1 1 1");
    // add x0, x0, #0x20; add x0, x0, #4, lsl #12; add x23, sp, #4; srshr v0.2d, v1.2d, #6
    for word in [0x9100_8000, 0x9140_1000] {
        decides(word, "x0", &["ff"; 8].join(" "));
    }
    decides(0x9100_13f7, "sp", &["ff"; 8].join(" "));
    decides(
        0x4f7a_2420,
        "v1",
        &[["ff"; 8], ["ff00"; 8]].concat().join(" "),
    );
    // add x0, x1, #0x800000
    decides(0x9160_0020, "x1", &["ff"; 8].join(" "));
    // cmtst v0.2d, v1.2d, v2.2d; cmtst v0.4s, v1.4s, v2.4s
    let lanes = [["ff"; 8], ["ff00"; 8]].concat().join(" ");
    decides(0x4ee2_8c20, "v2", &lanes);
    decides(0x4ea2_8c20, "v2", &lanes);
    // uaddw v0.2d, v1.2d, v2.2s; usra v0.2d, v1.2d, #32
    let low = [["ff"; 4], ["ff00"; 4]].concat().join(" ");
    let rule = rule(0x2ea2_1020);
    let line = rule
        .lines()
        .find(|line| line.trim().starts_with("v2"))
        .expect("a source");
    assert!(line.trim().starts_with(&format!("v2: {low}")), "{line}");
    decides(0x6f60_1420, "v0", &lanes);
    // usra v6.2s, v2.2s, #31: the sum carries, but nothing reads the upper half.
    let half = [["ff"; 8], ["0"; 8]].concat().join(" ");
    decides(0x2f21_1446, "v6", &half);
}

#[test]
fn products_with_a_lane_of_sixteen_bits_are_known() {
    // mls v13.8h, v25.8h, v8.h[3]
    let rule = rule(0x6f78_432d);
    let names = rule.lines().map(|line| line.split(':').next());
    let names: Vec<_> = names.map(|name| name.unwrap_or_default().trim()).collect();
    assert_eq!(names, ["writes v13 and []", "v13", "v25", "v8", "memory"]);
}

#[test]
fn branches_and_addresses_are_known() {
    // cbz x1, .+8
    says(
        0xb400_0041,
        &["writes  and []", "x1 (branch): 0 0 0 0 0 0 0 0", "memory:"],
    );
    // b.lt .+8
    says(
        0x5400_004b,
        &["writes  and []", "flags (branch): 0", "memory:"],
    );
    // ldr x0, [x1, x2, lsl #3]
    let whole = "ff ff ff ff ff ff ff ff";
    let lines = [
        "writes x0 and [(8, false)]",
        &format!("x1 (address): {whole}"),
        &format!("x2 (address): {whole}"),
        "memory: 1 2 4 8 10 20 40 80",
    ];
    says(0xf862_7820, &lines);
    // str w0, [sp, #8]
    let lines = [
        "writes  and [(4, true)]",
        "x0: 1 2 4 8 0 0 0 0",
        "sp (address): f f f f f f f f",
        "memory:",
    ];
    says(0xb900_0be0, &lines);
}

#[test]
fn registers_that_no_field_names_are_noticed() {
    let mut lab = Lab::new();
    // ldp q0, q1, [x3], #32 is followed; svc #0 faults.
    assert!(lab.keeps_to_candidates(0xacc1_0460));
    assert!(!lab.keeps_to_candidates(0xd400_0001));
    // add x0, x1, x2. The lab is told that x2 is not a candidate.
    let known = [0, 1, 30];
    let (address, baselines) = lab.try_in(0x8b02_0020, &known, FEW).expect("it runs");
    assert!(!lab.leave_others(address, &known, &baselines));
}

#[test]
fn one_bit_that_carries_is_no_wire() {
    // add x11, x11, x13, lsr #63
    decides(0x8b4d_fd6b, "x13", "0 0 0 0 ff ff ff ff");
    // tbx v23.16b, {v8.16b-v11.16b}, v17.16b: any byte of the table may move to any place.
    let anywhere = ["ffff"; 16].join(" ");
    decides(0x4e11_7117, "v8", &anywhere);
}
