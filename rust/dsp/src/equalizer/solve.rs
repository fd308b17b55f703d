//! The gains of overlapping bands, and the preamplification.

use super::band::{Band, BandKind, EqualizerError, GAINS, PREAMPS, Settings};

/// The preamplification in dB that keeps a full-scale sine of any frequency below full scale: the opposite of the highest
/// point of either channel's curve, or 0 when nothing is raised; -96 at the least. Looks at 40 frequencies an octave from 5 Hz
/// and at the frequencies of the bands.
///
/// # Errors
/// The errors of [`Settings::check`].
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
    Ok(-highest.min(-*PREAMPS.start()))
}

/// The most iterations of the search for gains.
const TURNS: usize = 48;

/// The damping of a step, in parts of its effect, from the first attempt to the last (Levenberg and Marquardt's method).
const DAMPINGS: [f64; 7] = [0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];

/// Changes the gains of the peaking bands so that the curve of all bands together goes through `targets`, in dB, at the bands'
/// frequencies: neighbours overlap, so that the gains of one octave-wide band each would add up to more. `targets` has one
/// element per band; those of other kinds than peaking are ignored. Gains stay within [`GAINS`]. Returns the greatest remaining
/// distance, in dB: near 0 unless the targets are out of the bands' reach, because they are too wide or too few; the gains then
/// come near them.
///
/// # Errors
/// The errors of [`Settings::check`]; [`EqualizerError::BandCount`] when `targets` has another length than `bands`;
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
    let largest = |misses: &[f64]| misses.iter().fold(0.0, |most: f64, miss| most.max(miss.abs()));
    let squares = |misses: &[f64]| misses.iter().map(|miss| miss * miss).sum::<f64>();
    let mut missed = misses(bands);
    for _ in 0..TURNS {
        if largest(&missed) < 1e-3 {
            break;
        }
        let gains: Vec<f64> = sought.iter().map(|&k| bands[k].gain).collect();
        // A whole step goes too far where the curve is not proportional to the gains, or out of reach: a more damped one, and so
        // on.
        let better = DAMPINGS.iter().find_map(|damping| {
            let changes = changes(&shares, &missed, &gains, *damping)?;
            let mut changed = bands.to_vec();
            for (&k, change) in sought.iter().zip(&changes) {
                changed[k].gain = (changed[k].gain + change).clamp(*GAINS.start(), *GAINS.end());
            }
            let now = misses(&changed);
            (squares(&now) < 0.999 * squares(&missed)).then_some((changed, now))
        });
        let Some((changed, now)) = better else {
            break;
        };
        bands.copy_from_slice(&changed);
        missed = now;
    }
    Ok(largest(&missed))
}

/// The changes of the gains that take away most of what is missed, in the sense of least squares, when gains that are at the end
/// of their range stay there; `None` when there are none.
fn changes(shares: &[Vec<f64>], missed: &[f64], gains: &[f64], damping: f64) -> Option<Vec<f64>> {
    let mut free: Vec<usize> = (0..gains.len()).collect();
    loop {
        let product = |a: &dyn Fn(usize) -> f64, b: &dyn Fn(usize) -> f64| -> f64 {
            (0..missed.len()).map(|at| a(at) * b(at)).sum()
        };
        let rows = free
            .iter()
            .map(|&k| {
                let row = |&l: &usize| {
                    let whole = product(&|at| shares[at][k], &|at| shares[at][l]);
                    if k == l { (1.0 + damping) * whole } else { whole }
                };
                free.iter().map(row).collect()
            })
            .collect();
        let right = free
            .iter()
            .map(|&k| product(&|at| shares[at][k], &|at| missed[at]))
            .collect();
        let found = solved(rows, right)?;
        let goes_out = |k: usize, change: f64| {
            (gains[k] >= *GAINS.end() && change > 0.0) || (gains[k] <= *GAINS.start() && change < 0.0)
        };
        if !free.iter().zip(&found).any(|(&k, &change)| goes_out(k, change)) {
            let mut changes = vec![0.0; gains.len()];
            for (&k, change) in free.iter().zip(found) {
                changes[k] = change;
            }
            return Some(changes);
        }
        let inside = free
            .iter()
            .zip(&found)
            .filter(|&(&k, &change)| !goes_out(k, change));
        free = inside.map(|(&k, _)| k).collect();
        if free.is_empty() {
            return None;
        }
    }
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
    fn curve_out_of_reach_is_reported_and_come_near() {
        let targets: [f64; 14] = std::array::from_fn(|k| if k % 2 == 0 { 24.0 } else { -24.0 });
        let mut wide = bands(5.0);
        let left = gains_for_curve(&mut wide, &targets, RATE).expect("bands in range");
        assert!(left > 1.0, "{left} dB");
        assert!(wide.iter().all(|band| GAINS.contains(&band.gain)));
        assert!(wide.iter().any(|band| band.gain != 0.0));
        // A notch between neighbours a third of an octave away asks for more than 24 dB.
        let targets = [
            0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 0.0, 0.0, -12.0, 0.0, 0.0, 0.0,
        ];
        let mut narrow = bands(1.0);
        for (band, target) in narrow.iter_mut().zip(targets) {
            band.gain = target;
        }
        let before = Settings {
            left: narrow.clone(),
            ..Settings::default()
        };
        let levels = narrow.iter().map(|band| before.decibels(band.frequency, RATE)[0]);
        let missed = levels.zip(targets).map(|(level, target)| (level - target).abs());
        let missed = missed.fold(0.0, f64::max);
        let left = gains_for_curve(&mut narrow, &targets, RATE).expect("bands in range");
        assert!(left < 0.25 * missed, "{left} of {missed} dB");
        assert!(
            narrow.iter().any(|band| band.gain.abs() == 24.0),
            "as far as they go"
        );
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
