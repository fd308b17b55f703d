//! The arguments of a call, made from its description.

use super::arguments::{Value, UNTOUCHED};
use super::{Arguments, Call, Choose, Element, Record, What, World};

/// The names of elements that are to differ.
const NAMES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The maker of arguments.
pub(super) struct Making<'a> {
    out: Arguments,
    choose: &'a mut dyn Choose,
    world: &'a mut World,
}

impl<'a> Making<'a> {
    /// The arguments of `call` as `choose` decides.
    pub(super) fn arguments(call: &Call, choose: &'a mut dyn Choose, world: &'a mut World) -> Arguments {
        let out = Arguments::default();
        let mut making = Self { out, choose, world };
        let mut is_shared = false;
        for parameter in call.parameters {
            let mut value = making.value(&parameter.what);
            if parameter.size > 0 {
                value.size = making.choose.size(parameter.size);
            }
            for lent in &making.out.lent {
                let fits = value.is_output && (1..=lent.bytes).contains(&value.bytes);
                if fits && !is_shared && making.choose.is_shared() {
                    (value.word, value.kept, value.bytes) = (lent.word, 0, 0);
                    is_shared = true;
                }
            }
            for other in &mut making.out.values {
                if value.is_apart(other) && !is_shared && making.choose.is_shared() {
                    value.share(other);
                    is_shared = true;
                }
            }
            making.out.values.push(value);
        }
        making.out
    }

    fn value(&mut self, what: &What) -> Value {
        match what {
            What::Handle(maker) => {
                let handle = self.choose.handle(self.world, maker.kind);
                // A second object is not the first one.
                let handle = handle.filter(|handle| self.out.on.is_none_or(|(on, _)| on != *handle));
                let handle = handle.unwrap_or_else(|| self.world.make(maker.kind, maker.function));
                // The first is the call's own object; a record after it may have another.
                self.out.on = self.out.on.or(Some((handle, maker.kind)));
                Value::of(handle)
            }
            What::NewHandle if self.choose.is_null(false) => Value::default(),
            What::Out(_, may_be) if self.choose.is_null(*may_be) => Value::default(),
            What::NewHandle => Value::of(std::ptr::from_mut(&mut *self.out.new).addr() as u64),
            // 0 would be the shared runtime, whose time is real.
            What::Runtime => {
                let handle = self
                    .choose
                    .handle(self.world, "runtime")
                    .filter(|handle| *handle != 0);
                Value::of(handle.unwrap_or_else(|| self.world.runtime()))
            }
            What::Number(kind, example) => Value::of(self.choose.number(*kind, *example)),
            What::Choice(numbers, example) => Value::of(self.choose.choice(numbers, *example).into()),
            What::Flag(example) => Value::of(self.choose.flag(*example).into()),
            What::Text(example) => {
                let text = self.choose.text(example);
                let value = self.placed(&text);
                self.slice(value, 1, text.len())
            }
            What::In(_) if self.choose.is_null(false) => Value::default(),
            What::In(record) => {
                let bytes = self.record(record);
                let value = self.placed(&bytes);
                self.aligned_or_not(value)
            }
            What::Out(size, _) => {
                let value = Value {
                    kept: *size,
                    is_output: true,
                    ..self.placed(&vec![UNTOUCHED; *size])
                };
                self.out.rooms.push((value.word, *size));
                self.aligned_or_not(value)
            }
            What::Slice(element, count) => self.elements(element, *count),
            What::SliceMut(size, room) => {
                let value = self.placed(&vec![UNTOUCHED; size * room]);
                self.out.rooms.push((value.word, size * room));
                Value {
                    is_output: true,
                    ..self.slice(value, *size, *room)
                }
            }
            What::Sink => {
                let (signal, release) = (self.choose.is_null(false), self.choose.is_null(false));
                self.out.sink = Some(self.world.sink(signal, release));
                Value::default()
            }
            What::Record(_) | What::List(..) | What::Reserved => unreachable!("in fields only"),
        }
    }

    /// A value that points to a copy of the bytes.
    fn placed(&mut self, bytes: &[u8]) -> Value {
        let mut block = vec![0_u64; bytes.len().div_ceil(8).max(1)].into_boxed_slice();
        let start = block.as_mut_ptr();
        // SAFETY: the block has room for the bytes, and is new.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.cast(), bytes.len()) };
        self.out.blocks.push(block);
        Value {
            word: start.expose_provenance() as u64,
            bytes: bytes.len(),
            ..Value::default()
        }
    }

    /// The value, or with an address that is misaligned for every record.
    fn aligned_or_not(&mut self, value: Value) -> Value {
        if self.choose.is_misaligned() {
            Value::of(value.word + 1)
        } else {
            value
        }
    }

    /// A pointer to `count` elements of `size` bytes, possibly made wrong by `choose`.
    fn slice(&mut self, value: Value, size: usize, count: usize) -> Value {
        let value = if self.choose.is_null(false) {
            Value::default()
        } else if size > 1 {
            self.aligned_or_not(value)
        } else {
            value
        };
        let is_read = value.word > 0 && value.word.is_multiple_of(8);
        let count = match self.choose.count(count) {
            // Nothing is read at NULL, at an address that is misaligned, and for a length that no memory has.
            said if !is_read || said <= count || said > isize::MAX as usize / size.max(1) => said,
            _ => count,
        };
        let bytes = if count == 0 { 0 } else { value.bytes };
        Value {
            count,
            bytes,
            ..value
        }
    }

    fn elements(&mut self, element: &Element, count: usize) -> Value {
        let mut bytes = vec![0; element.size * count];
        for place in 0..count {
            let one = &mut bytes[element.size * place..][..element.size];
            match &element.what {
                // A wave that has a pitch.
                What::Number(kind, _) if element.size >= 4 => {
                    let (number, length) = kind.bytes(0.5 * (place as f64 * 0.25).sin());
                    one.copy_from_slice(&number[..length]);
                }
                What::Text("") => self.put(one, 0, &What::Text(&NAMES[place % 26..][..1])),
                what => self.put(one, 0, what),
            }
        }
        let value = self.placed(&bytes);
        self.slice(value, element.size, count)
    }

    fn record(&mut self, record: &Record) -> Vec<u8> {
        let mut bytes = vec![0; record.size];
        for (place, field) in record.fields.iter().enumerate() {
            if matches!(field.what, What::Reserved) {
                let next = record.fields.get(place + 1);
                bytes[next.map_or(record.size, |next| next.offset) - 1] = self.choose.reserved();
            } else {
                self.put(&mut bytes, field.offset, &field.what);
            }
        }
        bytes
    }

    /// Writes a field.
    fn put(&mut self, bytes: &mut [u8], offset: usize, what: &What) {
        let mut write = |offset: usize, word: u64, length: usize| {
            bytes[offset..offset + length].copy_from_slice(&word.to_ne_bytes()[..length]);
        };
        match what {
            What::Record(record) => {
                let inner = self.record(record);
                bytes[offset..offset + inner.len()].copy_from_slice(&inner);
            }
            What::Text(_) => {
                let value = self.value(what);
                self.out.lent.push(value);
                write(offset, value.word, 8);
                write(offset + 8, value.count as u64, 8);
            }
            What::List(element, count_offset, count) => {
                let value = self.elements(element, *count);
                self.out.lent.push(value);
                write(offset, value.word, 8);
                write(*count_offset, value.count as u64, 8);
            }
            What::Number(kind, _) => write(offset, self.value(what).word, kind.bytes(0.0).1),
            What::Choice(..) | What::Flag(_) => write(offset, self.value(what).word, 4),
            _ => write(offset, self.value(what).word, 8),
        }
    }
}
