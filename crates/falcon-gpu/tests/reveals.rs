//! Checks that the kernels reveal only the values that `docs/CONSTANT-TIME.md` justifies, that the
//! check of constant time runs every kernel that sees a secret, and that the page has the number of
//! planted leaks.

use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a file")
}

/// Returns the lines of the kernels that can make a value public, as `file: line`.
fn reveals() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the kernels") {
        let name = entry.expect("a file").file_name();
        let name = name.to_str().expect("a name in ASCII");
        if name == "README.md" {
            continue;
        }
        for line in read(&format!("kernels/{name}")).lines() {
            let reveals = ["FALCON_REVEAL", "secrets::", "mark_public", "VALGRIND"];
            if reveals.iter().any(|it| line.contains(it)) {
                found.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    found.sort();
    found
}

/// Lines that reveal a value, which the page justifies, and those that define how.
const JUSTIFIED: [&str; 16] = [
    "attempt.h: for (unsigned shift = 56; FALCON_REVEAL(w == 0) && shift != 0;) {",
    "attempt.h: trial.accepted = FALCON_REVEAL(w < 0);",
    "codec.h: const bool accepted = is_short && FALCON_REVEAL(BODY + (bits + 7) / 8 <= batch.signature_limit);",
    "hash.h: for (unsigned i = 0; i < NONCE_LEN / 8; ++i) nonce[i] = FALCON_REVEAL(state.a[i]);",
    "platform.h: #define FALCON_REVEAL(X) (X)",
    "platform.h: #define FALCON_REVEAL(X) secrets::reveal(X)",
    "platform.h: #define FALCON_REVEAL_LOWEST(X) (X)",
    "platform.h: #define FALCON_REVEAL_LOWEST(X) secrets::reveal_lowest(X)",
    "platform.h: // FALCON_REVEAL(X) is `X`, which may depend on a secret and becomes public. With",
    "platform.h: // FALCON_REVEAL_LOWEST only the lowest set bit becomes public, and callers use no other bit.",
    "platform.h: inline float log2_of(float x) { return secrets::as_one_instruction(log2f, x); }",
    "sampler.h: FALCON_REVEAL_LOWEST(sure ? second & ~((2u << at) - 1) : found.count == 1 ? second : 0);",
    "sampler.h: const bool also = behind != 0 && FALCON_REVEAL((other & ACCEPTED << SECOND) != 0);",
    "sampler.h: const bool sure = has && FALCON_REVEAL((chosen & ACCEPTED) != 0);",
    "sampler.h: const uint32_t first = FALCON_REVEAL_LOWEST(G::ballot(seen, OPEN)), second = G::ballot(seen, OPEN << SECOND);",
    "sign.h: FALCON_DEVICE bool is_short() const { return FALCON_REVEAL(Group<W>::total(norm) <= Parameters<LOGN>::SQUARED_NORM_BOUND); }",
];

#[test]
fn every_revealed_value_is_listed() {
    assert_eq!(reveals(), JUSTIFIED);
}

#[test]
fn the_page_has_the_number_of_planted_leaks() {
    let plants = read("host/plants.txt");
    let plants = plants.lines().filter(|line| !line.starts_with('#'));
    let page = read("../../docs/CONSTANT-TIME.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = plants.count();
    assert!(
        page.contains(&format!("and {count} planted leaks")),
        "{count}"
    );
    assert!(page.contains(&format!("all {count} reported")), "{count}");
}

/// Kernels whose operands are public.
const PUBLIC: [&str; 3] = ["prepare", "unpack", "verify"];

#[test]
fn every_kernel_that_sees_a_secret_is_checked() {
    let list = read("kernels/kernels.h");
    // Such as `(falcon::sign<LOGN, FALCON_GROUP, falcon::RAW>)` in the last cell of a row.
    let calls: Vec<&str> = list
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("X("))
        .map(|row| {
            let (_, call) = row.split_once("(falcon::").expect("a function");
            call.split_once("))").expect("its end").0
        })
        .collect();
    assert_eq!(calls.len(), 11);
    let program = read("host/constant_time.cpp");
    for call in calls {
        let name = call.split('<').next().expect("a name");
        let call = call.replace("FALCON_GROUP", "LANES");
        let checked = program.contains(&format!("falcon::{call}(batch, unit)"));
        assert_ne!(checked, PUBLIC.contains(&name), "{call}");
    }
    assert!(list.contains("X(prng, falcon::ROW_LANES, false, (falcon::prng))"));
    assert!(program.contains("falcon::prng(batch, unit)"));
}
