//! A folder in which a test runs the program.

#[path = "../../../../tests/programs/sandbox.rs"]
mod shared;

pub use shared::{Sandbox, json_lines, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mceliece-cli");

/// The parameter set of most tests. It is the fastest one.
pub const QUICK: &str = "mceliece348864f";

impl Sandbox {
    /// Makes a folder with a key pair `k`, `k.pub`, and a ciphertext `c` with the secret `s`.
    pub fn new() -> Self {
        let sandbox = Self::of(QUICK);
        sandbox.succeeds(&["encaps", "-p", "k.pub", "-o", "c", "--secret", "s"]);
        sandbox
    }

    /// Returns a folder with a key pair of a set.
    pub fn of(set: &str) -> Self {
        let sandbox = Self::empty();
        sandbox.succeeds(&["keygen", "--parameters", set, "k"]);
        sandbox
    }

    /// Runs a command that must be refused, and returns its message.
    pub fn refuses(&self, arguments: &[&str]) -> String {
        let refused = self.run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?} {refused:?}");
        assert_eq!(text(&refused.stdout), "", "{arguments:?}");
        text(&refused.stderr).to_owned()
    }

    /// Recovers the secret of a ciphertext with a key.
    pub fn decaps(&self, key: &str, ciphertext: &str) -> Vec<u8> {
        let decaps = ["decaps", "-k", key, ciphertext, "--secret", "-"];
        let secret = self.succeeds(&decaps).stdout;
        assert_eq!(secret.len(), 32);
        secret
    }
}
