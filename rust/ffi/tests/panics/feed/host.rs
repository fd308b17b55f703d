//! Panics in the calls of a host that fills a feed.

use super::*;

fn new_pushed(runtime: RustleHandle, feed: *mut RustleHandle, error: *mut RustleError) -> RustleStatus {
    let configuration = RustlePushedFeed {
        schema: string(""),
        runtime,
        message_limit: 0,
        format: RUSTLE_FORMAT_NDJSON,
        restarts_numbers: 0,
    };
    // SAFETY: the configuration and its texts are readable; the rest is the callers'.
    unsafe { rustle_feed_new_pushed(&raw const configuration, feed, error) }
}

pub(crate) fn feed_new_pushed(point: u32) -> Attempt {
    let runtime = new_runtime();
    made(point, free_feed, |feed, error| {
        new_pushed(runtime.handle, feed, error)
    })
}

/// A call on a feed that the host fills, and that runs. Returns also what the feed met with.
fn on_pushed(point: u32, call: impl Fn(RustleHandle, *mut RustleError) -> RustleStatus) -> (Attempt, u64) {
    let runtime = new_runtime();
    let mut feed = 0;
    assert_eq!(new_pushed(runtime.handle, &raw mut feed, null_mut()), RUSTLE_OK);
    let stage = Stage {
        feed: Owned::new(feed, free_feed),
        runtime,
    };
    assert_eq!(stage.run(null_mut()), RUSTLE_OK);
    stage.advance(0);
    let attempt = attempt(point, |error| call(feed, error));
    let mut counts = MaybeUninit::<RustleFeedCounts>::uninit();
    // SAFETY: the record's place is this frame's own; NULL is allowed as the record of an error.
    let status = unsafe { rustle_feed_counts(feed, counts.as_mut_ptr(), null_mut()) };
    assert_eq!(status, RUSTLE_OK);
    // SAFETY: a call that succeeds writes the record.
    let counts = unsafe { counts.assume_init() };
    (attempt, counts.messages + counts.connections)
}

pub(crate) fn feed_push(point: u32) -> Attempt {
    let (attempt, met) = on_pushed(point, |feed, error| {
        let mut taken = 0;
        // SAFETY: the bytes and the number are this frame's own; the rest is the callers'.
        unsafe { rustle_feed_push(feed, b"{}\n".as_ptr(), 3, &raw mut taken, error) }
    });
    assert_eq!(met, u64::from(attempt.status == RUSTLE_OK));
    attempt
}

pub(crate) fn feed_tell(point: u32) -> Attempt {
    let (attempt, met) = on_pushed(point, |feed, error| {
        // SAFETY: the text is readable; the rest is the callers'.
        unsafe { rustle_feed_tell(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, string(NAME), error) }
    });
    assert_eq!(met, u64::from(attempt.status == RUSTLE_OK));
    attempt
}

pub(crate) fn feed_connection(point: u32) -> Attempt {
    let stage = Stage::new();
    let mut notice = MaybeUninit::<RustleFeedNotice>::uninit();
    // SAFETY: the record's place is this frame's own.
    let attempt = attempt(point, |error| unsafe {
        rustle_feed_connection(stage.handle(), notice.as_mut_ptr(), error)
    });
    if attempt.status == RUSTLE_OK {
        // SAFETY: a call that succeeds writes the record.
        assert_eq!(unsafe { notice.assume_init() }.kind, RUSTLE_NOTICE_NONE);
    }
    attempt
}

pub(crate) fn feed_wanted(point: u32) -> Attempt {
    let stage = Stage::new();
    let probe = Probe::default();
    let session = stage.start(Records::Alerts, &probe);
    let (mut names, mut wanted) = ([b'?'; 8], MaybeUninit::<RustleFeedWanted>::uninit());
    // SAFETY: the buffer and the record's place are this frame's own.
    let attempt = attempt(point, |error| unsafe {
        rustle_feed_wanted(
            stage.handle(),
            names.as_mut_ptr(),
            names.len(),
            wanted.as_mut_ptr(),
            error,
        )
    });
    let expected = if attempt.status == RUSTLE_OK {
        b"BTC\n????"
    } else {
        b"????????"
    };
    assert_eq!(&names, expected);
    drop(session);
    stage.settle(&probe, false);
    attempt
}

pub(crate) fn feed_backoff(point: u32) -> Attempt {
    let mut wait = u64::MAX;
    // SAFETY: the number's place is this frame's own.
    let attempt = attempt(point, |error| unsafe {
        rustle_feed_backoff(1_000_000, 2_000_000, 3, 7, &raw mut wait, error)
    });
    assert_eq!(wait <= 2_000_000, attempt.status == RUSTLE_OK);
    attempt
}
