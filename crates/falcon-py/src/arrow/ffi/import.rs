//! Columns that are taken from other packages.

use super::structures::{ArrowArray, ArrowArrayStream, ArrowSchema, Released};
use crate::errors::not_a_column;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_char, c_int};
use std::slice;

/// Moves a structure out of its capsule.
fn take<T: Released>(capsule: &Bound<'_, PyAny>) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let place = capsule.pointer_checked(Some(T::NAME))?.cast::<T>();
    // SAFETY: a capsule of this name holds such a structure. The GIL is held, so nobody else moves
    // it. It is marked as released, as the interface requires when a structure is moved.
    unsafe {
        if place.as_ref().is_released() {
            return Err(PyValueError::new_err("the Arrow data is released already"));
        }
        let moved = place.read();
        (*place.as_ptr()).mark();
        Ok(moved)
    }
}

/// Layout of the values of a chunk in its buffers.
#[derive(Clone, Copy)]
enum Layout {
    /// Offsets of 4 bytes into the data.
    Offsets32,
    /// Offsets of 8 bytes into the data.
    Offsets64,
    /// Values of one length, in bytes.
    Fixed(usize),
    /// Views of 16 bytes. A view contains a short value, or says where a long value is.
    Views,
    /// Integers of one width.
    Integers { bytes: usize, signed: bool },
    /// A layout without buffers: all values are null.
    Nulls,
}

impl Layout {
    /// Returns the layout of the values that the format of `schema` names. With a dictionary, this
    /// is the layout of the indices.
    fn of(schema: &ArrowSchema) -> PyResult<Self> {
        let format = text(schema.format);
        let integers = |bytes, signed| Ok(Self::Integers { bytes, signed });
        match &*format {
            "z" | "u" => Ok(Self::Offsets32),
            "Z" | "U" => Ok(Self::Offsets64),
            "vz" | "vu" => Ok(Self::Views),
            "c" => integers(1, true),
            "C" => integers(1, false),
            "s" => integers(2, true),
            "S" => integers(2, false),
            "i" => integers(4, true),
            "I" => integers(4, false),
            "l" => integers(8, true),
            "L" => integers(8, false),
            "n" => Ok(Self::Nulls),
            _ => format
                .strip_prefix("w:")
                .and_then(|width| width.parse::<i32>().ok())
                .and_then(|width| usize::try_from(width).ok())
                .map(Self::Fixed)
                .ok_or_else(|| {
                    PyTypeError::new_err(format!(
                        "an Arrow column of {} (format {format:?}); expected bytes, text or \
                         integers",
                        kind_of(&format)
                    ))
                }),
        }
    }

    /// Returns the number of bytes of a row in the buffer after the validity bits.
    fn stride(self) -> usize {
        match self {
            Self::Offsets32 => 4,
            Self::Offsets64 => 8,
            Self::Fixed(width) => width,
            Self::Views => 16,
            Self::Integers { bytes, .. } => bytes,
            Self::Nulls => 0,
        }
    }

    /// Returns the number of buffers, without the buffers to which views point.
    fn buffers(self) -> i64 {
        match self {
            Self::Offsets32 | Self::Offsets64 | Self::Views => 3,
            Self::Fixed(_) | Self::Integers { .. } => 2,
            Self::Nulls => 0,
        }
    }
}

/// Returns true if the format of `schema` is a text format.
fn is_text(schema: &ArrowSchema) -> bool {
    matches!(&*text(schema.format), "u" | "U" | "vu")
}

/// Returns a description of a format that is not supported.
fn kind_of(format: &str) -> &'static str {
    match format.as_bytes() {
        [b'b', ..] => "booleans",
        [b'e' | b'f' | b'g', ..] => "floating-point numbers",
        [b'd', ..] => "decimals",
        [b't', ..] => "dates, times or durations",
        [b'+', ..] => "nested values",
        _ => "an unknown type",
    }
}

/// Layouts of a column: that of the values, or those of the indices and of the dictionary.
#[derive(Clone, Copy)]
struct Layouts {
    rows: Layout,
    dictionary: Option<Layout>,
    /// True if the values are text.
    is_text: bool,
}

impl Layouts {
    fn of(schema: &ArrowSchema) -> PyResult<Self> {
        let rows = Layout::of(schema)?;
        if schema.dictionary.is_null() {
            return Ok(Self {
                rows,
                dictionary: None,
                is_text: is_text(schema),
            });
        }
        // SAFETY: the schema owns the schema of its dictionary.
        let values = unsafe { &*schema.dictionary };
        if !matches!(rows, Layout::Integers { .. }) || !values.dictionary.is_null() {
            return Err(Broken.into());
        }
        Ok(Self {
            rows,
            dictionary: Some(Layout::of(values)?),
            is_text: is_text(values),
        })
    }

    fn of_values(self) -> Layout {
        self.dictionary.unwrap_or(self.rows)
    }
}

/// Returns the text of a C string. If there is no string, the text is empty.
fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: strings of the interface end with a zero, and live as long as their structure, which
    // the callers hold.
    let text = unsafe { CStr::from_ptr(string) };
    text.to_string_lossy().into_owned()
}

/// Some neighbouring rows of a column.
struct Chunk {
    /// The owner of the buffers.
    array: ArrowArray,
    /// True if `array` is a struct array whose only field is the column.
    is_field: bool,
    layouts: Layouts,
}

/// A single value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    Null,
    Bytes(&'a [u8]),
    Integer(i128),
}

impl<'a> Value<'a> {
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Error for buffers that contradict each other.
#[derive(Debug)]
pub struct Broken;

impl From<Broken> for PyErr {
    fn from(_: Broken) -> Self {
        PyValueError::new_err("the Arrow column is malformed: its buffers contradict each other")
    }
}

impl Chunk {
    fn new(array: ArrowArray, schema: &ArrowSchema) -> PyResult<Self> {
        if array.length < 0 || array.offset < 0 {
            return Err(Broken.into());
        }
        // This is the end of the rows in `array`.
        let end = array.offset.checked_add(array.length).ok_or(Broken)?;
        let mut schema = schema;
        let is_field = text(schema.format) == "+s";
        if is_field {
            if schema.n_children != 1 || array.n_children != 1 {
                let count = schema.n_children;
                return Err(PyTypeError::new_err(format!(
                    "an Arrow table of {count} columns; pass one column"
                )));
            }
            if schema.children.is_null() || array.children.is_null() {
                return Err(Broken.into());
            }
            // SAFETY: `children` has `n_children` pointers to structures that their parent owns.
            unsafe {
                if (*schema.children).is_null() || (*array.children).is_null() {
                    return Err(Broken.into());
                }
                if (**array.children).is_released() {
                    return Err(Broken.into());
                }
                schema = &**schema.children;
            }
        }
        let layouts = Layouts::of(schema)?;
        let chunk = Self {
            array,
            is_field,
            layouts,
        };
        let values = chunk.values();
        let rows = if is_field { end } else { values.length };
        let whole = values.has_rows(layouts.rows, rows)
            && layouts.dictionary.is_none_or(|layout| {
                let dictionary = values.dictionary();
                dictionary.is_some_and(|values| values.has_rows(layout, values.length))
            });
        if !whole {
            return Err(Broken.into());
        }
        let rows = &chunk.array;
        if is_field && rows.null_count != 0 && rows.has_nulls(rows.offset, rows.length) {
            return Err(PyTypeError::new_err(
                "Arrow rows that are null; pass the column",
            ));
        }
        Ok(chunk)
    }

    fn values(&self) -> &ArrowArray {
        if self.is_field {
            // SAFETY: `new` has checked that there is one child, which its parent owns.
            unsafe { &**self.array.children }
        } else {
            &self.array
        }
    }

    fn len(&self) -> usize {
        self.array.length as usize
    }

    /// Returns the value of a row, whose number must be below [`len`](Self::len).
    fn get(&self, row: usize) -> Result<Value<'_>, Broken> {
        let values = self.values();
        let mut at = values.offset as usize + row;
        if self.is_field {
            at += self.array.offset as usize;
        }
        // SAFETY: `new` has checked that the array has this row, which lives as long as `self`.
        let value = unsafe { values.value(self.layouts.rows, at)? };
        let (Some(layout), Value::Integer(index)) = (self.layouts.dictionary, value) else {
            return Ok(value);
        };
        let dictionary = values.dictionary().ok_or(Broken)?;
        let index = usize::try_from(index).map_err(|_| Broken)?;
        if index >= dictionary.length as usize {
            return Err(Broken);
        }
        // SAFETY: the same is true here, and the dictionary has this index.
        unsafe { dictionary.value(layout, dictionary.offset as usize + index) }
    }
}

// Offsets and views are read in the byte order of the machine.
const _: () = assert!(cfg!(target_endian = "little"));

impl ArrowArray {
    /// Returns true if the array has the buffers of this layout and `rows` rows, according to its
    /// fields.
    fn has_rows(&self, layout: Layout, rows: i64) -> bool {
        // No object is larger than `isize::MAX`, so the address of a row never overflows.
        let fits = self.offset.checked_add(rows).is_some_and(|end| {
            let end = usize::try_from(end).ok();
            let bytes = end.and_then(|end| end.checked_mul(layout.stride()));
            bytes.is_some_and(|bytes| bytes <= isize::MAX as usize)
        });
        self.offset >= 0
            && rows >= 0
            && self.n_buffers >= layout.buffers()
            && (layout.buffers() == 0 || !self.buffers.is_null())
            && self.length >= rows
            && fits
    }

    /// Returns the array of the values to which the rows are indices, if there is one.
    fn dictionary(&self) -> Option<&ArrowArray> {
        // SAFETY: an array owns its dictionary.
        unsafe { self.dictionary.as_ref() }
    }

    /// Returns the value of the row `at`, to which the offset was added. The value may be an index
    /// into the dictionary.
    ///
    /// # Safety
    /// [`has_rows`](Self::has_rows) has returned true for this layout, and `at` is such a row.
    #[inline]
    unsafe fn value(&self, layout: Layout, at: usize) -> Result<Value<'_>, Broken> {
        if self.is_null(at) {
            return Ok(Value::Null);
        }
        // SAFETY: an array has the buffers of its type for all of its rows. The buffers live as
        // long as `self`. Bounds that are stored in buffers are checked before they are used. A
        // value without bytes may have no buffer.
        unsafe {
            match layout {
                Layout::Offsets32 => {
                    let offsets = self.buffer(1)?.cast::<i32>().add(at);
                    let (start, end) = (offsets.read_unaligned(), offsets.add(1).read_unaligned());
                    self.range(start.into(), end.into())
                }
                Layout::Offsets64 => {
                    let offsets = self.buffer(1)?.cast::<i64>().add(at);
                    let (start, end) = (offsets.read_unaligned(), offsets.add(1).read_unaligned());
                    self.range(start, end)
                }
                Layout::Nulls => Ok(Value::Null),
                Layout::Fixed(0) => Ok(Value::Bytes(&[])),
                Layout::Fixed(width) => {
                    let start = self.buffer(1)?.add(at * width);
                    Ok(Value::Bytes(slice::from_raw_parts(start, width)))
                }
                Layout::Views => self.view(at),
                Layout::Integers { bytes, signed } => {
                    let start = self.buffer(1)?.add(at * bytes);
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(slice::from_raw_parts(start, bytes));
                    let word = u64::from_le_bytes(word);
                    let unused = 64 - 8 * bytes as u32;
                    Ok(Value::Integer(if signed {
                        (((word << unused) as i64) >> unused).into()
                    } else {
                        word.into()
                    }))
                }
            }
        }
    }

    /// Returns a buffer, or an error if it is missing.
    ///
    /// # Safety
    /// `number` is below `n_buffers`, and `buffers` is not null.
    unsafe fn buffer(&self, number: usize) -> Result<*const u8, Broken> {
        // SAFETY: the caller guarantees that the pointer exists.
        let buffer = unsafe { *self.buffers.add(number) };
        if buffer.is_null() {
            return Err(Broken);
        }
        Ok(buffer.cast())
    }

    /// Returns true if there is a null in the `length` rows from `start` on.
    fn has_nulls(&self, start: i64, length: i64) -> bool {
        (start..start + length).any(|row| self.is_null(row as usize))
    }

    /// Returns true if the row `at`, to which the offset was added, is null.
    #[inline]
    fn is_null(&self, at: usize) -> bool {
        if self.null_count == 0 || self.n_buffers <= 0 || self.buffers.is_null() {
            return false;
        }
        // SAFETY: the first buffer, if it exists, has a bit for each row.
        unsafe {
            let validity = (*self.buffers).cast::<u8>();
            !validity.is_null() && *validity.add(at / 8) >> (at % 8) & 1 == 0
        }
    }

    /// Returns the bytes of the data from `start` to `end`.
    ///
    /// # Safety
    /// The array has offsets, and `start` and `end` are two neighbouring offsets.
    unsafe fn range(&self, start: i64, end: i64) -> Result<Value<'_>, Broken> {
        let place = |offset| usize::try_from(offset).map_err(|_| Broken);
        let start = place(start)?;
        let len = place(end)?.checked_sub(start).ok_or(Broken)?;
        if len == 0 {
            return Ok(Value::Bytes(&[]));
        }
        // SAFETY: if offsets are in order, they lie within the data.
        unsafe {
            let start = self.buffer(2)?.add(start);
            Ok(Value::Bytes(slice::from_raw_parts(start, len)))
        }
    }

    /// Returns the value of the view `at`.
    ///
    /// # Safety
    /// The array has views, and `at` is the number of a view.
    unsafe fn view(&self, at: usize) -> Result<Value<'_>, Broken> {
        // SAFETY: a view has 16 bytes. They are the length, and either the value, if it has at most
        // 12 bytes, or four of its bytes, the number of its buffer and its place there. The last
        // buffer has the lengths of the buffers, with which the number and the place are checked.
        unsafe {
            let view = self.buffer(1)?.add(16 * at);
            let word = |number: usize| view.add(4 * number).cast::<i32>().read_unaligned();
            let len = usize::try_from(word(0)).map_err(|_| Broken)?;
            if len <= 12 {
                return Ok(Value::Bytes(slice::from_raw_parts(view.add(4), len)));
            }
            let number = usize::try_from(word(2)).map_err(|_| Broken)?;
            let start = usize::try_from(word(3)).map_err(|_| Broken)?;
            let count = self.n_buffers as usize - 3;
            if number >= count {
                return Err(Broken);
            }
            let lengths = self.buffer(2 + count)?.cast::<i64>();
            let available = lengths.add(number).read_unaligned();
            if (start + len) as i64 > available {
                return Err(Broken);
            }
            let start = self.buffer(2 + number)?.add(start);
            Ok(Value::Bytes(slice::from_raw_parts(start, len)))
        }
    }
}

/// Adds the name of the argument to an error of its type.
fn of_argument(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(format!("{name}: {}", error.value(py)))
    } else {
        error
    }
}

/// A column: chunks of one type.
pub struct Column {
    chunks: Vec<Chunk>,
    /// The number of the first row of each chunk.
    starts: Vec<usize>,
    len: usize,
}

impl Column {
    const EMPTY: Self = Self {
        chunks: Vec::new(),
        starts: Vec::new(),
        len: 0,
    };

    /// Returns true if an object has the PyCapsule interface.
    pub fn is_in(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")?)
    }

    /// Takes the column of an object with the PyCapsule interface. No value is copied.
    pub fn of(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if object.hasattr("__arrow_c_array__")? {
            let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                object.call_method0("__arrow_c_array__")?.extract()?;
            let mut column = Self::EMPTY;
            let (array, schema) = (take(&array)?, take(&schema)?);
            let pushed = column.push(array, &schema);
            pushed.map_err(|error| of_argument(object.py(), name, error))?;
            Ok(column)
        } else if object.hasattr("__arrow_c_stream__")? {
            let stream = take(&object.call_method0("__arrow_c_stream__")?)?;
            // Reading or releasing a stream may wait for threads that run Python code.
            let read = object.py().detach(|| Self::read(stream));
            read.map_err(|error| of_argument(object.py(), name, error))
        } else {
            Err(not_a_column(name, "an Arrow column", object))
        }
    }

    /// Takes a column as [`of`](Self::of) does, but refuses integers.
    pub fn of_bytes(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let column = Self::of(object, name)?;
        if column.is_integers() == Some(true) {
            return Err(PyTypeError::new_err(format!(
                "{name}: an Arrow column of integers; expected bytes or text"
            )));
        }
        Ok(column)
    }

    fn read(mut stream: ArrowArrayStream) -> PyResult<Self> {
        let mut column = Self::EMPTY;
        let schema = stream.schema()?;
        while let Some(array) = stream.next()? {
            column.push(array, &schema)?;
        }
        if column.chunks.is_empty() && text(schema.format) != "+s" {
            Layouts::of(&schema)?;
        }
        Ok(column)
    }

    /// Returns true if the values are integers, false if they are bytes or text, and `None` if
    /// there are no values.
    pub fn is_integers(&self) -> Option<bool> {
        match self.chunks.first()?.layouts.of_values() {
            Layout::Integers { .. } => Some(true),
            Layout::Nulls => None,
            _ => Some(false),
        }
    }

    /// Returns true if the values are text.
    pub fn is_text(&self) -> bool {
        let chunk = self.chunks.first();
        chunk.is_some_and(|chunk| chunk.layouts.is_text)
    }

    fn push(&mut self, array: ArrowArray, schema: &ArrowSchema) -> PyResult<()> {
        let chunk = Chunk::new(array, schema)?;
        if chunk.len() > 0 {
            self.starts.push(self.len);
            self.len = self.len.checked_add(chunk.len()).ok_or(Broken)?;
            self.chunks.push(chunk);
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the values of `count` rows from `first` on. All of these rows must exist.
    pub fn rows(
        &self,
        first: usize,
        count: usize,
    ) -> impl Iterator<Item = Result<Value<'_>, Broken>> {
        let chunk = self.starts.partition_point(|&start| start <= first);
        let mut number = chunk.saturating_sub(1);
        let mut row = first - self.starts.get(number).copied().unwrap_or(0);
        (0..count).map(move |_| {
            let mut chunk = self.chunks.get(number).ok_or(Broken)?;
            if row == chunk.len() {
                number += 1;
                row = 0;
                chunk = self.chunks.get(number).ok_or(Broken)?;
            }
            row += 1;
            chunk.get(row - 1)
        })
    }
}

impl ArrowArrayStream {
    fn schema(&mut self) -> PyResult<ArrowSchema> {
        let mut schema = ArrowSchema::EMPTY;
        // SAFETY: the stream is not released, and the schema is empty memory for it.
        let code = self.get_schema.map(|get| unsafe { get(self, &mut schema) });
        self.check(code)?;
        Ok(schema)
    }

    fn next(&mut self) -> PyResult<Option<ArrowArray>> {
        let mut array = ArrowArray::EMPTY;
        // SAFETY: the stream is not released, and the array is empty memory for it.
        let code = self.get_next.map(|get| unsafe { get(self, &mut array) });
        self.check(code)?;
        Ok((!array.is_released()).then_some(array))
    }

    fn check(&mut self, code: Option<c_int>) -> PyResult<()> {
        if code == Some(0) {
            return Ok(());
        }
        // SAFETY: the stream is not released, and its last call failed.
        let error = self.get_last_error.map(|get| unsafe { get(self) });
        let error = error.map_or_else(String::new, text);
        Err(PyValueError::new_err(format!(
            "the Arrow stream failed: {error}"
        )))
    }
}
