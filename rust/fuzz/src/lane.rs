//! What the drains of all engines have in common.

use crate::input::Input;
use crate::objects::{checked, Handles, Kind};
use rustle::lane::RustleLaneStatistics;
use rustle::status::{RustleError, RustleStatus};
use rustle::RustleHandle;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// `rustle_NAME_drain`.
type DrainCall<Record> = unsafe extern "C" fn(
    RustleHandle,
    *mut Record,
    usize,
    *mut usize,
    *mut RustleLaneStatistics,
    *mut RustleError,
) -> RustleStatus;

/// Drains a session of any kind into memory of this frame, and checks the counts, and each record with them.
pub(crate) fn drained<Record>(
    input: &mut Input<'_>,
    handles: &Handles,
    call: DrainCall<Record>,
    check: impl Fn(&Record, &RustleLaneStatistics),
) {
    const ROOM: usize = 16;
    let session = handles.any(input, Kind::Session);
    let mut records = [const { MaybeUninit::<Record>::uninit() }; ROOM];
    let mut statistics = MaybeUninit::<RustleLaneStatistics>::uninit();
    let capacity = input.length(ROOM);
    let mut count = usize::MAX;
    let buffer = if input.below(16) == 15 {
        null_mut()
    } else {
        records.as_mut_ptr().cast()
    };
    let is_done = checked(|error| {
        // SAFETY: all memory is NULL or this frame's own; a capacity beyond it is one that no memory has.
        unsafe {
            call(
                session,
                buffer,
                capacity,
                &mut count,
                statistics.as_mut_ptr(),
                error,
            )
        }
    });
    if is_done {
        assert!(count <= capacity);
        // SAFETY: a call that succeeds writes the counts.
        let s = unsafe { statistics.assume_init() };
        assert_eq!(s.produced, s.delivered + s.dropped + s.waiting);
        assert!(s.untold <= s.dropped);
        for record in &records[..count] {
            // SAFETY: the first `count` records were written.
            check(unsafe { record.assume_init_ref() }, &s);
        }
    }
}
