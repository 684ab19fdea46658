//! The circuit of the folder `verifier`. Under Verilator its verdicts are those of `falcon-core`,
//! and its clocks those of `verifier/cycles.tsv`. Its cells are those of `verifier/resources.tsv`.
//!
//! `FALCON_WRITE_TABLES=1 cargo test -p falcon-hls-sim --test hardware verifier` writes both tables
//! and `verifier/zetas.hex`.

use crate::hdl::{self, Module};
use crate::operands::Random;
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::ntt::{Ntt, PORTABLE_NTT};
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature, VerifyingKey};
use falcon_kat::rsp::Reader;
use std::fs;
use std::path::{Path, PathBuf};

const TOP: &str = "falcon_verifier";
const Q: i32 = 12289;
/// Bits of the nonce of forged signatures.
const NONCE: [u8; 40] = [0x5a; 40];

/// Folder of the circuit.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("verifier")
}

/// The sources, with the top module first.
pub fn sources() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder of the circuit");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "v"))
        .collect();
    files.sort_by_key(|path| (path.file_stem() != Some(TOP.as_ref()), path.clone()));
    files
}

/// Returns the file `name` of the folder. Writes `text` to it first, if asked to.
fn table(name: &str, text: &str) -> String {
    let path = folder().join(name);
    if hdl::asked("FALCON_WRITE_TABLES") {
        fs::write(&path, text).expect("a folder that can be written");
    }
    fs::read_to_string(path).expect("the table")
}

/// Input of the circuit: key, signature and message.
#[derive(Clone, Debug)]
pub struct Case {
    name: String,
    pub fields: [Vec<u8>; 3],
}

impl Case {
    fn new(name: &str, key: &[u8], signature: &[u8], message: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            fields: [key, signature, message].map(<[u8]>::to_vec),
        }
    }

    /// Returns the same case with another field.
    pub fn with(&self, name: &str, field: usize, change: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut case = self.clone();
        case.name = format!("{}, {name}", self.name);
        change(&mut case.fields[field]);
        case
    }

    /// Returns the verdict of `falcon-core`.
    pub fn is_valid<P: Parameters>(&self) -> bool {
        let [key, signature, message] = self.fields.each_ref().map(|field| &field[..]);
        let key = VerifyingKey::<P>::try_from(key);
        let signature = Signature::<P>::try_from(signature);
        matches!((key, signature), (Ok(key), Ok(signature))
            if key.verify(message, &signature).is_ok())
    }
}

/// A simulation of the circuit.
fn simulation<P: Parameters>() -> PathBuf {
    let module = Module {
        top: TOP,
        sources: &sources(),
        parameters: &[("LOGN", P::LOGN.into())],
    };
    assert_eq!(module.lint(), Ok(()));
    let harness = folder().join("tests/verifier.cpp");
    module.simulation(&format!("verifier-{}", P::N), &harness)
}

/// Runs cases. Returns each verdict, and the clocks from the first byte to the verdict. If `gaps`,
/// the circuit waits for bytes at random.
fn run(simulation: &Path, gaps: bool, cases: &[Case]) -> Vec<(bool, u64)> {
    let mut input = vec![cases.len() as u64];
    for (i, case) in cases.iter().enumerate() {
        input.push(if gaps { 2 * i as u64 + 1 } else { 0 });
        for field in &case.fields {
            input.push(field.len() as u64);
            input.extend(field.iter().map(|&byte| u64::from(byte)));
        }
    }
    let output = hdl::pipe(simulation, &folder(), &input);
    let (pairs, rest) = output.as_chunks();
    assert!(pairs.len() == cases.len() && rest.is_empty());
    pairs
        .iter()
        .map(|&[verdict, clocks]| (verdict == 1, clocks))
        .collect()
}

/// Writes fields most significant bit first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn push(&mut self, value: u32, width: u32) {
        self.0
            .extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    }

    /// Appends a coefficient in Golomb-Rice code. With `run`, that many zeros.
    fn coefficient(&mut self, sign: bool, magnitude: u32, run: usize) {
        self.push(sign.into(), 1);
        self.push(magnitude % 128, 7);
        self.0.extend(std::iter::repeat_n(false, run));
        self.0.push(true);
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            let set = bits
                .iter()
                .enumerate()
                .map(|(i, &bit)| u8::from(bit) << (7 - i));
            set.sum()
        };
        self.0.chunks(8).map(byte).collect()
    }
}

/// Returns header and nonce, followed by the code of `s2`.
fn unpadded<P: Parameters>(s2: &[i32]) -> Vec<u8> {
    let mut bits = Bits::default();
    for &s in s2 {
        let magnitude = s.unsigned_abs();
        bits.coefficient(s < 0, magnitude, magnitude as usize / 128);
    }
    [&[0x30 + P::LOGN as u8][..], &NONCE, &bits.bytes()].concat()
}

/// Fills a signature up with zero bytes.
fn padded<P: Parameters>(mut signature: Vec<u8>) -> Vec<u8> {
    signature.resize(signature.len().max(P::PADDED_LEN), 0);
    signature
}

/// Makes a key under which `(s1, s2)` is the signature of `message`: `h = (c - s1) / s2`. Returns
/// `None` if `s2` has no inverse.
fn forged<P: Parameters>(name: &str, s1: &[i32], s2: &[i32], message: &[u8]) -> Option<Case> {
    let residues = |f: &dyn Fn(usize) -> i32| -> Vec<u16> {
        (0..P::N).map(|i| f(i).rem_euclid(Q) as u16).collect()
    };
    let mut c = vec![0; P::N];
    Shake256HashToPoint.hash_to_point(&NONCE, message, &mut c);
    let transformed = |coefficients: &[u16]| {
        let mut words = vec![0; P::N];
        PORTABLE_NTT.set_residues(&mut words, coefficients);
        PORTABLE_NTT.ntt(P::LOGN, &mut words);
        words
    };
    let mut inverse = transformed(&residues(&|i| s2[i]));
    let mut h = transformed(&residues(&|i| i32::from(c[i]) - s1[i]));
    if !PORTABLE_NTT.invert_assign(&mut inverse, &mut vec![0; P::N]) {
        return None;
    }
    PORTABLE_NTT.mul_then_intt(P::LOGN, &mut h, &inverse);
    PORTABLE_NTT.residues(&mut c, &h);
    let signature = padded::<P>(unpadded::<P>(s2));
    Some(Case::new(name, &encoded_key::<P>(&c), &signature, message))
}

/// Encodes a key of any 14-bit coefficients.
fn encoded_key<P: Parameters>(h: &[u16]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(P::LOGN, 8);
    h.iter().for_each(|&h| bits.push(h.into(), 14));
    bits.bytes()
}

/// Returns coefficients of at most 6144 whose squares add up to `norm`.
fn with_norm<P: Parameters>(norm: u32) -> Vec<i32> {
    let mut rest = norm;
    let mut s1: Vec<i32> = (0..P::N)
        .map(|i| {
            let root = rest.isqrt().min(6144);
            rest -= root * root;
            if i % 2 == 0 {
                root as i32
            } else {
                -(root as i32)
            }
        })
        .collect();
    assert_eq!(rest, 0);
    s1.rotate_right(7);
    s1
}

/// NIST's records.
pub fn records<P: Parameters>() -> Vec<Case> {
    let text = match P::LOGN {
        9 => include_str!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        _ => include_str!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
    };
    let case = |record: Result<falcon_kat::rsp::Record, _>| {
        let record = record.expect("a record");
        let (signature, message) =
            Signature::<P>::from_attached(&record.signed_message).expect("a signature");
        let name = format!("record {}", record.count);
        Case::new(
            &name,
            &record.public_key,
            signature.to_bytes().as_bytes(),
            message,
        )
    };
    Reader::new(text.as_bytes()).map(case).collect()
}

/// Valid signatures with extreme lengths and values, and one whose norm is above `bound` by one.
fn extremes<P: Parameters>(bound: u32) -> Vec<Case> {
    let one = |s: i32| {
        let mut s2 = vec![0; P::N];
        s2[0] = s;
        s2
    };
    let small: Vec<i32> = (0..P::N).map(|i| i as i32 % 41 - 20).collect();
    let mut cases = vec![
        forged::<P>(
            "norm at the bound",
            &with_norm::<P>(bound - 1),
            &one(-1),
            b"boot",
        ),
        forged::<P>(
            "norm above the bound",
            &with_norm::<P>(bound),
            &one(-1),
            b"boot",
        ),
        forged::<P>("longest run", &small, &one(-2047), b"boot"),
    ];
    // The block of the hash has 136 bytes, of which the nonce takes 40.
    for length in [0, 1, 94, 95, 96, 97, 231, 232, 1000] {
        let name = format!("{length} bytes");
        cases.push(forged::<P>(&name, &small, &one(3), &vec![0xc3; length]));
    }
    // The longest code of all that verify.
    let mut random = Random::new(P::N as u64);
    let longest = std::iter::repeat_with(|| {
        let s2: Vec<i32> = (0..P::N)
            .map(|_| 256 - 512 * random.below(2) as i32)
            .collect();
        forged::<P>("longer than padded", &vec![0; P::N], &s2, b"boot")
    });
    cases.push(longest.flatten().next());
    cases
        .into_iter()
        .map(|case| case.expect("an inverse"))
        .collect()
}

/// Encodings that are malformed in every way in which the decoders refuse them.
fn malformed<P: Parameters>(valid: &Case, long: &Case) -> Vec<Case> {
    const KEY: usize = 0;
    const SIGNATURE: usize = 1;
    let mut cases = Vec::new();
    for (field, name) in [(KEY, "key"), (SIGNATURE, "signature")] {
        let length = valid.fields[field].len();
        for keep in [0, 1, 2, 40, 41, 42, length / 2, length - 2, length - 1] {
            let name = format!("{name} cut to {keep} bytes");
            cases.push(valid.with(&name, field, |bytes| bytes.truncate(keep)));
        }
        for (more, byte) in [(1, 0), (1, 1), (2, 0), (600, 0), (5000, 0), (70_000, 0)] {
            let name = format!("{more} bytes {byte} after the {name}");
            cases.push(valid.with(&name, field, |bytes| {
                bytes.resize(length + more, 0);
                bytes[length] = byte;
            }));
        }
        for header in [
            0, 8, 9, 10, 0x29, 0x2a, 0x38, 0x39, 0x3a, 0x59, 0x5a, 0x79, 0xb9, 0xff,
        ] {
            let name = format!("{name} with header {header:#x}");
            cases.push(valid.with(&name, field, |bytes| bytes[0] = header));
        }
    }
    for (at, value) in [
        (0, 12289),
        (P::N - 1, 12289),
        (5, 16383),
        (6, 12290),
        (P::N - 2, 16000),
    ] {
        let mut h = vec![12288; P::N];
        h[at] = value;
        let name = format!("h[{at}] = {value}");
        cases.push(valid.with(&name, KEY, |bytes| *bytes = encoded_key::<P>(&h)));
    }
    // s2 has a word other than the others: minus zero, or a run that is long or too long.
    for at in [0, 1, P::N / 2, P::N - 1] {
        for (sign, run) in [
            (true, 0),
            (false, 15),
            (false, 16),
            (true, 17),
            (false, 31),
            (true, 32),
            (false, 64),
            (true, 5000),
        ] {
            let mut bits = Bits::default();
            for i in 0..P::N {
                let special = i == at;
                bits.coefficient(special && sign, 0, if special { run } else { 0 });
            }
            let code = [&valid.fields[SIGNATURE][..41], &bits.bytes()].concat();
            let name = format!("{run} zeros, sign {sign} in s2[{at}]");
            cases.push(valid.with(&name, SIGNATURE, |bytes| *bytes = padded::<P>(code)));
        }
    }
    // Every bit of the padding, that of the last byte of the code first.
    let code = valid.fields[SIGNATURE]
        .iter()
        .rposition(|&byte| byte != 0)
        .expect("a code");
    let last = valid.fields[SIGNATURE][code].trailing_zeros() as usize;
    let end = 8 * (code + 1) - last;
    let bits = (end..8 * P::PADDED_LEN).filter(|bit| bit % 5 == 0 || *bit < end + 20);
    for bit in bits {
        let name = format!("bit {bit} of the padding");
        cases.push(valid.with(&name, SIGNATURE, |bytes| {
            bytes[bit / 8] ^= 0x80 >> (bit % 8)
        }));
    }
    // A signature that is longer than padded ones has no padding.
    let length = long.fields[SIGNATURE].len();
    assert!(length > P::PADDED_LEN);
    for length in [P::PADDED_LEN, length - 1, length + 1] {
        let name = format!("resized to {length}");
        cases.push(long.with(&name, SIGNATURE, |bytes| bytes.resize(length, 0)));
    }
    // A compressed signature that is shorter than the padded one.
    cases.push(valid.with("without its padding", SIGNATURE, |bytes| {
        bytes.truncate(code + 1)
    }));
    cases
}

/// Encodings that only one check refuses: without it, `valid` or `run` would be read. `s2` of `run`
/// is -2047 and zeros.
fn refused_by_one_check<P: Parameters>(valid: &Case, run: &Case) -> Vec<Case> {
    let with = |at: usize, sign: bool, zeros: usize| {
        let mut bits = Bits::default();
        bits.coefficient(true, 2047, 15);
        for i in 1..P::N {
            let special = i == at;
            bits.coefficient(special && sign, 0, if special { zeros } else { 0 });
        }
        padded::<P>([&run.fields[1][..41], &bits.bytes()].concat())
    };
    assert_eq!(with(1, false, 0), run.fields[1]);
    let mut cases = Vec::new();
    for at in [1, P::N / 2, P::N - 1] {
        for (sign, zeros) in [(true, 0), (false, 16), (false, 32)] {
            let name = format!("{zeros} zeros, sign {sign} in s2[{at}]");
            cases.push(run.with(&name, 1, |bytes| *bytes = with(at, sign, zeros)));
        }
    }
    // A coefficient of the key that is q larger.
    let key = &valid.fields[0];
    let bit = |place: usize| u16::from(key[place / 8] >> (7 - place % 8) & 1);
    let h: Vec<u16> = (0..P::N)
        .map(|i| (0..14).fold(0, |x, place| x << 1 | bit(8 + 14 * i + place)))
        .collect();
    assert_eq!(encoded_key::<P>(&h), *key);
    let fits = |x: &u16| *x < (1 << 14) - Q as u16;
    for at in [h.iter().position(fits), h.iter().rposition(fits)] {
        let at = at.expect("a small coefficient");
        let mut larger = h.clone();
        larger[at] += Q as u16;
        let name = format!("h[{at}] + q");
        cases.push(valid.with(&name, 0, |bytes| *bytes = encoded_key::<P>(&larger)));
    }
    cases
}

/// A signature that ends before its last coefficient. With the zero that fresh memory holds, it
/// would be valid.
fn without_the_last_coefficient<P: Parameters>() -> Case {
    let mut random = Random::new(1);
    let found = std::iter::repeat_with(|| {
        let mut s2: Vec<i32> = (0..P::N)
            .map(|_| 256 - 512 * random.below(2) as i32)
            .collect();
        s2[P::N - 1] = 0;
        let case = forged::<P>("without the last coefficient", &vec![0; P::N], &s2, b"boot")?;
        assert!(case.is_valid::<P>());
        let cut = unpadded::<P>(&s2[..P::N - 1]);
        assert!(cut.len() > P::PADDED_LEN);
        Some(case.with("cut", 1, |bytes| *bytes = cut))
    });
    found.flatten().next().expect("an inverse")
}

/// Random changes of a field.
fn mutated(random: &mut Random, case: &Case) -> Case {
    let field = [0, 1, 1, 1, 2][random.below(5) as usize];
    let kind = random.below(6);
    let at = random.below(case.fields[field].len() as u64) as usize;
    let byte = random.bits() as u8;
    case.with(
        &format!("field {field}, kind {kind} at {at}"),
        field,
        |bytes| match kind {
            0..=2 => bytes[at] ^= 1 << (byte % 8),
            3 => bytes[at] = byte,
            4 => bytes.insert(at, byte),
            _ => drop(bytes.remove(at)),
        },
    )
}

/// Checks that the circuit has the verdict of `falcon-core` on every case, with and without gaps.
fn check<P: Parameters>(bound: u32, mutations: usize) -> String {
    let records = records::<P>();
    let extremes = extremes::<P>(bound);
    let long = extremes.last().expect("a case");
    let mut cases = [records.clone(), extremes.clone()].concat();
    let valid = cases.len() - 1;
    cases.extend(malformed::<P>(&records[0], long));
    cases.extend(malformed::<P>(&extremes[2], long));
    cases.extend(refused_by_one_check::<P>(&records[0], &extremes[2]));
    let mut random = Random::new(bound.into());
    for i in 0..mutations {
        cases.push(mutated(&mut random, &records[i % records.len()]));
    }
    let expected: Vec<bool> = cases.iter().map(Case::is_valid::<P>).collect();
    let above = cases
        .iter()
        .position(|case| case.name == "norm above the bound");
    let accepted = expected[..=valid].iter().enumerate();
    assert!(
        accepted
            .into_iter()
            .all(|(i, &valid)| valid == (Some(i) != above))
    );

    let simulation = simulation::<P>();
    let cut = without_the_last_coefficient::<P>();
    assert!(!cut.is_valid::<P>());
    let [(accepted, _)] = run(&simulation, false, &[cut])[..] else {
        panic!("one verdict");
    };
    assert!(!accepted, "{}: a coefficient is missing", P::NAME);
    let results = run(&simulation, false, &cases);
    for ((case, expected), &(accepted, _)) in cases.iter().zip(&expected).zip(&results) {
        assert_eq!(accepted, *expected, "{}: {}", P::NAME, case.name);
    }
    let some = &cases[..valid + 20];
    for (case, (accepted, _)) in some.iter().zip(run(&simulation, true, some)) {
        assert_eq!(
            accepted,
            case.is_valid::<P>(),
            "{}, gaps: {}",
            P::NAME,
            case.name
        );
    }
    let message = records[0].fields[2].len();
    format!("{}\t{message}\t{}\n", P::N, results[0].1)
}

#[test]
fn verdicts_are_those_of_the_core_and_cycles_those_of_the_table() {
    if !hdl::tools(&hdl::VERILATOR) {
        return;
    }
    let rows = [
        check::<Falcon512>(34_034_726, 200),
        check::<Falcon1024>(70_265_242, 100),
    ];
    let text = "degree\tmessage\tcycles\n".to_owned() + &rows.concat();
    assert_eq!(table("cycles.tsv", &text), text);
}

/// Row `k` of the ROM is `7^brv(k)`, which is the value at 7 of `x^brv(k)`.
#[test]
fn the_factors_are_those_of_the_core() {
    let factor = |k: usize| {
        let mut power = [0; 1024];
        power[k.reverse_bits() >> (usize::BITS - 10)] = 1;
        let key = encoded_key::<Falcon1024>(&power);
        let key = VerifyingKey::<Falcon1024>::try_from(&key[..]).expect("a key");
        format!("{:04x}\n", key.ntt_of_h()[0])
    };
    // Its value at the first root, which is 7.
    let text: String = (0..1024).map(factor).collect();
    assert_eq!(table("zetas.hex", &text), text);
}

/// Returns the row of a degree in the table of resources.
fn resources(logn: u32) -> String {
    let module = Module {
        top: TOP,
        sources: &sources(),
        parameters: &[("LOGN", logn.into())],
    };
    let cells = module
        .synthesis(&format!("verifier_{logn}"))
        .expect("a synthesis");
    let degree = 1 << logn;
    let [lut, memory, ff] = [cells.lut(), cells.lut_memory(), cells.ff()];
    let [dsp, bram] = [cells.dsp(), cells.bram()];
    format!(
        "{}\t{degree}\t{lut}\t{memory}\t{ff}\t{dsp}\t{bram}\n",
        hdl::yosys_version()
    )
}

#[test]
fn the_verifier_takes_what_the_table_says() {
    if !hdl::tools(&["yosys"]) {
        return;
    }
    let header = "tool\tdegree\tlut\tlut_memory\tff\tdsp\tbram18\n";
    let degrees = if hdl::asked("FALCON_FULL") || hdl::asked("FALCON_WRITE_TABLES") {
        &[9, 10][..]
    } else {
        hdl::skipped("the verifier of degree 1024 (FALCON_FULL=1 for it)");
        &[9]
    };
    let text = header.to_owned()
        + &degrees
            .iter()
            .map(|&logn| resources(logn))
            .collect::<String>();
    let there = table("resources.tsv", &text);
    if there
        .lines()
        .all(|row| !row.starts_with(&hdl::yosys_version()))
    {
        return hdl::skipped("the table is of another version of yosys");
    }
    assert!(there.starts_with(&text), "{there}\n{text}");
}

/// Checks the numbers of `docs/HLS.md`. They come from both tables.
#[test]
fn the_document_has_the_numbers_of_the_tables() {
    let document = include_str!("../../../../docs/HLS.md");
    let document = document.replace(',', "");
    let [cycles, cells] = ["cycles.tsv", "resources.tsv"].map(|name| {
        let text = fs::read_to_string(folder().join(name)).expect("the table");
        let rows = text.lines().skip(1).map(|row| {
            let numbers = row.split('\t').filter_map(|number| number.parse().ok());
            numbers.collect::<Vec<u32>>()
        });
        rows.collect::<Vec<_>>()
    });
    for (cycles, cells) in cycles.iter().zip(&cells) {
        let (&[degree, message, cycles], &[other, lut, memory, ff, dsp, bram]) =
            (&cycles[..], &cells[..])
        else {
            panic!("{cycles:?}, {cells:?}");
        };
        assert_eq!(degree, other);
        let start = format!("| {degree} | ");
        let end = format!(" | {cycles} | {} {ff} {bram} | {dsp} |", lut + memory);
        let mut lines = document.lines();
        assert!(
            lines.any(|line| line.starts_with(&start) && line.ends_with(&end)),
            "{start}..{end}"
        );
        assert!(document.contains(&format!("first record ({message} bytes)")));
    }
    assert_eq!(cells.len(), 2);
}
