//! Survivors are mutants that no test kills. Each is listed with the argument why no test has to
//! kill it.

use std::collections::BTreeMap;
use std::fmt;

/// Name of a mutant. The name stays the same if lines are added elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// File, relative to the sources of the crate.
    pub file: String,
    /// Function, with its type or trait.
    pub function: String,
    /// Source line with the change, and a number if the function contains it more than once.
    pub text: String,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\t{}", self.file, self.function, self.text)
    }
}

impl Name {
    /// Returns a number that sorts mutants into a random but fixed order: FNV-1a with a final
    /// mixing step.
    pub fn lot(&self) -> u64 {
        let hash = self
            .to_string()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// Reads the list: file, function, text and argument, one survivor on each line, separated by tabs.
/// Refuses an argument that contains the words "no test".
pub fn read(list: &str) -> Result<BTreeMap<Name, String>, String> {
    let lines = (1..).zip(list.lines());
    lines
        .filter(|(_, line)| !line.starts_with('#'))
        .map(|(number, line)| {
            let fields: Vec<_> = line.split('\t').collect();
            let [file, function, text, argument] = fields[..] else {
                return Err(format!("line {number}: not four fields"));
            };
            if argument.trim().is_empty() {
                return Err(format!("line {number}: no argument"));
            }
            if argument.to_lowercase().contains("no test") {
                return Err(format!("line {number}: a missing test is no argument"));
            }
            let name = Name {
                file: file.to_owned(),
                function: function.to_owned(),
                text: text.to_owned(),
            };
            Ok((name, argument.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survivor_without_an_argument_is_refused() {
        let listed = read("# file\nring.rs\tmultiply\t[x(); => ]\tx is idle\n").expect("four");
        assert_eq!(listed.len(), 1);
        assert!(read("ring.rs\tmultiply\t[x(); => ]\t \n").is_err());
        assert!(read("ring.rs\tmultiply\t[x(); => ]\n").is_err());
        for lack in ["No test looks there.", "Public, and no test has one."] {
            assert!(read(&format!("ring.rs\tmultiply\t[x(); => ]\t{lack}\n")).is_err());
        }
    }
}
