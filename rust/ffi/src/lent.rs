//! Fields of a caller's record other than plain numbers: memory lent for the call, and choices by number.

use crate::slice::{borrowed, Argument};
use crate::status::CallFault;
use std::marker::PhantomData;

/// A pointer in a record to memory that the caller lends for the duration of the call: `const T *` in C.
///
/// Only a caller's record has one, or `unsafe` code with the same promise: the memory is readable for the accompanying length and
/// not written meanwhile.
#[repr(transparent)]
pub struct Lent<T>(*const T);

impl<T> Lent<T> {
    /// A pointer of a caller in Rust, such as a test.
    ///
    /// # Safety
    /// Unless it is NULL or misaligned, `data` can be read for the length that goes with it while the record is in use.
    pub const unsafe fn new(data: *const T) -> Self {
        Self(data)
    }

    /// The `length` elements at the pointer, at most `most`. Errors: as [`borrowed`]; a longer list, which is not read then.
    pub(crate) fn slice(&self, length: usize, most: usize, name: &'static str) -> Result<&[T], CallFault> {
        if length > most {
            return Err(CallFault::too_long(name, most, length));
        }
        // SAFETY: the maker of the record promises that the memory can be read while the record exists.
        unsafe { borrowed(self.0, length, name) }
    }

    /// The memory, to check for overlap with other memory.
    pub(crate) fn piece(&self, name: &'static str, length: usize) -> Argument {
        Argument::new(name, self.0, length)
    }

    /// Maps the elements of [`slice`](Self::slice) by `read`.
    pub(crate) fn read<U>(
        &self,
        length: usize,
        most: usize,
        name: &'static str,
        mut read: impl FnMut(&T) -> Result<U, CallFault>,
    ) -> Result<Vec<U>, CallFault> {
        let elements = self.slice(length, most, name)?.iter().enumerate();
        elements
            .map(|(position, element)| read(element).map_err(|fault| fault.within(name, position)))
            .collect()
    }
}

/// The maximum length of a text in bytes.
const LONGEST_TEXT: usize = 1 << 20;
/// The longest file in bytes.
const LONGEST_FILE: usize = 64 << 20;

/// The bytes of text at `data`, `length` of them, at most 1,048,576, of a file 67,108,864: UTF-8, not NUL-terminated, owned by the caller, read during
/// the call only.
#[repr(C)]
pub struct RustleString {
    /// The first byte; may be NULL when `length` is 0.
    pub data: Lent<u8>,
    /// The number of bytes.
    pub length: usize,
}

impl RustleString {
    /// A text of a caller in Rust.
    pub const fn of(text: &'static str) -> Self {
        Self {
            // SAFETY: the text is static.
            data: unsafe { Lent::new(text.as_ptr()) },
            length: text.len(),
        }
    }

    /// The text. Errors: as [`borrowed`]; not UTF-8.
    pub(crate) fn text(&self, name: &'static str) -> Result<&str, CallFault> {
        self.within(LONGEST_TEXT, name)
    }

    /// The text of a file. Errors: as [`text`](Self::text).
    pub(crate) fn file(&self, name: &'static str) -> Result<&str, CallFault> {
        self.within(LONGEST_FILE, name)
    }

    fn within(&self, most: usize, name: &'static str) -> Result<&str, CallFault> {
        let bytes = self.data.slice(self.length, most, name)?;
        std::str::from_utf8(bytes).map_err(|error| CallFault::utf8(name, error.valid_up_to()))
    }

    /// The texts of a list. Errors: as [`text`](Self::text), of the first that is refused.
    pub(crate) fn texts<'a>(list: &'a [Self], name: &'static str) -> Result<Vec<&'a str>, CallFault> {
        let texts = list.iter().enumerate();
        texts
            .map(|(position, text)| text.text(name).map_err(|fault| fault.within(name, position)))
            .collect()
    }
}

/// A number for a choice of `E`, as passed by the caller and not yet checked. `uint32_t` in C.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Choice<E> {
    number: u32,
    of: PhantomData<fn() -> E>,
}

impl<E: Choices> Choice<E> {
    /// A number that may be invalid.
    pub const fn of_number(number: u32) -> Self {
        Self {
            number,
            of: PhantomData,
        }
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// The choice with this number, passed as the argument `name`. Errors: there is none.
    pub(crate) fn get(self, name: &'static str) -> Result<E, CallFault> {
        E::of(self.number).ok_or_else(|| CallFault::number(name, E::EXPECTED, self.number))
    }
}

impl<E: Choices> From<E> for Choice<E> {
    fn from(choice: E) -> Self {
        Self::of_number(choice.number())
    }
}

/// A boolean: true unless 0. `uint32_t` in C.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag(u32);

impl Flag {
    /// Whether it is not 0.
    pub const fn is_set(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Flag {
    fn from(is_set: bool) -> Self {
        Self(u32::from(is_set))
    }
}

/// An enumeration of numbers of the C interface.
pub trait Choices: Copy + 'static {
    /// The text of a refusal.
    const EXPECTED: &'static str;

    /// The choice with this number.
    fn of(number: u32) -> Option<Self>;

    /// Its number.
    fn number(self) -> u32;
}

/// Declares enumerations whose numbers are `PREFIX_CASE` in C: `pub enum RustleColor = RUSTLE_COLOR_ { Red = 0, … }`; with `for
/// Color` before the brace also the conversion to a domain's type with the same cases.
macro_rules! choices {
    (@into [] $name:ident { $($case:ident)+ }) => {};
    (@into [$domain:ident] $name:ident { $($case:ident)+ }) => {
        $crate::lent::same!($name as $domain: $($case)+);
    };
    ($(
        $(#[$about:meta])* pub enum $name:ident = $prefix:ident $(for $domain:ident)? {
            $($(#[$doc:meta])* $case:ident = $number:literal),+ $(,)?
        }
    )+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name {
            $($(#[$doc])* $case = $number),+
        }

        impl $crate::lent::Choices for $name {
            const EXPECTED: &'static str = concat!("one of ", stringify!($prefix), "…");

            fn of(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$case),)+
                    _ => None,
                }
            }

            fn number(self) -> u32 {
                self as u32
            }
        }

        $crate::lent::choices!(@into [$($domain)?] $name { $($case)+ });
    )+};
}
pub(crate) use choices;

/// Declares the conversion of an enumeration into another with cases of the same names: `same!(Hue as Color: Red Green)`.
macro_rules! same {
    ($from:ident as $to:ident: $($case:ident)+) => {
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                match from {
                    $($from::$case => Self::$case),+
                }
            }
        }
    };
}
pub(crate) use same;
