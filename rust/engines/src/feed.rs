//! The market-data engine: one source of trades and any number of consumers, each with its own policy.

mod alert;
mod compressed;
mod consumer;
mod consumers;
mod derive;
mod error;
mod external;
mod hub;
mod intake;
mod lane;
mod live;
mod losses;
mod notice;
mod piped;
mod policy;
mod replay;
mod rows;
mod server;
mod session;
mod simulated;
mod source;

pub use alert::{FeedAlert, Threshold};
pub use consumer::Subscription;
pub use derive::{FeedTrade, Omissions};
pub use error::FeedError;
pub use external::{ExternalConfiguration, HostNews, MESSAGE_LIMITS};
pub use hub::Wanted;
pub use live::{FeedAddress, FeedAddressError, LiveConfiguration, PATIENCE};
pub use notice::{FeedCounts, NOTICE_TEXT_BYTES, Notice, NoticeKind, NoticeText, Notices};
pub use policy::{Policy, SAMPLE_INTERVALS};
pub use replay::ReplayConfiguration;
pub use server::{Access, ClientStatistics, FeedServer, HEARTBEAT, ServerCounts, TOKEN_BYTES};
pub use session::{FeedLink, FeedSession};
pub use simulated::{Model, SimulatedConfiguration};

use crate::engine::Sessions;
use crate::job::{Job, Release};
use crate::lane::Doorbell;
use crate::lock::{Lock, locked};
use crate::panic_text::panic_message;
use crate::ring::Overflow;
use crate::runtime::{Runtime, RuntimeError};
use alert::Alerts;
use consumer::{Filter, NoticePipe};
use consumers::Consumers;
use external::{External, PushedJob};
use hub::FeedCore;
use intake::TradeIntake;
use lane::FeedLane;
use live::Live;
use piped::PipeReader;
use replay::Replay;
use rustle_market::{Candle, CandleBuilder, Interval, RollingStatistics, Statistics, SymbolTable};
use simulated::Simulated;
use source::{Source, SourceJob};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

/// The source of a feed's trades.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceConfiguration {
    /// Simulated prices.
    Simulated(SimulatedConfiguration),
    /// A recording.
    Replay(ReplayConfiguration),
    /// Another process.
    Live(LiveConfiguration),
    /// The host, which delivers the bytes.
    External(ExternalConfiguration),
}

/// One source and its consumers.
///
/// The source begins with [`run`](Self::run), so that several consumers can be there from its first trade on. When it ends, every
/// session ends, including those that are started afterwards. Dropping the engine cancels its sessions and the source.
pub struct FeedEngine {
    consumers: Arc<Consumers>,
    source: Sessions,
    /// The source, until it runs.
    waiting: Mutex<Option<Box<dyn Job>>>,
    /// The reader of a source that is a pipe, until it runs.
    pipe: Mutex<Option<PipeReader>>,
    /// An external source.
    external: Option<Arc<External>>,
}

impl FeedEngine {
    /// A feed on a runtime of the caller's. This opens a recording.
    ///
    /// # Errors
    /// The [`FeedError`]s of the source.
    pub fn on(runtime: Arc<Runtime>, configuration: &SourceConfiguration) -> Result<Self, FeedError> {
        let clock = runtime.shared_clock();
        let poison = Arc::new(AtomicBool::new(false));
        let hub = Arc::new(FeedCore::new(clock.clone(), poison.clone()));
        let (mut external, mut pipe) = (None, None);
        let gate = |symbols| TradeIntake::new(hub.clone(), symbols);
        let asked = |source: Box<dyn Source>, gate| -> Box<dyn Job> {
            Box::new(SourceJob::new(source, gate, hub.clone()))
        };
        let waiting = match configuration {
            SourceConfiguration::Simulated(configuration) => {
                let (source, symbols) = Simulated::new(configuration)?;
                asked(Box::new(source), gate(symbols))
            }
            SourceConfiguration::Replay(configuration) => {
                let (source, reader) = Replay::new(configuration, hub.clone())?;
                pipe = reader;
                asked(Box::new(source), gate(SymbolTable::new()))
            }
            SourceConfiguration::Live(configuration) => {
                let gate = gate(SymbolTable::new());
                let clock = clock.clone();
                Box::new(Live::new(
                    configuration,
                    clock,
                    hub.clone(),
                    gate,
                    rand::random(),
                )?)
            }
            SourceConfiguration::External(configuration) => {
                let source = external.insert(Arc::new(External::new(configuration, hub.clone())?));
                Box::new(PushedJob(source.clone()))
            }
        };
        // A source wakes its consumers, whose own work is ringing a bell.
        let place = runtime.place();
        let sessions = || Sessions::new(runtime.clone()).at(place);
        Ok(Self {
            consumers: Arc::new(Consumers {
                sessions: sessions().sharing(poison),
                // Each client at its own place: all threads write.
                servers: Sessions::new(runtime.clone()),
                hub,
                clock,
                numbers: AtomicU64::new(0),
                source_waits: !matches!(configuration, SourceConfiguration::Live(_)),
            }),
            source: sessions(),
            waiting: Mutex::new(Some(waiting)),
            pipe: Mutex::new(pipe),
            external,
        })
    }

    /// Starts the source. Idempotent.
    ///
    /// # Errors
    /// The engine was shut down, or a thread was refused; the feed has ended then.
    pub fn run(&self) -> Result<(), FeedError> {
        self.source.check_process()?;
        let Some(waiting) = locked(&self.waiting, Lock::Parts).take() else {
            return if self.source.is_shut_down() {
                Err(FeedError::ShutDown)
            } else {
                Ok(())
            };
        };
        let begun = catch_unwind(AssertUnwindSafe(|| self.begin(waiting)));
        // A source that was taken and does not run must not leave anyone waiting.
        match begun {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                self.hub().finish(Err(error.to_string()));
                Err(error)
            }
            Err(payload) => {
                self.source.cancel();
                let message = panic_message(&*payload);
                self.hub()
                    .end(Release::Panicked(format!("at its start: {message}")));
                resume_unwind(payload)
            }
        }
    }

    fn begin(&self, job: Box<dyn Job>) -> Result<(), FeedError> {
        let session = self.source.start(|| job)?;
        self.hub().runs_as(session.clone());
        if let Some(external) = &self.external {
            external.runs_as(session);
        } else if let Some(pipe) = locked(&self.pipe, Lock::Parts).take() {
            let started = pipe.start(session);
            started.map_err(|error| FeedError::Runtime(RuntimeError::Thread(error)))?;
        }
        Ok(())
    }

    /// Starts a consumer of the trades themselves. `bell` rings when its lane stops being empty.
    ///
    /// # Errors
    /// The symbols or the policy are not usable, the engine was shut down or poisoned, or a thread was refused. `bell` is
    /// dropped then without a call.
    pub fn trades(
        &self,
        subscription: &Subscription,
        policy: Policy,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<FeedTrade>, FeedError> {
        self.consumers.trades(subscription, policy, bell)
    }

    /// Starts a consumer of candles, made by [`CandleBuilder`]. Candles that are open at the source's end are delivered then.
    ///
    /// # Errors
    /// As [`trades`](Self::trades); [`FeedError::Lateness`].
    pub fn candles(
        &self,
        subscription: &Subscription,
        interval: Interval,
        lateness_ns: i64,
        policy: Policy,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<Candle>, FeedError> {
        let builder = CandleBuilder::new(interval, lateness_ns)?;
        self.consumers.start(subscription, policy, builder, bell)
    }

    /// Starts a consumer of each symbol's window statistics, after each of its trades that is not late.
    ///
    /// # Errors
    /// As [`trades`](Self::trades).
    pub fn statistics(
        &self,
        subscription: &Subscription,
        window: Interval,
        policy: Policy,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<Statistics>, FeedError> {
        let statistics = RollingStatistics::new(window);
        self.consumers.start(subscription, policy, statistics, bell)
    }

    /// Starts a consumer of alerts.
    ///
    /// # Errors
    /// As [`trades`](Self::trades); [`FeedError::Alert`].
    pub fn alerts(
        &self,
        thresholds: &[Threshold],
        policy: Policy,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<FeedAlert>, FeedError> {
        let symbols: BTreeSet<&str> = thresholds
            .iter()
            .map(|threshold| threshold.symbol.as_str())
            .collect();
        let subscription = Subscription::Symbols(symbols.into_iter().map(str::to_owned).collect());
        let alerts = Alerts::new(thresholds)?;
        self.consumers.start(&subscription, policy, alerts, bell)
    }

    /// Starts a consumer of the source's notices, or of some kinds. The oldest that it does not take in time are dropped.
    ///
    /// # Errors
    /// [`FeedError::CapacityOutOfRange`]; the engine was shut down or poisoned, or a thread was refused.
    pub fn notices(
        &self,
        notices: Notices,
        capacity: usize,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedSession<Notice>, FeedError> {
        let overflow = Overflow::DropOldest;
        let policy = Policy::Buffered { overflow, capacity };
        policy.check()?;
        let lane = Arc::new(FeedLane::new(overflow, capacity, false)?);
        let intake = Box::new(NoticePipe {
            lane: lane.clone(),
            notices,
        });
        let filter = Filter::new(&Subscription::Symbols(Vec::new()));
        self.consumers.start_with(lane, intake, filter, policy, bell)
    }

    /// The name of a symbol by the number that records carry; `None` for one that is not known yet.
    pub fn symbol(&self, number: u32) -> Option<Arc<str>> {
        self.hub().name(number)
    }

    /// The last notice of the source's connection; `None`: none yet.
    pub fn connection(&self) -> Option<Notice> {
        self.hub().connection()
    }

    /// The combined subscriptions of the consumers; [`Notices::Wanted`] reports changes.
    pub fn wanted(&self) -> Wanted {
        self.hub().wanted()
    }

    /// The source's counts so far.
    pub fn counts(&self) -> FeedCounts {
        self.hub().counts()
    }

    /// Cancels every consumer. The source continues, and later starts succeed. Idempotent.
    pub fn cancel(&self) {
        self.consumers.sessions.cancel();
    }

    /// Cancels every consumer and the source, and refuses later starts. Idempotent.
    pub fn shut_down(&self) {
        // Before the source ends: a server of a feed that has ended by itself ends otherwise.
        self.consumers.servers.shut_down();
        self.consumers.sessions.shut_down();
        self.source.shut_down();
    }

    /// Serves the trades to the clients that connect to `address`, each with the buffering `policy`: one JSON text per line,
    /// written by [`write_ndjson`](rustle_market::write_ndjson). A line `{"v":1,"gap":3}` stands for trades that a client was too
    /// slow for. A client that is sent nothing else gets `{"v":1,"heartbeat":1767225600000}`, a time in ms, every [`HEARTBEAT`].
    /// It may choose its symbols by lines of [`write_subscription`](rustle_market::write_subscription); until then it gets all.
    /// `bell` rings when clients have connected or left, and is released once the address is free and no connection is left.
    ///
    /// # Errors
    /// [`FeedError::Address`] when the address cannot be served, [`FeedError::NotLoopback`], [`FeedError::TokenLength`],
    /// [`FeedError::CapacityOutOfRange`],
    /// [`FeedError::IntervalOutOfRange`]; the engine was shut down or poisoned, or a thread was refused. `bell` is dropped then
    /// without a call.
    pub fn serve(
        &self,
        address: &FeedAddress,
        policy: Policy,
        access: Access,
        bell: impl Doorbell + 'static,
    ) -> Result<FeedServer, FeedError> {
        policy.check()?;
        self.consumers.sessions.admit()?;
        FeedServer::new(address, policy, access, self.consumers.clone(), bell)
    }

    fn hub(&self) -> &Arc<FeedCore> {
        &self.consumers.hub
    }
}

impl Drop for FeedEngine {
    fn drop(&mut self) {
        self.shut_down();
    }
}

#[cfg(test)]
mod live_tests;
#[cfg(test)]
mod tests;
