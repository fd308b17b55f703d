//! Linear prediction: the all-pole filter that turns an excitation into a frame.

use super::ORDERS;
use super::sums::dots;

/// The greatest order.
pub(super) const MOST: usize = *ORDERS.end();

/// The coefficients of a prediction error filter, 1 first; `order + 1` of them count.
pub(super) type Filter = [f64; MOST + 1];

/// The number of times that the weights are recomputed. Changes after the fifth are below a thousandth of a formant.
const ROUNDS: usize = 6;
/// Samples whose products are summed up at a time.
const BLOCK: usize = 256;
/// The quantile of the squared errors that is the scale of the weights. The folds are closed for more of a period than this in
/// all but breathy voices, and open for more than half of it in most: the median error is theirs.
const CLOSED: f64 = 0.25;
/// The scale is at least this part of the mean squared error: with a few exact samples alone the filter would not be determined.
const FLOOR: f64 = 0.01;

/// The prediction filter by Burg's method (J. P. Burg, 1967; the recursion as in S. L. Marple, "Digital spectral analysis",
/// 1987, section 8.4): of the frame's lattice the reflections with the least error forward and backward. The work area
/// holds two frames. `None`: there is no signal.
#[inline(always)]
pub(super) fn burg(frame: &[f64], order: usize, work: &mut [f64]) -> Option<Filter> {
    let length = frame.len();
    let (forward, backward) = work.split_at_mut(length);
    let backward = &mut backward[..length];
    forward.copy_from_slice(frame);
    backward.copy_from_slice(frame);
    let mut filter = [0.0; MOST + 1];
    filter[0] = 1.0;
    for stage in 1..=order {
        let (mut product, mut energy) = (0.0, 0.0);
        for n in stage..length {
            product += forward[n] * backward[n - 1];
            energy += forward[n] * forward[n] + backward[n - 1] * backward[n - 1];
        }
        if !(energy.is_finite() && energy > 0.0) {
            return None;
        }
        let reflection = -2.0 * product / energy;
        let before = filter;
        for k in 1..=stage {
            filter[k] = before[k] + reflection * before[stage - k];
        }
        for n in (stage..length).rev() {
            let (f, b) = (forward[n], backward[n - 1]);
            forward[n] = f + reflection * b;
            backward[n] = b + reflection * f;
        }
    }
    Some(filter)
}

/// The prediction filter by least squares over the frame's inner samples, weighted by `window` and, in rounds, by how little
/// each sample and its neighbours differ from their prediction: w = m / (m + e^2), e^2 the mean of the squared errors of three
/// neighbours, m the lower quartile of them and a hundredth of their mean, the
/// weights of a Cauchy distribution. A voice's errors are few and large, where the folds close; with these samples all but left
/// out the rest is the vocal tract alone, and the harmonics' spacing no longer pulls the poles (weighted linear prediction: C.
/// Ma, Y. Kamp and L. F. Willems, Speech Communication 12, 1993; sparse residuals: D. Giacobello et al., IEEE Trans. ASLP 20,
/// 2012).
///
/// `work` holds three frames. `None`: there is no signal, or none that a filter predicts.
#[inline(always)]
pub(super) fn weighted(frame: &[f64], window: &[f64], order: usize, work: &mut [f64]) -> Option<Filter> {
    let count = frame.len().checked_sub(order)?;
    let (weights, rest) = work.split_at_mut(frame.len());
    let (errors, sorted) = rest.split_at_mut(frame.len());
    let (weights, errors) = (&mut weights[..count], &mut errors[..count]);
    weights.copy_from_slice(&window[order..]);
    let energy = frame.iter().map(|x| x * x).sum::<f64>() / frame.len() as f64;
    if !(energy.is_finite() && energy > 0.0) {
        return None;
    }
    let mut filter = solved(frame, weights, order)?;
    for _ in 1..ROUNDS {
        errors.copy_from_slice(&frame[order..]);
        for (k, a) in filter.iter().enumerate().take(order + 1).skip(1) {
            for (error, x) in errors.iter_mut().zip(&frame[order - k..]) {
                *error += a * x;
            }
        }
        errors.iter_mut().for_each(|error| *error *= *error);
        smooth(errors);
        // The samples at the window's ends say little; their errors do not count for the scale either.
        let edge = count / 5;
        let inner = &errors[edge..count - edge];
        let mean = inner.iter().sum::<f64>() / inner.len() as f64;
        let sorted = &mut sorted[..inner.len()];
        sorted.copy_from_slice(inner);
        let place = (CLOSED * inner.len() as f64) as usize;
        let (_, &mut closed, _) = sorted.select_nth_unstable_by(place, f64::total_cmp);
        // A frame that is predicted to rounding keeps its samples' weights alike.
        let scale = closed + FLOOR * mean + 1e-12 * energy;
        for ((weight, window), error) in weights.iter_mut().zip(&window[order..]).zip(&*errors) {
            *weight = window * scale / (scale + error);
        }
        filter = solved(frame, weights, order)?;
    }
    Some(filter)
}

/// Each value with half of its neighbours: a single error is small by chance, where it changes its sign.
#[inline(always)]
fn smooth(values: &mut [f64]) {
    let mut before = values[0];
    for n in 0..values.len() {
        let after = values[(n + 1).min(values.len() - 1)];
        let here = std::mem::replace(&mut values[n], 0.0);
        values[n] = 0.25 * before + 0.5 * here + 0.25 * after;
        before = here;
    }
}

/// The least-squares filter with these weights, by Cholesky's decomposition.
#[inline(always)]
fn solved(frame: &[f64], weights: &[f64], order: usize) -> Option<Filter> {
    /// Rows at a time.
    const ROWS: usize = 2;
    let mut matrix = [[0.0; MOST + 1]; (MOST + 1).next_multiple_of(ROWS)];
    let count = frame.len() - order;
    let mut blocks = [[0.0; BLOCK]; ROWS];
    // The lower half only. In blocks, so that what is read often is near.
    for first in (0..count).step_by(BLOCK) {
        let length = BLOCK.min(count - first);
        let at = |k: usize| &frame[order + first - k..][..length];
        for (pair, rows) in matrix.chunks_exact_mut(ROWS).enumerate() {
            let last = (ROWS * (pair + 1) - 1).min(order);
            if ROWS * pair > order {
                break;
            }
            for (lane, block) in blocks.iter_mut().enumerate() {
                let x = at((ROWS * pair + lane).min(order));
                for ((product, weight), x) in block.iter_mut().zip(&weights[first..][..length]).zip(x) {
                    *product = weight * x;
                }
            }
            for place in (0..=last).step_by(4) {
                // Beyond the diagonal one is taken twice.
                let columns = std::array::from_fn(|lane| at((place + lane).min(last)));
                let sums = dots(blocks.each_ref().map(|block| &block[..length]), columns);
                for (row, sums) in rows.iter_mut().zip(sums) {
                    for (value, sum) in row[place..].iter_mut().zip(sums) {
                        *value += sum;
                    }
                }
            }
        }
    }
    let ridge = 1e-10 * matrix[0][0];
    // Rows 1 to order become the lower factor; the right side is minus column 0.
    let mut side = [0.0; MOST + 1];
    for i in 1..=order {
        for j in 1..=i {
            let sum: f64 = (1..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let value = matrix[i][j] - sum;
            matrix[i][j] = if i > j {
                value / matrix[j][j]
            } else if value + ridge > 0.0 {
                (value + ridge).sqrt()
            } else {
                return None;
            };
        }
        let sum: f64 = (1..i).map(|k| matrix[i][k] * side[k]).sum();
        side[i] = (-matrix[i][0] - sum) / matrix[i][i];
    }
    for i in (1..=order).rev() {
        let sum: f64 = (i + 1..=order).map(|k| matrix[k][i] * side[k]).sum();
        side[i] = (side[i] - sum) / matrix[i][i];
    }
    side[0] = 1.0;
    side.iter().all(|a| a.is_finite()).then_some(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filter's answer to impulses every `period` samples.
    fn answer(poles: &[f64], period: usize, length: usize) -> Vec<f64> {
        let mut y: Vec<f64> = vec![0.0; length];
        for n in 0..length {
            let past: f64 = (1..poles.len())
                .filter(|&k| k <= n)
                .map(|k| poles[k] * y[n - k])
                .sum();
            y[n] = f64::from(u8::from(n % period == 0)) - past;
        }
        y
    }

    #[test]
    fn weighted_prediction_finds_the_filter_that_impulses_drive() {
        // (1 - 1.6 z + 0.9 z^2) (1 - 0.4 z + 0.95 z^2)
        let poles = [1.0, -2.0, 2.49, -1.88, 0.855];
        let frame = answer(&poles, 31, 500);
        let window = vec![1.0; 500];
        let filter = weighted(&frame, &window, 4, &mut vec![0.0; 1500]).expect("a signal");
        for k in 0..=4 {
            assert!((filter[k] - poles[k]).abs() < 1e-4, "{k}: {}", filter[k]);
        }
    }

    #[test]
    fn burg_predicts_a_sine_and_nothing_predicts_silence() {
        let angle = 0.3_f64;
        let frame: Vec<f64> = (0..400).map(|n| (angle * f64::from(n)).sin()).collect();
        let filter = burg(&frame, 2, &mut vec![0.0; 800]).expect("a signal");
        assert!((filter[1] + 2.0 * angle.cos()).abs() < 1e-3 && (filter[2] - 1.0).abs() < 1e-3);
        assert_eq!(burg(&[0.0; 100], 4, &mut [0.0; 200]), None);
        assert_eq!(weighted(&[0.0; 100], &[1.0; 100], 4, &mut [0.0; 300]), None);
        assert_eq!(weighted(&[f64::NAN; 100], &[1.0; 100], 4, &mut [0.0; 300]), None);
    }
}
