//! Output and exit status of commands, pinned in files.
//!
//! A file runs in a copy of the folder `.in` of its name where a folder `.out`
//! says what must be there afterwards.
//!
//! `TRYCMD=overwrite cargo test -p falcon-cli --test files` writes them anew.

#[test]
fn commands_answer_as_the_files_say() {
    let cases = trycmd::TestCases::new();
    cases
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env("TZ", "UTC")
        .case("tests/cmd/*.trycmd");
    if !cfg!(feature = "hls") {
        cases.skip("tests/cmd/hls.trycmd");
    }
    // The help of the default features.
    if !cfg!(feature = "hls") || cfg!(feature = "tables") {
        cases.skip("tests/cmd/help.trycmd");
    }
}
