//! Reports of the kernel images that a device has loaded or its driver has refused.

use std::fmt;
use std::time::Duration;

/// The form of an image of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageForm {
    /// PTX: text that the driver compiles for the device.
    Ptx {
        /// The oldest compute capability that can run the image, such as (8, 0).
        capability: (u32, u32),
    },
    /// A cubin: machine code for one compute capability and for later ones with the same major
    /// number.
    Cubin {
        /// Compute capability of the image, such as (9, 0).
        capability: (u32, u32),
    },
}

impl ImageForm {
    /// True if a device of this compute capability can run an image of this form.
    pub fn suits(self, device: (u32, u32)) -> bool {
        match self {
            Self::Ptx { capability } => capability <= device,
            Self::Cubin { capability } => capability.0 == device.0 && capability <= device,
        }
    }
}

impl fmt::Display for ImageForm {
    /// Writes the form, such as `cubin sm_90` or `PTX sm_80`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (form, (major, minor)) = match self {
            Self::Ptx { capability } => ("PTX", capability),
            Self::Cubin { capability } => ("cubin", capability),
        };
        write!(f, "{form} sm_{major}{minor}")
    }
}

/// An image that a device has loaded, or that its driver has refused. An image is loaded
/// when the first of its kernels is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedImage {
    /// Index into [`IMAGES`](crate::IMAGES), or into the list that the device was opened with.
    pub number: usize,
    /// Form of the image.
    pub form: ImageForm,
    /// Name of the kernel whose launch loaded the image, such as `expand_9`.
    pub kernel: String,
    /// Time that the driver has taken to load the image and to find its kernels. The driver keeps
    /// compiled PTX in a cache, so the next program may load the image faster.
    pub took: Duration,
    /// The driver's reason if it has refused the image. If a cubin is refused, the device tries
    /// another image that has the kernel.
    pub refused: Option<String>,
}

impl fmt::Display for LoadedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, form, .. } = self;
        let ms = self.took.as_secs_f64() * 1e3;
        write!(f, "image {number}, {form}, for {}: ", self.kernel)?;
        match &self.refused {
            None => write!(f, "loaded in {ms:.1} ms"),
            Some(cause) => write!(f, "refused after {ms:.1} ms: {cause}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubin_suits_its_major_number_only() {
        let cubin = ImageForm::Cubin { capability: (8, 6) };
        let ptx = ImageForm::Ptx { capability: (8, 6) };
        let suited = |form: ImageForm| {
            [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (12, 0)].map(|device| form.suits(device))
        };
        assert_eq!(suited(cubin), [false, false, true, true, false, false]);
        assert_eq!(suited(ptx), [false, false, true, true, true, true]);
    }

    #[test]
    fn a_report_is_one_line() {
        let mut image = LoadedImage {
            number: 3,
            form: ImageForm::Cubin { capability: (9, 0) },
            kernel: "prng".to_owned(),
            took: Duration::from_micros(1250),
            refused: None,
        };
        let line = image.to_string();
        assert_eq!(line, "image 3, cubin sm_90, for prng: loaded in 1.2 ms");
        image.refused = Some("error 209".to_owned());
        image.form = ImageForm::Ptx { capability: (8, 0) };
        let line = image.to_string();
        assert_eq!(
            line,
            "image 3, PTX sm_80, for prng: refused after 1.2 ms: error 209"
        );
    }
}
