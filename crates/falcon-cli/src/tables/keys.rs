//! Keys and verdicts of rows.

use super::{
    BATCH_ROWS, ColumnFormat, KEY, KEY_ID, MESSAGE, SIGNATURE,
    batches::Batches,
    column::{Kind, Value, Values},
    state::State,
    table::Table,
};
use crate::error::{Error, Result};
use falcon_core::{
    AnyVerifyingKey, Falcon512, Falcon1024,
    batch::{BatchVerify, Verdict},
    rows::{self, Interner, Row, RowKey},
};
use std::{collections::HashMap, path::Path, sync::Arc};

/// Largest number of keys in a table of keys. They take 3 GB of memory.
const MOST_KEYS: usize = 1 << 20;

/// Largest number of rows in a table of keys. Several rows may have the same key.
const MOST_KEY_ROWS: u64 = 1 << 22;

/// Largest number of bytes of all names in a table of keys.
const MOST_NAME_BYTES: usize = 64 << 20;

/// Kinds of the columns.
const MESSAGES: &[Kind] = &[Kind::Bytes, Kind::Text];
const BYTES: &[Kind] = &[Kind::Bytes];
const NAMES: &[Kind] = &[Kind::Integers, Kind::Text, Kind::Bytes];

/// A decoded key, ready to verify.
type Ready = Arc<AnyVerifyingKey>;

fn decode(bytes: &[u8]) -> Option<Ready> {
    AnyVerifyingKey::try_from(bytes).ok().map(Arc::new)
}

/// Where the keys of the rows come from.
pub(crate) enum Keys {
    /// One key for all rows.
    One(Ready),
    /// The column `key_id`, and a table of keys.
    Named(KeyTable),
    /// The column `key`.
    Encoded,
}

impl Keys {
    /// Returns the numbers of the columns that verification reads.
    pub(crate) fn columns(&self, table: &Table) -> Result<Vec<usize>> {
        let mut columns = vec![message_column(table)?, table.column(SIGNATURE, BYTES)?.0];
        match self {
            Self::One(_) => {}
            Self::Named(keys) => {
                let (column, kind) = table.column(KEY_ID, NAMES)?;
                let integers = kind == Kind::Integers;
                if integers != (keys.kind == Kind::Integers) {
                    let what = format_args!(
                        "the column {KEY_ID} has {}, and that of the table of keys has {}",
                        kind.name(),
                        keys.kind.name()
                    );
                    return Err(
                        Error::at(table.path(), what).hint("write both columns with the same type")
                    );
                }
                columns.push(column);
            }
            Self::Encoded if !table.has(KEY) && table.has(KEY_ID) => {
                return Err(
                    Error::at(table.path(), "has a column key_id, but no column key")
                        .hint("name the table of keys with --keys KEYS.parquet"),
                );
            }
            Self::Encoded => columns.push(table.column(KEY, BYTES)?.0),
        }
        Ok(columns)
    }
}

/// Returns the number of the column of messages. Refuses a table of keys, which has no messages.
pub(crate) fn message_column(table: &Table) -> Result<usize> {
    if table.has(KEY_ID) && table.has(KEY) && !table.has(MESSAGE) {
        let what = "is a table of keys: it has the columns key_id and key, but no column message";
        return Err(Error::at(table.path(), what)
            .hint("name the folder or the files of the signed messages alone"));
    }
    Ok(table.column(MESSAGE, MESSAGES)?.0)
}

/// A table of keys by name.
pub(crate) struct KeyTable {
    kind: Kind,
    texts: HashMap<Box<[u8]>, Option<Ready>>,
    integers: HashMap<i128, Option<Ready>>,
    /// Total bytes of the names in `texts`.
    name_bytes: usize,
}

impl KeyTable {
    /// Reads a table with the columns `key_id` and `key`, which may decode to `max_expansion` times
    /// its bytes. A malformed key counts as unknown. Returns the state of the file, too.
    pub(crate) fn read(path: &Path, max_expansion: u64) -> Result<(Self, State)> {
        let table = Table::open(path)?;
        table.limit_expansion(max_expansion);
        if table.groups().fold(0, u64::saturating_add) > MOST_KEY_ROWS {
            let what = format_args!("has more than {MOST_KEY_ROWS} rows");
            return Err(Error::at(path, what).hint("keep one row for each name"));
        }
        let (names, kind) = table.column(KEY_ID, NAMES)?;
        let (keys, _) = table.column(KEY, BYTES)?;
        let mut found = Self {
            kind,
            texts: HashMap::new(),
            integers: HashMap::new(),
            name_bytes: 0,
        };
        for group in 0..table.groups().count() {
            let mut batches = Batches::new(&table, group, &[names, keys])?;
            while let Some(batch) = batches.next()? {
                found.add(&table, &batch[0], &batch[1])?;
            }
        }
        table.check_unchanged()?;
        Ok((found, table.state().clone()))
    }

    fn add(&mut self, table: &Table, names: &Values, keys: &Values) -> Result<()> {
        for row in 0..names.len() {
            let key = keys.get(row).bytes().and_then(decode);
            let name = names.get(row);
            let known = match name {
                Value::Null => continue,
                Value::Bytes(name) => self.texts.get(name),
                Value::Integer(name) => self.integers.get(&name),
            };
            if let Some(known) = known {
                if *known == key {
                    continue;
                }
                let name = match name {
                    Value::Bytes(name) => String::from_utf8_lossy(name).chars().take(60).collect(),
                    Value::Integer(name) => name.to_string(),
                    Value::Null => String::new(),
                };
                let what = format_args!("the {KEY_ID} {name} has two keys");
                return Err(Error::at(table.path(), what).hint("keep one row for each name"));
            }
            match name {
                Value::Bytes(name) => {
                    self.name_bytes += name.len();
                    self.texts.insert(name.into(), key);
                }
                Value::Integer(name) => drop(self.integers.insert(name, key)),
                Value::Null => {}
            }
            if self.texts.len() + self.integers.len() > MOST_KEYS {
                let what = format_args!("has more than {MOST_KEYS} keys");
                return Err(Error::at(table.path(), what)
                    .hint("put the keys in a column key of the table of signatures"));
            }
            if self.name_bytes > MOST_NAME_BYTES {
                let what = format_args!(
                    "the names in {KEY_ID} have more than {} MiB together",
                    MOST_NAME_BYTES >> 20
                );
                return Err(
                    Error::at(table.path(), what).hint("use shorter names, such as numbers")
                );
            }
        }
        Ok(())
    }

    fn get(&self, name: Value<'_>) -> Option<&Ready> {
        match name {
            Value::Null => None,
            Value::Bytes(name) => self.texts.get(name)?.as_ref(),
            Value::Integer(name) => self.integers.get(&name)?.as_ref(),
        }
    }
}

/// Largest number of decoded keys that are kept.
const KEPT: usize = 8192;

/// Cache of decoded keys. A full cache drops a random key. If it dropped the oldest key, a table
/// that cycles through more keys than the cache holds would never find a key in it.
#[derive(Default)]
pub(crate) struct Decoded {
    keys: Interner<Arc<[u8]>, Ready>,
    /// Encodings of these keys.
    encodings: Vec<Arc<[u8]>>,
    /// State of a linear congruential generator (Knuth's MMIX).
    chance: u64,
}

impl Decoded {
    fn get(&mut self, bytes: &[u8]) -> Option<Ready> {
        if let Some(key) = self.keys.get(bytes) {
            return Some(Arc::clone(key));
        }
        // Malformed keys are not kept, since they may have any length.
        let key = decode(bytes)?;
        let bytes = Arc::<[u8]>::from(bytes);
        if self.encodings.len() < KEPT {
            self.encodings.push(Arc::clone(&bytes));
        } else {
            let chance = self.chance.wrapping_mul(6_364_136_223_846_793_005);
            self.chance = chance.wrapping_add(1_442_695_040_888_963_407);
            let place = &mut self.encodings[(self.chance >> 32) as usize % KEPT];
            self.keys.remove(place);
            *place = Arc::clone(&bytes);
        }
        self.keys.insert(bytes, Arc::clone(&key));
        Some(key)
    }
}

/// Returns the verdicts of the rows of a batch that has the columns of [`Keys::columns`].
pub(crate) fn verify(
    engine: &(impl BatchVerify<Falcon512> + BatchVerify<Falcon1024>),
    keys: &Keys,
    decoded: &mut Decoded,
    format: ColumnFormat,
    batch: &[Values],
) -> Result<Vec<Verdict>> {
    let (messages, signatures) = (&batch[0], &batch[1]);
    let count = messages.len();
    debug_assert!(count < BATCH_ROWS + 64);
    let found: Vec<Option<Ready>> = match keys {
        Keys::One(key) => vec![Some(Arc::clone(key)); count],
        Keys::Named(table) => {
            let mut last: (Value<'_>, Option<&Ready>) = (Value::Null, None);
            let mut found = |row| {
                let name = batch[2].get(row);
                if name != last.0 {
                    last = (name, table.get(name));
                }
                last.1.cloned()
            };
            (0..count).map(&mut found).collect()
        }
        Keys::Encoded => {
            let mut last: (&[u8], Option<Ready>) = (&[], None);
            let mut found = |row| {
                let bytes = batch[2].get(row).bytes()?;
                if bytes != last.0 {
                    last = (bytes, decoded.get(bytes));
                }
                last.1.clone()
            };
            (0..count).map(&mut found).collect()
        }
    };
    let rows = found.iter().enumerate().map(|(row, key)| {
        let key = key.as_deref().map(RowKey::from);
        Row::new(key, messages.get(row).bytes(), signatures.get(row).bytes())
    });
    let rows: Vec<_> = rows.collect();
    let mut verdicts = vec![Verdict::Invalid; count];
    rows::verify(engine, format.encoding(), &rows, &mut verdicts)
        .map_err(|error| Error::new("cannot verify").because(error))?;
    Ok(verdicts)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        output::Overwrite,
        tables::{
            expansion::EXPANSION,
            output::Place,
            write::{Writer, binary, properties, schema},
        },
    };
    use falcon_core::{
        Parameters, SignatureError, SigningKey,
        batch::{BatchError, VerifyJob},
    };
    use parquet::basic::Repetition;
    use std::{
        fs::File,
        sync::atomic::{AtomicBool, Ordering},
        thread,
        time::{Duration, Instant, SystemTime},
    };

    /// Writes a table with some columns of bytes.
    pub(in super::super) fn write(path: &Path, columns: &[(&str, Vec<Vec<u8>>)]) {
        let folder = path.parent().unwrap();
        let place = Place::look(path.to_owned(), Overwrite::Never, folder).unwrap();
        let mut output = place.create().unwrap();
        let fields = columns
            .iter()
            .map(|(name, _)| binary(name, Repetition::OPTIONAL, false).unwrap());
        let schema = schema(fields.collect()).unwrap();
        let mut writer = Writer::new(&mut output, schema, properties().build()).unwrap();
        let mut group = writer.group().unwrap();
        for (_, values) in columns {
            let mut values = Some(values.iter().cloned().map(Some).collect());
            group.binary(|| Ok(values.take())).unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        output.commit().unwrap();
    }

    #[test]
    fn a_table_of_keys_that_changes_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.parquet");
        let names = (0..10_000_u32).map(|name| name.to_be_bytes().to_vec());
        let names: Vec<_> = names.collect();
        write(&path, &[(KEY_ID, names.clone()), (KEY, names)]);
        assert!(KeyTable::read(&path, EXPANSION).is_ok());
        let is_done = AtomicBool::new(false);
        let refused = thread::scope(|scope| {
            scope.spawn(|| {
                let file = File::options().append(true).open(&path).unwrap();
                for second in 0.. {
                    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
                    file.set_modified(time).unwrap();
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let deadline = Instant::now() + Duration::from_secs(30);
            let mut refused = None;
            while refused.is_none() && Instant::now() < deadline {
                refused = KeyTable::read(&path, EXPANSION).err();
            }
            is_done.store(true, Ordering::Relaxed);
            refused
        });
        let told = refused.expect("an error").to_string();
        assert!(told.ends_with("changed while it was read"), "{told}");
    }

    #[test]
    fn names_of_keys_have_at_most_64_mib() {
        let folder = tempfile::tempdir().unwrap();
        let read = |len| {
            let path = folder.path().join(format!("{len}.parquet"));
            let columns = [(KEY_ID, vec![7; len]), (KEY, vec![7])];
            write(&path, &columns.map(|(name, value)| (name, vec![value])));
            KeyTable::read(&path, EXPANSION)
        };
        assert!(read(64 << 20).is_ok());
        let told = read((64 << 20) + 1).err().expect("an error").to_string();
        assert!(told.contains("more than 64 MiB together"), "{told}");
    }

    /// The test cycles through one key more than the cache holds.
    #[test]
    fn a_key_by_chance_is_forgotten() {
        let keys = (0..=KEPT).map(|number| {
            let mut bytes = [0; Falcon512::VERIFYING_KEY_LEN];
            (bytes[0], bytes[1], bytes[3]) = (9, (number / 256) as u8, number as u8);
            bytes
        });
        let keys: Vec<_> = keys.collect();
        let mut decoded = Decoded::default();
        assert!(keys.iter().all(|key| decoded.get(key).is_some()));
        let found = |key: &&[u8; Falcon512::VERIFYING_KEY_LEN]| {
            let is_kept = decoded.keys.get(*key).is_some();
            assert!(decoded.get(*key).is_some());
            is_kept
        };
        let kept = keys.iter().filter(found).count();
        assert!(kept > KEPT / 2, "{kept}");
        assert_eq!(decoded.encodings.len(), KEPT);
        let all = keys.iter().filter(|key| decoded.keys.get(*key).is_some());
        assert_eq!(all.count(), KEPT);
    }

    /// An engine that fails, as a GPU can.
    struct Broken;

    impl<P: Parameters> BatchVerify<P> for Broken {
        fn verify_batch(
            &self,
            _: &[VerifyJob<'_, P>],
            _: &mut [Result<(), SignatureError>],
        ) -> Result<(), BatchError> {
            Err(BatchError::Engine("no memory".to_owned()))
        }
    }

    #[test]
    fn an_engine_that_fails_is_an_error_and_no_verdict() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let columns = [MESSAGE, SIGNATURE].map(|name| (name, vec![b"bytes".to_vec()]));
        write(&path, &columns);
        let table = Table::open(&path).unwrap();
        let small = SigningKey::<Falcon512>::from_seed_boxed(&[7; 32]).expect("no fault");
        let large = SigningKey::<Falcon1024>::from_seed_boxed(&[7; 32]).expect("no fault");
        for key in [
            AnyVerifyingKey::from(small.verifying_key().clone()),
            AnyVerifyingKey::from(large.verifying_key().clone()),
        ] {
            let keys = Keys::One(Arc::new(key));
            let columns = keys.columns(&table).unwrap();
            let mut batches = Batches::new(&table, 0, &columns).unwrap();
            let batch = batches.next().unwrap().expect("a batch");
            for format in [ColumnFormat::Padded, ColumnFormat::Compressed] {
                let verdicts = verify(&Broken, &keys, &mut Decoded::default(), format, &batch);
                let told = verdicts.expect_err("an error").to_string();
                assert!(told.starts_with("cannot verify"), "{told}");
            }
        }
    }
}
