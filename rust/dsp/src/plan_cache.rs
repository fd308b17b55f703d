//! A cache of plans, kept for the lifetime of the process.

use crate::{DspError, Normalization, SpectrumPlan, Symmetry, Window};
use std::sync::OnceLock;

/// The sizes of the plans that are kept: 2^8 = 256 to 8192.
const SIZES: usize = 6;
const LEAST: u32 = 8;

/// One plan for each size and window, on the preferred instruction set, periodic and without normalization: 24 at most, in about
/// 1 MB.
///
/// A plan is looked up by one atomic read. It is made without a lock: threads that need the same plan at the same time each make
/// it, and the first one finished is kept.
pub struct PlanCache {
    plans: [[OnceLock<Box<SpectrumPlan>>; Window::ALL.len()]; SIZES],
}

impl PlanCache {
    /// An empty cache.
    pub const fn empty() -> Self {
        Self {
            plans: [const { [const { OnceLock::new() }; Window::ALL.len()] }; SIZES],
        }
    }

    /// The plan for a size and a window.
    ///
    /// # Errors
    /// [`DspError::Size`] for a size that is not a power of two from 256 to 8192; the errors of [`SpectrumPlan::new`].
    pub fn plan(&self, size: usize, window: Window) -> Result<&SpectrumPlan, DspError> {
        let refused = DspError::Size { got: size };
        let row = size.trailing_zeros().checked_sub(LEAST).ok_or(refused)?;
        let row = self.plans.get(row as usize).ok_or(refused)?;
        let place = row.get(window as usize).ok_or(refused)?;
        if let Some(plan) = place.get().filter(|_| size.is_power_of_two()) {
            return Ok(plan);
        }
        let plan = SpectrumPlan::new(size, window, Symmetry::Periodic, Normalization::None)?;
        Ok(place.get_or_init(|| Box::new(plan)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_is_made_once_for_each_size_and_window() {
        let cache = PlanCache::empty();
        let mut seen = Vec::new();
        for size in [256, 512, 1024, 2048, 4096, 8192] {
            for window in Window::ALL {
                let plan = cache.plan(size, window).expect("a size that is kept");
                assert_eq!((plan.size(), plan.window()), (size, window));
                let again = cache.plan(size, window).expect("a size that is kept");
                assert!(std::ptr::eq(plan, again));
                assert!(!seen.contains(&std::ptr::from_ref(plan)));
                seen.push(plan);
            }
        }
        for got in [0, 1, 128, 255, 257, 768, 12_288, 16_384, 1 << 63] {
            let refused = cache.plan(got, Window::Hann).err();
            assert_eq!(refused, Some(DspError::Size { got }));
        }
    }
}
