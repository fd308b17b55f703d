//! Arguments that are valid except one.

use super::{Arguments, Call, Choose, Number, World};
use rustle::RustleHandle;

/// The ways in which an argument, a field or an element can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wrong {
    /// A handle that was never issued.
    Invented,
    /// A live handle of another kind.
    Foreign,
    Null,
    Misaligned,
    /// Memory that is another argument's too.
    Shared,
    /// A length that no memory has.
    Endless,
    /// The size of another record.
    Size,
    /// A number that stands for no choice.
    Choice,
    /// Something other than 0 where nothing is to be.
    Reserved,
    /// Bytes that are not UTF-8.
    Text,
    NotANumber,
    Negative,
}

impl Wrong {
    const ALL: [Self; 12] = [
        Self::Invented,
        Self::Foreign,
        Self::Null,
        Self::Misaligned,
        Self::Shared,
        Self::Endless,
        Self::Size,
        Self::Choice,
        Self::Reserved,
        Self::Text,
        Self::NotANumber,
        Self::Negative,
    ];

    /// Calls `check` for `call` with arguments of which one at a time is wrong, in each way, at each place. The others are those
    /// of `basis`.
    pub(crate) fn each(
        call: &Call,
        basis: Basis,
        world: &mut World,
        mut check: impl FnMut(&mut World, &Arguments, Self, usize),
    ) {
        // An object that is not a runtime.
        world.make("pitch", None);
        for wrong in Self::ALL {
            for place in 0.. {
                let mut choose = AllButOne {
                    basis,
                    wrong: Some(wrong),
                    left: place,
                };
                let arguments = Arguments::new(call, &mut choose, world);
                if choose.left != DONE {
                    break;
                }
                check(world, &arguments, wrong, place);
            }
        }
    }
}

/// The valid arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The examples.
    Examples,
    /// The examples, with the last of each choice and the other of yes and no: calls then read arguments that they ignore
    /// otherwise.
    OtherChoices,
}

impl Basis {
    pub(crate) const ALL: [Self; 2] = [Self::Examples, Self::OtherChoices];

    /// The arguments of `call` with nothing wrong.
    pub(crate) fn arguments(self, call: &Call, world: &mut World) -> Arguments {
        let mut choose = AllButOne {
            basis: self,
            wrong: None,
            left: 0,
        };
        Arguments::new(call, &mut choose, world)
    }
}

/// The arguments of a basis, with one place wrong.
struct AllButOne {
    basis: Basis,
    wrong: Option<Wrong>,
    /// The places that are skipped before it; then [`DONE`].
    left: usize,
}

const DONE: usize = usize::MAX;

impl AllButOne {
    /// Whether something is wrong here, at a place where that can be.
    fn is(&mut self, wrong: Wrong) -> bool {
        if self.wrong != Some(wrong) || self.left == DONE {
            return false;
        }
        self.left = self.left.wrapping_sub(1);
        self.left == DONE
    }
}

impl Choose for AllButOne {
    fn number(&mut self, kind: Number, example: f64) -> u64 {
        let is_real = matches!(kind, Number::F32 | Number::F64);
        let value = if is_real && self.is(Wrong::NotANumber) {
            f64::NAN
        } else if is_real && self.is(Wrong::Negative) {
            -1e300
        } else {
            example
        };
        u64::from_ne_bytes(kind.bytes(value).0)
    }

    fn choice(&mut self, numbers: &[u32], example: u32) -> u32 {
        if self.is(Wrong::Choice) {
            999
        } else if self.basis == Basis::OtherChoices {
            numbers.last().copied().unwrap_or(example)
        } else {
            example
        }
    }

    fn flag(&mut self, example: bool) -> u32 {
        u32::from(example != (self.basis == Basis::OtherChoices))
    }

    fn reserved(&mut self) -> u8 {
        u8::from(self.is(Wrong::Reserved))
    }

    fn is_null(&mut self, may_be: bool) -> bool {
        !may_be && self.is(Wrong::Null)
    }

    fn is_misaligned(&mut self) -> bool {
        self.is(Wrong::Misaligned)
    }

    fn is_shared(&mut self) -> bool {
        self.is(Wrong::Shared)
    }

    fn count(&mut self, example: usize) -> usize {
        if self.is(Wrong::Endless) {
            usize::MAX
        } else if self.left == DONE {
            // No elements are fine at any address.
            example.max(1)
        } else {
            example
        }
    }

    fn size(&mut self, size: usize) -> usize {
        size + if self.is(Wrong::Size) { 8 } else { 0 }
    }

    fn text(&mut self, example: &str) -> Vec<u8> {
        if self.is(Wrong::Text) {
            vec![0xff, 0xfe]
        } else {
            example.as_bytes().to_vec()
        }
    }

    fn handle(&mut self, world: &World, kind: &str) -> Option<RustleHandle> {
        if self.is(Wrong::Invented) {
            Some(world.latest(kind).map_or(1, |handle| handle ^ 1 << 60))
        } else if self.is(Wrong::Foreign) {
            Some(world.of_another_kind(kind))
        } else {
            None
        }
    }
}
