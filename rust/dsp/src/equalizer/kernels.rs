//! The cascade of second-order sections, as a wavefront over four lanes of `f64`.
//!
//! A vector holds two sections of two channels: sections j and j + V of the left and the right channel, where V vectors hold
//! 2 V sections. At time t section k works on frame t - k, so that no section waits for another: what one gives at one time
//! the next takes at the following. Output and state are those of one section after the other, bit for bit.
//!
//! Each vector computes two times before the next one does, so that its coefficients and sums are read and written once for both:
//! there are more of them than registers. Sections from V on, whose vectors are computed before the last vector is done, work one
//! frame later for that reason.
//!
//! A block of n frames takes n + 2 V times. In the first and last 2 V some sections have no frame; they compute, and keep their
//! state. So a block may be of any length, and nothing is delayed. A single frame goes from section to section instead.

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod avx2;
mod four;
mod plain;
mod wavefront;

pub(super) use wavefront::{Section, State};

use wavefront::Block;

/// Computes a cascade on a block.
pub(super) type Kernel = fn(&[Section], &mut [State], Block<'_>);

/// The fastest kernel of this machine.
pub(super) fn widest() -> Kernel {
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
