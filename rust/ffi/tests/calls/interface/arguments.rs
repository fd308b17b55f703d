//! The arguments of one call, and the memory that they point to.

use super::making::Making;
use super::{Call, Choose, World};
use rustle::lent::{Lent, RustleString};
use rustle::object::rustle_refuse_kind;
use rustle::sink::RustleSink;
use rustle::status::{RustleError, RustleStatus};
use rustle::RustleHandle;
use std::mem::MaybeUninit;

/// The content of memory for results before a call.
pub(super) const UNTOUCHED: u8 = 0x77;

/// A verb of any object.
type Verb = unsafe extern "C" fn(RustleHandle, *mut RustleError) -> RustleStatus;

#[derive(Clone, Copy, Default)]
pub(super) struct Value {
    /// A number's bits, or an address.
    pub(super) word: u64,
    pub(super) count: usize,
    /// The bytes at the address that a failed call leaves alone.
    pub(super) kept: usize,
    /// The bytes at the address that no other argument may share; 0 when something else is wrong with the address.
    pub(super) bytes: usize,
    pub(super) is_output: bool,
    /// The passed size of a record, or of an element.
    pub(super) size: usize,
}

impl Value {
    pub(super) fn of(word: u64) -> Self {
        Self {
            word,
            ..Self::default()
        }
    }

    /// Whether the two must not share their memory.
    pub(super) fn is_apart(&self, other: &Self) -> bool {
        self.bytes > 0 && other.bytes > 0 && (self.is_output || other.is_output)
    }

    /// Makes both share the memory of the larger one.
    pub(super) fn share(&mut self, other: &mut Self) {
        let (larger, smaller) = if self.bytes < other.bytes {
            (other, self)
        } else {
            (self, other)
        };
        smaller.word = larger.word;
        if !larger.is_output {
            smaller.kept = 0;
        }
    }
}

/// The arguments of a call.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(super) values: Vec<Value>,
    /// The memory that records lend.
    pub(super) lent: Vec<Value>,
    /// Memory that is aligned for every record.
    pub(super) blocks: Vec<Box<[u64]>>,
    pub(super) sink: Option<RustleSink>,
    /// Where the handle of a new object is written.
    pub(super) new: Box<RustleHandle>,
    /// Where there is room for results, and for how many bytes.
    pub(super) rooms: Vec<(u64, usize)>,
    /// The handle that the call is on, if it is on one, and the kind that it wants.
    pub(super) on: Option<(RustleHandle, &'static str)>,
}

impl Arguments {
    /// Makes the arguments of `call` by the decisions of `choose`.
    pub(crate) fn new(call: &Call, choose: &mut dyn Choose, world: &mut World) -> Self {
        Making::arguments(call, choose, world)
    }

    /// The arguments of a call on an object without further ones.
    pub(crate) fn on_handle(handle: RustleHandle) -> Self {
        Self {
            values: vec![Value::of(handle)],
            ..Self::default()
        }
    }

    /// Makes the call with an error record at hand; returns its status and the text of its failure.
    pub(crate) fn run(&self, call: &Call) -> (RustleStatus, String) {
        let mut error = MaybeUninit::<RustleError>::uninit();
        let status = (call.run)(self, error.as_mut_ptr());
        if status == rustle::status::RUSTLE_OK {
            return (status, String::new());
        }
        // SAFETY: every function that fails writes its error record.
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

    /// Whether the memory for results is unchanged.
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

    /// Calls a verb on the object, if it is of this kind, as the header's typed functions do.
    ///
    /// # Safety
    /// `error` is NULL or valid for a write.
    pub(crate) unsafe fn of_kind(&self, verb: Verb, kind: u32, error: *mut RustleError) -> RustleStatus {
        let object = self.handle(0);
        if object >> 32 & 31 == u64::from(kind) {
            // SAFETY: the promise is handed on.
            unsafe { verb(object, error) }
        } else {
            // SAFETY: as above.
            unsafe { rustle_refuse_kind(object, kind, error) }
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

    pub(crate) fn i64(&self, place: usize) -> i64 {
        self.values[place].word.cast_signed()
    }

    pub(crate) fn usize(&self, place: usize) -> usize {
        self.values[place].word as usize
    }

    pub(crate) fn f64(&self, place: usize) -> f64 {
        f64::from_bits(self.values[place].word)
    }
}

/// Whether memory of a call's arguments is unchanged by the call.
fn is_untouched(start: u64, length: usize) -> bool {
    let start = std::ptr::with_exposed_provenance::<u8>(start as usize);
    // SAFETY: the address is that of a block of the arguments', which has this many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(start, length) };
    bytes.iter().all(|byte| *byte == UNTOUCHED)
}
