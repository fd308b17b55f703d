//! A step of a fit, and the decision whether a frame shows inharmonicity.

use super::{BEYOND_DOUBT, FIRST_PARTIALS, MAX_INHARMONICITY};
use crate::pitch::linear::Row;

/// Standard deviations of inharmonicity that have to be left when any one partial is left out.
const WITHOUT_ONE: f64 = 2.0;
/// The power of a partial, in multiples of noise's average, below which it counts as none: one in 3000 is by chance.
const AUDIBLE: f64 = 8.0;

/// The data of a step from `w` and `inharmonicity`: half the residual's gradient and curvature by frequency and inharmonicity.
pub(super) struct Step {
    pub(super) w: f64,
    pub(super) inharmonicity: f64,
    pub(super) count: usize,
    pub(super) residual: f64,
    pub(super) gradient: [f64; 2],
    pub(super) curvature: [f64; 3],
    /// The same by each partial's own frequency, as if it were alone.
    pub(super) own_gradients: Row,
    pub(super) own_curvatures: Row,
}

/// The changes of a step.
pub(super) struct Change {
    pub(super) frequency: f64,
    pub(super) inharmonicity: f64,
    /// The variance of the frequency in noise of variance 1.
    pub(super) spread: f64,
    /// The decrease of the residual.
    pub(super) gain: f64,
}

/// The derivatives of the partial `order`'s frequency by the first one's, and by the inharmonicity.
#[inline(always)]
pub(super) fn moves(w: f64, inharmonicity: f64, order: f64) -> [f64; 2] {
    let root = (1.0 + inharmonicity * order * order).sqrt();
    [order * root, 0.5 * w * order * order * order / root]
}

/// The inharmonicity that a gradient and a curvature ask for, and its variance in noise of variance 1; `None` where they do not
/// determine it beside the frequency.
#[inline(always)]
fn proposed(
    inharmonicity: f64,
    [gradient, bend]: [f64; 2],
    [curvature, cross, stiffness]: [f64; 3],
) -> Option<[f64; 2]> {
    let joint = curvature * stiffness - cross * cross;
    (joint > 1e-9 * curvature * stiffness).then(|| {
        [
            inharmonicity + (bend * curvature - gradient * cross) / joint,
            curvature / joint,
        ]
    })
}

impl Step {
    /// The change that the gradient and the curvature ask for. Inharmonicity is part of the model where the frame shows it beyond
    /// doubt: otherwise it would cost precision, and leaves the model.
    #[inline(always)]
    pub(super) fn change(&self, variance: f64, may_be_inharmonic: bool) -> Change {
        let [gradient, bend] = self.gradient;
        let [curvature, cross, stiffness] = self.curvature;
        let (mut target, mut spread) = (0.0, 1.0 / curvature);
        if may_be_inharmonic
            && self.count >= FIRST_PARTIALS
            && let Some([value, doubt]) = proposed(self.inharmonicity, self.gradient, self.curvature)
            && value > BEYOND_DOUBT * (variance * doubt).sqrt()
        {
            target = value.min(MAX_INHARMONICITY);
            spread = stiffness / (curvature * stiffness - cross * cross);
        }
        let change = target - self.inharmonicity;
        let frequency = (gradient - cross * change) / curvature;
        Change {
            frequency,
            inharmonicity: change,
            spread,
            gain: gradient * frequency + bend * change,
        }
    }

    /// Whether inharmonicity is there without any one of the partials. Two frequencies fit any two partials: it takes a third to
    /// show that they are those of a string. Each partial counts as if it were alone, and if `length` samples of noise do not
    /// explain it.
    #[inline(always)]
    pub(super) fn holds_without_any(&self, variance: f64, length: f64) -> bool {
        let squares = length * (length * length - 1.0) / 24.0;
        // The mean of a^2 + b^2 in noise is 4 v / N.
        let noise = AUDIBLE * 4.0 * variance / length * squares;
        let term = |k: usize| {
            let [x, y] = moves(self.w, self.inharmonicity, k as f64);
            let (own, weight) = (self.own_gradients[k], self.own_curvatures[k]);
            let part = [x * own, y * own, x * x * weight, x * y * weight, y * y * weight];
            if weight > noise { part } else { [0.0; 5] }
        };
        let mut sums = [0.0; 5];
        for k in 1..=self.count {
            for (sum, part) in sums.iter_mut().zip(term(k)) {
                *sum += part;
            }
        }
        (1..=self.count).all(|k| {
            let part = term(k);
            let [x, y, xx, xy, yy] = std::array::from_fn(|i| sums[i] - part[i]);
            proposed(self.inharmonicity, [x, y], [xx, xy, yy])
                .is_some_and(|[value, doubt]| value > WITHOUT_ONE * (variance * doubt).sqrt())
        })
    }
}
