#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod digest;
mod envelope;
mod error;
mod fingerprint;
mod folder;
mod manifest;
mod path;
mod statement;
mod text;
mod time;
mod trust;
mod unread;

pub use digest::{Digest, Hasher};
pub use envelope::{Envelope, VerifyError};
pub use error::{ParseError, Problem};
/// The characters that texts and paths refuse.
pub use falcon_invisible::is_invisible;
pub use fingerprint::Fingerprint;
pub use folder::{Listing, NotListed, Reason, list_files};
pub use manifest::{Difference, Entry, Manifest, ManifestError, SignedManifest};
pub use path::{FilePath, PathError};
pub use statement::{Statement, StatementError, Subject};
pub use text::{MAX_TEXT_LEN, TextError, check_text};
pub use time::Time;
pub use trust::{Period, Revocation, Revoked, TrustError, TrustList, TrustListError, TrustedKey};
pub use unread::{ReadError, UnreadManifest};
