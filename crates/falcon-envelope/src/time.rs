//! Seconds since 1970, written as RFC 3339 in UTC.

use humantime::{format_rfc3339_seconds, parse_rfc3339};
use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A time in whole seconds, from 1970 to 9999, written as `2025-06-01T12:00:00Z`.
///
/// ```
/// use falcon_envelope::Time;
///
/// let time = Time::parse("2025-06-01T12:00:00Z").unwrap();
/// assert_eq!(time.as_unix(), 1_748_779_200);
/// assert_eq!(time.to_string(), "2025-06-01T12:00:00Z");
/// assert_eq!(Time::parse("2025-06-01T14:00:00+02:00"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The first second of the year 1970.
    pub const MIN: Self = Self(0);
    /// The last second of the year 9999.
    pub const MAX: Self = Self(253_402_300_799);

    /// Returns the time that is `seconds` after the beginning of 1970. Returns `None` if this is
    /// after the year 9999.
    pub fn from_unix(seconds: u64) -> Option<Self> {
        (seconds <= Self::MAX.0).then_some(Self(seconds))
    }

    /// Seconds since the beginning of 1970, leap seconds not counted.
    pub fn as_unix(self) -> u64 {
        self.0
    }

    /// Reads the clock of the system. Returns `None` if the clock shows a time before 1970 or after
    /// 9999.
    pub fn now() -> Option<Self> {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Self::from_unix(elapsed.as_secs())
    }

    /// Reads a time. Accepts only one spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let elapsed = parse_rfc3339(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
        let time = Self::from_unix(elapsed.as_secs())?;
        (time.to_string() == text).then_some(time)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = UNIX_EPOCH + Duration::from_secs(self.0);
        write!(f, "{}", format_rfc3339_seconds(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_one_spelling() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (Time::MAX.0, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Time::parse(text), Some(Time(seconds)));
            assert_eq!(Time(seconds).to_string(), text);
        }
        for text in [
            "",
            "2025-06-01",
            "2025-06-01T12:00:00",
            "2025-06-01t12:00:00Z",
            "2025-06-01 12:00:00Z",
            "2025-06-01T12:00:00z",
            "2025-06-01T12:00:00.0Z",
            "2025-06-01T12:00:60Z",
            "2025-06-01T24:00:00Z",
            "2025-02-29T12:00:00Z",
            "2025-13-01T12:00:00Z",
            "2025-00-01T12:00:00Z",
            "1969-12-31T23:59:59Z",
            "10000-01-01T00:00:00Z",
            "+2025-06-01T12:00:00Z",
            " 2025-06-01T12:00:00Z",
        ] {
            assert_eq!(Time::parse(text), None, "{text:?}");
        }
        assert_eq!(Time::from_unix(Time::MAX.0 + 1), None);
    }

    #[test]
    fn now_is_the_time_of_the_system() {
        let seconds = || {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map(|it| it.as_secs())
        };
        let before = seconds().expect("after 1970");
        let now = Time::now().expect("a time").as_unix();
        let after = seconds().expect("after 1970");
        assert!(before <= now && now <= after, "{before} {now} {after}");
    }
}
