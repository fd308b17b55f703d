//! Bands of a spectrum: logarithmic ones for onsets, and three for light.

use std::ops::Range;

/// Bands an octave of the onset strength: each is two semitones wide and overlaps its neighbours by half.
const PER_OCTAVE: f64 = 12.0;
/// The lowest and the highest centre, in Hz. Above the highest there is little but noise of cymbals.
const LOWEST: f64 = 40.0;
const HIGHEST: f64 = 14_000.0;

/// Onset strengths of a frame: of the whole spectrum, and of three parts of it.
pub(super) const PARTS: usize = 4;
/// The strengths' places. Basses and kicks mark bars, chords and voices beats, and cymbals divide these.
pub(super) const WHOLE: usize = 0;
pub(super) const BASS: usize = 1;
pub(super) const MIDDLE: usize = 2;
pub(super) const TOP: usize = 3;
/// The ends of bass and middle and the beginning of the top, in Hz; the top begins at half the highest frequency at most.
const BASS_END: f64 = 150.0;
const MIDDLE_END: f64 = 1000.0;
const TOP_BEGIN: f64 = 4000.0;

/// Triangular bands whose centres are a semitone apart; below the frequency where a semitone is narrower than a bin, the bins.
pub(super) struct BandMap {
    /// The first bin of each band.
    first: Vec<usize>,
    /// The weights of all bands, one after the other, and where each band's end.
    weights: Vec<f32>,
    ends: Vec<usize>,
    parts: [Range<usize>; PARTS],
}

impl BandMap {
    pub(super) fn new(size: usize, sample_rate: f64) -> Self {
        let bin = sample_rate / size as f64;
        let last = size / 2 - 1;
        let mut centres: Vec<usize> = Vec::new();
        let octaves = (HIGHEST / LOWEST).log2();
        for step in 0..=(octaves * PER_OCTAVE) as usize {
            let centre = (LOWEST * 2.0_f64.powf(step as f64 / PER_OCTAVE) / bin).round() as usize;
            if centre > last {
                break;
            }
            if centre > 0 && centres.last().is_none_or(|&before| centre > before) {
                centres.push(centre);
            }
        }
        let from = |edge: f64| centres.partition_point(|&centre| (centre as f64 * bin) < edge);
        let (bass, middle) = (from(BASS_END), from(MIDDLE_END));
        let top = from(TOP_BEGIN.min(sample_rate / 4.0));
        let mut map = Self {
            first: Vec::new(),
            weights: Vec::new(),
            ends: Vec::new(),
            parts: [0..centres.len(), 0..bass, bass..middle, top..centres.len()],
        };
        for (index, &centre) in centres.iter().enumerate() {
            let below = if index > 0 { centres[index - 1] } else { centre - 1 };
            let above = centres.get(index + 1).copied().unwrap_or(centre + 1);
            map.first.push(below + 1);
            for at in below + 1..above {
                let weight = if at <= centre {
                    (at - below) as f64 / (centre - below) as f64
                } else {
                    (above - at) as f64 / (above - centre) as f64
                };
                map.weights.push(weight as f32);
            }
            map.ends.push(map.weights.len());
        }
        map
    }

    /// The number of bands, at least one.
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// The bands of each part of the spectrum.
    pub(super) fn parts(&self) -> &[Range<usize>; PARTS] {
        &self.parts
    }

    /// Writes the weighted sum of each band's magnitudes.
    pub(super) fn sums(&self, magnitudes: &[f32], sums: &mut [f32]) {
        let mut begin = 0;
        for ((sum, &first), &end) in sums.iter_mut().zip(&self.first).zip(&self.ends) {
            let weights = &self.weights[begin..end];
            let bins = &magnitudes[first..first + weights.len()];
            *sum = weights.iter().zip(bins).map(|(weight, bin)| weight * bin).sum();
            begin = end;
        }
    }
}

/// The edges of the bands for light, in Hz: bass, which drums and basses have, then voices and chords, then cymbals.
const EDGES: [f64; 4] = [30.0, 200.0, 2500.0, 16_000.0];

/// The levels of three bands of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandLevels {
    /// 30 to 200 Hz: root mean square over the frame, where a sine of full scale has 0.707.
    pub low: f32,
    /// 200 to 2500 Hz, likewise.
    pub middle: f32,
    /// 2500 to 16,000 Hz, or to half the sample rate, likewise.
    pub high: f32,
}

/// The bins of the [`BandLevels`].
pub(super) struct LevelMap {
    edges: [usize; 4],
    /// From a sum of squared amplitudes to the mean square: half, over the equivalent noise bandwidth.
    factor: f32,
}

impl LevelMap {
    pub(super) fn new(size: usize, sample_rate: f64, noise_bandwidth: f64) -> Self {
        let bin = |edge: f64| ((edge * size as f64 / sample_rate).round() as usize).clamp(1, size / 2);
        Self {
            edges: EDGES.map(bin),
            factor: (0.5 / noise_bandwidth) as f32,
        }
    }

    pub(super) fn levels(&self, magnitudes: &[f32]) -> BandLevels {
        let level = |from: usize, to: usize| {
            let power: f32 = magnitudes[from..to].iter().map(|bin| bin * bin).sum();
            (self.factor * power).sqrt()
        };
        let [a, b, c, d] = self.edges;
        BandLevels {
            low: level(a, b),
            middle: level(b, c),
            high: level(c, d),
        }
    }
}
