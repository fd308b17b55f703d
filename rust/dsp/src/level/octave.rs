//! Octave and third-octave bands (IEC 61260-1, class 1).

use super::meter::{MeterError, check_rate};
use crate::biquad::Biquad;
use std::f64::consts::PI;

/// The width of the bands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BandWidth {
    /// One octave.
    Octave,
    /// A third of one.
    #[default]
    ThirdOctave,
}

impl BandWidth {
    /// The number of bands in an octave.
    const fn per_octave(self) -> i32 {
        match self {
            Self::Octave => 1,
            Self::ThirdOctave => 3,
        }
    }
}

/// The ratio of an octave by IEC 61260-1: 10^(3/10), so that ten third octaves are a decade.
const OCTAVE: f64 = 1.995_262_314_968_879_5;

/// The exact centre frequencies in Hz of the bands from about 16 Hz to 20 kHz, whose upper edges are below half of
/// `rate` Hz: 1000 Hz is one of them.
pub fn band_centres(width: BandWidth, rate: f64) -> Vec<f64> {
    let bands = width.per_octave();
    let edge = OCTAVE.powf(0.5 / f64::from(bands));
    (-6 * bands..=13 * bands / 3)
        .map(|x| 1000.0 * OCTAVE.powf(f64::from(x) / f64::from(bands)))
        .filter(|centre| centre * edge < 0.49 * rate)
        .collect()
}

/// The second-order sections of a band: a Butterworth band-pass of order 8. Order 6 is not steep enough below octaves near half
/// the sample rate.
const SECTIONS: usize = 4;

/// Bands that are computed together.
const LANES: usize = 4;

/// Measures one channel in bands. Only [`new`](Self::new) allocates.
#[derive(Clone, Debug)]
pub struct BandAnalyzer {
    centres: Vec<f64>,
    groups: Vec<Group>,
    samples: u64,
}

/// Four bands, sections in order: each array has one element per band.
#[derive(Clone, Debug)]
struct Group {
    sections: [Section; SECTIONS],
    sums: [f64; LANES],
}

#[derive(Clone, Copy, Debug)]
struct Section {
    b0: [f64; LANES],
    a1: [f64; LANES],
    a2: [f64; LANES],
    first: [f64; LANES],
    second: [f64; LANES],
}

impl BandAnalyzer {
    /// An analyzer for `rate` Hz with the bands of [`band_centres`].
    ///
    /// # Errors
    /// [`MeterError::SampleRate`].
    pub fn new(width: BandWidth, rate: f64) -> Result<Self, MeterError> {
        check_rate(rate)?;
        let centres = band_centres(width, rate);
        let groups = centres.chunks(LANES).map(|centres| {
            let filters: Vec<_> = centres
                .iter()
                .map(|centre| band_pass(*centre, width, rate))
                .collect();
            let section = |s: usize| {
                let coefficient = |which: fn(&Biquad) -> f64| {
                    std::array::from_fn(|lane| filters.get(lane).map_or(0.0, |sections| which(&sections[s])))
                };
                Section {
                    b0: coefficient(|filter| filter.b0),
                    a1: coefficient(|filter| filter.a1),
                    a2: coefficient(|filter| filter.a2),
                    first: [0.0; LANES],
                    second: [0.0; LANES],
                }
            };
            Group {
                sections: std::array::from_fn(section),
                sums: [0.0; LANES],
            }
        });
        Ok(Self {
            groups: groups.collect(),
            centres,
            samples: 0,
        })
    }

    /// The centre frequencies in Hz.
    pub fn centres(&self) -> &[f64] {
        &self.centres
    }

    /// Takes the next samples. One that is NaN or infinite counts as silence.
    pub fn process(&mut self, samples: &[f32]) {
        for part in samples.chunks(1024) {
            for group in &mut self.groups {
                group.process(part);
            }
        }
        self.samples += samples.len() as u64;
    }

    /// Writes the mean square of each band since the start of the measurement, all 0 before the first sample. Writes as many as
    /// `output` has room for.
    pub fn mean_squares(&self, output: &mut [f64]) {
        let known = output.len().min(self.centres.len());
        output[..known].fill(0.0);
        self.add_mean_squares(1.0, output);
    }

    /// Adds the mean squares, each times `share`, to what is in `output`.
    pub(crate) fn add_mean_squares(&self, share: f64, output: &mut [f64]) {
        if self.samples == 0 {
            return;
        }
        let sums = self.groups.iter().flat_map(|group| group.sums);
        for (output, sum) in output.iter_mut().zip(sums.take(self.centres.len())) {
            *output += share * (sum / self.samples as f64);
        }
    }

    /// Begins a new measurement. The filters continue.
    pub fn restart(&mut self) {
        self.samples = 0;
        for group in &mut self.groups {
            group.sums = [0.0; LANES];
        }
    }
}

impl Group {
    fn process(&mut self, samples: &[f32]) {
        for sample in samples {
            let sample = if sample.is_finite() {
                f64::from(*sample)
            } else {
                0.0
            };
            let mut values = [sample; LANES];
            for section in &mut self.sections {
                for (lane, value) in values.iter_mut().enumerate() {
                    // The numerator is b0 (1 - z^-2).
                    let scaled = section.b0[lane] * *value;
                    let output = scaled + section.first[lane];
                    section.first[lane] = section.second[lane] - section.a1[lane] * output;
                    section.second[lane] = -scaled - section.a2[lane] * output;
                    *value = output;
                }
            }
            for (sum, value) in self.sums.iter_mut().zip(values) {
                *sum += value * value;
            }
        }
        for section in &mut self.sections {
            for sum in section.first.iter_mut().chain(&mut section.second) {
                if sum.abs() < 1e-30 {
                    *sum = 0.0;
                }
            }
        }
    }
}

/// A band-pass around `centre` Hz with the given width at -3 dB: the poles of the Butterworth low-pass of order 4 are taken to
/// the band, and then to the unit circle by the bilinear transform, which meets both edges and is steeper above.
fn band_pass(centre: f64, width: BandWidth, rate: f64) -> [Biquad; SECTIONS] {
    let half = OCTAVE.powf(0.5 / f64::from(width.per_octave()));
    let warped = |frequency: f64| (PI * frequency / rate).tan();
    let (low, high) = (warped(centre / half), warped(centre * half));
    // Each pole p of the low-pass becomes the roots of s^2 - p (high - low) s + low high; those of a pair are conjugate to
    // those of the other, so that one of each pair will do.
    let pair = |eighths: f64| {
        let (sine, cosine) = (eighths / 8.0 * PI).sin_cos();
        let half_breadth = 0.5 * (high - low);
        roots([half_breadth * cosine, half_breadth * sine], low * high)
    };
    let [[first, second], [third, fourth]] = [pair(5.0), pair(7.0)];
    let mut sections = [first, second, third, fourth].map(|[re, im]| {
        // z = (1 + s) / (1 - s)
        let size = (1.0 - re) * (1.0 - re) + im * im;
        let (re, im) = ((1.0 - re * re - im * im) / size, 2.0 * im / size);
        Biquad {
            b0: 1.0,
            b1: 0.0,
            b2: -1.0,
            a1: -2.0 * re,
            a2: re * re + im * im,
        }
    });
    let middle = (low * high).sqrt().atan() * rate / PI;
    let gain: f64 = sections
        .iter()
        .map(|section| section.magnitude(middle, rate))
        .product();
    for section in &mut sections {
        section.b0 = gain.sqrt().sqrt().recip();
        section.b2 = -section.b0;
    }
    sections
}

/// The roots of s^2 - 2 h s + c for a complex h.
fn roots([re, im]: [f64; 2], c: f64) -> [[f64; 2]; 2] {
    let (square_re, square_im) = (re * re - im * im - c, 2.0 * re * im);
    // The square root of a complex number by its polar form.
    let length = square_re.hypot(square_im).sqrt();
    let (sine, cosine) = (0.5 * square_im.atan2(square_re)).sin_cos();
    let (root_re, root_im) = (length * cosine, length * sine);
    [[re + root_re, im + root_im], [re - root_re, im - root_im]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attenuation of a band at `frequency` Hz in dB.
    fn attenuation(filters: &[Biquad; SECTIONS], frequency: f64, rate: f64) -> f64 {
        -filters
            .iter()
            .map(|filter| filter.decibels(frequency, rate))
            .sum::<f64>()
    }

    /// The limits of class 1 by the distance in octaves from the centre of an octave band: least and greatest attenuation in dB
    /// (IEC 61260-1, table 1). Between them the limits run straight over the logarithm of the frequency.
    const LIMITS: [(f64, f64, f64); 9] = [
        (0.0, -0.4, 0.4),
        (0.125, -0.4, 0.5),
        (0.25, -0.4, 0.7),
        (0.375, -0.4, 1.4),
        (0.499_999, -0.4, 5.3),
        (0.5, 1.6, 5.3),
        (1.0, 16.6, f64::INFINITY),
        (2.0, 40.5, f64::INFINITY),
        (3.0, 60.0, f64::INFINITY),
    ];

    fn limits(octaves: f64) -> (f64, f64) {
        let mut previous = LIMITS[0];
        for limit in LIMITS {
            if octaves <= limit.0 {
                let span = limit.0 - previous.0;
                let part = if span == 0.0 {
                    0.0
                } else {
                    (octaves - previous.0) / span
                };
                let between = |from: f64, to: f64| {
                    if from == to {
                        from
                    } else {
                        from + (to - from) * part
                    }
                };
                return (between(previous.1, limit.1), between(previous.2, limit.2));
            }
            previous = limit;
        }
        (60.0, f64::INFINITY)
    }

    #[test]
    fn bands_are_within_class_1() {
        for rate in [44_100.0, 48_000.0, 96_000.0] {
            for width in [BandWidth::Octave, BandWidth::ThirdOctave] {
                for centre in band_centres(width, rate) {
                    let filters = band_pass(centre, width, rate);
                    assert!(filters.iter().all(Biquad::is_stable));
                    for k in -400..=400 {
                        let octaves = f64::from(k) / 100.0;
                        let ratio = band_distance(octaves, width);
                        let frequency = centre * ratio;
                        if frequency >= 0.5 * rate {
                            continue;
                        }
                        let (least, greatest) = limits(octaves.abs());
                        let got = attenuation(&filters, frequency, rate);
                        assert!(
                            got >= least - 1e-9 && got <= greatest + 1e-9,
                            "{width:?} of {centre:.1} Hz at {rate} Hz, {frequency:.1} Hz: {got} dB, {least} to {greatest}"
                        );
                    }
                }
            }
        }
    }

    /// The frequency ratio of a fractional-octave band that has the limits of an octave band `octaves` away: IEC 61260-1,
    /// formula (9).
    fn band_distance(octaves: f64, width: BandWidth) -> f64 {
        let designator = f64::from(width.per_octave());
        let omega = OCTAVE.powf(octaves.abs());
        let ratio = 1.0 + (OCTAVE.powf(0.5 / designator) - 1.0) / (OCTAVE.sqrt() - 1.0) * (omega - 1.0);
        if octaves < 0.0 { 1.0 / ratio } else { ratio }
    }

    #[test]
    fn centres_are_those_of_the_standard() {
        let thirds = band_centres(BandWidth::ThirdOctave, 48_000.0);
        assert_eq!(thirds.len(), 32);
        assert!((thirds[0] - 15.849).abs() < 1e-3 && (thirds[31] - 19_952.6).abs() < 0.1);
        assert!(thirds.iter().any(|centre| (centre - 1000.0).abs() < 1e-9));
        let octaves = band_centres(BandWidth::Octave, 48_000.0);
        assert_eq!(octaves.len(), 11);
        assert!((octaves[0] - 15.849).abs() < 1e-3 && (octaves[10] - 15_848.9).abs() < 0.1);
    }

    #[test]
    fn tone_is_found_in_its_band_with_its_power() {
        let rate = 48_000.0;
        let mut analyzer = BandAnalyzer::new(BandWidth::ThirdOctave, rate).expect("a valid rate");
        let tone = |n: u32| (2.0 * PI * (1000.0 / rate * f64::from(n)).fract()).sin() as f32;
        let samples: Vec<f32> = (0..48_000).map(tone).collect();
        analyzer.process(&samples);
        analyzer.restart();
        analyzer.process(&samples);
        let mut powers = vec![0.0; analyzer.centres().len()];
        analyzer.mean_squares(&mut powers);
        let loudest = (0..powers.len())
            .max_by(|&a, &b| powers[a].total_cmp(&powers[b]))
            .expect("bands");
        assert!((analyzer.centres()[loudest] - 1000.0).abs() < 1e-6);
        assert!((powers[loudest] - 0.5).abs() < 0.005, "{}", powers[loudest]);
    }
}
