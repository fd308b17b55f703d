//! 28 biquads on stereo: fourteen bands on each of two channels.

use super::signal::{BLOCK, CENTRES, FRAMES, RATE, gains, signal};
use crate::candidate::{Aligned, Candidate};
use rustle_dsp::biquad::{Biquad, BiquadState};
use rustle_dsp::equalizer::{Equalizer, EqualizerError, MAX_BANDS, Ramp, Settings};
use std::rc::Rc;

/// The bands' width in octaves.
const OCTAVES: f64 = 1.0;

type Make = fn(usize, usize) -> Result<Equalizer, EqualizerError>;

/// The equalizers by name, each with the most bands that it may have. The first is the default.
const EQUALIZERS: [(&str, Make, usize); 3] = [
    ("**rustle**", Equalizer::new, CENTRES.len()),
    ("**rustle**, room for 64 bands", Equalizer::new, MAX_BANDS),
    (
        "**rustle**, plain arrays",
        Equalizer::without_vectors,
        CENTRES.len(),
    ),
];

fn settings(sign: f64) -> Settings {
    Settings::graphic(&gains().map(|gain| sign * gain), OCTAVES, f64::from(RATE))
}

fn ramp(from: &Settings, to: &Settings, bands: usize) -> Result<Ramp, EqualizerError> {
    Ramp::new(from, to, bands, f64::from(RATE))
}

/// An equalizer in the middle of its work, with room for `bands`.
fn equalizer(make: Make, bands: usize) -> Result<Equalizer, EqualizerError> {
    let mut equalizer = make(2, bands)?;
    let change = ramp(&Settings::default(), &settings(1.0), bands)?;
    assert!(equalizer.change(change).is_ok());
    equalizer.reset();
    Ok(equalizer)
}

/// The blocks of the signal in turn, each copied to one buffer and processed there.
struct Blocks {
    signal: Rc<[f32]>,
    next: usize,
    block: Aligned,
}

impl Blocks {
    fn new(signal: &Rc<[f32]>) -> Self {
        Self {
            signal: signal.clone(),
            next: 0,
            block: Aligned::new(2 * BLOCK),
        }
    }

    fn noise(&mut self) -> &mut [f32] {
        let place = self.next % (FRAMES / BLOCK) * 2 * BLOCK;
        self.next += 1;
        self.block.copy_from_slice(&self.signal[place..][..2 * BLOCK]);
        &mut self.block
    }

    fn silence(&mut self) -> &mut [f32] {
        self.block.fill(0.0);
        &mut self.block
    }
}

/// Noise without end, or from a fresh state a block of noise and then silence.
struct Steady {
    name: String,
    equalizer: Equalizer,
    blocks: Blocks,
    count: usize,
    silent: bool,
}

impl Candidate for Steady {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&mut self) {
        if self.silent {
            self.equalizer.reset();
        }
        for index in 0..self.count {
            let block = if self.silent && index > 0 {
                self.blocks.silence()
            } else {
                self.blocks.noise()
            };
            assert_eq!(self.equalizer.process(block), Ok(()));
        }
    }

    fn frames(&self) -> usize {
        self.count * BLOCK
    }
}

/// Changes from one setting to its opposite and back, one after the other.
struct Changing {
    equalizer: Equalizer,
    /// The change after the one in progress.
    next: Option<Ramp>,
    blocks: Blocks,
}

/// The blocks that a change takes: 40 ms, and a rest.
const BLOCKS_OF_CHANGE: usize = 4;

impl Candidate for Changing {
    fn name(&self) -> String {
        "**rustle**, all 28 gains changing".to_owned()
    }

    fn run(&mut self) {
        if let Some(ramp) = self.next.take() {
            self.next = self.equalizer.change(ramp).ok().flatten();
        }
        for _ in 0..BLOCKS_OF_CHANGE {
            assert_eq!(self.equalizer.process(self.blocks.noise()), Ok(()));
        }
        assert!(self.next.is_some() && !self.equalizer.is_changing());
    }

    fn frames(&self) -> usize {
        BLOCKS_OF_CHANGE * BLOCK
    }
}

/// The simplest implementation: filter after filter on each sample.
struct Scalar {
    filters: [Vec<(Biquad, BiquadState)>; 2],
    blocks: Blocks,
}

impl Candidate for Scalar {
    fn name(&self) -> String {
        "filter after filter, f64".to_owned()
    }

    fn run(&mut self) {
        for frame in self.blocks.noise().as_chunks_mut::<2>().0 {
            for (sample, filters) in frame.iter_mut().zip(&mut self.filters) {
                let mut value = f64::from(*sample);
                for (filter, state) in filters {
                    value = state.process(filter, value);
                }
                *sample = value as f32;
            }
        }
    }

    fn frames(&self) -> usize {
        BLOCK
    }
}

/// The ways to compute a block of noise, ours first.
pub(super) fn noise() -> Result<Vec<Box<dyn Candidate>>, EqualizerError> {
    let signal: Rc<[f32]> = signal().into();
    let mut candidates = steady(&signal, 1, false)?;
    let mut changing = equalizer(Equalizer::new, CENTRES.len())?;
    let (there, back) = (settings(1.0), settings(-1.0));
    // The first change hands out the ramp that led here; from the second on two ramps go round.
    assert!(changing.change(ramp(&there, &back, CENTRES.len())?).is_ok());
    changing.reset();
    let mut blocks = Blocks::new(&signal);
    let first = changing
        .change(ramp(&back, &there, CENTRES.len())?)
        .ok()
        .flatten();
    for _ in 0..BLOCKS_OF_CHANGE {
        changing.process(blocks.noise())?;
    }
    candidates.push(Box::new(Changing {
        equalizer: changing,
        next: first,
        blocks,
    }));
    let settings = settings(1.0);
    let filters = [&settings.left, &settings.right].map(|bands| {
        let filters = bands.iter().map(|band| band.filter(f64::from(RATE)));
        filters.map(|filter| (filter, BiquadState::default())).collect()
    });
    candidates.push(Box::new(Scalar {
        filters,
        blocks: Blocks::new(&signal),
    }));
    Ok(candidates)
}

/// Our equalizers with jobs of this many blocks.
pub(super) fn steady(
    signal: &Rc<[f32]>,
    count: usize,
    silent: bool,
) -> Result<Vec<Box<dyn Candidate>>, EqualizerError> {
    let mut candidates: Vec<Box<dyn Candidate>> = Vec::new();
    for (name, make, bands) in EQUALIZERS {
        candidates.push(Box::new(Steady {
            name: format!("{name}, blocks of {BLOCK}"),
            equalizer: equalizer(make, bands)?,
            blocks: Blocks::new(signal),
            count,
            silent,
        }));
    }
    Ok(candidates)
}
