//! What a host tells a feed and asks it, and what it asks of servers.

use super::{or_null, text};
use crate::input::Input;
use crate::objects::{checked, settle, Handles, Kind, Watch};
use crate::ticker::name;
use rustle::feed::*;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// Bytes for a feed, news of its connection, and a server that finds no place.
pub(crate) fn push(input: &mut Input<'_>, handles: &Handles) {
    let feed = handles.any(input, Kind::Feed);
    let lines = b"{\"symbol\":\"A\",\"price\":1.5}\n{\"symbol\":\"B\",\"price\":x}\n";
    let mut taken = usize::MAX;
    let (start, length) = (input.below(lines.len()), input.length(8));
    let bytes = lines[start..].as_ptr();
    let length = if length > 8 {
        length
    } else {
        length.min(lines.len() - start)
    };
    // SAFETY: so many bytes are readable, or the length is one that is refused.
    if checked(|error| unsafe { rustle_feed_push(feed, bytes, length, &raw mut taken, error) }) {
        assert!(taken <= length);
    }
    let (kind, note) = (input.below(8) as u32, name(input, 0));
    let (retry, failures) = (input.word(), u32::from(input.byte()));
    // SAFETY: the text is readable, or has a length that is refused.
    checked(|error| unsafe { rustle_feed_tell(feed, kind, retry, failures, note, error) });
    let mut notice = MaybeUninit::<RustleFeedNotice>::uninit();
    // SAFETY: the record's place is this frame's own.
    if checked(|error| unsafe { rustle_feed_connection(feed, notice.as_mut_ptr(), error) }) {
        // SAFETY: a call that succeeds writes the record.
        let notice = unsafe { notice.assume_init() };
        assert!(notice.kind <= 7 && notice.text_length as usize <= notice.text.len());
    }
    settle();
}

/// A server that finds no place, and what servers are asked, asked of other sessions.
pub(crate) fn serve(input: &mut Input<'_>, handles: &Handles) {
    let (feed, session) = (handles.any(input, Kind::Feed), handles.any(input, Kind::Session));
    let address = text(["unix:/there-is-none/x", "", "256.0.0.1:1", "x"][input.below(4)]);
    let policy = RustleFeedPolicy {
        kind: input.below(7) as u32,
        reserved: 0,
        capacity: input.length(2),
        interval_ns: 1_000_000,
    };
    let pointer = or_null(input, &policy);
    let watch = Watch::new(0);
    let (sink, mut server) = (watch.sink(input.byte()), 0);
    // SAFETY: the records are NULL or this frame's own; the watcher lives until its release.
    assert!(!checked(|error| unsafe {
        rustle_feed_serve(feed, address, pointer, sink, &raw mut server, error)
    }));
    watch.was_not_taken();
    let (mut buffer, mut count) = ([0; 300], 0);
    let mut counts = MaybeUninit::uninit();
    // SAFETY: the places are this frame's own, here and below.
    assert!(!checked(|error| unsafe {
        rustle_server_address(session, buffer.as_mut_ptr(), 300, &raw mut count, error)
    }));
    // SAFETY: as above.
    assert!(!checked(|error| unsafe {
        rustle_server_counts(session, counts.as_mut_ptr(), error)
    }));
    // SAFETY: as above; NULL is allowed for no room.
    assert!(!checked(|error| unsafe {
        rustle_server_clients(session, null_mut(), 0, &raw mut count, error)
    }));
}

/// Which symbols are wanted, in a buffer that may be too small, and a wait between two attempts.
pub(crate) fn ask(input: &mut Input<'_>, handles: &Handles) {
    let feed = handles.any(input, Kind::Feed);
    let (mut buffer, room) = ([b'?'; 64], input.below(65));
    let start = if input.below(16) == 15 {
        null_mut()
    } else {
        buffer.as_mut_ptr()
    };
    let mut wanted = MaybeUninit::<RustleFeedWanted>::uninit();
    // SAFETY: the buffer is NULL or this frame's own, with at least so much room, and so is the record's place.
    if checked(|error| unsafe { rustle_feed_wanted(feed, start, room, wanted.as_mut_ptr(), error) }) {
        // SAFETY: a call that succeeds writes the record.
        let wanted = unsafe { wanted.assume_init() };
        let written = if wanted.length <= room { wanted.length } else { 0 };
        let (names, rest) = buffer.split_at(written);
        assert!(rest.iter().all(|byte| *byte == b'?'), "bytes beyond the names");
        let count = names.iter().filter(|byte| **byte == b'\n').count();
        assert!(written == 0 || count == wanted.count && std::str::from_utf8(names).is_ok());
        assert!(wanted.all <= 1 && wanted.reserved == 0);
    }
    let (base, cap, failures, seed) = (input.word(), input.word(), u32::from(input.byte()), input.word());
    let mut wait = 0;
    // SAFETY: the number's place is this frame's own.
    if checked(|error| unsafe { rustle_feed_backoff(base, cap, failures, seed, &raw mut wait, error) }) {
        assert!(wait <= cap);
    }
}
