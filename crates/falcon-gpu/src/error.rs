//! Errors of a device, grouped by what the caller can do about them.

use falcon_core::batch::BatchError;
use std::fmt;

/// A device failed. The caller's jobs and output are untouched, and the CPU can do the same work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no CUDA driver. The text is the system's error for the first file name that was
    /// tried.
    NoDriver(String),
    /// The driver is older than the kernels need.
    OldDriver {
        /// The CUDA version that the driver supports.
        has: CudaVersion,
        /// The CUDA version that is needed.
        needs: CudaVersion,
    },
    /// There is no device with this number.
    NoDevice {
        /// The number that was asked for.
        asked: u32,
        /// Number of devices.
        present: u32,
    },
    /// The device is older than the kernels need.
    OldDevice {
        /// Compute capability of the device.
        has: (u32, u32),
        /// The compute capability that is needed.
        needs: (u32, u32),
    },
    /// Memory of the device, or locked memory of the host, was refused.
    OutOfMemory {
        /// Bytes that were asked for.
        asked: u64,
    },
    /// A kernel did not start, failed while it ran, or left work undone without reporting a
    /// failure.
    Launch {
        /// Name of the kernel, if it is known.
        kernel: String,
        /// Answer of the driver, or a description of the missing work.
        cause: String,
    },
    /// Any other operation failed. For example, the driver refused it, threads could not be
    /// started, or an image of the kernels is damaged.
    Driver {
        /// Operation that failed.
        doing: &'static str,
        /// Answer of the driver, or another reason.
        cause: String,
    },
    /// A hardware fault was detected: a signature that was verified after signing is not valid.
    Fault {
        /// Number of the job in this call, from 0 on.
        job: usize,
    },
    /// The length of the output differs from the number of jobs.
    OutputLength {
        /// Number of jobs.
        jobs: usize,
        /// Length of the output.
        output: usize,
    },
}

/// A version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaVersion {
    /// Major number, such as 12 in 12.4.
    pub major: u32,
    /// Minor number, such as 4 in 12.4.
    pub minor: u32,
}

impl fmt::Display for CudaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver(looked) => write!(f, "no CUDA driver: {looked}"),
            Self::OldDriver { has, needs } => write!(
                f,
                "the driver supports CUDA {has}, the kernels need {needs}: a newer driver is needed"
            ),
            Self::NoDevice { present: 0, .. } => f.write_str("no CUDA device"),
            Self::NoDevice { asked, present } => {
                write!(
                    f,
                    "no CUDA device has the number {asked}; there are {present}"
                )
            }
            Self::OldDevice { has, needs } => write!(
                f,
                "the device has compute capability {}.{}, the kernels need {}.{}",
                has.0, has.1, needs.0, needs.1
            ),
            Self::OutOfMemory { asked } => {
                write!(f, "out of memory: {asked} bytes were asked for")
            }
            Self::Launch { kernel, cause } => write!(f, "kernel {kernel} failed: {cause}"),
            Self::Driver { doing, cause } => write!(f, "cannot {doing}: {cause}"),
            Self::Fault { job } => write!(
                f,
                "the device computed wrongly: job {job} (from 0 on) has no valid signature"
            ),
            Self::OutputLength { jobs, output } => {
                write!(f, "{jobs} jobs, but the output holds {output}")
            }
        }
    }
}

impl std::error::Error for GpuError {}

impl From<GpuError> for BatchError {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::OutputLength { jobs, output } => Self::OutputLength { jobs, output },
            GpuError::Fault { job } => Self::Fault { job },
            error => Self::Engine(error.to_string()),
        }
    }
}
