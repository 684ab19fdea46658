//! The fields of a record.

use std::fmt;

/// The fields of a record, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Number of the record.
    Count,
    /// Entropy of the record's generator.
    Seed,
    /// Length of the message in bytes.
    MessageLength,
    /// The message.
    Message,
    /// The public key.
    PublicKey,
    /// The secret key.
    SecretKey,
    /// Length of the attached signature in bytes.
    SignedMessageLength,
    /// Signature and message, in the algorithm's attached form.
    SignedMessage,
}

impl Field {
    /// Every field, in the order of the file.
    pub const ALL: [Self; 8] = [
        Self::Count,
        Self::Seed,
        Self::MessageLength,
        Self::Message,
        Self::PublicKey,
        Self::SecretKey,
        Self::SignedMessageLength,
        Self::SignedMessage,
    ];

    /// The name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Seed => "seed",
            Self::MessageLength => "mlen",
            Self::Message => "msg",
            Self::PublicKey => "pk",
            Self::SecretKey => "sk",
            Self::SignedMessageLength => "smlen",
            Self::SignedMessage => "sm",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
