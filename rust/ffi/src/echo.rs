//! The echo, an example engine; docs/adding-an-engine.md explains it.

use crate::fault::Outcome;
use crate::lane::RustleLaneRequest;
use crate::object::{New, Object};
use crate::records::records;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::CallFault;
use crate::{runtime, RustleHandle};
use rustle_engines::{Echo, EchoEngine, Sessions, StartError};

records! {
    /// The configuration of an echo.
    pub struct RustleEchoConfiguration {
        /// Values per second of each session, 0.001 to 10,000,000; the first is delivered at once. Example: 1000.
        pub values_per_second: f64,
        /// The number that sessions repeat until `rustle_echo_say` sets another.
        pub number: u64,
        /// Nanoseconds from a call of `rustle_echo_say` until the sessions repeat its number.
        pub delay_ns: u64,
        /// The number of values after which a session ends; 0: no limit.
        pub value_limit: u64,
        /// The runtime that the sessions run on: 0 for the shared one, or a handle of `rustle_runtime_new_manual`.
        pub runtime: RustleHandle,
    }

    /// A value of a session.
    pub struct RustleEchoValue in lanes of Echo {
        /// The repeated number.
        pub number: u64,
        /// The value's sequence number in the session: 0, 1, 2 …
        pub sequence: u64,
        /// On a batched lane the number of values dropped just before this one; 0 on the per-value lane.
        pub gap: u32,
        reserved: u32,
    }
}

/// An echo.
pub(crate) struct EchoObject(EchoEngine);

impl Object for EchoObject {
    const NAME: &'static str = "echo";
    const KIND: u32 = 15;
    type Error = StartError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(&self.0.sessions)
    }
}

impl New<RustleEchoConfiguration> for EchoObject {
    /// Makes an echo.
    fn new(c: &RustleEchoConfiguration) -> Outcome<StartError, Self> {
        let (runtime, rate) = (runtime::find(c.runtime)?, c.values_per_second);
        let limit = (c.value_limit != 0).then_some(c.value_limit);
        let refusal = CallFault::number("configuration.values_per_second", "0.001 to 10000000", rate);
        let echo = EchoEngine::on(runtime, rate, limit, c.number, c.delay_ns);
        Ok(Self(echo.ok_or(refusal)?))
    }
}

impl Stream<RustleLaneRequest> for EchoObject {
    type Record = RustleEchoValue;

    /// Starts a session. Events are `RustleEchoValue` records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<StartError, Started> {
        let session = self.0.start(request.delivery::<RustleEchoValue, Echo>(sink)?)?;
        Ok(Started::of::<RustleEchoValue, _>(session))
    }
}

impl EchoObject {
    /// Sets the number that the sessions of an echo repeat: running sessions change after the configured delay, later ones begin
    /// with it. A call within the delay of an earlier call replaces that call's number.
    ///
    /// Fails with `RUSTLE_FORKED`.
    ///
    /// Example: `number` 7.
    #[doc(alias = "rustle_echo_say")]
    pub(crate) fn say(&self, number: u64) -> Outcome<StartError> {
        Ok(self.0.say(number)?)
    }
}
