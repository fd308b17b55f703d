//! The loops around a bare transform, compiled for the widest vectors of the machine.
//!
//! Rust's square root sets no `errno`, so that these loops vectorise where C needs -fno-math-errno.

/// Products of samples and weights.
#[inline(always)]
fn weigh(input: &[f32], window: &[f32], output: &mut [f32]) {
    for ((output, input), weight) in output.iter_mut().zip(input).zip(window) {
        *output = input * weight;
    }
}

/// Magnitudes of bins of alternating real and imaginary parts.
#[inline(always)]
fn measure(bins: &[f32], magnitudes: &mut [f32]) {
    for (magnitude, bin) in magnitudes.iter_mut().zip(bins.as_chunks::<2>().0) {
        *magnitude = (bin[0] * bin[0] + bin[1] * bin[1]).sqrt();
    }
}

macro_rules! compiled {
    ($features:literal, $weigh:ident, $measure:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $weigh(input: &[f32], window: &[f32], output: &mut [f32]) {
            weigh(input, window, output);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $measure(bins: &[f32], magnitudes: &mut [f32]) {
            measure(bins, magnitudes);
        }
    };
}

compiled!("avx2,fma", weigh_avx2, measure_avx2);
compiled!("avx512f,avx512vl,avx512dq,avx2,fma", weigh_avx512, measure_avx512);

/// The loops for this machine.
#[derive(Clone, Copy)]
pub(super) enum Loops {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Loops {
    pub(super) fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use rustle_dsp::InstructionSet;
            if InstructionSet::Avx512.is_available() {
                return Self::Avx512;
            }
            if InstructionSet::Avx2.is_available() {
                return Self::Avx2;
            }
        }
        Self::Plain
    }

    pub(super) fn weigh(self, input: &[f32], window: &[f32], output: &mut [f32]) {
        match self {
            Self::Plain => weigh(input, window, output),
            // SAFETY: `widest` found the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { weigh_avx2(input, window, output) },
            // SAFETY: `widest` found the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { weigh_avx512(input, window, output) },
        }
    }

    pub(super) fn measure(self, bins: &[f32], magnitudes: &mut [f32]) {
        match self {
            Self::Plain => measure(bins, magnitudes),
            // SAFETY: `widest` found the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { measure_avx2(bins, magnitudes) },
            // SAFETY: `widest` found the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { measure_avx512(bins, magnitudes) },
        }
    }
}
