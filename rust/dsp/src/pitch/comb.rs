//! Partials: a frame's spectrum under a Hann window, its peaks, and the sum over a comb of harmonics.

use super::centred::{CentredSpectrum, ORIGIN, OVERSAMPLING};

/// The number of partials of a comb.
const TEETH: usize = 12;
/// The weight of a tooth relative to the one before (D. Hermes, "Measurement of pitch by subharmonic summation", JASA 83, 1988).
const DECAY: f64 = 0.84;

/// The number of bins that are compared at once.
const BLOCK: usize = 64;
const LANES: usize = 8;

/// A peak of the spectrum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpectralPeak {
    /// The place in the spectrum, in bins of the transform.
    pub(super) bin: f64,
    /// The magnitude.
    pub(super) magnitude: f64,
}

/// The energy of the partials of a comb.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    /// The energies of the first partial, of the first two, and so on.
    sums: [f64; TEETH],
    /// The order of the strongest partial; 0: there is none.
    pub(super) strongest: usize,
}

impl Spread {
    /// The least number of the first partials that hold `part` of the energy of all.
    #[inline(always)]
    pub(super) fn holding(&self, part: f64) -> usize {
        let least = part * self.sums[TEETH - 1];
        1 + self.sums.iter().take_while(|&&sum| sum < least).count()
    }
}

/// The magnitudes of a frame under a Hann window, on the bins of the transform.
pub(super) struct Comb {
    magnitudes: Vec<f32>,
    /// For each bin the larger magnitude of it and the next bin, if that is a local maximum or beside one; otherwise 0, since the
    /// slopes of a peak are no partials.
    crests: Vec<f32>,
}

impl Comb {
    /// Makes a comb of the first `bins` bins of the spectra that `spectrum` computes.
    pub(super) fn new(spectrum: &CentredSpectrum, bins: usize) -> Self {
        let bins = bins.min(spectrum.bins());
        Self {
            magnitudes: vec![0.0; bins],
            crests: vec![0.0; bins],
        }
    }

    pub(super) fn magnitudes(&self) -> &[f32] {
        &self.magnitudes
    }

    /// Takes the spectrum of a frame. Hann's window is a constant and a cosine: in the spectrum a sum of three bins of the
    /// frame.
    #[inline(always)]
    pub(super) fn take<'a>(&mut self, spectrum: &'a CentredSpectrum) {
        let count = self.magnitudes.len();
        // The same length each, so that the compiler sees that all have an element where one has.
        let shifted =
            |part: &'a [f32], by: usize| &part[ORIGIN - OVERSAMPLING + by * OVERSAMPLING..][..count];
        let [below, here, above] = [0, 1, 2].map(|by| shifted(&spectrum.real, by));
        let [below_too, here_too, above_too] = [0, 1, 2].map(|by| shifted(&spectrum.imaginary, by));
        for (k, magnitude) in self.magnitudes.iter_mut().enumerate() {
            let x = 0.5 * here[k] + 0.25 * (below[k] + above[k]);
            let y = 0.5 * here_too[k] + 0.25 * (below_too[k] + above_too[k]);
            *magnitude = (x * x + y * y).sqrt();
        }
        // Without branches: in noise they would be taken at random.
        let inner = count - 4;
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|from| &self.magnitudes[from..][..inner]);
        for (k, crest) in self.crests[2..][..inner].iter_mut().enumerate() {
            let rises = [b[k] > a[k], c[k] > b[k], d[k] > c[k], e[k] > d[k]];
            // A maximum here, or on either side.
            let near = (rises[1] & !rises[2]) | (rises[0] & !rises[1]) | (rises[2] & !rises[3]);
            *crest = if near { c[k] } else { 0.0 };
        }
        // A tooth takes the larger of two.
        let crests = &mut self.crests[..count];
        for k in 0..count - 1 {
            let [crest, next] = [crests[k], crests[k + 1]];
            crests[k] = if crest > next { crest } else { next };
        }
    }

    /// Writes the largest peaks from the bin `from` on into `found`, in falling order; returns them.
    #[inline(always)]
    pub(super) fn peaks<'a>(&self, from: usize, found: &'a mut [SpectralPeak]) -> &'a [SpectralPeak] {
        let m = &self.magnitudes;
        let from = from.max(1);
        let (mut count, mut least) = (0, 0.0);
        let places = m.len() - 2 - (from - 1);
        for first in (0..places).step_by(BLOCK) {
            let block = &m[from + first..from + places.min(first + BLOCK)];
            // The least of those found, once there is no room, settles most places.
            if most(block) <= least {
                continue;
            }
            for k in from + first..from + first + block.len() {
                if m[k] <= least || m[k] <= m[k - 1] || m[k] < m[k + 1] {
                    continue;
                }
                let magnitude = f64::from(m[k]);
                if count == found.len() {
                    count -= 1;
                }
                let mut place = count;
                while place > 0 && found[place - 1].magnitude < magnitude {
                    found[place] = found[place - 1];
                    place -= 1;
                }
                found[place] = SpectralPeak {
                    bin: k as f64,
                    magnitude,
                };
                count += 1;
                if count == found.len() {
                    least = found[count - 1].magnitude as f32;
                }
            }
        }
        for peak in &mut found[..count] {
            peak.bin += vertex(m, peak.bin as usize);
        }
        &found[..count]
    }

    /// The weighted sum of the magnitudes at the harmonics of `bin`, each the larger of the two bins beside its place.
    #[inline(always)]
    pub(super) fn salience(&self, bin: f64) -> f64 {
        let end = self.magnitudes.len() - 1;
        // In whole parts of a bin: that a number is within the spectrum is seen at once.
        const PARTS: u32 = 20;
        let step = (bin * f64::from(1 << PARTS)) as usize;
        let (mut sum, mut weight, mut place) = (0.0, 1.0, step);
        for _ in 0..TEETH {
            let low = place >> PARTS;
            if low >= end {
                break;
            }
            sum += weight * f64::from(self.crests[low]);
            weight *= DECAY;
            place += step;
        }
        sum
    }

    /// The distribution of the energy of a comb of `bin` over its partials.
    #[inline(always)]
    pub(super) fn spread(&self, bin: f64) -> Spread {
        let end = self.magnitudes.len() - 1;
        let mut spread = Spread::default();
        let (mut sum, mut largest) = (0.0, 0.0);
        for (index, total) in spread.sums.iter_mut().enumerate() {
            let place = ((index + 1) as f64 * bin) as usize;
            if place < end {
                let energy = f64::from(self.crests[place]).powi(2);
                sum += energy;
                if energy > largest {
                    (largest, spread.strongest) = (energy, index + 1);
                }
            }
            *total = sum;
        }
        spread
    }

    /// `bin` by the largest peak near one of its first multiples.
    #[inline(always)]
    pub(super) fn sharpened(&self, bin: f64) -> f64 {
        let m = &self.magnitudes;
        let (mut largest, mut found) = (0.0, None);
        for order in 1..=8 {
            let order = f64::from(order);
            let place = order * bin;
            let slack = (0.02 * place).ceil() + 1.0;
            if place + slack + 2.0 >= m.len() as f64 {
                break;
            }
            let places = (place - slack).max(1.0) as usize..=(place + slack) as usize;
            // A place without a larger value has no larger peak.
            if most(&m[places.clone()]) <= largest {
                continue;
            }
            for k in places {
                if m[k] > m[k - 1] && m[k] >= m[k + 1] && m[k] > largest {
                    largest = m[k];
                    found = Some((k, order));
                }
            }
        }
        found.map_or(bin, |(k, order)| (k as f64 + vertex(m, k)) / order)
    }
}

/// The largest of some magnitudes; 0 of none.
#[inline(always)]
fn most(magnitudes: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let (whole, rest) = magnitudes.as_chunks::<LANES>();
    let mut most = [0.0_f32; LANES];
    for chunk in whole {
        for lane in 0..LANES {
            most[lane] = larger(most[lane], chunk[lane]);
        }
    }
    most.iter().chain(rest).copied().fold(0.0, larger)
}

/// The distance of the largest value of three from the middle, by a parabola through their logarithms; -1 to 1.
#[inline(always)]
pub(super) fn vertex(magnitudes: &[f32], middle: usize) -> f64 {
    let logarithm = |k: usize| f64::from(magnitudes[k]).max(1e-30).ln();
    let [left, middle, right] = [logarithm(middle - 1), logarithm(middle), logarithm(middle + 1)];
    let bend = left - 2.0 * middle + right;
    if bend < 0.0 {
        (0.5 * (left - right) / bend).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}
