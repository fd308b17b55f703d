//! Gains that belong together.

use super::band::{Band, BandKind, EqualizerError, GAINS, Settings};

/// The preamplification in dB that keeps a full-scale sine of any frequency below full scale: the opposite of the highest
/// point of either channel's curve, or 0 when nothing is raised. Looks at 40 frequencies an octave from 5 Hz and at the
/// frequencies of the bands.
///
/// # Errors
/// What [`Settings::check`] finds.
pub fn automatic_preamp(settings: &Settings, sample_rate: f64) -> Result<f64, EqualizerError> {
    settings.check(sample_rate)?;
    let flat = |bands: &[Band]| -> Vec<_> { bands.iter().map(|band| band.filter(sample_rate)).collect() };
    let mut highest: f64 = 0.0;
    for bands in [&settings.left, &settings.right] {
        let filters = flat(bands);
        let octaves = (0.5 * sample_rate / 5.0).log2();
        let grid = (0..=(40.0 * octaves) as u32).map(|k| 5.0 * (f64::from(k) / 40.0).exp2());
        for frequency in grid.chain(bands.iter().map(|band| band.frequency)) {
            let level: f64 = filters
                .iter()
                .map(|filter| filter.decibels(frequency, sample_rate))
                .sum();
            highest = highest.max(level);
        }
    }
    Ok(-highest.min(*GAINS.end()))
}

/// The most turns of the search for gains.
const TURNS: usize = 24;

/// Changes the gains of the peaking bands so that the curve of all bands together goes through `targets`, in dB, at the bands'
/// frequencies: neighbours overlap, so that the gains of one octave-wide band each would add up to more. `targets` has one
/// element per band; those of other kinds than peaking are of no concern. Gains stay within [`GAINS`]. Returns the greatest
/// distance that is left, in dB: near 0 unless the bands are so wide that the wanted curve is out of their reach.
///
/// # Errors
/// What [`Settings::check`] finds; [`EqualizerError::BandCount`] when `targets` has another length than `bands`;
/// [`EqualizerError::Gain`] for a target that is not finite.
pub fn gains_for_curve(bands: &mut [Band], targets: &[f64], sample_rate: f64) -> Result<f64, EqualizerError> {
    let settings = Settings {
        left: bands.to_vec(),
        ..Settings::default()
    };
    settings.check(sample_rate)?;
    if targets.len() != bands.len() {
        return Err(EqualizerError::BandCount {
            limit: bands.len(),
            got: targets.len(),
        });
    }
    if let Some(&got) = targets.iter().find(|target| !target.is_finite()) {
        return Err(EqualizerError::Gain { got });
    }
    let sought: Vec<usize> = (0..bands.len())
        .filter(|&k| bands[k].kind == BandKind::Peaking)
        .collect();
    // A curve in decibels is nearly proportional to its gain: the shares of one decibel make a linear system.
    let shares: Vec<Vec<f64>> = sought
        .iter()
        .map(|&at| {
            let share = |&band: &usize| {
                let one = Band {
                    gain: 1.0,
                    ..bands[band]
                };
                one.filter(sample_rate).decibels(bands[at].frequency, sample_rate)
            };
            sought.iter().map(share).collect()
        })
        .collect();
    let misses = |bands: &[Band]| -> Vec<f64> {
        let filters: Vec<_> = bands.iter().map(|band| band.filter(sample_rate)).collect();
        let level = |frequency| {
            filters
                .iter()
                .map(|filter| filter.decibels(frequency, sample_rate))
                .sum::<f64>()
        };
        sought
            .iter()
            .map(|&k| targets[k] - level(bands[k].frequency))
            .collect()
    };
    let largest = |misses: &[f64]| {
        misses
            .iter()
            .fold(0.0, |largest: f64, miss| largest.max(miss.abs()))
    };
    let mut missed = misses(bands);
    for _ in 0..TURNS {
        if largest(&missed) < 1e-3 {
            break;
        }
        let Some(changes) = solved(shares.clone(), missed.clone()) else {
            break;
        };
        let mut changed = bands.to_vec();
        for (&k, change) in sought.iter().zip(changes) {
            changed[k].gain = (changed[k].gain + change).clamp(*GAINS.start(), *GAINS.end());
        }
        let now = misses(&changed);
        if largest(&now) >= largest(&missed) {
            break;
        }
        bands.copy_from_slice(&changed);
        missed = now;
    }
    Ok(largest(&missed))
}

/// The solution of a linear system, by elimination with the largest pivot of each column; `None` when there is none.
fn solved(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-9 {
            return None;
        }
        rows.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..size {
            let (above, below) = rows.split_at_mut(row);
            let (pivot, row_here) = (&above[column], &mut below[0]);
            let factor = row_here[column] / pivot[column];
            for (value, other) in row_here[column..].iter_mut().zip(&pivot[column..]) {
                *value -= factor * other;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| rows[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / rows[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    #[test]
    fn target_that_is_not_finite_is_refused_and_changes_nothing() {
        for target in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut sought = bands(1.0);
            let before = sought.clone();
            let mut targets = [6.0; 14];
            targets[3] = target;
            let refused = gains_for_curve(&mut sought, &targets, RATE);
            assert!(
                matches!(refused, Err(EqualizerError::Gain { got }) if got.to_bits() == target.to_bits())
            );
            assert_eq!(sought, before);
        }
    }

    fn bands(octaves: f64) -> Vec<Band> {
        let centres = super::super::CENTRES;
        centres
            .iter()
            .map(|frequency| Band::peaking(*frequency, 0.0, octaves))
            .collect()
    }

    #[test]
    fn solved_curve_goes_through_the_sliders() {
        let targets = [
            3.0, -2.0, 6.0, 0.0, -6.0, 4.0, 5.0, -1.0, 2.0, 2.0, 0.0, -3.0, 6.0, -6.0,
        ];
        let mut bands = bands(1.0);
        let left = gains_for_curve(&mut bands, &targets, RATE).expect("bands in range");
        assert!(left < 1e-3, "{left} dB");
        let settings = Settings {
            left: bands,
            ..Settings::default()
        };
        for (band, target) in settings.left.iter().zip(targets) {
            let [level, _] = settings.decibels(band.frequency, RATE);
            assert!((level - target).abs() < 1e-3, "{} Hz: {level} dB", band.frequency);
        }
    }

    #[test]
    fn curve_out_of_reach_is_told() {
        let targets: [f64; 14] = std::array::from_fn(|k| if k % 2 == 0 { 24.0 } else { -24.0 });
        let left = gains_for_curve(&mut bands(5.0), &targets, RATE).expect("bands in range");
        assert!(left > 1.0, "{left} dB");
    }

    #[test]
    fn automatic_preamplification_takes_the_highest_point_away() {
        let mut settings = Settings {
            left: vec![Band::peaking(1000.0, 6.0, 1.0), Band::peaking(1400.0, 6.0, 1.0)],
            right: vec![Band::peaking(100.0, -6.0, 1.0)],
            preamp: 0.0,
        };
        settings.preamp = automatic_preamp(&settings, RATE).expect("bands in range");
        assert!(
            settings.preamp < -9.0 && settings.preamp > -12.0,
            "{}",
            settings.preamp
        );
        for k in 0..4000 {
            let [left, _] = settings.decibels(5.0 * (f64::from(k) / 330.0).exp2(), RATE);
            assert!(left < 0.01, "{left}");
        }
        settings.left.clear();
        assert_eq!(automatic_preamp(&settings, RATE), Ok(-0.0));
    }
}
