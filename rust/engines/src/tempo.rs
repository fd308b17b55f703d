//! A clock of beats that follows the best of several sources: a session, taps, MIDI clock, audio, and a tempo of the user's.
//!
//! Calls change the sources under a lock and write what follows to a board, from which beats are read without one. A job of the runtime
//! follows the session, and turns to another source when one has gone.

mod clock;
mod configuration;
mod engine;
mod error;
mod jobs;
mod records;

pub use clock::{BeatReader, BeatReading};
pub use configuration::TempoConfiguration;
pub use engine::{TempoChange, TempoChanged, TempoEngine};
pub use error::TempoError;
pub use records::{Beat, TempoReport, TempoReportKind};

#[cfg(test)]
mod tests;
