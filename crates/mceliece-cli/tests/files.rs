//! Help texts, pinned in files.
//!
//! `TRYCMD=overwrite cargo test -p mceliece-cli --test files` updates the files.

#[test]
fn commands_answer_as_the_files_say() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("tests/cmd/*.trycmd");
}
