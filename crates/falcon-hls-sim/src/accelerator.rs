//! A design with its schedule, and the transforms that run on it.

use crate::butterfly::{graph, memories};
use crate::cycles::{Control, Fault, Interlock, Observer, Run, Words};
use crate::design::{Design, DesignError};
use crate::fp::Subnormals;
use crate::nest::{Iteration, Transform};
use crate::scheduled::Scheduled;
use falcon_core::seams::fft::{TWIDDLE_IM, TWIDDLE_RE};
use std::fmt::{self, Display, Formatter};

/// Base-2 logarithm of the largest degree. The smallest degree is 2.
pub const MAX_LOGN: u32 = 10;

/// An accelerator cannot be made from a design, or cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A parameter of the design is out of range, or the design cannot be scheduled.
    Design(DesignError),
    /// The design was scheduled, but its run failed.
    Fault(Fault),
    /// The degree is not from 2 to `2^MAX_LOGN`.
    Degree {
        /// Base-2 logarithm of the degree.
        logn: u32,
    },
    /// A polynomial's length is not its degree.
    Length {
        /// Required length.
        expected: usize,
        /// Length that was given.
        given: usize,
    },
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Design(error) => error.fmt(f),
            Self::Fault(fault) => fault.fmt(f),
            Self::Degree { logn } => {
                write!(
                    f,
                    "no degree 2^{logn}: the exponent must be from 1 to {MAX_LOGN}"
                )
            }
            Self::Length { expected, given } => {
                write!(f, "the polynomial has {given} reals instead of {expected}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<DesignError> for Error {
    fn from(error: DesignError) -> Self {
        Self::Design(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The loop of a transform on a design's units, with its schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The transform.
    pub transform: Transform,
    /// The loop's body: a butterfly.
    pub body: Scheduled,
}

impl Kernel {
    /// Schedules `transform` on `design`.
    ///
    /// # Errors
    /// If a parameter is out of range, memory over AXI has banks, or no interval has a schedule.
    pub fn new(design: &Design, transform: Transform) -> Result<Self, DesignError> {
        design.check()?;
        Ok(Self {
            transform,
            body: Scheduled::new(graph(design, transform), design.least_interval)?,
        })
    }
}

/// Returns the control of a design's loops. It has an interlock and flushes subnormal numbers.
pub fn control(design: &Design) -> Control {
    Control {
        pipelining: design.pipelining,
        interlock: Interlock::Stall,
        subnormals: Subnormals::default(),
    }
}

/// Returns the memory of the twiddles for degree `2^logn`. The twiddles of the stage with `m`
/// blocks begin at address `m`.
pub fn twiddle_rom(logn: u32) -> Words {
    let len = ((1usize << logn) / 2).max(1);
    let parts = TWIDDLE_RE.iter().zip(&TWIDDLE_IM).take(len);
    parts.map(|(re, im)| [re.to_bits(), im.to_bits()]).collect()
}

/// Returns the memories of a transform of degree `2^logn`. The last one has the twiddles, and the
/// others are zero.
pub fn blank_memories(transform: Transform, logn: u32) -> Vec<Words> {
    let half = (1usize << logn) / 2;
    let mut blank: Vec<Words> = memories(transform)
        .iter()
        .enumerate()
        .map(|(i, _)| vec![[0; 2]; if i == 0 { half } else { half / 2 }])
        .collect();
    blank.push(twiddle_rom(logn));
    blank
}

/// Converts a polynomial to a memory's content. The first half of `f` has the real parts, and the
/// second half has the imaginary parts.
pub fn to_words(f: &[f64]) -> Words {
    let (re, im) = f.split_at(f.len() / 2);
    let parts = re.iter().zip(im);
    parts.map(|(re, im)| [re.to_bits(), im.to_bits()]).collect()
}

fn from_words(words: &Words, f: &mut [f64]) {
    let (re, im) = f.split_at_mut(f.len() / 2);
    for ((re, im), word) in re.iter_mut().zip(im).zip(words) {
        *re = f64::from_bits(word[0]);
        *im = f64::from_bits(word[1]);
    }
}

/// The four transforms of one design.
#[derive(Clone, Debug)]
pub struct Accelerator {
    design: Design,
    control: Control,
    kernels: [Kernel; 4],
    /// The iterations, by transform and `logn`.
    iterations: [Vec<Vec<Iteration>>; 4],
}

impl Accelerator {
    /// Schedules `design` and runs all its transforms of all degrees once. Later runs cannot fail,
    /// since failures do not depend on the numbers.
    ///
    /// # Errors
    /// If the design cannot be built; the error says why.
    pub fn new(design: Design) -> Result<Self, Error> {
        let kernel = |transform| Kernel::new(&design, transform);
        let [a, b, c, d] = Transform::ALL.map(kernel);
        let accelerator = Self {
            control: control(&design),
            kernels: [a?, b?, c?, d?],
            iterations: Transform::ALL.map(|transform| {
                let of_degree = |logn| match logn {
                    0 => Vec::new(),
                    _ => transform.iterations(logn),
                };
                (0..=MAX_LOGN).map(of_degree).collect()
            }),
            design,
        };
        for transform in Transform::ALL {
            for logn in 1..=MAX_LOGN {
                let mut memories = blank_memories(transform, logn);
                accelerator.run(transform, logn, &mut memories, &mut ())?;
            }
        }
        Ok(accelerator)
    }

    /// The design of this accelerator.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Control of the loops.
    pub fn control(&self) -> Control {
        self.control
    }

    /// The scheduled loop of a transform.
    pub fn kernel(&self, transform: Transform) -> &Kernel {
        &self.kernels[transform as usize]
    }

    /// Runs a transform of degree `2^logn` on its memories: those of [`memories`] in that order,
    /// and then the twiddles.
    ///
    /// # Errors
    /// If there is no such degree, the number of memories is wrong, or a memory is too short.
    pub fn run(
        &self,
        transform: Transform,
        logn: u32,
        memories: &mut [Words],
        observer: &mut impl Observer,
    ) -> Result<Run, Error> {
        check_degree(logn)?;
        let iterations = &self.iterations[transform as usize][logn as usize];
        let body = &self.kernel(transform).body;
        Ok(body.run(self.control, iterations, memories, observer)?)
    }

    /// Transforms `f` (`2^logn` reals) in place. `transform` is [`Transform::Fft`] or
    /// [`Transform::Ifft`]. The other transforms do not work in place.
    ///
    /// # Errors
    /// If the degree or the length is wrong.
    pub fn transform(
        &self,
        transform: Transform,
        logn: u32,
        f: &mut [f64],
        observer: &mut impl Observer,
    ) -> Result<Run, Error> {
        check_lengths(logn, &[(0, f.len())])?;
        let mut memories = [to_words(f), twiddle_rom(logn)];
        let run = self.run(transform, logn, &mut memories, observer)?;
        from_words(&memories[0], f);
        Ok(run)
    }

    /// Splits `f` into `f0` and `f1`. `logn` is at least 2.
    ///
    /// # Errors
    /// If the degree or a length is wrong.
    pub fn split(
        &self,
        logn: u32,
        f0: &mut [f64],
        f1: &mut [f64],
        f: &[f64],
    ) -> Result<Run, Error> {
        check_lengths(logn, &[(0, f.len()), (1, f0.len()), (1, f1.len())])?;
        let mut memories = [to_words(f), to_words(f0), to_words(f1), twiddle_rom(logn)];
        let run = self.run(Transform::Split, logn, &mut memories, &mut ())?;
        from_words(&memories[1], f0);
        from_words(&memories[2], f1);
        Ok(run)
    }

    /// Merges `f0` and `f1` into `f`. `logn` is at least 2.
    ///
    /// # Errors
    /// If the degree or a length is wrong.
    pub fn merge(&self, logn: u32, f: &mut [f64], f0: &[f64], f1: &[f64]) -> Result<Run, Error> {
        check_lengths(logn, &[(0, f.len()), (1, f0.len()), (1, f1.len())])?;
        let mut memories = [to_words(f), to_words(f0), to_words(f1), twiddle_rom(logn)];
        let run = self.run(Transform::Merge, logn, &mut memories, &mut ())?;
        from_words(&memories[0], f);
        Ok(run)
    }
}

fn check_degree(logn: u32) -> Result<(), Error> {
    match logn {
        1..=MAX_LOGN => Ok(()),
        _ => Err(Error::Degree { logn }),
    }
}

/// Checks that each polynomial, given as `(k, length)`, has `2^(logn - k)` reals.
fn check_lengths(logn: u32, polynomials: &[(u32, usize)]) -> Result<(), Error> {
    check_degree(logn)?;
    for &(k, given) in polynomials {
        let expected = (1usize << logn) >> k;
        if given != expected {
            return Err(Error::Length { expected, given });
        }
    }
    Ok(())
}
