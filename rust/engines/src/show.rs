//! Shows that run: a session renders the looks of a show at the frames of its outputs, and gives their slots to senders of DMX.
//!
//! A frame is rendered for the time at which it is sent, a part of a frame before that; an input renders the coming frame anew. So
//! a beat is in the packets of its time, and an onset or a blackout in the next ones. The show's time begins with the session's
//! first frame, and what is sent is a function of that time, of the beats and of the inputs alone.

mod beats;
mod clock;
mod configuration;
mod engine;
mod error;
mod frames;
mod job;
mod outputs;
mod painter;
mod records;
mod shared;

pub use beats::BPM_RANGE;
pub use configuration::ShowConfiguration;
pub use engine::{ShowEngine, ShowSession};
pub use error::ShowError;
pub use frames::ShowLevels;
pub use painter::PictureFormat;
pub use records::{ShowReport, ShowReportKind};
pub use shared::SHOW_OUTPUTS;

#[cfg(test)]
mod tests;
