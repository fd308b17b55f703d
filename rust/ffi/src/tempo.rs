//! A clock of beats that follows a session shared on the network, taps, MIDI clock, audio, or a tempo of the user's.

mod interface;

use crate::fault::{DomainError, Outcome};
use crate::lane::RustleLaneRequest;
use crate::lent::Choice;
use crate::object::{Describe, New, Object, Tabled};
use crate::runtime;
use crate::session::{Started, Stream};
use crate::sink::RawSink;
use crate::status::{
    CallFault, RustleStatus, RUSTLE_INVALID_VALUE, RUSTLE_NETWORK_FAILED, RUSTLE_RATE_OUT_OF_RANGE,
    RUSTLE_UNKNOWN_INTERFACE,
};
pub use interface::{
    RustleBeat, RustleBeatReading, RustleTapEstimate, RustleTapOutcome, RustleTempoChange,
    RustleTempoChanged, RustleTempoConfiguration, RustleTempoCounts, RustleTempoInput, RustleTempoReport,
    RustleTempoReportKind, RustleTempoSource,
};
use rustle_engines::{
    LinkConfiguration, LinkError, Sessions, TempoChange, TempoConfiguration, TempoEngine, TempoError,
    TempoReport,
};
use rustle_tempo::beats::{Beats, HostTime, Quantum, Tempo, Time};
use rustle_tempo::tap::{Octave, TapOutcome};

/// A clock.
pub(crate) struct TempoObject(TempoEngine);

impl Object for TempoObject {
    const NAME: &'static str = "tempo";
    const KIND: u32 = 22;
    type Error = TempoError;

    fn sessions(&self) -> Option<&Sessions> {
        Some(self.0.sessions())
    }

    /// Leaves the session, cancels every session of reports and refuses later starts.
    fn shut_down(&self) -> Outcome<TempoError> {
        self.0.shut_down();
        Ok(())
    }
}

impl New<RustleTempoConfiguration> for TempoObject {
    /// Makes a clock, which takes part in no session yet.
    ///
    /// Fails with `RUSTLE_RATE_OUT_OF_RANGE`.
    fn new(c: &RustleTempoConfiguration) -> Outcome<TempoError, Self> {
        CallFault::check_reserved(c.reserved, "configuration.reserved")?;
        let runtime = runtime::find(c.runtime)?;
        let port = u16::try_from(c.port);
        let port = port.map_err(|_| CallFault::number("configuration.port", "0 to 65535", c.port))?;
        let interfaces = interfaces(c.interfaces.text("configuration.interfaces")?);
        let of = match c.followed {
            0 => None,
            followed => Some(Self::table().pin(followed, "configuration.followed")?),
        };
        let configuration = TempoConfiguration {
            link: LinkConfiguration {
                tempo: tempo(c.beats_a_minute, "configuration.beats_a_minute")?,
                quantum: quantum(c.quantum, "configuration.quantum")?,
                follows_start_stop: c.follows_start_stop.is_set(),
                interfaces,
                port: (port != 0).then_some(port),
            },
            reading: c.reading.get("configuration.reading")?.into(),
            reports_per_second: c.reports_per_second,
            report_limit: (c.report_limit != 0).then_some(c.report_limit),
        };
        let of = of.as_ref().map(|of| &of.0);
        Ok(Self(TempoEngine::on(runtime, configuration, of)?))
    }
}

/// The interfaces of a text; none of the engines' list are all.
pub(crate) fn interfaces(text: &str) -> Vec<String> {
    match text {
        "" => vec!["127.0.0.1".to_owned()],
        "all" => Vec::new(),
        names => names.split(',').map(|name| name.trim().to_owned()).collect(),
    }
}

fn tempo(bpm: f64, name: &'static str) -> Result<Tempo, CallFault> {
    let is_in_range = (20.0..=999.0).contains(&bpm);
    let refused = CallFault::number(name, "20 to 999", bpm);
    let tempo = Tempo::from_bpm(bpm).ok().filter(|_| is_in_range);
    tempo.ok_or(refused)
}

fn quantum(beats: f64, name: &'static str) -> Result<Quantum, CallFault> {
    let is_in_range = (0.0..=1e6).contains(&beats);
    let quantum = Quantum::new(Beats::from_f64(beats));
    let quantum = quantum.ok().filter(|_| is_in_range);
    quantum.ok_or(CallFault::number(name, "more than 0 to 1000000", beats))
}

impl Stream<RustleLaneRequest> for TempoObject {
    type Record = RustleTempoReport;

    /// Starts a session of reports: the state at once and then at the configured rate, and each change. Events are `RustleTempoReport`
    /// records.
    ///
    /// Fails with `RUSTLE_INVALID_LENGTH`.
    fn start(&self, request: &RustleLaneRequest, sink: RawSink) -> Outcome<TempoError, Started> {
        let session = self
            .0
            .start(request.delivery::<RustleTempoReport, TempoReport>(sink)?)?;
        Ok(Started::of::<RustleTempoReport, _>(session))
    }
}

impl Describe<RustleTapEstimate> for TempoObject {
    /// Writes tempo and phase of the taps to `description`.
    #[doc(alias = "rustle_tempo_taps")]
    fn describe(&self) -> Result<RustleTapEstimate, CallFault> {
        let taps = self.0.taps();
        Ok(RustleTapEstimate {
            beats_a_minute: taps.map_or(0.0, |taps| taps.bpm),
            tempo_error: taps.map_or(0.0, |taps| taps.tempo_error),
            phase_error_ms: taps.map_or(0.0, |taps| taps.phase_error),
            suggestion: taps.and_then(|taps| taps.suggestion).map_or(1.0, Octave::factor),
            last_us: taps.map_or(0, |taps| taps.last.micros()),
            downbeat_us: taps.map_or(0, |taps| taps.timeline.time_of(Beats::ZERO).micros()),
            taps: taps.map_or(0, |taps| taps.taps),
            reserved: 0,
        })
    }
}

impl Describe<RustleTempoCounts> for TempoObject {
    /// Writes the counts of a clock's session so far to `description`.
    #[doc(alias = "rustle_tempo_counts")]
    fn describe(&self) -> Result<RustleTempoCounts, CallFault> {
        Ok(self.0.counts().into())
    }
}

impl TempoObject {
    /// Writes to `beat` the beat at a host time in microseconds, a little in the past or in the future; negative: now. It takes no lock,
    /// and allocates nothing. Realtime-safe.
    #[doc(alias = "rustle_tempo_beats_at")]
    pub(crate) fn beats_at(
        &self,
        at_us: i64,
        reading: Choice<RustleBeatReading>,
    ) -> Result<RustleBeat, CallFault> {
        let reader = self.0.reader();
        let at = if at_us < 0 {
            reader.host_now()
        } else {
            HostTime::new(at_us)
        };
        Ok(reader.beat_at(at, reading.get("reading")?.into()).into())
    }

    /// Makes a change. `changed` receives what it did.
    ///
    /// Fails with `RUSTLE_UNKNOWN_INTERFACE`, `RUSTLE_NETWORK_FAILED`, `RUSTLE_SHUT_DOWN`, `RUSTLE_EXHAUSTED` (of
    /// `RUSTLE_TEMPO_ENABLED`), `RUSTLE_FORKED`; nothing is changed then.
    #[doc(alias = "rustle_tempo_change")]
    pub(crate) fn change(&self, change: &RustleTempoChange) -> Outcome<TempoError, RustleTempoChanged> {
        CallFault::check_reserved(change.reserved, "change.reserved")?;
        let change = change.read(self.0.reader().host_now())?;
        let changed = self.0.change(change)?;
        let (tap, missed) = match changed.tap {
            None => (RustleTapOutcome::None, 0),
            Some(TapOutcome::First) => (RustleTapOutcome::First, 0),
            Some(TapOutcome::Counted { missed }) => (RustleTapOutcome::Counted, missed),
            Some(TapOutcome::Doubled) => (RustleTapOutcome::Doubled, 0),
            Some(TapOutcome::OutOfOrder) => (RustleTapOutcome::OutOfOrder, 0),
        };
        Ok(RustleTempoChanged {
            at_us: changed.at.micros(),
            tap: tap.into(),
            missed,
        })
    }

    /// The engine, for another one that follows its beats.
    pub(crate) fn engine(&self) -> &TempoEngine {
        &self.0
    }
}

impl RustleTempoChange {
    fn read(&self, now: HostTime) -> Result<TempoChange, CallFault> {
        use RustleTempoInput as Input;
        let at = if self.at_us < 0 {
            now
        } else {
            HostTime::new(self.at_us)
        };
        let value = self.value;
        let refused = |name, expected| CallFault::number(name, expected, value);
        let flag = |name| match value {
            0.0 => Ok(false),
            1.0 => Ok(true),
            _ => Err(refused(name, "0 or 1")),
        };
        let beat = || {
            let is_in_range = (-9e12..=9e12).contains(&value);
            is_in_range
                .then(|| Beats::from_f64(value))
                .ok_or(refused("beat", "-9e12 to 9e12"))
        };
        let whole = |most: u32, name, expected| {
            let is_whole = (0.0..=f64::from(most)).contains(&value) && value.fract() == 0.0;
            is_whole.then_some(value as u32).ok_or(refused(name, expected))
        };
        Ok(match self.kind.get("change.kind")? {
            Input::Enabled => TempoChange::Enabled(flag("enabled")?),
            Input::Tempo => TempoChange::Tempo(tempo(value, "tempo")?, at),
            Input::Playing => TempoChange::Playing(flag("playing")?, at),
            Input::FollowsStartStop => TempoChange::FollowsStartStop(flag("follows start and stop")?),
            Input::Quantum => TempoChange::Quantum(quantum(value, "quantum")?),
            Input::RequestBeat => TempoChange::RequestBeat(beat()?, at),
            Input::ForceBeat => TempoChange::ForceBeat(beat()?, at),
            Input::Tap => TempoChange::Tap(at),
            Input::Halve => TempoChange::Octave(Octave::Half),
            Input::Double => TempoChange::Octave(Octave::Double),
            Input::Nudge => TempoChange::Nudge(value),
            Input::Downbeat => TempoChange::Downbeat(at),
            Input::HoldsTaps => TempoChange::HoldsTaps(flag("holds taps")?),
            Input::ForgetTaps => TempoChange::ForgetTaps,
            Input::MidiByte => TempoChange::MidiByte(whole(255, "byte", "0 to 255")? as u8, at),
            Input::Heard => TempoChange::Heard {
                at,
                tempo: tempo(value, "tempo")?,
                confidence: self.confidence,
                phase_error: self.phase_error_ms,
            },
            Input::AudioConfidence => TempoChange::AudioConfidence(value),
            Input::Prefer => {
                let expected = "one of RUSTLE_TEMPO_SOURCE_…";
                let source = Choice::<RustleTempoSource>::of_number(whole(4, "source", expected)?);
                TempoChange::Prefer(source.get("source")?.into())
            }
            Input::Jump => TempoChange::Jump,
        })
    }
}

impl DomainError for TempoError {
    fn status(&self) -> RustleStatus {
        match self {
            Self::Link(LinkError::Start(error)) => error.status(),
            Self::Link(LinkError::Interface { .. }) => RUSTLE_UNKNOWN_INTERFACE,
            Self::Link(LinkError::Network { .. }) => RUSTLE_NETWORK_FAILED,
            Self::ReportRate { .. } => RUSTLE_RATE_OUT_OF_RANGE,
            Self::Value { .. } | Self::NoTaps | Self::OtherRuntime => RUSTLE_INVALID_VALUE,
        }
    }
}
