//! The meters: loudness beside libebur128, level and third-octave bands.

use super::signal::{BLOCK, RATE, signal};
use crate::candidate::Candidate;
use rustle_dsp::level::{BandAnalyzer, BandWidth, FrequencyWeighting, LevelMeter, MeterError, TimeWeighting};
use rustle_dsp::loudness::{ChannelWeight, LoudnessMeter};
use rustle_testkit::Ebur128;
use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;

/// The blocks of a job: about a second, after which all values are read. Sixty jobs go once through the signal.
const BLOCKS: usize = 96;

/// A meter that processes blocks of a signal, and is read at the end of a job.
struct Meter<F> {
    name: &'static str,
    signal: Rc<[f32]>,
    channels: usize,
    place: usize,
    /// Takes a block, or with `None` reads the meter.
    meter: F,
}

impl<F: FnMut(Option<&[f32]>)> Candidate for Meter<F> {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn run(&mut self) {
        let length = BLOCK * self.channels;
        for _ in 0..BLOCKS {
            (self.meter)(Some(&self.signal[self.place..][..length]));
            self.place += length;
            if self.place + length > self.signal.len() {
                self.place = 0;
            }
        }
        (self.meter)(None);
    }

    fn frames(&self) -> usize {
        BLOCK * BLOCKS
    }
}

fn boxed(
    name: &'static str,
    signal: &Rc<[f32]>,
    channels: usize,
    meter: impl FnMut(Option<&[f32]>) + 'static,
) -> Box<dyn Candidate> {
    Box::new(Meter {
        name,
        signal: signal.clone(),
        channels,
        place: 0,
        meter,
    })
}

/// Momentary, short-term and integrated loudness, loudness range and true peak of stereo.
pub(super) fn loudness() -> Result<Vec<Box<dyn Candidate>>, Box<dyn Error>> {
    let signal: Rc<[f32]> = signal().into();
    let mut ours = LoudnessMeter::new(f64::from(RATE), &[ChannelWeight::Front; 2])?;
    let ours = move |block: Option<&[f32]>| match block {
        Some(block) => assert_eq!(ours.process(block), Ok(())),
        None => {
            black_box(ours.reading());
        }
    };
    let mut peer = Ebur128::load(2, RATE).ok_or("libebur128 is missing")?;
    let peer = move |block: Option<&[f32]>| match block {
        Some(block) => peer.add(block),
        None => {
            black_box(peer.reading());
        }
    };
    Ok(vec![
        boxed("**rustle**", &signal, 2, ours),
        boxed("libebur128, all modes", &signal, 2, peer),
    ])
}

/// Level and bands of one channel.
pub(super) fn levels() -> Result<Vec<Box<dyn Candidate>>, MeterError> {
    let signal: Rc<[f32]> = signal().into();
    let rate = f64::from(RATE);
    let mut level = LevelMeter::new(rate, FrequencyWeighting::A, TimeWeighting::Fast, 0.0)?;
    let level = move |block: Option<&[f32]>| match block {
        Some(block) => level.process(block.iter().copied()),
        None => {
            black_box(level.reading());
        }
    };
    let mut bands = BandAnalyzer::new(BandWidth::ThirdOctave, rate)?;
    let mut powers = vec![0.0; bands.centres().len()];
    let bands = move |block: Option<&[f32]>| match block {
        Some(block) => bands.process(block),
        None => {
            bands.mean_squares(&mut powers);
            black_box(&powers);
        }
    };
    Ok(vec![
        boxed("level: A, fast, with LCpeak", &signal, 1, level),
        boxed("third-octave bands, 32", &signal, 1, bands),
    ])
}
