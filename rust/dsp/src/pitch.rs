//! Pitch: the fundamental frequency of a frame of sound, its confidence, and its course from frame to frame.
//!
//! - [`PitchMethod`]: what there is to choose from; [`PitchMethod::Harmonic`] is the default, and what the rest of the package
//!   uses. The others are the well-known methods under their names, for comparison and for where they are asked for.
//! - [`estimator`] makes one of them from a [`PitchConfiguration`]: a [`PitchEstimator`] takes one frame at a time.
//! - [`PitchTracker`] cuts a signal that comes in pieces into frames; [`contour`] does it for a whole signal, and can look for
//!   the likeliest path through all its frames.
//!
//! Frequencies are in hertz, 0 where there is none. Times are those of the windows' middles.
//!
//! ```
//! # fn main() -> Result<(), rustle_dsp::pitch::PitchError> {
//! use rustle_dsp::pitch::{PitchConfiguration, estimator};
//! let mut pitch = estimator(&PitchConfiguration::new(48_000.0, 60.0..=1000.0))?;
//! let tone: Vec<f32> = (0..pitch.frame_length())
//!     .map(|n| (std::f32::consts::TAU * 220.0 * n as f32 / 48_000.0).sin())
//!     .collect();
//! let estimate = pitch.estimate(&tone)?;
//! assert!((estimate.frequency - 220.0).abs() < 0.01 && estimate.confidence > 0.9);
//! # Ok(())
//! # }
//! ```

mod centred;
mod comb;
mod configuration;
mod dirichlet;
mod error;
mod harmonic;
mod lags;
mod least_squares;
mod linear;
mod motion;
mod mpm;
mod orders;
mod path;
mod polyphony;
mod resolutions;
mod spectral;
mod sums;
mod surroundings;
mod tracker;
mod voicing;
mod yin;

pub use configuration::{
    MAX_FRAME_LENGTH, MIN_FRAME_LENGTH, PERIODS, PitchConfiguration, PitchMethod, SAMPLE_RATES,
};
pub use error::PitchError;
pub use tracker::{Decoding, PitchFrame, PitchTracker, contour};

use std::ops::RangeInclusive;

/// The default confidence from which on a frame counts as voiced: right as often as wrong.
pub const VOICED: f64 = 0.5;

/// The pitch of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PitchEstimate {
    /// The fundamental frequency in Hz, of an inharmonic tone that of its first partial; 0: the frame has none in the range.
    pub frequency: f64,
    /// 0 to 1. With [`PitchMethod::Harmonic`] the share of frames like this of one note whose pitch is right, within 50 cents; with
    /// the other methods a measure of their own, which is not a probability: see there.
    pub confidence: f64,
    /// The standard deviation of `frequency` in cents, if what is not the tone is noise, 69 dB below the tone at least; 0 where a
    /// method does not report it.
    pub deviation: f64,
    /// B, where partial k is at k f0 sqrt(1 + B k^2), below 0.02. 0 is none: of a harmonic tone, of one of fewer than three
    /// partials, where the frame does not show it, or where a method does not report it.
    pub inharmonicity: f64,
    /// The tone's power over that of the rest, in dB, to 69, which single precision leaves; negative infinity where there is no
    /// tone or a method does not report it.
    pub harmonicity: f64,
    /// The frame's level without its mean, in dB relative to a full-scale square wave; negative infinity for silence.
    pub level: f64,
    /// Whether the frame is of more than one note, rather than of one: its frequency is then that of one of them, or of a common
    /// root. Single notes an octave or a twelfth apart are one. [`PitchMethod::Harmonic`] reports it, and its confidence falls by
    /// the probability of it.
    pub polyphonic: bool,
}

impl PitchEstimate {
    /// Whether the frame has a pitch, with a confidence of at least [`VOICED`].
    pub fn is_voiced(&self) -> bool {
        self.frequency > 0.0 && self.confidence >= VOICED
    }

    /// A frame without a pitch.
    fn silent(level: f64) -> Self {
        Self {
            level,
            harmonicity: f64::NEG_INFINITY,
            ..Self::default()
        }
    }
}

/// A frequency that a frame may have, before one is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PitchCandidate {
    /// Hz.
    pub frequency: f64,
    /// The score: the larger, the likelier; comparable within a method.
    pub score: f64,
}

/// The most candidates that an estimator reports.
pub const MAX_CANDIDATES: usize = 10;

/// A method, ready for frames of one length. Nothing is allocated after construction.
pub trait PitchEstimator: Send {
    /// The samples of a frame.
    fn frame_length(&self) -> usize;

    /// The samples of the shortest frame that [`estimate`](Self::estimate) takes beside those of
    /// [`frame_length`](Self::frame_length): each half as long as another, with the range of pitch that it holds.
    fn shortest(&self) -> usize {
        self.frame_length()
    }

    /// The range of frequencies that are searched, in Hz. The lower end is the configuration's, or the lowest that the frame
    /// holds, whichever is higher.
    fn range(&self) -> RangeInclusive<f64>;

    /// The pitch of a frame of [`frame_length`](Self::frame_length) samples. A frame with a sample that is NaN or infinite, or whose
    /// energy overflows `f32`, has none.
    ///
    /// # Errors
    /// [`PitchError::FrameLength`].
    fn estimate(&mut self, frame: &[f32]) -> Result<PitchEstimate, PitchError>;

    /// The candidates of the last frame, the pitch that [`estimate`](Self::estimate) returned first, at most [`MAX_CANDIDATES`];
    /// methods without others return none.
    fn candidates(&self) -> &[PitchCandidate] {
        &[]
    }

    /// The pitch of the last frame if its candidate `index` is right; its confidence is that it is.
    fn refine(&mut self, _index: usize) -> PitchEstimate {
        PitchEstimate::default()
    }
}

/// Makes the estimator that `configuration` describes.
///
/// # Errors
/// [`PitchError::SampleRate`], [`PitchError::Range`], [`PitchError::Window`]; and what
/// [`InstructionSet::preferred`](crate::InstructionSet::preferred) returns.
pub fn estimator(configuration: &PitchConfiguration) -> Result<Box<dyn PitchEstimator>, PitchError> {
    let checked = configuration.checked()?;
    Ok(match configuration.method {
        PitchMethod::Harmonic if configuration.frame_length.is_none() => {
            Box::new(resolutions::Resolutions::new(configuration, checked)?)
        }
        PitchMethod::Harmonic => Box::new(harmonic::Harmonic::new(checked)?),
        PitchMethod::Yin => Box::new(yin::Yin::new(checked)?),
        PitchMethod::Mpm => Box::new(mpm::Mpm::new(checked)?),
        PitchMethod::HarmonicProduct => {
            Box::new(spectral::Spectral::new(checked, spectral::Choice::Product)?)
        }
        PitchMethod::SpectralPeak => Box::new(spectral::Spectral::new(checked, spectral::Choice::Peak)?),
    })
}
