//! Sound devices through ALSA, which reaches hardware, PulseAudio and PipeWire alike.
//!
//! The system's libasound is loaded at first use: a program without sound devices does not need it, and without it the first use
//! fails with an error that names the package. Samples are `f32`, interleaved, full scale at 1.0, whatever the device's own
//! format.

mod device;
mod error;
mod format;
mod functions;
mod pcm;

pub use device::{Device, devices};
pub use error::{AlsaError, Refusal};
pub use pcm::{Configuration, Direction, Pcm, Progress};
