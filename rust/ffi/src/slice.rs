//! Pointers and lengths from C, checked and turned into slices.

use crate::guard::fault_point;
use crate::status::CallFault;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// `length` elements at `data`, borrowed while the caller lends them.
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
/// Records that are written are `MaybeUninit`. Numbers need not be initialised either: any bits are one, and the callee writes
/// each before it reads it, as the transforms do with outputs and scratch memory.
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

/// The caller's memory for one result. Until it is written there is no reference to it: it may be uninitialised, and may be
/// memory that the call reads.
pub(crate) struct Place<'a, T>(NonNull<T>, PhantomData<&'a mut T>);

impl<T> Place<'_, T> {
    /// Writes the result.
    pub(crate) fn write(self, result: T) {
        // SAFETY: aligned by `out_or_null`; that a write is valid is the promise of its caller.
        unsafe { self.0.write(result) }
    }
}

/// The memory for one result.
///
/// # Errors
/// NULL, or a misaligned pointer.
///
/// # Safety
/// An `out` that is not NULL is valid for a write during `'a`.
pub(crate) unsafe fn out<'a, T>(out: *mut T, name: &'static str) -> Result<Place<'a, T>, CallFault> {
    // SAFETY: the promise is passed on.
    unsafe { out_or_null(out, name) }?.ok_or(CallFault::null(name))
}

/// As `out`, for an optional result.
///
/// # Errors
/// A misaligned pointer.
///
/// # Safety
/// As `out`.
pub(crate) unsafe fn out_or_null<'a, T>(
    out: *mut T,
    name: &'static str,
) -> Result<Option<Place<'a, T>>, CallFault> {
    fault_point("a result's place");
    if !out.is_aligned() {
        return Err(CallFault::misaligned(name, align_of::<T>(), out.addr() as u64));
    }
    Ok(NonNull::new(out).map(|place| Place(place, PhantomData)))
}

/// A record that is read.
///
/// # Errors
/// NULL, or a misaligned pointer.
///
/// # Safety
/// A `record` that is not NULL is valid for reads, and nobody writes it during `'a`.
pub(crate) unsafe fn record<'a, T>(record: *const T, name: &'static str) -> Result<&'a T, CallFault> {
    if !record.is_aligned() {
        return Err(CallFault::misaligned(name, align_of::<T>(), record.addr() as u64));
    }
    // SAFETY: `as_ref` tests for NULL; validity is the caller's promise.
    unsafe { record.as_ref() }.ok_or(CallFault::null(name))
}

/// A caller's memory, to check for overlap with other memory.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    name: &'static str,
    start: usize,
    bytes: usize,
}

impl Argument {
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
        // NULL is no memory: if it is invalid here, another check reports it.
        let is_memory = |piece: &Self| piece.start != 0 && piece.bytes > 0;
        is_memory(self) && is_memory(other) && self.start < end(other) && other.start < end(self)
    }
}

/// Checks that no two pieces share a byte: two slices that do, one of them mutable, would be undefined behaviour however
/// they are used.
///
/// # Errors
/// A length beyond the address space, `RUSTLE_INVALID_LENGTH`, whatever it would overlap; the later of two overlapping
/// pieces, `RUSTLE_INVALID_VALUE`.
pub(crate) fn check_apart<const COUNT: usize>(pieces: [Argument; COUNT]) -> Result<(), CallFault> {
    if let Some(piece) = pieces.iter().find(|piece| piece.bytes > MOST_BYTES) {
        return Err(CallFault::length(piece.name, ENDLESS, piece.bytes));
    }
    for (at, piece) in pieces.iter().enumerate() {
        if let Some(before) = pieces[..at].iter().find(|before| before.overlaps(piece)) {
            return Err(CallFault::overlap(piece.name, before.name));
        }
    }
    Ok(())
}

/// Checks that the call writes no memory that a record lends. Two lists may be the same one.
///
/// # Errors
/// As [`check_apart`], of the lent memory.
pub(crate) fn check_lent<const COUNT: usize, const WRITTEN: usize>(
    lent: [Argument; COUNT],
    written: [Argument; WRITTEN],
) -> Result<(), CallFault> {
    let mut lent = lent.into_iter();
    lent.try_for_each(|lent| {
        written
            .iter()
            .try_for_each(|written| check_apart([*written, lent]))
    })
}

/// The maximum size of one object in bytes.
const MOST_BYTES: usize = isize::MAX as usize;

const ENDLESS: &str = "at most isize::MAX bytes";

fn check<T>(data: *const T, length: usize, name: &'static str) -> Result<(), CallFault> {
    fault_point("a slice");
    if length == 0 {
        return Ok(());
    }
    if data.is_null() {
        return Err(CallFault::null(name));
    }
    if !data.is_aligned() {
        return Err(CallFault::misaligned(name, align_of::<T>(), data.addr() as u64));
    }
    if length > MOST_BYTES / size_of::<T>().max(1) {
        let bytes = length.saturating_mul(size_of::<T>());
        return Err(CallFault::length(name, ENDLESS, bytes));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Fault, RustleStatus, RUSTLE_INVALID_LENGTH, RUSTLE_INVALID_VALUE};

    /// The refusal of two ranges, each an address and a number of floats.
    fn refusal(a: (usize, usize), b: (usize, usize)) -> Option<RustleStatus> {
        let piece = |name, (address, length)| {
            Argument::new(name, std::ptr::without_provenance::<f32>(address), length)
        };
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
        assert_eq!(refusal((0, 4), (0, 1)), None, "two that are NULL share nothing");
    }

    #[test]
    fn length_beyond_the_address_space_is_refused_wherever_the_other_is() {
        for (length, other) in [(usize::MAX, 4_000), (usize::MAX, 0), (usize::MAX / 4, 4_000)] {
            assert_eq!(refusal((100, length), (other, 1)), Some(RUSTLE_INVALID_LENGTH));
            assert_eq!(refusal((other, 1), (100, length)), Some(RUSTLE_INVALID_LENGTH));
        }
    }
}
