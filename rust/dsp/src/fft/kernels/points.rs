//! The last transform point by point, of rows of four lanes: for arrays.
//!
//! Compilers make dozens of moves of a transposition in arrays. Of a loop over the points, in which the lanes of a point are
//! numbers like any other, they make vectors of four points by themselves, as long as they see that no two places of memory
//! are the same.

use super::butterflies::radix_4;
use super::complex::Complex;
use super::finish::Places;
use super::lanes::Lanes;

/// Writes what `bin` and, for the last two of each row's bins, `mirror` make of the bins of `rows`: of the first two upwards, of the
/// others downwards. A highest bin that `values` has no place for is left
/// out.
#[inline(always)]
pub(super) fn write<L: Lanes, E: Copy + Default>(
    values: &mut [E],
    Places { first, last }: Places,
    rows: &[Complex<L>],
    bin: impl Fn(Complex<f32>) -> E,
    mirror: impl Fn(Complex<f32>) -> E,
) {
    // Where k = 0, the mirrors are bins that the other rows give too, except the highest: their places overlap.
    let overlapping = if first.contains(&last[1]) { 4 } else { 0 };
    let (overlapping, rows) = rows.split_at(overlapping);
    if !overlapping.is_empty() {
        let [mut down, mut further_down] = [[E::default(); 4]; 2];
        if let Ok([up, further_up]) = values.get_disjoint_mut(first.map(|at| at..at + 4)) {
            transform(
                overlapping,
                up,
                further_up,
                &mut down,
                &mut further_down,
                &bin,
                &mirror,
            );
        }
        for (last, mirrors) in last.into_iter().zip([down, further_down]) {
            values[last - 3..last].copy_from_slice(&mirrors[..3]);
        }
        if let Some(highest) = values.get_mut(last[0]) {
            *highest = down[3];
        }
    }
    let (done, count) = (overlapping.len(), rows.len());
    let up = |place: usize| first[place] + done..first[place] + done + count;
    let down = |place: usize| last[place] + 1 - done - count..last[place] + 1 - done;
    if let Ok([up, further_up, down, further_down]) =
        values.get_disjoint_mut([up(0), up(1), down(0), down(1)])
    {
        transform(rows, up, further_up, down, further_down, &bin, &mirror);
    }
}

/// Never inlined, with each place an argument of its own: so that the compiler sees that they are different memory.
#[inline(never)]
fn transform<L: Lanes, E: Copy>(
    rows: &[Complex<L>],
    up: &mut [E],
    further_up: &mut [E],
    down: &mut [E],
    further_down: &mut [E],
    bin: &impl Fn(Complex<f32>) -> E,
    mirror: &impl Fn(Complex<f32>) -> E,
) {
    let count = rows.len();
    // The bounds are checked here, once. Of a loop over iterators, two of them backwards, the compiler makes no vectors.
    let (up, further_up) = (&mut up[..count], &mut further_up[..count]);
    let (down, further_down) = (&mut down[..count], &mut further_down[..count]);
    for k in 0..count {
        let row = &rows[k];
        let [a, b, c, d] = radix_4([row.lane(0), row.lane(1), row.lane(2), row.lane(3)]);
        up[k] = bin(a);
        further_up[k] = bin(b);
        down[count - 1 - k] = mirror(c);
        further_down[count - 1 - k] = mirror(d);
    }
}
