//! Trust lists and manifests in files: texts that may be long.

use crate::{
    error::{Error, Result},
    input::{cannot_read, open},
};
use falcon_envelope::{ParseError, SignedManifest, TrustList};
use std::{io::Read, path::Path};

/// Reads a trust list.
pub(crate) fn read_trust_list(path: &Path) -> Result<TrustList> {
    read(path, "a trust list", TrustList::MAX_LEN, TrustList::parse)
}

/// Reads a manifest.
pub(crate) fn read_manifest(path: &Path) -> Result<SignedManifest> {
    let max = SignedManifest::MAX_LEN;
    read(path, "a manifest", max, SignedManifest::parse)
}

fn read<T>(
    path: &Path,
    kind: &str,
    max: usize,
    parse: impl FnOnce(&[u8]) -> std::result::Result<T, ParseError>,
) -> Result<T> {
    let mut bytes = Vec::new();
    // One byte more than is allowed, so that the parser sees that there is more.
    open(path)?
        .take(max as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(path, &error))?;
    parse(&bytes).map_err(|error| Error::at(path, format_args!("is not {kind}")).because(error))
}
