//! Writes Verilog: lines, and signals that are delayed by some cycles.

use std::collections::BTreeMap;

/// Lines of a file.
#[derive(Default)]
pub(super) struct Lines(String);

impl Lines {
    pub(super) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn comment(&mut self, text: &str) {
        self.line(&format!("// {text}"));
    }

    pub(super) fn append(&mut self, other: Self) {
        self.0.push('\n');
        self.0.push_str(&other.0);
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }

    /// Assigns the value of the current phase to `signal`, which has `bits` bits. `choices` lists
    /// phases with their values.
    pub(super) fn choose(&mut self, bits: usize, signal: &str, choices: &[(u32, String)]) {
        let wire = |value: &str| format!("    wire {}{signal} = {value};", range(bits));
        match choices {
            [] => self.line(&wire(&number(bits, 0))),
            [(_, first), others @ ..] if others.iter().all(|(_, value)| value == first) => {
                self.line(&wire(first));
            }
            [others @ .., (_, last)] => {
                self.line(&format!("    reg {}{signal};", range(bits)));
                self.line("    always @* begin");
                self.line("        case (phase)");
                for (phase, value) in others {
                    self.line(&format!("            {phase}: {signal} = {value};"));
                }
                self.line(&format!("            default: {signal} = {last};"));
                self.line("        endcase");
                self.line("    end");
            }
        }
    }
}

/// Returns the bit range for a declaration, such as `[7:0]`, followed by a blank. Empty for one
/// bit.
pub(super) fn range(bits: usize) -> String {
    match bits {
        1 => String::new(),
        _ => format!("[{}:0] ", bits - 1),
    }
}

/// Returns a constant of `bits` bits.
pub(super) fn number(bits: usize, value: usize) -> String {
    format!("{bits}'d{value}")
}

/// Returns the number of bits for numbers below `count`, at least one.
pub(super) fn width(count: usize) -> usize {
    (count.next_power_of_two().trailing_zeros() as usize).max(1)
}

/// Delayed signals, each with its number of bits and the largest necessary delay in cycles.
#[derive(Default)]
pub(super) struct Delays(BTreeMap<String, Delay>);

struct Delay {
    bits: usize,
    most: u32,
    /// True if the signal starts an action. Such a signal must not survive a reset.
    acts: bool,
}

impl Delays {
    /// Returns `signal` with a delay of `cycles` cycles.
    pub(super) fn tap(&mut self, signal: &str, bits: usize, cycles: u32) -> String {
        self.delay(signal, bits, cycles, false)
    }

    /// Does the same as [`tap`](Self::tap) for a signal that starts an action. A reset clears the
    /// delayed signal.
    pub(super) fn tap_action(&mut self, signal: &str, cycles: u32) -> String {
        self.delay(signal, 1, cycles, true)
    }

    fn delay(&mut self, signal: &str, bits: usize, cycles: u32, acts: bool) -> String {
        if cycles == 0 {
            return signal.into();
        }
        let most = cycles;
        let known = self.0.entry(signal.into());
        let known = known.or_insert(Delay { bits, most, acts });
        known.most = known.most.max(cycles);
        delayed(signal, cycles)
    }

    /// Emits the delay registers.
    pub(super) fn emit(self) -> Lines {
        let mut out = Lines::default();
        out.line("    // What is needed later.");
        for (signal, Delay { bits, most, .. }) in &self.0 {
            let names: Vec<String> = (1..=*most).map(|k| delayed(signal, k)).collect();
            out.line(&format!("    reg {}{};", range(*bits), names.join(", ")));
        }
        out.line("    always @(posedge clk) begin");
        for (signal, Delay { most, acts, .. }) in &self.0 {
            let reset = if *acts { "!reset && " } else { "" };
            for k in 1..=*most {
                let before = if k == 1 {
                    signal.clone()
                } else {
                    delayed(signal, k - 1)
                };
                out.line(&format!(
                    "        {} <= {reset}{before};",
                    delayed(signal, k)
                ));
            }
        }
        out.line("    end");
        out
    }
}

fn delayed(signal: &str, cycles: u32) -> String {
    format!("{signal}_{cycles}")
}
