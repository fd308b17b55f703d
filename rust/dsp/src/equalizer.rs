//! A parametric equalizer for one or two channels.
//!
//! [`Settings`] hold the bands of each channel and a preamplification. [`Ramp`] is the transition from one setting to another,
//! computed outside of the audio thread; [`Equalizer`] runs on the audio thread, takes a ramp, and neither allocates nor waits.
//!
//! A change of a setting reaches the sound over [`RAMP_SECONDS`], in steps of at most a quarter of a decibel between which the
//! coefficients move with every frame: at no frequency does the response leave the range between two neighbouring steps.

mod band;
mod cascade;
mod kernels;
mod rack;
mod ramp;
mod solve;

pub use band::{
    Band, BandKind, CENTRES, EqualizerError, GAINS, MAX_BANDS, OCTAVES, PREAMPS, RATES, Settings,
};
pub use cascade::Equalizer;
pub use ramp::{RAMP_SECONDS, Ramp};
pub use solve::{automatic_preamp, gains_for_curve};
