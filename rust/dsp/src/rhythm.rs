//! Beats of music: onset strength, tempo, and the times of beats.
//!
//! - [`RhythmTracker`]: causal, for a signal as it comes: tempo, phase, onsets and levels for each hundredth of a second.
//! - [`RhythmAnalyzer`]: the beats of a whole signal, whose later part says where the earlier beats are.
//!
//! Both search the tempo in the autocorrelations of the onset strengths of the whole spectrum, of bass, middle and top, by a comb with a prior,
//! and the beats by chains of strong frames a period apart. A rhythm has several levels: which of them is the beat, and which its double or half, is a choice, and people differ too.

mod analysis;
mod bands;
mod configuration;
mod correlation;
mod error;
mod onset;
mod peaks;
mod pulse;
mod tempo_search;
mod tracker;

pub use analysis::{Rhythm, RhythmAnalyzer};
pub use bands::BandLevels;
pub use configuration::{RhythmConfiguration, TEMPI};
pub use error::RhythmError;
pub use onset::{OnsetFrame, SAMPLE_RATES};
pub use peaks::Onset;
pub use tracker::{BeatEstimate, RhythmFrame, RhythmTracker};
