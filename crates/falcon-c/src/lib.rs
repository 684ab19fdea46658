//! The C interface of `falcon-core`. `include/falconsign.h` documents every function.
//!
//! Each function checks its arguments, converts them, and calls `falcon-core`. Memory of the caller
//! is read through the module `arguments`, and written by the module `memory` only. A panic ends in
//! [`Status::Internal`].
//!
//! Without the feature `std`, only `falconsign_verify_encoded` is there, without an allocator.

#![cfg_attr(all(not(feature = "std"), target_os = "none"), no_std)]
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(non_camel_case_types)] // Handles have their names in C.

mod arguments;
#[cfg(feature = "std")]
mod batch;
#[cfg(feature = "std")]
mod det1024;
#[cfg(feature = "std")]
mod documents;
mod encoded;
#[cfg(feature = "std")]
mod information;
#[cfg(feature = "std")]
mod memory;
mod parameters;
#[cfg(feature = "std")]
mod sign;
#[cfg(feature = "std")]
mod signing_key;
mod status;
#[cfg(feature = "std")]
mod stream;
#[cfg(feature = "std")]
mod verify;
#[cfg(feature = "std")]
mod verifying_key;

/// Parts for another C interface, that of PQClean.
#[cfg(feature = "std")]
#[doc(hidden)]
pub mod border {
    pub use crate::arguments::values;
    pub use crate::memory::{Output, filled};
    pub use crate::status::{Status, caught};
}

#[cfg(feature = "std")]
pub use batch::{
    VERDICTS, falconsign_sign_batch, falconsign_sign_job, falconsign_threads,
    falconsign_threads_free, falconsign_threads_new, falconsign_verify_batch,
    falconsign_verify_job,
};
#[cfg(feature = "std")]
pub use det1024::{
    falconsign_det1024_convert, falconsign_det1024_sign, falconsign_det1024_verify,
    falconsign_signing_key_from_algorand_seed,
};
#[cfg(feature = "std")]
pub use documents::{
    falconsign_signing_key_from_der, falconsign_signing_key_from_pem,
    falconsign_signing_key_to_der, falconsign_signing_key_to_pem,
    falconsign_verifying_key_from_der, falconsign_verifying_key_from_pem,
    falconsign_verifying_key_to_der, falconsign_verifying_key_to_pem,
};
pub use encoded::falconsign_verify_encoded;
#[cfg(feature = "std")]
pub use information::{
    falconsign_engine, falconsign_parameter_set_name, falconsign_signature_max_len,
    falconsign_signing_key_len, falconsign_status_text, falconsign_verifying_key_len,
    falconsign_version,
};
pub use parameters::FORMATS;
#[cfg(feature = "std")]
pub use parameters::SETS;
#[cfg(feature = "std")]
pub use sign::falconsign_sign;
#[cfg(feature = "std")]
pub use signing_key::{
    falconsign_signing_key, falconsign_signing_key_expand, falconsign_signing_key_free,
    falconsign_signing_key_from_bytes, falconsign_signing_key_from_reference_seed,
    falconsign_signing_key_from_seed, falconsign_signing_key_generate,
    falconsign_signing_key_parameter_set, falconsign_signing_key_to_bytes,
    falconsign_signing_key_verifying_key,
};
pub use status::{STATUSES, Status};
#[cfg(feature = "std")]
pub use stream::{
    falconsign_signer, falconsign_signer_finish, falconsign_signer_free, falconsign_signer_new,
    falconsign_signer_update, falconsign_verifier, falconsign_verifier_finish,
    falconsign_verifier_free, falconsign_verifier_new, falconsign_verifier_update,
};
#[cfg(feature = "std")]
pub use verify::falconsign_verify;
#[cfg(feature = "std")]
pub use verifying_key::{
    falconsign_verifying_key, falconsign_verifying_key_fingerprint, falconsign_verifying_key_free,
    falconsign_verifying_key_from_bytes, falconsign_verifying_key_parameter_set,
    falconsign_verifying_key_to_bytes,
};

/// No panic can be reached. One that a fault of the device causes stops the program.
#[cfg(all(not(feature = "std"), target_os = "none"))]
#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
