//! A feed's servers.

use super::consumers::RustleFeedPolicy;
use super::{write_text, Feed};
use crate::fault::Outcome;
use crate::lane::{BellSink, RustleLaneStatistics};
use crate::lent::{Flag, RustleString};
use crate::object::Describe;
use crate::records::records;
use crate::session::{AnyLane, Face, NoRecord, Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use rustle_engines::{
    Access, ClientStatistics, FeedAddress, FeedError, FeedServer, LaneStatistics, ServerCounts,
};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;

records! {
    /// The configuration of a feed's server.
    pub struct RustleServerRequest lending memory {
        /// The address: `host:port`, with the port 0 for any free one, or `unix:/path`. Example: "127.0.0.1:0".
        pub address: RustleString,
        /// The buffering policy for trades that a client does not read in time.
        pub policy: RustleFeedPolicy,
        /// The token that a client sends first, 16 to 512 bytes; empty: none is required.
        pub token: RustleString,
        /// Not 0: without a token, an address that other machines reach is served too, and a socket in the file system is for
        /// every user of the machine.
        pub allows_anyone: Flag,
        reserved: u32,
    }

    /// The counts of a server so far.
    pub struct RustleServerCounts for ServerCounts {
        /// Clients at present.
        pub clients: u64,
        /// Clients accepted, including the present ones.
        pub accepted: u64,
        /// Clients rejected.
        pub refused: u64,
        /// Bytes written.
        pub bytes: u64,
        /// Trades written.
        pub trades: u64,
        /// Trades dropped because clients were too slow.
        pub dropped: u64,
    }

    /// The counts of one client of a server so far.
    pub struct RustleServerClient for ClientStatistics {
        /// The client's number: the first client of a server is 0.
        pub number: u64,
        /// The time of its connection in nanoseconds since 1970-01-01T00:00:00Z.
        pub since_ns: i64,
        /// Bytes written to it.
        pub bytes: u64,
        /// Trades that went through its lane.
        pub lane: RustleLaneStatistics,
    }
}

impl Stream<RustleServerRequest> for Feed {
    type Record = NoRecord;

    /// Serves a feed to the clients that connect; docs/market.md has the protocol. The server is a session, which also ends when
    /// the feed is shut down or freed, or when the feed has ended and each client has read everything. The sink's `on_signal` is
    /// called with NULL when clients have connected or disconnected; its `on_release` once no connection is left and the address
    /// is free.
    ///
    /// Fails with `RUSTLE_MALFORMED_ADDRESS`, `RUSTLE_ADDRESS_UNAVAILABLE`, `RUSTLE_INVALID_VALUE` (a token of another length; an
    /// address that other machines reach, without a token and not for anyone).
    #[doc(alias = "rustle_feed_serve")]
    fn start(&self, request: &RustleServerRequest, sink: RawSink) -> Outcome<FeedError, Started> {
        let address = request.address.text("request.address")?;
        let address: FeedAddress = address.parse().map_err(FeedError::from)?;
        CallFault::check_reserved(request.reserved, "request.reserved")?;
        let access = match request.token.text("request.token")? {
            "" if request.allows_anyone.is_set() => Access::Anyone,
            "" => Access::Local,
            token => Access::Token(token.to_owned()),
        };
        let server = self
            .0
            .serve(&address, request.policy.read()?, access, BellSink(sink))?;
        let server = Arc::new(server);
        Ok(Started::new(Server(server.clone())).with_face(Server(server)))
    }
}

/// A server as a session without a lane, and its calls.
pub(crate) struct Server(Arc<FeedServer>);

impl AnyLane for Server {
    fn cancel(&self) {
        self.0.cancel();
    }

    unsafe fn drain(&self, _: *mut c_void, _: usize) -> Result<(usize, LaneStatistics), CallFault> {
        let problem = "expected one with a lane, got a server";
        Err(CallFault::value("session", problem))
    }
}

impl Face for Server {
    const NAME: &'static str = "server";
}

impl Describe<RustleServerCounts> for Server {
    /// Writes the counts of a server so far to `description`. Works after its end, until its handle is freed.
    ///
    /// Example: `rustle_feed_serve`.
    #[doc(alias = "rustle_server_counts")]
    fn describe(&self) -> Result<RustleServerCounts, CallFault> {
        Ok(self.0.counts().into())
    }
}

impl Server {
    /// Writes the address of a server to `address`, for which 300 bytes are enough: the text that a client takes, with the actual
    /// port where 0 was requested. `length` receives the number of bytes: UTF-8, not NUL-terminated.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH` (the text does not fit); nothing is written then.
    ///
    /// Example: `rustle_feed_serve`, `address_capacity` 300.
    #[doc(alias = "rustle_server_address")]
    pub(crate) fn address(&self, address: &mut [u8]) -> Result<usize, CallFault> {
        write_text(&self.0.address().to_string(), address, "address")
    }

    /// Writes the counts of the present clients of a server to `clients`, as many as fit, the oldest first. `count` receives the
    /// number of clients, which may be more: at most 1,024.
    ///
    /// Example: `rustle_feed_serve`, `clients_capacity` 4.
    #[doc(alias = "rustle_server_clients")]
    pub(crate) fn clients(
        &self,
        clients: &mut [MaybeUninit<RustleServerClient>],
    ) -> Result<usize, CallFault> {
        let present = self.0.client_statistics();
        for (place, client) in clients.iter_mut().zip(&present) {
            place.write((*client).into());
        }
        Ok(present.len())
    }
}
