//! A feed's servers. One is a session: it is cancelled by `rustle_session_cancel` and freed by `rustle_session_free`.

use super::configuration::{self, RustleFeedPolicy};
use super::fault::FeedFault;
use super::find;
use crate::guard::guarded;
use crate::handle::RustleHandle;
use crate::lane::{BellSink, RustleLaneStatistics};
use crate::session::{self, EngineSession};
use crate::sink::RustleSink;
use crate::slice::{borrowed_mut, out, text, told, told_text, RustleString};
use crate::status::{CallFault, RustleError, RustleStatus};
use rustle_engines::{ClientStatistics, FeedAddress, FeedError, FeedServer};
use std::mem::MaybeUninit;

/// What went through a server so far.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleServerCounts {
    /// Clients at present.
    pub clients: u64,
    /// Clients that were let in, those at present included.
    pub accepted: u64,
    /// Clients that were turned away.
    pub refused: u64,
    /// Bytes that were written.
    pub bytes: u64,
    /// Quotes that were written.
    pub quotes: u64,
    /// Quotes that clients were too slow for.
    pub dropped: u64,
}

/// What one client of a server got so far.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RustleServerClient {
    /// Its number: the first client of a server is 0.
    pub number: u64,
    /// When it came: nanoseconds since 1970-01-01T00:00:00Z.
    pub since_ns: i64,
    /// Bytes that were written to it.
    pub bytes: u64,
    /// Quotes that went through its lane.
    pub lane: RustleLaneStatistics,
}

impl From<ClientStatistics> for RustleServerClient {
    fn from(client: ClientStatistics) -> Self {
        Self {
            number: client.number,
            since_ns: client.since_ns,
            bytes: client.bytes,
            lane: client.lane.into(),
        }
    }
}

/// Calls `body` with a server.
fn with_server<R>(
    session: RustleHandle,
    body: impl FnOnce(&FeedServer) -> Result<R, CallFault>,
) -> Result<R, CallFault> {
    let session = session::find(session)?;
    match &session.engine {
        EngineSession::Server(server) => body(server),
        _ => Err(CallFault::value(
            "session",
            "expected a server, got another session",
        )),
    }
}

/// Gives a feed to whoever connects to `address` (`host:port`, with the port 0 for any that is free, or `unix:/path`), each client by
/// `policy`; docs/market.md has the protocol. `session` receives the server's handle: it ends with `rustle_session_cancel`, when the
/// feed is shut down or freed, or when the feed came to its end and each client has read what there was. The sink's `on_signal` is called with NULL
/// when clients have come or gone; its `on_release` once no thread of the server is left and the address is free. Both are called
/// on threads of the server's own.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_INVALID_VALUE`, `RUSTLE_INVALID_UTF8`,
/// `RUSTLE_STALE_HANDLE`, `RUSTLE_MALFORMED_ADDRESS`, `RUSTLE_ADDRESS_UNAVAILABLE`, `RUSTLE_SHUT_DOWN`, `RUSTLE_POISONED`,
/// `RUSTLE_EXHAUSTED`; the sink was not taken then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// The text of `address` is readable; `policy` is NULL or points to a record that is not written during the call; the sink keeps
/// the contract of `RustleSink`; `session` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_feed_serve(
    feed: RustleHandle,
    address: RustleString,
    policy: *const RustleFeedPolicy,
    sink: RustleSink,
    session: *mut RustleHandle,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || -> Result<(), FeedFault> {
        let engine = find(feed)?;
        // SAFETY: the caller's promise about `session` is handed on.
        let session = unsafe { out(session, "session") }?;
        // SAFETY: the caller's promise about `address` is handed on.
        let address: FeedAddress = unsafe { text(address, "address") }?
            .parse()
            .map_err(FeedError::from)?;
        // SAFETY: the caller's promise about `policy` is handed on.
        let policy = unsafe { configuration::policy(policy) }?;
        session::set_aside(session, sink, |sink| {
            Ok(EngineSession::Server(engine.serve(
                &address,
                policy,
                BellSink(sink),
            )?))
        })
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}

/// Writes where a server is to `buffer`, which has room for `capacity` bytes, 300 being enough: the text that a client takes, with
/// the port that was found where none was asked for. `length` receives the number of bytes: UTF-8, not NUL-terminated.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH` (the text does not fit), `RUSTLE_INVALID_VALUE` (another session),
/// `RUSTLE_STALE_HANDLE`; nothing is written then.
///
/// Thread-safe: yes. Realtime-safe: no.
///
/// # Safety
/// `buffer` is NULL or valid for reads and writes of `capacity` bytes; `length` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_server_address(
    session: RustleHandle,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = || with_server(session, |server| Ok(server.address().to_string()));
    // SAFETY: the caller's promises about `buffer`, `length` and `error` are handed on.
    unsafe { told_text(buffer, capacity, length, error, tell) }
}

/// Writes what went through a server so far to `counts`. Works after its end, until its handle is freed.
///
/// Fails with `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (another session), `RUSTLE_NULL_POINTER`.
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `counts` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_server_counts(
    session: RustleHandle,
    counts: *mut RustleServerCounts,
    error: *mut RustleError,
) -> RustleStatus {
    let tell = |place: &mut RustleServerCounts| -> Result<(), CallFault> {
        let c = with_server(session, |server| Ok(server.counts()))?;
        *place = RustleServerCounts {
            clients: c.clients,
            accepted: c.accepted,
            refused: c.refused,
            bytes: c.bytes,
            quotes: c.quotes,
            dropped: c.dropped,
        };
        Ok(())
    };
    // SAFETY: the caller's promises about `counts` and `error` are handed on.
    unsafe { told(counts, "counts", error, tell) }
}

/// Writes what the present clients of a server got to `buffer`, at most `capacity` of them, the oldest first. `count` receives how
/// many clients there are, which may be more: at most 1,024.
///
/// Fails with `RUSTLE_NULL_POINTER`, `RUSTLE_INVALID_LENGTH`, `RUSTLE_STALE_HANDLE`, `RUSTLE_INVALID_VALUE` (another session).
///
/// Thread-safe: yes, also inside a callback. Realtime-safe: no.
///
/// # Safety
/// `buffer` is NULL or valid for writes of `capacity` records; `count` and `error` are NULL or valid for a write.
#[no_mangle]
pub unsafe extern "C" fn rustle_server_clients(
    session: RustleHandle,
    buffer: *mut RustleServerClient,
    capacity: usize,
    count: *mut usize,
    error: *mut RustleError,
) -> RustleStatus {
    let body = || {
        // SAFETY: the caller's promise about `count` is handed on.
        let count = unsafe { out(count, "count") }?;
        let buffer = buffer.cast::<MaybeUninit<RustleServerClient>>();
        // SAFETY: the caller's promise about `buffer` is handed on; `MaybeUninit` asks for no initialised memory.
        let buffer = unsafe { borrowed_mut(buffer, capacity, "buffer") }?;
        let clients = with_server(session, |server| Ok(server.client_statistics()))?;
        for (place, client) in buffer.iter_mut().zip(&clients) {
            place.write((*client).into());
        }
        *count = clients.len();
        Ok::<(), CallFault>(())
    };
    // SAFETY: the caller's promise about `error` is handed on.
    unsafe { guarded(error, body) }
}
