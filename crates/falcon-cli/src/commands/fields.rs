//! `fields`: describes the fields that `--json` prints.

use crate::{
    error::{Error, Result, Status},
    ui::{STRONG, Styled, Ui},
};
use clap::Args;
use serde::Serialize;
use std::fmt;

/// Describe the fields that --json prints
#[derive(Debug, Args)]
#[command(after_help = "\
A field that does not apply is left out. `keys[].name` is the field `name` of each object in
the array `keys`. A path that is not UTF-8 is an object with the field `bytes`, hexadecimal.
The fields of `hls` and of the commands for tables are not listed.")]
pub(crate) struct Fields {
    /// Describe the fields of one command, such as `trust add` [default: all commands]
    command: Vec<String>,
}

impl Fields {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let asked = self.command.join(" ");
        let is_asked = |command: &str| asked.is_empty() || command == asked;
        let mut found = false;
        for (command, fields) in TABLE {
            if !is_asked(command) {
                continue;
            }
            found = true;
            ui.heading(command)?;
            for (field, meaning) in *fields {
                ui.report(&Line {
                    command,
                    field,
                    meaning,
                })?;
            }
        }
        if found {
            return Ok(Status::Valid);
        }
        let known: Vec<_> = TABLE.iter().map(|(command, _)| *command).collect();
        Err(
            Error::new(format_args!("no fields are listed for the command {asked}"))
                .hint(format_args!("name one of these: {}", known.join(", "))),
        )
    }
}

/// Description of one field.
#[derive(Serialize)]
struct Line {
    command: &'static str,
    field: &'static str,
    meaning: &'static str,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = format!("{:<19}", self.field);
        write!(f, "  {} {}", Styled(STRONG, field), self.meaning)
    }
}

/// Name and meaning of a field.
type Field = (&'static str, &'static str);

const FILE: Field = ("file", "path of the file");
const ALGORITHM: Field = (
    "algorithm",
    "`falcon-512`, `falcon-1024` or `falcon-det1024`",
);
const SECRET_KEY: Field = ("secret_key", "path of the secret key");
const PUBLIC_KEY: Field = ("public_key", "path of the public key");
const ENCRYPTED: Field = ("encrypted", "true if the secret key has a passphrase");
const USE: Field = (
    "use",
    "messages that the key signs: `any` or `certificates`",
);
const FINGERPRINT: Field = ("fingerprint", "fingerprint of the key, hexadecimal");
const MANIFEST: Field = ("manifest", "path of the manifest");
const KEY: Field = (
    "key",
    "path of the key that signed, if it is the default key or one of several",
);
const KEY_NUMBER: Field = (
    "key_number",
    "number of the key in a file of several, from 1",
);
const SIGNER: Field = ("signer", "name of the signer in the trust list");
const SIGNED_WITH: Field = ("signed_with", "fingerprint of the key that signed");
const TIME: Field = ("time", "when it was signed, as the signer says");
const COMMENT: Field = ("comment", "comment of the signer");
const CAUSE: Field = (
    "cause",
    "refused envelope: `changed`, `expired`, `forged`, `not-yet-valid`, `revoked`, `subject`, \
     `unknown-key`, `wrong-key` or `wrong-signer`; error: what the system or a decoder said",
);
const REASON: Field = ("reason", "why the envelope is refused, for people");
const LIST: Field = ("list", "path of the trust list");
const NAME: Field = ("name", "name of the key in the trust list");
const VALID_FROM: Field = ("valid_from", "first second in which the key may sign");
const VALID_UNTIL: Field = ("valid_until", "last second in which the key may sign");
const REVOKED: Field = ("revoked", "since when the key is revoked");
const REVOKED_WHY: Field = ("reason", "why the key is revoked");
const ENGINE: Field = ("engine", "name of the engine");

/// The fields of each command, in their order. `errors` stands for what every command prints to
/// standard error.
const TABLE: &[(&str, &[Field])] = &[
    (
        "errors",
        &[
            ("error", "what happened"),
            ("path", "the file that the error is about"),
            ("cause", "what the system or a decoder said"),
            ("hint", "what to do"),
            ("warning", "a warning; the command goes on"),
        ],
    ),
    (
        "keygen",
        &[
            ALGORITHM,
            SECRET_KEY,
            PUBLIC_KEY,
            ENCRYPTED,
            USE,
            FINGERPRINT,
        ],
    ),
    ("pubkey", &[ALGORITHM, PUBLIC_KEY, FINGERPRINT]),
    ("passwd", &[ALGORITHM, SECRET_KEY, ENCRYPTED, USE]),
    (
        "convert",
        &[
            ALGORITHM,
            ("form", "`bouncy-castle` or `oqs`"),
            SECRET_KEY,
            ENCRYPTED,
            USE,
        ],
    ),
    (
        "sign",
        &[
            FILE,
            ("signature", "path of the signature"),
            ALGORITHM,
            (
                "format",
                "`padded`, `compressed`, `ct`, `pem` or `envelope`",
            ),
            ("bytes", "length of the file of the signature"),
            KEY,
            FINGERPRINT,
        ],
    ),
    (
        "verify",
        &[
            FILE,
            ("signature", "path of the signature"),
            ("status", "`valid`, `invalid` or `unchecked`"),
            KEY,
            KEY_NUMBER,
            FINGERPRINT,
            SIGNER,
            SIGNED_WITH,
            TIME,
            COMMENT,
            CAUSE,
            REASON,
            ("error", "why the file is unchecked"),
            ("path", "the file that the error is about"),
            ("hint", "what to do"),
        ],
    ),
    (
        "manifest sign",
        &[
            ("folder", "path of the folder"),
            MANIFEST,
            ("files", "number of files"),
            ALGORITHM,
        ],
    ),
    (
        "manifest verify",
        &[
            ("file", "path in the folder of a file that differs"),
            (
                "status",
                "file: `changed`, `missing`, `extra` or `unchecked`; manifest: `valid`, `invalid` \
                 or `unchecked`",
            ),
            MANIFEST,
            ("unchanged", "number of files with the signed content"),
            ("changed", "number of files with another content"),
            ("missing", "number of files that are signed and not there"),
            ("extra", "number of files that are there and not signed"),
            ("unchecked", "number of files that cannot be read"),
            KEY,
            KEY_NUMBER,
            FINGERPRINT,
            SIGNER,
            SIGNED_WITH,
            TIME,
            COMMENT,
            CAUSE,
            REASON,
        ],
    ),
    (
        "trust add",
        &[LIST, NAME, FINGERPRINT, VALID_FROM, VALID_UNTIL],
    ),
    (
        "trust list",
        &[
            NAME,
            FINGERPRINT,
            VALID_FROM,
            VALID_UNTIL,
            REVOKED,
            REVOKED_WHY,
        ],
    ),
    (
        "trust remove",
        &[
            LIST,
            NAME,
            FINGERPRINT,
            VALID_FROM,
            VALID_UNTIL,
            ("removed", "true"),
        ],
    ),
    (
        "trust revoke",
        &[
            LIST,
            NAME,
            FINGERPRINT,
            VALID_FROM,
            VALID_UNTIL,
            REVOKED,
            REVOKED_WHY,
            ("before", "the revocation that was replaced, for people"),
        ],
    ),
    ("fingerprint", &[FINGERPRINT, ALGORITHM, FILE]),
    (
        "inspect",
        &[
            FILE,
            (
                "kind",
                "what the file is, such as `public key` or `envelope`",
            ),
            ALGORITHM,
            ("encoding", "encoding of a key, signature or certificate"),
            ("container", "`pem`, `der`, `raw` or `text`"),
            (
                "verified",
                "false if no signature was verified; true for a document that its own key signed",
            ),
            ("keys[].name", "name of a key in a trust list"),
            ("keys[].fingerprint", "its fingerprint"),
            ("keys[].valid_from", "first second in which it may sign"),
            ("keys[].valid_until", "last second in which it may sign"),
            ("keys[].revoked", "since when it is revoked"),
            ("keys[].reason", "why it is revoked"),
            ("files", "number of files in a manifest"),
            (
                "fingerprint",
                "fingerprint of the key, or of the key that signed",
            ),
            USE,
            ("nonce", "nonce of a signature, hexadecimal"),
            (
                "salt_version",
                "of a deterministic signature, instead of the nonce",
            ),
            TIME,
            COMMENT,
            ("subject", "subject of a certificate or a request"),
            ("issuer", "issuer of a certificate or a revocation list"),
            ("serial", "serial number of a certificate, hexadecimal"),
            ("valid_from", "first second of a certificate"),
            ("valid_until", "last second of a certificate"),
            ("this_update", "time of a revocation list"),
            ("next_update", "time of the next revocation list"),
            ("revoked", "number of certificates in a revocation list"),
            (
                "signature_algorithm",
                "object identifier of the signature's algorithm",
            ),
            (
                "key_algorithm",
                "algorithm of the key in a certificate or a request",
            ),
            (
                "signature",
                "`valid` or `invalid` by the key in the document, `not-der`, `not-verified`, \
                 `not-supported` or `not-falcon`",
            ),
        ],
    ),
    (
        "inspect --engines",
        &[
            ENGINE,
            ("description", "what the engine needs"),
            ("lanes", "number of signatures that are computed together"),
            ("chosen", "true for the engine that commands use"),
            ("reason", "why it is chosen"),
        ],
    ),
    (
        "kat check",
        &[
            FILE,
            ("algorithm", "name of the vectors"),
            ENGINE,
            ("matches", "true if all records match"),
            (
                "records",
                "number of records that match, up to the first that does not",
            ),
            (
                "nist_inputs",
                "true if all inputs come from the generator of NIST",
            ),
            ("finding", "what does not match"),
        ],
    ),
    (
        "bench",
        &[
            ("operation", "`keygen`, `sign` or `verify`"),
            (
                "mode",
                "`seed`, `encoded`, `decoded`, `prepared` or `batch`",
            ),
            ("parameters", "`Falcon-512` or `Falcon-1024`"),
            ENGINE,
            ("threads", "number of threads"),
            ("count", "number of operations in a run"),
            ("runs", "number of runs that were timed"),
            ("median_ns", "median time of one operation in nanoseconds"),
            ("ops_per_s", "operations in a second"),
        ],
    ),
    (
        "demo",
        &[
            FILE,
            ("folder", "path of the new folder"),
            ALGORITHM,
            ENGINE,
            SECRET_KEY,
            PUBLIC_KEY,
            ("signature", "path of the signature"),
            ("secret_key_bytes", "length of the secret key"),
            ("public_key_bytes", "length of the public key"),
            ("signature_bytes", "length of the signature"),
            ("keygen_us", "microseconds to make the key"),
            (
                "sign_us",
                "microseconds of the first call, which reads the file",
            ),
            (
                "verify_us",
                "microseconds of the first call, which reads the file",
            ),
            (
                "warm_sign_us",
                "median of repeated calls with a prepared key",
            ),
            (
                "warm_verify_us",
                "median of repeated calls with a prepared key",
            ),
            ("valid", "true if the signature is valid"),
            (
                "flipped_bit_refused",
                "true if a flipped bit makes it invalid",
            ),
        ],
    ),
    (
        "fields",
        &[
            ("command", "the command that prints the field"),
            ("field", "name of the field"),
            ("meaning", "its meaning"),
        ],
    ),
];
