//! Ten million updates through each policy of the frame lane: none is lost uncounted, and a consumer that does not drain
//! costs no memory.

use rustle::lane::*;
use rustle::runtime::{rustle_runtime_advance, rustle_runtime_free, rustle_runtime_new_manual};
use rustle::session::rustle_session_free;
use rustle::sink::RustleSink;
use rustle::ticker::*;
use rustle::{RustleHandle, RustleString};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

extern "C" fn on_signal(_: *mut c_void, _: *const c_void) {}
extern "C" fn on_release(_: *mut c_void, _: i32, _: *const u8, _: usize) {}

const UPDATES: u64 = 10_000_000;

struct Session {
    runtime: RustleHandle,
    ticker: RustleHandle,
    session: RustleHandle,
}

impl Session {
    fn start(lane: u32) -> Self {
        let (mut runtime, mut ticker, mut session) = (0, 0, 0);
        // SAFETY: the result is this frame's own; NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_new_manual(0, &raw mut runtime, null_mut()) };
        assert_eq!(status, 0);
        let configuration = RustleTickerConfiguration {
            updates_per_second: 1_000_000.0,
            seed: 1,
            update_limit: UPDATES,
            runtime,
            has_seed: 1,
            reserved: 0,
        };
        // SAFETY: as above, and the configuration is this frame's own.
        let status = unsafe { rustle_ticker_new(&raw const configuration, &raw mut ticker, null_mut()) };
        assert_eq!(status, 0);
        let names = ["A", "B", "C"].map(|name| RustleString {
            data: name.as_ptr(),
            length: 1,
        });
        let sink = RustleSink {
            context: null_mut(),
            on_signal: Some(on_signal),
            on_release: Some(on_release),
        };
        // SAFETY: as above; the sink uses no context.
        let status = unsafe {
            rustle_ticker_start(
                ticker,
                names.as_ptr(),
                3,
                lane,
                4_096,
                sink,
                &raw mut session,
                null_mut(),
            )
        };
        assert_eq!(status, 0);
        Self {
            runtime,
            ticker,
            session,
        }
    }

    fn advance(&self, milliseconds: u64) {
        // SAFETY: NULL is allowed as the record of an error.
        let status = unsafe { rustle_runtime_advance(self.runtime, milliseconds * 1_000_000, null_mut()) };
        assert_eq!(status, 0);
    }

    /// Drains at most `most` updates; gives their number, the sum of their gaps, and the lane's counts.
    fn drain(&self, most: usize) -> (u64, u64, RustleLaneStatistics) {
        let mut buffer = vec![MaybeUninit::<RustlePriceUpdate>::uninit(); most];
        let mut count = 0;
        let mut statistics = MaybeUninit::uninit();
        // SAFETY: the buffer and the results are this frame's own; NULL is allowed as the record of an error.
        let status = unsafe {
            rustle_ticker_drain(
                self.session,
                buffer.as_mut_ptr().cast(),
                most,
                &raw mut count,
                statistics.as_mut_ptr(),
                null_mut(),
            )
        };
        assert_eq!(status, 0);
        // SAFETY: the first `count` records were written.
        let gaps = buffer[..count]
            .iter()
            .map(|update| u64::from(unsafe { update.assume_init_ref() }.gap))
            .sum();
        // SAFETY: a call that succeeds writes the counts.
        (count as u64, gaps, unsafe { statistics.assume_init() })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: NULL is allowed as the record of an error.
        unsafe { rustle_session_free(self.session, null_mut()) };
        // SAFETY: as above.
        unsafe { rustle_ticker_free(self.ticker, null_mut()) };
        // SAFETY: as above.
        unsafe { rustle_runtime_free(self.runtime, null_mut()) };
    }
}

const POLICIES: [u32; 3] = [
    RUSTLE_LANE_DROP_OLDEST,
    RUSTLE_LANE_DROP_NEWEST,
    RUSTLE_LANE_KEEP_LATEST,
];

#[test]
fn ten_million_updates_are_delivered_or_counted_as_dropped() {
    for lane in POLICIES {
        let session = Session::start(lane);
        let (mut delivered, mut told) = (0, 0);
        for step in 0..2_001 {
            session.advance(5);
            // Some steps drain all, some a part, some nothing: 5,000 updates come in each.
            let most = [8_192, 0, 1_000, 4_096][step % 4];
            let (count, gaps, statistics) = session.drain(most);
            delivered += count;
            told += gaps;
            let s = statistics;
            assert_eq!(s.produced, s.delivered + s.dropped + s.waiting, "lane {lane}");
            assert_eq!(s.delivered, delivered, "lane {lane}");
        }
        let (count, gaps, statistics) = session.drain(8_192);
        delivered += count;
        told += gaps;
        assert_eq!(statistics.produced, UPDATES);
        assert_eq!(statistics.waiting, 0);
        assert_eq!(delivered + statistics.dropped, UPDATES, "lane {lane}");
        assert!(told <= statistics.dropped, "lane {lane}");
        if lane != RUSTLE_LANE_DROP_NEWEST {
            assert_eq!(
                told, statistics.dropped,
                "lane {lane}: every loss has an update after it"
            );
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn stalled_consumer_costs_no_memory() {
    /// The bytes of this process that are in memory: the second number of statm, in pages of 4 KiB.
    fn resident() -> i64 {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        statm
            .split(' ')
            .nth(1)
            .and_then(|pages| pages.parse::<i64>().ok())
            .map_or(0, |pages| pages * 4_096)
    }
    for lane in POLICIES {
        let session = Session::start(lane);
        // The ring and the batch reach their size.
        session.advance(100);
        let before = resident();
        session.advance(10_000);
        let growth = resident() - before;
        assert!(
            growth < 1_000_000,
            "lane {lane}: expected less than 1 MB, got {growth} bytes"
        );
        assert_eq!(session.drain(0).2.produced, UPDATES);
    }
}
