//! The sources of the arguments of calls.

use super::{Number, World};
use rustle::RustleHandle;

/// Decides about arguments. Every decision that is not overridden is the example's.
pub(crate) trait Choose {
    /// A number, by its bits.
    fn number(&mut self, kind: Number, example: f64) -> u64 {
        u64::from_ne_bytes(kind.bytes(example).0)
    }

    /// One of the numbers of an enumeration, or another.
    fn choice(&mut self, _numbers: &[u32], example: u32) -> u32 {
        example
    }

    /// A boolean.
    fn flag(&mut self, example: bool) -> u32 {
        u32::from(example)
    }

    /// The content of memory that is to be 0.
    fn reserved(&mut self) -> u8 {
        0
    }

    /// Whether a pointer is NULL.
    fn is_null(&mut self, _may_be: bool) -> bool {
        false
    }

    /// Whether a pointer is misaligned.
    fn is_misaligned(&mut self) -> bool {
        false
    }

    /// Whether an argument shares its memory with one before it, where that is refused.
    fn is_shared(&mut self) -> bool {
        false
    }

    /// A number of elements: the passed length of memory that has `example` of them.
    fn count(&mut self, example: usize) -> usize {
        example
    }

    /// The passed size of a record, where the call takes it.
    fn size(&mut self, size: usize) -> usize {
        size
    }

    /// A text.
    fn text(&mut self, example: &str) -> Vec<u8> {
        example.as_bytes().to_vec()
    }

    /// A handle for an argument of `kind`; `None`: a live one, made for the call.
    fn handle(&mut self, _world: &World, _kind: &str) -> Option<RustleHandle> {
        None
    }
}

/// The examples.
pub(crate) struct Exact;

impl Choose for Exact {}

/// Random decisions of a source of bytes.
pub(crate) struct Chooser<Source> {
    source: Source,
}

const INF: f64 = f64::INFINITY;
/// Numbers at the limits of the functions' ranges.
const EDGES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    64.0,
    256.0,
    8_000.0,
    48_000.0,
    1e9,
    -1e300,
    1e300,
    f64::NAN,
    INF,
    5e-324,
];

impl<Source: FnMut() -> Option<u8>> Chooser<Source> {
    pub(crate) fn new(source: Source) -> Self {
        Self { source }
    }

    /// Whether the source has ended.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        (self.source)()
    }

    /// A number below `bound`, at most 65,536; 0 at the end of the source.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let low = usize::from(self.byte().unwrap_or(0));
        let high = match bound {
            257.. => usize::from(self.byte().unwrap_or(0)),
            _ => 0,
        };
        (high << 8 | low) % bound
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte().unwrap_or(0)))
    }
}

impl<Source: FnMut() -> Option<u8>> Choose for Chooser<Source> {
    fn number(&mut self, kind: Number, example: f64) -> u64 {
        match self.below(16) {
            0 => self.word(),
            1 | 2 => {
                let edge = EDGES[self.below(EDGES.len())];
                u64::from_ne_bytes(kind.bytes(edge).0)
            }
            3 => u64::from_ne_bytes(kind.bytes(example * self.below(5) as f64 / 2.0).0),
            _ => u64::from_ne_bytes(kind.bytes(example).0),
        }
    }

    fn choice(&mut self, numbers: &[u32], example: u32) -> u32 {
        match self.below(8) {
            0 => self.word() as u32,
            1 | 2 => example,
            _ => numbers[self.below(numbers.len())],
        }
    }

    fn flag(&mut self, example: bool) -> u32 {
        self.choice(&[0, 1], u32::from(example))
    }

    fn reserved(&mut self) -> u8 {
        u8::from(self.below(64) == 1)
    }

    fn is_null(&mut self, may_be: bool) -> bool {
        self.below(if may_be { 2 } else { 24 }) == 1
    }

    fn is_misaligned(&mut self) -> bool {
        self.below(48) == 1
    }

    fn is_shared(&mut self) -> bool {
        self.below(32) == 1
    }

    fn count(&mut self, example: usize) -> usize {
        match self.below(32) {
            0 => 0,
            1 => 1.min(example),
            2 => [usize::MAX, usize::MAX / 2, usize::MAX / 4, isize::MAX as usize][self.below(4)],
            // Long ones take long, and few calls fail for a short one.
            3..=17 => example.min(self.below(65)),
            _ => example,
        }
    }

    fn size(&mut self, size: usize) -> usize {
        match self.below(64) {
            1 => size + 8,
            2 => self.below(1_024),
            _ => size,
        }
    }

    fn text(&mut self, example: &str) -> Vec<u8> {
        match self.below(16) {
            0 => (0..self.below(40)).map(|_| self.byte().unwrap_or(0)).collect(),
            1 => vec![0xff, 0xfe],
            2 => Vec::new(),
            3 => vec![b'x'; 40],
            _ => example.as_bytes().to_vec(),
        }
    }

    fn handle(&mut self, world: &World, kind: &str) -> Option<RustleHandle> {
        let recent = world.recent();
        match self.below(32) {
            0 => Some(0),
            1 => Some(self.word()),
            2 if !recent.is_empty() => Some(recent[self.below(recent.len())] ^ 1 << self.below(64)),
            3 if !recent.is_empty() => Some(recent[self.below(recent.len())]),
            4 => None,
            _ => world.latest(kind),
        }
    }
}
