//! Output and exit status of commands, pinned in files.
//!
//! If there are folders with the name of a test file and the endings `.in` and `.out`, the test
//! runs in a copy of the first folder. The copy must then have the contents of the second folder.
//!
//! `TRYCMD=overwrite cargo test -p falcon-cli --test files` updates the files.

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
    // The file has the help of a program with the default features.
    if !cfg!(feature = "hls") || cfg!(feature = "tables") {
        cases.skip("tests/cmd/help.trycmd");
    }
}
