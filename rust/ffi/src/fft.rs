//! Spectra: of frames, along signals and back, and the two functions of the project's brief.

pub mod brief;
mod cache;
mod fault;
pub mod forms;
pub mod inverse;
pub mod path;
pub mod peaks;
pub mod plan;
mod results;
mod scratch;
pub mod stft;
pub mod stft_stream;
pub mod window;
