//! Digital signal processing: pure functions and plans over slices that the caller owns.
//!
//! - [`SpectrumPlan`]: windowed spectra of real signals, as magnitudes, powers, decibels or complex bins.
//! - [`InversePlan`]: the samples of a frame from its complex bins.
//! - [`StftPlan`], [`StftStream`], [`InverseStft`]: spectra along a signal, whole or in pieces, and back.
//! - [`Window`]: the windows, their coefficients and their sums.
//! - [`find_peaks`]: the sinusoids in a spectrum, between the bins.
//! - [`InstructionSet`]: the instructions that a plan computes with, and how to choose them.
//! - [`equalizer`]: a parametric equalizer of two channels; [`biquad`]: its filters.
//! - [`sound_meter`]: levels, loudness and bands in one; [`level`] and [`loudness`]: each alone.
//! - [`rhythm`]: onsets, tempo and beats of music, as it comes and of whole signals.
//! - [`voice`]: formants, noise, jitter and shimmer of voices.
//! - [`fft::dft`]: the definition that the fast transform is tested against.
//!
//! Signals are `f32`, plain numbers with full scale at 1.0. Frequencies are hertz, or bins: a spectrum of size N at a sample rate
//! R has its bin k at k R / N Hz. Nothing here allocates, except constructors and functions whose documentation says so.
#![deny(unsafe_code)]

mod bessel;
pub mod biquad;
mod bounded_text;
pub mod equalizer;
mod error;
pub mod fft;
mod framing;
mod inverse;
pub mod level;
pub mod loudness;
mod output;
mod peaks;
pub mod pitch;
mod plan_cache;
pub mod rhythm;
mod short;
pub mod sound_meter;
mod spectrum;
mod stft;
pub mod voice;
mod window;

pub use bounded_text::{BoundedText, GivenName};
pub use error::DspError;
pub use fft::instruction_set::{INSTRUCTION_SET_VARIABLE, InstructionSet};
pub use inverse::InversePlan;
pub use output::Output;
pub use peaks::{Peak, PeakSearch, find_peaks};
pub use plan_cache::PlanCache;
pub use short::Short;
pub use spectrum::{DECIBEL_FLOOR, Normalization, SpectrumPlan};
pub use stft::{HOPS, InverseStft, Padding, Progress, StftPlan, StftStream};
pub use window::{Symmetry, Window, WindowSums};
