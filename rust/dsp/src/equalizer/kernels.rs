//! The cascade of second-order sections, as a wavefront over the lanes of vectors of `f64`.
//!
//! A vector holds two sections of two channels, or four: sections j, j + V and so on of the left and the right channel, where V
//! vectors hold all of them. At time t section k works on frame t - k, so that no section waits for another: what one gives at
//! one time the next takes at the following. Output and state are those of one section after the other, bit for bit, whatever the
//! number of lanes.
//!
//! Each vector computes two times before the next one does, so that its coefficients and sums are read and written once for both:
//! there are more of them than registers. The first vector is computed before the last one is done, so that each V sections work
//! one frame later.
//!
//! A block takes as many times as it has frames, and those that a frame takes to the last section. In the first and the last of
//! them some sections have no frame; they compute, and keep their state. So a block may be of any length, and nothing is delayed.
//! A single frame goes from section to section instead.

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod avx512;
mod lanes;
mod plain;
mod wavefront;

pub(super) use wavefront::{Section, State};

use wavefront::Block;

/// Computes a cascade on a block.
pub(super) type Kernel = fn(&[Section], &mut [State], Block<'_>);

/// The fastest kernel of this machine.
pub(super) fn widest() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if avx512::detect().is_some() {
        return avx512::run;
    }
    #[cfg(target_arch = "x86_64")]
    if avx2::detect().is_some() {
        return avx2::run;
    }
    plain::run
}

/// The kernel that every machine has.
pub(super) fn plain() -> Kernel {
    plain::run
}
