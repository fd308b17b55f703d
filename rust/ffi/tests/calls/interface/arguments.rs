//! The arguments of one call, and the memory that they point to.

use super::{Call, Choose, Element, Record, What, World};
use rustle::lent::{Lent, RustleString};
use rustle::sink::RustleSink;
use rustle::status::{RustleError, RustleStatus};
use rustle::RustleHandle;
use std::mem::MaybeUninit;

/// What stands in memory for results before a call.
const UNTOUCHED: u8 = 0x77;

/// Memory that is aligned for every record.
type Block = Box<[u64]>;

#[derive(Clone, Copy, Default)]
struct Value {
    /// A number's bits, or an address.
    word: u64,
    count: usize,
    /// The bytes at the address that a failed call leaves alone.
    kept: usize,
    /// What is said of the size of a record, or of an element.
    size: usize,
}

fn plain(word: u64) -> Value {
    Value {
        word,
        ..Value::default()
    }
}

/// The arguments of a call.
pub(crate) struct Arguments {
    values: Vec<Value>,
    blocks: Vec<Block>,
    sink: Option<RustleSink>,
    /// Where the handle of a new object is written.
    new: Box<RustleHandle>,
    /// Where there is room for elements, and for how many bytes.
    rooms: Vec<(u64, usize)>,
    /// The handle that the call is on, if it is on one.
    on: Option<(RustleHandle, &'static str)>,
}

impl Arguments {
    /// The arguments of `call` as `choose` decides.
    pub(crate) fn new(call: &Call, choose: &mut impl Choose, world: &mut World) -> Self {
        let mut out = Self::of(Vec::new());
        // Verbs promise nothing about memory that overlaps: they write when all is read.
        let is_checked = call.parameters.iter().any(|parameter| {
            matches!(parameter.what, What::Slice(..) | What::SliceMut(..)) && !call.name.contains("_drain")
        });
        for parameter in call.parameters {
            let mut value = out.value(&parameter.what, choose, world);
            if parameter.size > 0 {
                value.size = choose.size(parameter.size);
            }
            let shared = out.values.last().copied().filter(|last| {
                is_checked && last.word != 0 && last.count == 0 && last.kept > 0 && parameter.what.is_memory()
            });
            out.values.push(match shared {
                Some(last) if value.kept > 0 && value.count == 0 && choose.is_shared() => Value {
                    size: value.size,
                    ..last
                },
                _ => value,
            });
        }
        out
    }

    /// Those of a call on an object that takes nothing else.
    pub(crate) fn on_handle(handle: RustleHandle) -> Self {
        Self::of(vec![plain(handle)])
    }

    fn of(values: Vec<Value>) -> Self {
        Self {
            values,
            blocks: Vec::new(),
            sink: None,
            new: Box::new(0),
            on: None,
            rooms: Vec::new(),
        }
    }

    fn value(&mut self, what: &What, choose: &mut impl Choose, world: &mut World) -> Value {
        match what {
            What::Handle(maker) => {
                let handle = choose.handle(world, maker.kind);
                let handle = handle.unwrap_or_else(|| world.make(maker.kind, maker.function));
                self.on = Some((handle, maker.kind));
                plain(handle)
            }
            What::NewHandle if choose.is_null(false) => Value::default(),
            What::NewHandle => plain(std::ptr::from_mut(&mut *self.new).addr() as u64),
            // 0 would be the shared runtime, whose time goes on by itself.
            What::Runtime => {
                let handle = choose.handle(world, "runtime").filter(|handle| *handle != 0);
                plain(handle.unwrap_or_else(|| world.runtime()))
            }
            What::Number(kind, example) => plain(choose.number(*kind, *example)),
            What::Choice(numbers, example) => plain(u64::from(choose.choice(numbers, *example))),
            What::Flag(example) => plain(u64::from(choose.choice(&[0, 1], u32::from(*example)))),
            What::Text(example) => {
                let text = choose.text(example);
                Value {
                    count: text.len(),
                    ..self.placed(&text)
                }
            }
            What::In(record, may_be) => {
                let bytes = self.record(record, choose, world);
                self.one(&bytes, *may_be, choose)
            }
            What::Out(size, may_be) => Value {
                kept: *size,
                ..self.one(&vec![UNTOUCHED; *size], *may_be, choose)
            },
            What::Slice(element, count) => self.elements(element, *count, choose, world),
            What::SliceMut(size, room) => {
                let value = self.placed(&vec![UNTOUCHED; size * room]);
                let start = value.word;
                let value = self.slice(value, *size, *room, choose);
                self.rooms.push((start, size * room));
                value
            }
            What::Sink => {
                self.sink = Some(world.sink(choose.is_null(false)));
                Value::default()
            }
            What::Record(_) | What::List(..) | What::Reserved => unreachable!("in fields only"),
        }
    }

    /// A value that points to a copy of the bytes.
    fn placed(&mut self, bytes: &[u8]) -> Value {
        let block = self.block(bytes.len());
        block[..bytes.len()].copy_from_slice(bytes);
        plain(block.as_mut_ptr().expose_provenance() as u64)
    }

    fn block(&mut self, bytes: usize) -> &mut [u8] {
        self.blocks.push(vec![0; bytes.div_ceil(8).max(1)].into());
        let block = self.blocks.last_mut().expect("it was just added");
        let (start, length) = (block.as_mut_ptr().cast::<u8>(), block.len() * 8);
        // SAFETY: the words are this object's own, and any bits are bytes.
        unsafe { std::slice::from_raw_parts_mut(start, length) }
    }

    /// A pointer to a copy of the bytes, as `choose` spoils it.
    fn one(&mut self, bytes: &[u8], may_be: bool, choose: &mut impl Choose) -> Value {
        if choose.is_null(may_be) {
            Value::default()
        } else if bytes.len() > 1 && choose.is_misaligned() {
            plain(self.placed(&[&bytes[..1], bytes].concat()).word + 1)
        } else {
            self.placed(bytes)
        }
    }

    /// A pointer to `count` elements of `size` bytes, as `choose` spoils it.
    fn slice(&mut self, value: Value, size: usize, count: usize, choose: &mut impl Choose) -> Value {
        let word = if choose.is_null(false) {
            0
        } else if size > 1 && choose.is_misaligned() {
            value.word + 1
        } else {
            value.word
        };
        let count = match choose.count(count) {
            // A misaligned pointer, or a length that no memory has, is refused before the memory is read.
            said if said <= count || said > isize::MAX as usize / size.max(1) => said,
            _ => count,
        };
        Value { count, ..plain(word) }
    }

    fn elements(
        &mut self,
        element: &Element,
        count: usize,
        choose: &mut impl Choose,
        world: &mut World,
    ) -> Value {
        let mut bytes = Vec::with_capacity(element.size * count);
        for place in 0..count {
            let mut one = vec![0; element.size];
            match &element.what {
                // A wave that has a pitch.
                What::Number(kind, _) if element.size >= 4 => {
                    let sample = 0.5 * (place as f64 * 0.25).sin();
                    let (number, length) = kind.bytes(sample);
                    one.copy_from_slice(&number[..length]);
                }
                // Names that differ.
                What::Text("") => {
                    let name = char::from(b'A' + (place % 26) as u8).to_string();
                    self.put(&mut one, 0, &What::Text(""), choose, world, Some(&name));
                }
                what => self.put(&mut one, 0, what, choose, world, None),
            }
            bytes.extend(one);
        }
        let value = self.placed(&bytes);
        self.slice(value, element.size, count, choose)
    }

    fn record(&mut self, record: &Record, choose: &mut impl Choose, world: &mut World) -> Vec<u8> {
        let mut bytes = vec![0; record.size];
        for field in record.fields {
            self.put(&mut bytes, field.offset, &field.what, choose, world, None);
        }
        bytes
    }

    /// Writes a field.
    fn put(
        &mut self,
        bytes: &mut [u8],
        offset: usize,
        what: &What,
        choose: &mut impl Choose,
        world: &mut World,
        text: Option<&str>,
    ) {
        let mut write = |offset: usize, word: u64, length: usize| {
            bytes[offset..offset + length].copy_from_slice(&word.to_ne_bytes()[..length]);
        };
        match what {
            What::Reserved => {}
            What::Record(record) => {
                let inner = self.record(record, choose, world);
                bytes[offset..offset + inner.len()].copy_from_slice(&inner);
            }
            What::Text(example) => {
                let value = self.value(
                    &What::Text(if text.is_some() { "" } else { example }),
                    choose,
                    world,
                );
                let value = match text {
                    Some(text) if value.count == 0 => {
                        let count = text.len();
                        Value {
                            count,
                            ..self.placed(text.as_bytes())
                        }
                    }
                    _ => value,
                };
                write(offset, value.word, 8);
                write(offset + 8, value.count as u64, 8);
            }
            What::List(element, count_offset, count) => {
                let value = self.elements(element, *count, choose, world);
                write(offset, value.word, 8);
                write(*count_offset, value.count as u64, 8);
            }
            What::Number(kind, _) => {
                let word = self.value(what, choose, world).word;
                write(offset, word, kind.bytes(0.0).1);
            }
            What::Choice(..) | What::Flag(_) => {
                let word = self.value(what, choose, world).word;
                write(offset, word, 4);
            }
            _ => {
                let word = self.value(what, choose, world).word;
                write(offset, word, 8);
            }
        }
    }

    /// Makes the call with an error record at hand; returns its status and the text of its failure.
    pub(crate) fn run(&self, call: &Call) -> (RustleStatus, String) {
        let mut error = MaybeUninit::<RustleError>::uninit();
        let status = (call.run)(self, error.as_mut_ptr());
        if status == rustle::status::RUSTLE_OK {
            return (status, String::new());
        }
        // SAFETY: every function that fails writes the record that it is handed.
        let error = unsafe { error.assume_init_ref() };
        assert_eq!(error.status, status, "{}", call.name);
        let text = &error.message[..error.message_length as usize];
        (
            status,
            std::str::from_utf8(text).expect("a text is UTF-8").to_owned(),
        )
    }

    /// Makes the call with an error record at hand, and looks at nothing else.
    pub(crate) fn run_bare(&self, call: &Call) -> RustleStatus {
        let mut error = MaybeUninit::<RustleError>::uninit();
        (call.run)(self, error.as_mut_ptr())
    }

    /// Whether the memory for results is as it was.
    pub(crate) fn is_untouched(&self) -> bool {
        let rooms = self.rooms.iter().copied();
        *self.new == 0
            && rooms
                .chain(self.places())
                .all(|(start, length)| is_untouched(start, length))
    }

    /// Whether each place for a single result has been written.
    pub(crate) fn is_written(&self) -> bool {
        self.places().all(|(start, length)| !is_untouched(start, length))
    }

    /// The places for single results: where they are, and their bytes.
    fn places(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        let places = self
            .values
            .iter()
            .filter(|value| value.kept > 0 && value.word != 0);
        places.map(|value| (value.word, value.kept))
    }

    /// The handle of the object that the call has made.
    pub(crate) fn new_handle(&self) -> RustleHandle {
        *self.new
    }

    /// The handle that the call is on, and the kind that it wants.
    pub(crate) fn on(&self) -> Option<(RustleHandle, &'static str)> {
        self.on
    }

    pub(crate) fn handle(&self, place: usize) -> RustleHandle {
        self.values[place].word
    }

    /// The handle, when it is of this kind, as the header's typed functions hand it on.
    pub(crate) fn of_kind(&self, place: usize, kind: u64) -> RustleHandle {
        let handle = self.handle(place);
        if handle >> 32 & 31 == kind {
            handle
        } else {
            0
        }
    }

    pub(crate) fn input<T>(&self, place: usize) -> *const T {
        std::ptr::with_exposed_provenance(self.values[place].word as usize)
    }

    pub(crate) fn output<T>(&self, place: usize) -> *mut T {
        std::ptr::with_exposed_provenance_mut(self.values[place].word as usize)
    }

    pub(crate) fn count(&self, place: usize) -> usize {
        self.values[place].count
    }

    pub(crate) fn size(&self, place: usize) -> usize {
        self.values[place].size
    }

    pub(crate) fn text(&self, place: usize) -> RustleString {
        RustleString {
            // SAFETY: the text is in a block of this object's, which outlives the call.
            data: unsafe { Lent::new(self.input(place)) },
            length: self.count(place),
        }
    }

    pub(crate) fn sink(&self, _place: usize) -> RustleSink {
        self.sink.expect("the call has a sink")
    }

    pub(crate) fn u32(&self, place: usize) -> u32 {
        self.values[place].word as u32
    }

    pub(crate) fn u64(&self, place: usize) -> u64 {
        self.values[place].word
    }

    pub(crate) fn usize(&self, place: usize) -> usize {
        self.values[place].word as usize
    }

    pub(crate) fn f64(&self, place: usize) -> f64 {
        f64::from_bits(self.values[place].word)
    }
}

/// Whether memory of a call's arguments is as it was before the call.
fn is_untouched(start: u64, length: usize) -> bool {
    let start = std::ptr::with_exposed_provenance::<u8>(start as usize);
    // SAFETY: the address is that of a block of the arguments', which has so many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(start, length) };
    bytes.iter().all(|byte| *byte == UNTOUCHED)
}
