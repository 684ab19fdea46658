//! Images of kernels: PTX text and cubins, distinguished by their first bytes.
//!
//! The driver only gets the address of an image, not its length. So PTX is passed as a C string,
//! and a cubin is refused unless every section and segment lies within its bytes.

use super::loaded::ImageForm;
use crate::error::{CudaVersion, GpuError};
use std::collections::BTreeSet;
use std::ffi::CString;

/// The first bytes of an ELF file.
const ELF: &[u8] = b"\x7fELF";

/// An image that was read and is complete.
pub(crate) struct Image {
    pub(super) code: Code,
    pub(super) form: ImageForm,
    kernels: BTreeSet<String>,
}

/// The code of an image, which the driver gets.
pub(super) enum Code {
    Ptx { text: CString, needs: CudaVersion },
    Cubin(Vec<u8>),
}

impl Image {
    /// Reads an image.
    pub(crate) fn new(bytes: &[u8]) -> Result<Self, GpuError> {
        if bytes.starts_with(ELF) {
            let cubin = Cubin::read(bytes).map_err(|cause| refused("read a cubin", cause))?;
            return Ok(Self {
                code: Code::Cubin(bytes.to_vec()),
                form: ImageForm::Cubin {
                    capability: cubin.capability,
                },
                kernels: cubin.kernels,
            });
        }
        let refused = |cause| refused("read PTX", cause);
        let text = str::from_utf8(bytes).map_err(|_| refused("it is neither text nor a cubin"))?;
        let header = Header::of(text).ok_or_else(|| refused("its version or target is missing"))?;
        let entries = text.split(".entry").skip(1);
        let names = entries.filter_map(|entry| entry.split(['(', '\n']).next());
        let kernels = names.map(|name| name.trim().to_owned()).collect();
        let text = CString::new(text).map_err(|_| refused("it has a zero byte"))?;
        Ok(Self {
            code: Code::Ptx {
                text,
                needs: header.needs,
            },
            form: ImageForm::Ptx {
                capability: header.capability,
            },
            kernels,
        })
    }

    /// Returns true if the image has this kernel.
    pub(super) fn defines(&self, kernel: &str) -> bool {
        self.kernels.contains(kernel)
    }

    /// Returns the names of the image's kernels.
    pub(super) fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(String::as_str)
    }

    /// Returns the CUDA version that a driver must support to compile the image. Returns `None` for
    /// a cubin.
    pub(super) fn needs(&self) -> Option<CudaVersion> {
        match &self.code {
            Code::Ptx { needs, .. } => Some(*needs),
            Code::Cubin(_) => None,
        }
    }
}

fn refused(doing: &'static str, cause: &str) -> GpuError {
    GpuError::Driver {
        doing,
        cause: cause.to_owned(),
    }
}

/// Contents of the directives at the beginning of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    needs: CudaVersion,
    capability: (u32, u32),
}

impl Header {
    fn of(ptx: &str) -> Option<Self> {
        let directive = |name: &str| {
            let mut lines = ptx.lines().map(str::trim_start);
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ').map(str::trim))
        };
        let (major, minor) = directive(".version")?.split_once('.')?;
        let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
        let target = directive(".target")?.split(',').next()?.trim();
        let digits = target.strip_prefix("sm_")?;
        let digits: u32 = digits
            .trim_end_matches(|c: char| c.is_alphabetic())
            .parse()
            .ok()?;
        Some(Self {
            needs: cuda_of_ptx(major, minor)?,
            capability: (digits / 10, digits % 10),
        })
    }
}

/// Returns the CUDA version that introduced a version of PTX ("PTX ISA", release notes), or 10.2
/// for all versions of PTX before 7.0.
fn cuda_of_ptx(major: u32, minor: u32) -> Option<CudaVersion> {
    let (major, minor) = match (major, minor) {
        (..7, _) => (10, 2),
        (7, minor) => (11, minor),
        (8, minor @ ..=5) => (12, minor),
        (8, minor) => (12, minor.checked_add(1)?),
        (major, minor) => (major.checked_add(4)?, minor),
    };
    Some(CudaVersion { major, minor })
}

/// Description of a cubin, from its headers. A cubin is an ELF file of 64 bits, little-endian. The
/// names of the fields are those of "Tool Interface Standard: Executable and Linking Format".
/// LLVM's `BinaryFormat/ELF.h` lists NVIDIA's own values, which `ptxas` 13.0 writes.
#[derive(Debug, PartialEq, Eq)]
struct Cubin {
    capability: (u32, u32),
    kernels: BTreeSet<String>,
}

/// `e_type` of a cubin that can be loaded.
const EXECUTABLE: u16 = 2;
/// `e_machine` of NVIDIA's GPUs.
const CUDA: u16 = 190;
/// `sh_type` of a symbol table.
const SYMBOLS: u32 = 2;
/// `sh_type` of a section that takes no bytes of the file.
const NO_BITS: u32 = 8;
/// `st_info` of a function that other files may call.
const GLOBAL_FUNCTION: u8 = 1 << 4 | 2;
/// Bit of `st_other` that marks a function that the host may launch.
const ENTRY: u8 = 1 << 4;

impl Cubin {
    fn read(file: &[u8]) -> Result<Self, &'static str> {
        const SHORT: &str = "it is truncated or damaged";
        let head = file.get(..64).ok_or(SHORT)?;
        // 64 bits, little-endian, version 1.
        if head[4..7] != [2, 1, 1] {
            return Err("it is no ELF file of 64 bits");
        }
        if half(head, 16) != Some(EXECUTABLE) || half(head, 18) != Some(CUDA) {
            return Err("it is no program for a GPU");
        }
        let flags = word(head, 48).ok_or(SHORT)?;
        // Until CUDA 12, the lowest byte has the compute capability. Later versions have it in the
        // next byte.
        let digits = match head[8] {
            7 => flags & 0xff,
            8 => flags >> 8 & 0xff,
            _ => return Err("its version is unknown"),
        };
        if digits < 50 {
            return Err("its compute capability is unknown");
        }
        let segments = table(file, (32, 54, 56), 56).ok_or(SHORT)?;
        for segment in segments.chunks_exact(56) {
            bytes_of(file, long(segment, 8), long(segment, 32)).ok_or(SHORT)?;
        }
        let sections = table(file, (40, 58, 60), 64).ok_or(SHORT)?;
        let sections = || sections.chunks_exact(64);
        for section in sections() {
            if word(section, 4) != Some(NO_BITS) {
                bytes_of(file, long(section, 24), long(section, 32)).ok_or(SHORT)?;
            }
        }
        let content = |section| bytes_of(file, long(section, 24), long(section, 32));
        let mut kernels = BTreeSet::new();
        for section in sections().filter(|section| word(section, 4) == Some(SYMBOLS)) {
            let link = word(section, 40).ok_or(SHORT)?;
            let names = sections().nth(link as usize).and_then(content);
            let (names, symbols) = names.zip(content(section)).ok_or(SHORT)?;
            if long(section, 56) != Some(24) || !symbols.len().is_multiple_of(24) {
                return Err(SHORT);
            }
            for symbol in symbols.chunks_exact(24) {
                if symbol[4] == GLOBAL_FUNCTION && symbol[5] & ENTRY != 0 {
                    let name = word(symbol, 0).and_then(|at| names.get(at as usize..));
                    let name = name.and_then(until_zero).ok_or(SHORT)?;
                    let name = str::from_utf8(name).map_err(|_| SHORT)?;
                    kernels.insert(name.to_owned());
                }
            }
        }
        if kernels.is_empty() {
            return Err("it has no kernels");
        }
        Ok(Self {
            capability: (digits / 10, digits % 10),
            kernels,
        })
    }
}

/// Length in bytes of the longest allowed name of a kernel. Names in a table may overlap and are
/// copied, so this limits the memory of the copies.
const LONGEST_NAME: usize = 256;

/// Returns the bytes before the first zero. Returns `None` if there is no zero within
/// `LONGEST_NAME` bytes.
fn until_zero(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes
        .iter()
        .take(LONGEST_NAME)
        .position(|&byte| byte == 0)?;
    bytes.get(..end)
}

/// Returns a table of the file. `at`, `each` and `count` are the positions of the table's offset,
/// the length of an entry and the number of entries. An entry must have `entry` bytes.
fn table(file: &[u8], (at, each, count): (usize, usize, usize), entry: u16) -> Option<&[u8]> {
    let count = u64::from(half(file, count)?);
    if count > 0 && half(file, each)? != entry {
        return None;
    }
    bytes_of(file, long(file, at), Some(count * u64::from(entry)))
}

/// Returns `len` bytes of a file, beginning at `offset`.
fn bytes_of(file: &[u8], offset: Option<u64>, len: Option<u64>) -> Option<&[u8]> {
    let offset = usize::try_from(offset?).ok()?;
    let len = usize::try_from(len?).ok()?;
    file.get(offset..offset.checked_add(len)?)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CUBINS, PTX};

    #[test]
    fn the_header_of_ptx_says_what_it_needs() {
        let header = |version: &str, target: &str| {
            Header::of(&format!(
                "//\n.version {version}\n.target {target}\n.address_size 64\n"
            ))
        };
        let needs = |major, minor, capability| {
            let needs = CudaVersion { major, minor };
            Some(Header { needs, capability })
        };
        assert_eq!(header("7.0", "sm_70"), needs(11, 0, (7, 0)));
        assert_eq!(header("8.5", "sm_80, debug"), needs(12, 5, (8, 0)));
        assert_eq!(header("8.8", "sm_90a"), needs(12, 9, (9, 0)));
        assert_eq!(header("9.0", "sm_120"), needs(13, 0, (12, 0)));
        assert_eq!(header("9", "sm_75"), None);
        assert_eq!(header("4294967295.0", "sm_75"), None);
        assert_eq!(header("8.4294967295", "sm_75"), None);
        assert_eq!(Header::of(""), None);
    }

    #[test]
    fn a_kernel_is_found_by_its_whole_name() {
        let text = b".version 7.0\n.target sm_70\n.visible .entry sign_512(\n";
        let image = Image::new(text).expect("it has a header");
        assert_eq!(image.form, ImageForm::Ptx { capability: (7, 0) });
        assert!(image.defines("sign_512"));
        assert!(!image.defines("sign_51"));
        assert!(!image.defines("sign_5120"));
        assert!(!image.defines("ign_512"));
    }

    #[test]
    fn a_cubin_has_the_kernels_of_its_text() {
        for (number, cubin) in CUBINS.into_iter().enumerate() {
            let image = Image::new(cubin).expect("a cubin of this crate");
            let capability = [(8, 0), (8, 9), (9, 0)][number % 3];
            assert_eq!(image.form, ImageForm::Cubin { capability });
            let text = Image::new(PTX[number / 3].as_bytes()).expect("PTX of this crate");
            assert_eq!(image.kernels, text.kernels);
            assert_eq!(image.needs(), None);
        }
    }

    #[test]
    fn a_cubin_of_an_older_compiler_has_its_capability_elsewhere() {
        let mut cubin = CUBINS[1].to_vec();
        cubin[8] = 7;
        cubin[48..52].copy_from_slice(&0x0059_0559_u32.to_le_bytes());
        let read = Cubin::read(&cubin).expect("an older cubin");
        assert_eq!(read.capability, (8, 9));
        cubin[8] = 9;
        assert_eq!(Cubin::read(&cubin), Err("its version is unknown"));
    }

    /// Checks that truncated cubins are refused, since the driver would read beyond their end.
    #[test]
    fn a_cubin_that_is_truncated_is_refused() {
        let cubin = CUBINS[0];
        for len in (0..2000).chain((2000..cubin.len()).step_by(997)) {
            assert!(Cubin::read(&cubin[..len]).is_err(), "{len} bytes");
            assert!(Image::new(&cubin[..len]).is_err(), "{len} bytes");
        }
        assert!(Cubin::read(&cubin[..cubin.len() - 1]).is_err());
    }

    /// Checks that sections and segments are refused if they end beyond the end of the file, or if
    /// their ends overflow.
    #[test]
    fn a_cubin_has_all_that_it_points_to() {
        let cubin = CUBINS[3];
        let table = |at: usize| long(cubin, at).expect("an offset") as usize;
        // The places are the offset and the length of three parts: section 3 with the symbols,
        // section 4, which is not read here, and segment 2.
        let places = [
            table(40) + 3 * 64 + 24,
            table(40) + 3 * 64 + 32,
            table(40) + 4 * 64 + 24,
            table(40) + 4 * 64 + 32,
            table(32) + 2 * 56 + 8,
            table(32) + 2 * 56 + 32,
        ];
        assert!(Cubin::read(cubin).is_ok());
        for place in places {
            for value in [cubin.len() as u64 + 1, u64::MAX] {
                let mut cubin = cubin.to_vec();
                cubin[place..place + 8].copy_from_slice(&value.to_le_bytes());
                let read = Cubin::read(&cubin);
                assert_eq!(read, Err("it is truncated or damaged"), "{place}");
            }
        }
    }

    #[test]
    fn a_cubin_with_a_bit_flipped_is_read_or_refused() {
        // Flips bits in the header, the section table, the names and the symbols of a cubin, but
        // not in its code.
        let mut cubin = CUBINS[2].to_vec();
        let places = |offset: u64, len: usize| (offset as usize..).take(len);
        let (sections, count) = (long(&cubin, 40).unwrap(), half(&cubin, 60).unwrap());
        let header: Vec<_> = places(0, 64).collect();
        let table: Vec<_> = places(sections, 64 * usize::from(count)).collect();
        let names = places(long(&cubin, sections as usize + 2 * 64 + 24).unwrap(), 5000);
        let symbols = places(
            long(&cubin, sections as usize + 3 * 64 + 24).unwrap(),
            24 * 99,
        );
        let (mut read, mut refused) = (0, 0);
        for (i, place) in header
            .into_iter()
            .chain(table)
            .chain(names)
            .chain(symbols)
            .enumerate()
        {
            // Flips every bit of the header, and one bit of each later byte.
            for bit in if i < 64 { 0..8 } else { i % 8..i % 8 + 1 } {
                cubin[place] ^= 1 << bit;
                match Cubin::read(&cubin) {
                    Ok(_) => read += 1,
                    Err(_) => refused += 1,
                }
                cubin[place] ^= 1 << bit;
            }
        }
        assert!(read > 0 && refused > 100, "{read} read, {refused} refused");
    }

    #[test]
    fn garbage_is_refused_with_a_reason() {
        let refuse = |bytes: &[u8]| match Image::new(bytes).map(|_| ()) {
            Err(GpuError::Driver { doing, cause }) => (doing, cause),
            other => panic!("{other:?}"),
        };
        assert_eq!(refuse(b"").0, "read PTX");
        assert_eq!(refuse(&[0xff; 100]).1, "it is neither text nor a cubin");
        assert_eq!(
            refuse(b".version 7.0\n.target sm_80\n\0").1,
            "it has a zero byte"
        );
        assert_eq!(
            refuse(b"\x7fELF"),
            ("read a cubin", "it is truncated or damaged".to_owned())
        );
        let mut program = CUBINS[0].to_vec();
        program[18] = 62;
        assert_eq!(refuse(&program).1, "it is no program for a GPU");
    }
}
