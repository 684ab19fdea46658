//! The C interface of `falcon-core`. `include/falconsign.h` documents every function.
//!
//! Each function checks its arguments, converts them, and calls `falcon-core`. Memory of the caller
//! is read and written by the module `memory` only. A panic ends in [`Status::Internal`].

#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(non_camel_case_types)] // Handles have their names in C.

mod batch;
mod det1024;
mod documents;
mod information;
mod memory;
mod sign;
mod signing_key;
mod status;
mod stream;
mod verify;
mod verifying_key;

pub use batch::{
    VERDICTS, falconsign_sign_batch, falconsign_sign_job, falconsign_threads,
    falconsign_threads_free, falconsign_threads_new, falconsign_verify_batch,
    falconsign_verify_job,
};
pub use det1024::{
    falconsign_det1024_convert, falconsign_det1024_sign, falconsign_det1024_verify,
    falconsign_signing_key_from_algorand_seed,
};
pub use documents::{
    falconsign_signing_key_from_der, falconsign_signing_key_from_pem,
    falconsign_signing_key_to_der, falconsign_signing_key_to_pem,
    falconsign_verifying_key_from_der, falconsign_verifying_key_from_pem,
    falconsign_verifying_key_to_der, falconsign_verifying_key_to_pem,
};
pub use information::{
    FORMATS, SETS, falconsign_engine, falconsign_parameter_set_name, falconsign_signature_max_len,
    falconsign_signing_key_len, falconsign_status_text, falconsign_verifying_key_len,
    falconsign_version,
};
pub use sign::falconsign_sign;
pub use signing_key::{
    falconsign_signing_key, falconsign_signing_key_expand, falconsign_signing_key_free,
    falconsign_signing_key_from_bytes, falconsign_signing_key_from_reference_seed,
    falconsign_signing_key_from_seed, falconsign_signing_key_generate,
    falconsign_signing_key_parameter_set, falconsign_signing_key_to_bytes,
    falconsign_signing_key_verifying_key,
};
pub use status::{STATUSES, Status};
pub use stream::{
    falconsign_signer, falconsign_signer_finish, falconsign_signer_free, falconsign_signer_new,
    falconsign_signer_update, falconsign_verifier, falconsign_verifier_finish,
    falconsign_verifier_free, falconsign_verifier_new, falconsign_verifier_update,
};
pub use verify::falconsign_verify;
pub use verifying_key::{
    falconsign_verifying_key, falconsign_verifying_key_fingerprint, falconsign_verifying_key_free,
    falconsign_verifying_key_from_bytes, falconsign_verifying_key_parameter_set,
    falconsign_verifying_key_to_bytes,
};
