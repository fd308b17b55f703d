//! Panics in the calls of a server.

use super::*;

fn serve(
    feed: RustleHandle,
    probe: &Probe,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let policy = RustleFeedPolicy {
        kind: RUSTLE_POLICY_KEEP_LATEST,
        reserved: 0,
        capacity: 0,
        interval_ns: 0,
    };
    let address = string("127.0.0.1:0");
    // SAFETY: the record and the text are this frame's own; the probe outlives its session; the rest is the callers'.
    unsafe { rustle_feed_serve(feed, address, &raw const policy, probe.sink(), session, error) }
}

/// Waits until a server, whose threads are its own, is over: it was released once, or never started.
fn settle_server(probe: &Probe, was_started: bool) {
    while was_started && probe.ends().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(probe.ends().len(), usize::from(was_started));
}

pub(crate) fn feed_serve(point: u32) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let attempt = made(point, free_session, |session, error| {
        serve(stage.handle(), &probe, session, error)
    });
    // A start that failed did not take the sink; the session of the other ones was freed.
    settle_server(&probe, attempt.status == RUSTLE_OK);
    attempt
}

/// A call on a server, which goes on.
fn on_server(point: u32, call: impl FnOnce(RustleHandle, *mut RustleError) -> RustleStatus) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let mut session = 0;
    assert_eq!(
        serve(stage.handle(), &probe, &raw mut session, null_mut()),
        RUSTLE_OK
    );
    let attempt = attempt(point, |error| call(session, error));
    assert_eq!(probe.ends().len(), 0);
    drop(Owned::new(session, free_session));
    settle_server(&probe, true);
    attempt
}

pub(crate) fn server_address(point: u32) -> Attempt {
    let (mut text, mut length) = ([0; 300], 0);
    let attempt = on_server(point, |session, error| {
        // SAFETY: the buffer and the length are this frame's own; the rest is the callers'.
        unsafe { rustle_server_address(session, text.as_mut_ptr(), text.len(), &raw mut length, error) }
    });
    assert_eq!(
        text[..length].starts_with(b"127.0.0.1:"),
        attempt.status == RUSTLE_OK
    );
    attempt
}

pub(crate) fn server_counts(point: u32) -> Attempt {
    let mut counts = MaybeUninit::<RustleServerCounts>::uninit();
    on_server(point, |session, error| {
        // SAFETY: the record's place is this frame's own; the rest is the callers'.
        unsafe { rustle_server_counts(session, counts.as_mut_ptr(), error) }
    })
}

pub(crate) fn server_clients(point: u32) -> Attempt {
    let mut count = 7;
    let attempt = on_server(point, |session, error| {
        // SAFETY: the number's place is this frame's own; NULL is allowed for no room; the rest is the callers'.
        unsafe { rustle_server_clients(session, null_mut(), 0, &raw mut count, error) }
    });
    assert_eq!(count, if attempt.status == RUSTLE_OK { 0 } else { 7 });
    attempt
}
