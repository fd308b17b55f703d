//! Pointers and lengths from C, checked and turned into slices.

use crate::guard::{fault_point, guarded};
use crate::status::{CallFault, Fault, RustleError, RustleStatus};

/// The bytes of text at `data`, `length` of them: UTF-8, not NUL-terminated, owned by the caller, read during the call only.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleString {
    /// The first byte; may be NULL when `length` is 0.
    pub data: *const u8,
    /// The number of bytes.
    pub length: usize,
}

/// `length` elements at `data`, borrowed for as long as the caller lends them.
///
/// # Errors
/// NULL with a length above 0, a misaligned pointer, or a length beyond the address space.
///
/// # Safety
/// A `data` that is not NULL points to `length` initialised elements that nobody writes during `'a`.
pub(crate) unsafe fn borrowed<'a, T>(
    data: *const T,
    length: usize,
    name: &'static str,
) -> Result<&'a [T], CallFault> {
    check(data, length, name)?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, aligned and no longer than the address space by `check`; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(data, length) })
}

/// As `borrowed`, for memory that the call writes.
///
/// # Errors
/// As `borrowed`.
///
/// # Safety
/// A `data` that is not NULL points to `length` elements, valid for reads and writes, that nobody else accesses during `'a`.
/// They need not be initialised when any bits are a `T`, as with floats and `MaybeUninit`, and the callee writes each before
/// it reads it, as the transforms do with outputs and scratch memory.
pub(crate) unsafe fn borrowed_mut<'a, T>(
    data: *mut T,
    length: usize,
    name: &'static str,
) -> Result<&'a mut [T], CallFault> {
    check(data, length, name)?;
    if length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not NULL, aligned and no longer than the address space by `check`; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, length) })
}

/// A guarded call that tells one thing: `tell` writes it to `place`. A NULL is refused first.
///
/// # Safety
/// `place` is NULL or valid for a write; `error` as for `guarded`.
pub(crate) unsafe fn told<T, E: Fault + From<CallFault>>(
    place: *mut T,
    name: &'static str,
    error: *mut RustleError,
    tell: impl FnOnce(&mut T) -> Result<(), E>,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `place` is handed on.
        tell(unsafe { out(place, name) }?)
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// A guarded call that writes a text to the `capacity` bytes at `buffer`, and how many it has to `length`. A text that does not
/// fit is refused, and nothing is written then.
///
/// # Safety
/// `buffer` is NULL or valid for reads and writes of `capacity` bytes; `length` is NULL or valid for a write; `error` as for
/// `guarded`.
pub(crate) unsafe fn told_text<T: AsRef<str>, E: Fault + From<CallFault>>(
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
    error: *mut RustleError,
    tell: impl FnOnce() -> Result<T, E>,
) -> RustleStatus {
    let write = |length: &mut usize| {
        // SAFETY: the caller's promise about `buffer` is handed on.
        let buffer = unsafe { borrowed_mut(buffer, capacity, "buffer") }?;
        let told = tell()?;
        let bytes = told.as_ref().as_bytes();
        let short = CallFault::length("capacity", "expected room for the text, got less");
        buffer.get_mut(..bytes.len()).ok_or(short)?.copy_from_slice(bytes);
        *length = bytes.len();
        Ok::<(), E>(())
    };
    // SAFETY: the caller's promises about `length` and `error` are handed on.
    unsafe { told(length, "length", error, write) }
}

/// A pointer for one result.
///
/// # Errors
/// NULL.
///
/// # Safety
/// An `out` that is not NULL is valid for a write during `'a`.
pub(crate) unsafe fn out<'a, T>(out: *mut T, name: &'static str) -> Result<&'a mut T, CallFault> {
    fault_point("a result's place");
    // SAFETY: `as_mut` tests for NULL; validity is the caller's promise.
    unsafe { out.as_mut() }.ok_or(CallFault::null(name))
}

/// The text that a `RustleString` names.
///
/// # Errors
/// As `borrowed`; not UTF-8.
///
/// # Safety
/// As `borrowed`.
pub(crate) unsafe fn text<'a>(string: RustleString, name: &'static str) -> Result<&'a str, CallFault> {
    // SAFETY: the promise is handed on.
    let bytes = unsafe { borrowed(string.data, string.length, name) }?;
    std::str::from_utf8(bytes).map_err(|_| CallFault::utf8(name))
}

/// Memory of a caller, for a test of what it shares with other memory.
pub(crate) struct Piece {
    name: &'static str,
    start: usize,
    bytes: usize,
}

impl Piece {
    /// The `length` elements at `data`, whether or not they can be read.
    pub(crate) fn new<T>(name: &'static str, data: *const T, length: usize) -> Self {
        Self {
            name,
            start: data.addr(),
            bytes: length.saturating_mul(size_of::<T>()),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let end = |piece: &Self| piece.start.saturating_add(piece.bytes);
        self.bytes > 0 && other.bytes > 0 && self.start < end(other) && other.start < end(self)
    }
}

/// Checks that no two pieces share a byte: two slices that do, one of them mutable, would be undefined behaviour however
/// they are used.
///
/// # Errors
/// A length beyond the address space, `RUSTLE_INVALID_LENGTH`, whatever it would share; the later of two pieces that share a
/// byte, `RUSTLE_INVALID_VALUE`.
pub(crate) fn check_apart<const COUNT: usize>(pieces: [Piece; COUNT]) -> Result<(), CallFault> {
    if let Some(piece) = pieces.iter().find(|piece| piece.bytes > MOST_BYTES) {
        return Err(CallFault::length(piece.name, ENDLESS));
    }
    for (at, piece) in pieces.iter().enumerate() {
        if pieces[..at].iter().any(|before| before.overlaps(piece)) {
            let problem = "expected memory of its own, got memory that overlaps";
            return Err(CallFault::value(piece.name, problem));
        }
    }
    Ok(())
}

/// What one object can span at most.
const MOST_BYTES: usize = isize::MAX as usize;

const ENDLESS: &str = "expected a length within the address space, got a larger one";

fn check<T>(data: *const T, length: usize, name: &'static str) -> Result<(), CallFault> {
    fault_point("a slice");
    if length == 0 {
        return Ok(());
    }
    if data.is_null() {
        return Err(CallFault::null(name));
    }
    if !data.is_aligned() {
        return Err(CallFault::value(
            name,
            "expected an aligned pointer, got a misaligned one",
        ));
    }
    if length > MOST_BYTES / size_of::<T>().max(1) {
        return Err(CallFault::length(name, ENDLESS));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};

    #[test]
    fn null_is_a_slice_only_when_it_is_empty() {
        // SAFETY: NULL is allowed.
        let empty = unsafe { borrowed::<f32>(std::ptr::null(), 0, "input") };
        // SAFETY: as above.
        let refused = unsafe { borrowed::<f32>(std::ptr::null(), 1, "input") };
        assert_eq!(empty.map(<[f32]>::len).ok(), Some(0));
        assert!(refused.is_err());
    }

    #[test]
    fn misaligned_and_endless_slices_are_refused() {
        let words = [0_u32; 4];
        // SAFETY: refused before it is read.
        let misaligned = unsafe { borrowed(words.as_ptr().wrapping_byte_add(1), 1, "input") };
        // SAFETY: as above.
        let endless = unsafe { borrowed(words.as_ptr(), usize::MAX, "input") };
        assert!(misaligned.is_err());
        assert!(endless.is_err());
    }

    /// What two ranges of an address and a number of floats are refused with.
    fn refusal(a: (usize, usize), b: (usize, usize)) -> Option<RustleStatus> {
        let piece =
            |name, (address, length)| Piece::new(name, std::ptr::without_provenance::<f32>(address), length);
        let checked = check_apart([piece("a", a), piece("b", b)]);
        checked.err().map(|fault| fault.status())
    }

    #[test]
    fn ranges_overlap_when_they_share_a_byte() {
        assert_eq!(refusal((100, 4), (112, 4)), Some(RUSTLE_INVALID_VALUE));
        assert_eq!(refusal((112, 4), (100, 4)), Some(RUSTLE_INVALID_VALUE));
        assert_eq!(
            refusal((100, 4), (116, 4)),
            None,
            "one ends where the other starts"
        );
        assert_eq!(refusal((100, 0), (100, 4)), None, "an empty range shares nothing");
    }

    #[test]
    fn length_beyond_the_address_space_is_refused_wherever_the_other_is() {
        for (length, other) in [(usize::MAX, 4_000), (usize::MAX, 0), (usize::MAX / 4, 4_000)] {
            assert_eq!(refusal((100, length), (other, 1)), Some(RUSTLE_INVALID_LENGTH));
            assert_eq!(refusal((other, 1), (100, length)), Some(RUSTLE_INVALID_LENGTH));
        }
    }
}
