#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod content;
mod error;
mod sign;
mod verify;

pub use content::SignedPart;
pub use error::Error;
pub use sign::{CertificateSigner, Revocations};
pub use verify::{
    subject_key, verify_certificate, verify_request, verify_revocation_list, verify_self_signed,
};
/// The crate `x509-cert`, whose types and builders this crate uses.
pub use x509_cert;
