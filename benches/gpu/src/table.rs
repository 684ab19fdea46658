//! Tables in Markdown: the best rates and the latencies, beside published rates and goals.

use crate::kind::{Keys, Mode};
use crate::times::Time;

/// A chip whose peak rate is known, so that rates on other chips can be scaled to it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Chip {
    A100,
    Rtx4090,
    H100Pcie,
    H100,
    H200,
}

impl Chip {
    /// Finds the chip with this name, if it is known.
    fn of(device: &str) -> Option<Self> {
        let known = [
            ("A100", Self::A100),
            ("RTX 4090", Self::Rtx4090),
            ("H200", Self::H200),
            // This name must come before "H100", which it contains.
            ("H100 PCIe", Self::H100Pcie),
            ("H100", Self::H100),
        ];
        let found = known.iter().find(|(name, _)| device.contains(name));
        found.map(|&(_, chip)| chip)
    }

    fn name(self) -> &'static str {
        match self {
            Self::A100 => "A100",
            Self::Rtx4090 => "RTX 4090",
            Self::H100Pcie => "H100 PCIe",
            Self::H100 => "H100",
            Self::H200 => "H200",
        }
    }

    /// Integer instructions a second: multiprocessors times 64 lanes times the boost clock. The
    /// CUDA C++ Programming Guide gives 64 lanes for capabilities 8.0, 8.9 and 9.0, in its table of
    /// arithmetic throughput.
    fn integer_peak(self) -> f64 {
        self.clocks() * 64.0
    }

    /// Binary64 sums or products a second, with the lanes of the same table.
    fn binary64_peak(self) -> f64 {
        let lanes = match self {
            Self::A100 => 32.0,
            Self::Rtx4090 => 2.0,
            Self::H100Pcie | Self::H100 | Self::H200 => 64.0,
        };
        self.clocks() * lanes
    }

    /// Clocks a second of all multiprocessors together.
    fn clocks(self) -> f64 {
        let (multiprocessors, hertz) = match self {
            Self::A100 => (108.0, 1.41e9),
            Self::Rtx4090 => (128.0, 2.52e9),
            Self::H100Pcie => (114.0, 1.755e9),
            Self::H100 | Self::H200 => (132.0, 1.98e9),
        };
        multiprocessors * hertz
    }
}

/// A rate that others have published, in operations a second.
struct Published {
    parameters: &'static str,
    operation: &'static str,
    key: &'static str,
    per_s: u32,
    whose: &'static str,
    chip: Chip,
}

const fn published(
    (parameters, operation, key): (&'static str, &'static str, &'static str),
    per_s: u32,
    whose: &'static str,
    chip: Chip,
) -> Published {
    Published {
        parameters,
        operation,
        key,
        per_s,
        whose,
        chip,
    }
}

type What = (&'static str, &'static str, &'static str);
const EXPANDED: What = ("Falcon-512", "sign", "expanded");
const BALANCED: What = ("Falcon-512", "sign", "balanced");
const RAW: What = ("Falcon-512", "sign", "raw");
const VERIFY: What = ("Falcon-512", "verify", "own keys");
const EXPANDED_1024: What = ("Falcon-1024", "sign", "expanded");
const BALANCED_1024: What = ("Falcon-1024", "sign", "balanced");
const RAW_1024: What = ("Falcon-1024", "sign", "raw");
const VERIFY_1024: What = ("Falcon-1024", "verify", "own keys");

/// GOLF: eprint 2025/749. cuFalcon: eprint 2025/249. Lee et al.: TPDS 2024.
/// GOLF does not say whether its keys are expanded, so its rates stand for both.
const PUBLISHED: [Published; 25] = [
    published(EXPANDED, 420_250, "GOLF", Chip::Rtx4090),
    published(EXPANDED, 157_995, "GOLF", Chip::A100),
    published(EXPANDED, 201_545, "cuFalcon", Chip::A100),
    published(EXPANDED, 195_732, "cuFalcon", Chip::Rtx4090),
    published(BALANCED, 184_371, "cuFalcon", Chip::A100),
    published(BALANCED, 186_043, "cuFalcon", Chip::Rtx4090),
    published(RAW, 420_250, "GOLF", Chip::Rtx4090),
    published(RAW, 157_995, "GOLF", Chip::A100),
    published(RAW, 172_263, "cuFalcon", Chip::A100),
    published(RAW, 172_223, "cuFalcon", Chip::Rtx4090),
    published(RAW, 58_595, "Lee et al.", Chip::A100),
    published(VERIFY, 10_311_039, "GOLF", Chip::Rtx4090),
    published(VERIFY, 4_180_879, "GOLF", Chip::A100),
    published(VERIFY, 3_259_460, "cuFalcon", Chip::A100),
    published(VERIFY, 3_879_247, "cuFalcon", Chip::Rtx4090),
    published(VERIFY, 2_721_562, "Lee et al.", Chip::A100),
    published(EXPANDED_1024, 100_292, "cuFalcon", Chip::A100),
    published(EXPANDED_1024, 104_822, "cuFalcon", Chip::Rtx4090),
    published(BALANCED_1024, 96_997, "cuFalcon", Chip::A100),
    published(BALANCED_1024, 95_597, "cuFalcon", Chip::Rtx4090),
    published(RAW_1024, 90_636, "cuFalcon", Chip::A100),
    published(RAW_1024, 89_115, "cuFalcon", Chip::Rtx4090),
    published(RAW_1024, 44_680, "Lee et al.", Chip::A100),
    published(VERIFY_1024, 2_372_579, "cuFalcon", Chip::A100),
    published(VERIFY_1024, 1_925_128, "cuFalcon", Chip::Rtx4090),
];

/// Goal for a rate, as a multiple of the best published rate, scaled to the chip.
const TIMES_PUBLISHED: f64 = 2.5;

/// Least rate and goal on an H200, in operations a second. The figures are for Falcon-512. For
/// Falcon-1024 they are half as large.
const TARGETS: [(&str, &str, f64, f64); 4] = [
    ("sign", "expanded", 1e6, 8e6),
    ("sign", "raw", 0.7e6, 3e6),
    ("verify", "own keys", 20e6, 30e6),
    ("verify", "shared key", 40e6, 60e6),
];

fn target(best: &Time) -> Option<(f64, f64)> {
    let half = match best.parameters {
        "Falcon-1024" => 0.5,
        _ => 1.0,
    };
    let key = key(best);
    let of = |target: &&(&str, &str, f64, f64)| (target.0, target.1) == (&*best.operation, &*key);
    let (_, _, least, aim) = TARGETS.iter().find(of)?;
    Some((half * least, half * aim))
}

/// Describes the key: its mode, or how the jobs share keys.
fn key(time: &Time) -> String {
    let keys = match time.key.keys {
        Keys::Shared => "shared key",
        Keys::Own => "own keys",
    };
    let usual = match time.key.mode {
        Some(Mode::Raw) => Keys::Own,
        _ => Keys::Shared,
    };
    match time.key.mode {
        None => keys.to_owned(),
        Some(mode) if time.key.keys == usual => format!("{mode:?}").to_lowercase(),
        Some(mode) => format!("{mode:?}, {keys}").to_lowercase(),
    }
}

/// Marks times whose bytes are wrong: their rate means nothing.
fn mark(time: &Time) -> &'static str {
    if time.equal == Some(false) {
        " WRONG BYTES"
    } else {
        ""
    }
}

/// Makes three tables: the best rates, then the time of batches of each size, then variants of the
/// kernels.
pub(crate) fn table(device: &str, times: &[Time]) -> String {
    let mut lines = vec![format!("# {device}\n")];
    let usual: Vec<&Time> = times.iter().filter(|time| time.variant.is_none()).collect();
    let kinds = kinds(&usual);
    lines.extend(best(device, &kinds));
    lines.extend(latencies(&usual, &kinds));
    lines.extend(variants(times));
    lines.join("\n") + "\n"
}

/// Groups the times by kind of batch.
fn kinds<'t>(times: &[&'t Time]) -> Vec<Vec<&'t Time>> {
    let mut kinds: Vec<Vec<&Time>> = Vec::new();
    for &time in times {
        let of = |time: &Time| (time.parameters, time.operation.clone(), key(time));
        match kinds.iter_mut().find(|kind| of(kind[0]) == of(time)) {
            Some(kind) => kind.push(time),
            None => kinds.push(vec![time]),
        }
    }
    kinds
}

/// Makes the table of the best rates.
fn best(device: &str, kinds: &[Vec<&Time>]) -> Vec<String> {
    let mut lines = vec![
        "Each row has the best rate of one kind of batch, in jobs per second; larger is better. Ours is".to_owned(),
        "from the call to its return, without encoding. Messages and seeds are distinct, and signatures that are".to_owned(),
        "too long are tried again; the public programs of cuFalcon and Lee et al. repeat one message, key, nonce".to_owned(),
        "and seed and do not try again. GOLF does not say whether its keys are expanded.".to_owned(),
        "Scaled: the published rate times the ratio of the chips' integer peaks (multiprocessors times lanes times".to_owned(),
        "boost clock), and in brackets that of their binary64 peaks. The targets are those of an H200.\n".to_owned(),
        "In brackets, here and below: kernels alone. This is the sum of all kernels of all chunks, where each".to_owned(),
        "kernel has the device for itself, on one stream. A call keeps several chunks on the device, so it can".to_owned(),
        "be faster than this sum.\n".to_owned(),
        "| parameters | operation | key | ours, jobs/s | batch | ms | target of the H200, least and aim | published, jobs/s | scaled to this device | 2.5 times the best scaled |".to_owned(),
        "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(kinds.iter().filter_map(|kind| rates(device, kind)));
    lines
}

/// Makes the table of milliseconds by the size of the batch.
fn latencies(times: &[&Time], kinds: &[Vec<&Time>]) -> Vec<String> {
    let mut batches: Vec<usize> = times.iter().map(|time| time.batch).collect();
    batches.sort_unstable();
    batches.dedup();
    let heads: Vec<_> = batches.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        "\nMilliseconds of a batch by its number of jobs; smaller is better. From the call to its return, in".to_owned(),
        "brackets the sum of kernels that run alone.\n".to_owned(),
        format!("| parameters | operation | key | {} |", heads.join(" | ")),
        format!("|---|---|---|{}", "---|".repeat(batches.len())),
    ];
    for kind in kinds {
        let cell = |batch: &usize| {
            let time = kind.iter().find(|time| time.batch == *batch);
            time.map_or_else(String::new, |time| {
                format!("{:.3} ({:.3}){}", time.host_ms, time.kernel_ms, mark(time))
            })
        };
        let cells: Vec<_> = batches.iter().map(cell).collect();
        let first = kind[0];
        lines.push(format!(
            "| {} | {} | {} | {} |",
            first.parameters,
            first.operation,
            key(first),
            cells.join(" | ")
        ));
    }
    lines
}

/// Makes the table of the variants of the kernels.
fn variants(times: &[Time]) -> Vec<String> {
    let mut lines = Vec::new();
    for time in times {
        let Some(variant) = &time.variant else {
            continue;
        };
        if lines.is_empty() {
            lines.push("\nRates of kernels that were compiled otherwise, in jobs per second; larger is better. From the call".to_owned());
            lines
                .push("to its return, in brackets the sum of kernels that run alone.\n".to_owned());
            lines.push("| variant | parameters | operation | key | batch | jobs/s |".to_owned());
            lines.push("|---|---|---|---|---|---|".to_owned());
        }
        lines.push(format!(
            "| {variant} | {} | {} | {} | {} | {:.0} ({:.0}){} |",
            time.parameters,
            time.operation,
            key(time),
            time.batch,
            time.host_per_s,
            time.kernel_per_s,
            mark(time)
        ));
    }
    lines
}

/// Makes the row of the best rate of `kind`.
fn rates(device: &str, kind: &[&Time]) -> Option<String> {
    // A time with wrong bytes is the best only if all have wrong bytes.
    let rank = |time: &Time| (time.equal, time.host_per_s);
    let best = kind.iter().max_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })?;
    let others: Vec<_> = PUBLISHED
        .iter()
        .filter(|other| {
            (other.parameters, other.operation, other.key)
                == (best.parameters, &*best.operation, &*key(best))
        })
        .collect();
    let scaled = |peak: fn(Chip) -> f64| -> Vec<f64> {
        let chip = Chip::of(device).into_iter();
        let rates = chip.flat_map(|chip| {
            let scaled =
                move |other: &&Published| f64::from(other.per_s) * peak(chip) / peak(other.chip);
            others.iter().map(scaled)
        });
        rates.collect()
    };
    let integers = scaled(Chip::integer_peak);
    let pairs = integers.iter().zip(scaled(Chip::binary64_peak));
    let both = pairs.map(|(integers, reals)| format!("{integers:.0} ({reals:.0})"));
    let list = |cells: Vec<String>| cells.join(", ");
    let most = integers.iter().copied().max_by(f64::total_cmp);
    Some(format!(
        "| {} | {} | {} | {:.0} ({:.0}){} | {} | {:.3} | {} | {} | {} | {} |",
        best.parameters,
        best.operation,
        key(best),
        best.host_per_s,
        best.kernel_per_s,
        mark(best),
        best.batch,
        best.host_ms,
        target(best).map_or_else(String::new, |(least, aim)| format!("{least:.0}, {aim:.0}")),
        list(
            others
                .iter()
                .map(|other| format!("{} ({}, {})", other.per_s, other.whose, other.chip.name()))
                .collect()
        ),
        list(both.collect()),
        most.map_or_else(String::new, |most| format!("{:.0}", TIMES_PUBLISHED * most)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Key;
    use std::collections::BTreeMap;

    const EXPANDED: Key = Key {
        mode: Some(Mode::Expanded),
        keys: Keys::Shared,
    };
    const VERIFY: Key = Key {
        mode: None,
        keys: Keys::Shared,
    };

    fn time(parameters: &'static str, key: Key, batch: usize) -> Time {
        let operation = match key.mode {
            Some(_) => "sign",
            None => "verify",
        };
        Time {
            parameters,
            operation: operation.to_owned(),
            key,
            batch,
            equal: Some(true),
            runs: 20,
            variant: None,
            host_ms: 2.0,
            host_per_s: 500.0 * batch as f64,
            kernel_ms: 1.0,
            kernel_per_s: 1000.0 * batch as f64,
            kernels: BTreeMap::new(),
            chunks: 1,
            chunk_jobs: batch,
        }
    }

    #[test]
    fn rates_stand_beside_targets_and_what_others_do_on_chips_of_other_peaks() {
        let times = [
            time("Falcon-512", EXPANDED, 4),
            time("Falcon-512", EXPANDED, 16),
            time("Falcon-1024", VERIFY, 16),
        ];
        let text = table("NVIDIA H200", &times);
        // Scales 420,250 on an RTX 4090 to 340,515 by 132 x 1.98 over 128 x 2.52. For binary64
        // the factor is 32 times as large.
        let row = "| Falcon-512 | sign | expanded | 8000 (16000) | 16 | 2.000 | 1000000, 8000000 | \
                   420250 (GOLF, RTX 4090), 157995 (GOLF, A100), 201545 (cuFalcon, A100), \
                   195732 (cuFalcon, RTX 4090) | 340515 (10896482), 271169 (542337), \
                   345914 (691828), 158595 (5075051) | 864785 |";
        assert!(text.contains(row), "{text}");
        let row = "| Falcon-1024 | verify | shared key | 8000 (16000) | 16 | 2.000 | 20000000, 30000000 |  |  |  |";
        assert!(text.contains(row), "{text}");
        assert!(
            text.contains("| parameters | operation | key | 4 | 16 |\n|---|---|---|---|---|\n")
        );
        assert!(text.contains("| Falcon-512 | sign | expanded | 2.000 (1.000) | 2.000 (1.000) |"));
        assert!(text.contains("| Falcon-1024 | verify | shared key |  | 2.000 (1.000) |"));
        // Nothing is scaled for an unknown chip.
        let text = table("another", &times);
        assert!(
            text.contains("195732 (cuFalcon, RTX 4090) |  |  |"),
            "{text}"
        );
    }

    #[test]
    fn chips_are_known_by_the_names_that_drivers_give_them() {
        let chips = [
            ("NVIDIA A100-SXM4-80GB", Chip::A100),
            ("NVIDIA GeForce RTX 4090", Chip::Rtx4090),
            ("NVIDIA H100 80GB HBM3", Chip::H100),
            ("NVIDIA H100 PCIe", Chip::H100Pcie),
            ("NVIDIA H200", Chip::H200),
        ];
        for (name, chip) in chips {
            assert_eq!(Chip::of(name), Some(chip), "{name}");
        }
        assert_eq!(Chip::of("NVIDIA GeForce RTX 3090"), None);
    }

    #[test]
    fn wrong_bytes_are_marked_and_are_no_best_rate() {
        let mut times = [
            time("Falcon-512", EXPANDED, 4),
            time("Falcon-512", EXPANDED, 16),
            time("Falcon-512", EXPANDED, 4),
        ];
        times[1].equal = Some(false);
        times[2].variant = Some("FALCON_BLOCKS_2".to_owned());
        let text = table("NVIDIA H200", &times);
        assert!(text.contains("| expanded | 2000 (4000) | 4 |"), "{text}");
        assert!(text.contains("| 2.000 (1.000) | 2.000 (1.000) WRONG BYTES |"));
        let row = "| FALCON_BLOCKS_2 | Falcon-512 | sign | expanded | 4 | 2000 (4000) |";
        assert!(text.contains(row), "{text}");
    }
}
