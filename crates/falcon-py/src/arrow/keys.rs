//! The keys of rows: one key, names in a table of keys, or a column of encoded keys.

use super::ffi::{Broken, Column, Value};
use crate::errors;
use falcon_core::AnyVerifyingKey;
use falcon_core::rows::{Fold, Interner, RowKey};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The name of a key in a table of keys.
enum Id {
    Bytes(Vec<u8>),
    Integer(i128),
}

/// A table of keys by name.
pub struct KeyTable<T> {
    texts: HashMap<Vec<u8>, T, Fold>,
    integers: HashMap<i128, T, Fold>,
}

impl<T> KeyTable<T> {
    /// Reads the argument `keys`, a dict of names and keys.
    pub fn of(
        keys: &Bound<'_, PyAny>,
        key: impl Fn(&Bound<'_, PyAny>) -> Option<PyResult<T>>,
        expected: &str,
    ) -> PyResult<Self> {
        let expected_dict = format!("a dict of names and {expected} objects");
        let keys = errors::cast::<PyDict>("keys", &expected_dict, keys)?;
        let mut table = Self {
            texts: HashMap::with_hasher(Fold::default()),
            integers: HashMap::with_hasher(Fold::default()),
        };
        // Converting names may run Python code that changes the dict, so the items are copied.
        for item in keys.items() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Some(value) = key(&value) else {
                let place = format!("keys[{}]", name.repr()?);
                return Err(errors::wrong_type(&place, expected, &value));
            };
            let value = value?;
            let other = match id(&name)? {
                Id::Bytes(name) => table.texts.insert(name, value),
                Id::Integer(name) => table.integers.insert(name, value),
            };
            if other.is_some() {
                return Err(PyValueError::new_err(format!(
                    "keys: two names have the same bytes, one of them is {name}"
                )));
            }
        }
        Ok(table)
    }

    /// Refuses a column of integers if all names are bytes, and the reverse, since no row could
    /// have a key.
    pub fn check(&self, column: &Column) -> PyResult<()> {
        let names = match column.is_integers() {
            Some(true) if self.integers.is_empty() && !self.texts.is_empty() => {
                "key is a column of integers, but all names in keys are str or bytes"
            }
            Some(false) if self.texts.is_empty() && !self.integers.is_empty() => {
                "key is a column of bytes or text, but all names in keys are int"
            }
            _ => return Ok(()),
        };
        Err(PyTypeError::new_err(names))
    }

    pub fn get(&self, id: Value<'_>) -> Option<&T> {
        match id {
            Value::Null => None,
            Value::Bytes(name) => self.texts.get(name),
            Value::Integer(number) => self.integers.get(&number),
        }
    }
}

fn id(name: &Bound<'_, PyAny>) -> PyResult<Id> {
    if let Ok(text) = name.cast::<PyString>() {
        Ok(Id::Bytes(text.to_str()?.as_bytes().to_vec()))
    } else if let Ok(bytes) = name.cast::<PyBytes>() {
        Ok(Id::Bytes(bytes.as_bytes().to_vec()))
    } else if let Ok(number) = name.extract::<i64>() {
        Ok(Id::Integer(number.into()))
    } else if let Ok(number) = name.extract::<u64>() {
        Ok(Id::Integer(number.into()))
    } else {
        Err(PyTypeError::new_err(
            "keys: names are str, bytes, or int of 64 bits",
        ))
    }
}

/// A verifying key that is decoded once, or `None` if the bytes are not a key.
type Decoded = Arc<OnceLock<Option<Arc<AnyVerifyingKey>>>>;

/// The keys of rows.
pub enum Keys<'a> {
    One(&'a AnyVerifyingKey),
    Named(&'a Column, &'a KeyTable<Arc<AnyVerifyingKey>>),
    Encoded(EncodedKeys<'a>),
}

/// A column of encoded keys, and the keys that were found in it.
pub struct EncodedKeys<'a> {
    column: &'a Column,
    all: Mutex<Interner<&'a [u8], Decoded>>,
    /// Keys that finished parts have found, for the next parts.
    idle: Mutex<Vec<Known<'a>>>,
}

/// The keys that a thread has found.
pub struct Known<'a> {
    /// Numbers of the keys in `keys`.
    numbers: Interner<&'a [u8], usize>,
    /// Each key, or `None` if the bytes are not a key.
    keys: Vec<Option<Arc<AnyVerifyingKey>>>,
}

impl Known<'_> {
    /// Returns the key with a number, or `None` if its bytes are not a key.
    pub fn key(&self, number: usize) -> Option<RowKey<'_>> {
        self.keys[number].as_deref().map(RowKey::from)
    }
}

impl<'a> EncodedKeys<'a> {
    pub fn new(column: &'a Column) -> Self {
        Self {
            column,
            all: Mutex::new(Interner::default()),
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Takes the keys that a finished part has found. The first parts begin without keys.
    pub fn begin(&self) -> Known<'a> {
        let known = lock(&self.idle).pop();
        known.unwrap_or_else(|| Known {
            numbers: Interner::default(),
            keys: Vec::new(),
        })
    }

    pub fn end(&self, known: Known<'a>) {
        lock(&self.idle).push(known);
    }

    /// Returns the encoded keys of some rows. A null becomes an empty slice.
    pub fn rows(&self, first: usize, count: usize) -> Result<Vec<&'a [u8]>, Broken> {
        let bytes = |value: Result<Value<'a>, Broken>| Ok(value?.bytes().unwrap_or_default());
        self.column.rows(first, count).map(bytes).collect()
    }

    /// Returns the entry for these bytes, which all threads share.
    fn shared(&self, bytes: &'a [u8]) -> Decoded {
        let mut all = lock(&self.all);
        if let Some(key) = all.get(bytes) {
            return Decoded::clone(key);
        }
        let key = Decoded::default();
        all.insert(bytes, Decoded::clone(&key));
        key
    }

    /// Returns the number in `known` of each encoded key. Each distinct key is decoded once.
    pub fn numbers(&self, known: &mut Known<'a>, rows: &[&'a [u8]]) -> Vec<usize> {
        let Known { numbers, keys } = known;
        let number = |&bytes: &&'a [u8]| {
            if let Some(&number) = numbers.get(bytes) {
                return number;
            }
            let key = self.shared(bytes);
            let key = key.get_or_init(|| AnyVerifyingKey::try_from(bytes).ok().map(Arc::new));
            let number = keys.len();
            numbers.insert(bytes, number);
            keys.push(key.clone());
            number
        };
        rows.iter().map(number).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
