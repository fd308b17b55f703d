//! The sample formats of devices.

/// A sample format; the formats are tried in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Float,
    Int32,
    Int24,
    Int16,
}

impl Format {
    pub(crate) const ALL: [Self; 4] = [Self::Float, Self::Int32, Self::Int24, Self::Int16];

    /// The number in `snd_pcm_format_t` of the little-endian form (pcm.h).
    pub(crate) const fn number(self) -> i32 {
        match self {
            Self::Float => 14,
            Self::Int32 => 10,
            Self::Int24 => 32,
            Self::Int16 => 2,
        }
    }

    /// Bytes of a sample.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::Float | Self::Int32 => 4,
            Self::Int24 => 3,
            Self::Int16 => 2,
        }
    }

    /// Reads samples until `samples` is full.
    pub(crate) fn read(self, bytes: &[u8], samples: &mut [f32]) {
        for (sample, bytes) in samples.iter_mut().zip(bytes.chunks_exact(self.size())) {
            *sample = match (self, bytes) {
                (Self::Float, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
                (Self::Int32, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]) as f32 / 2_147_483_648.0,
                (Self::Int24, &[a, b, c]) => i32::from_le_bytes([0, a, b, c]) as f32 / 2_147_483_648.0,
                (Self::Int16, &[a, b]) => f32::from(i16::from_le_bytes([a, b])) / 32_768.0,
                _ => 0.0,
            };
        }
    }

    /// Writes `samples`, clipped at full scale; NaN becomes silence.
    pub(crate) fn write(self, samples: &[f32], bytes: &mut [u8]) {
        for (sample, bytes) in samples.iter().zip(bytes.chunks_exact_mut(self.size())) {
            let wide = (f64::from(*sample) * 2_147_483_648.0).round_ties_even() as i32;
            match self {
                Self::Float => bytes.copy_from_slice(&sample.to_le_bytes()),
                Self::Int32 => bytes.copy_from_slice(&wide.to_le_bytes()),
                Self::Int24 => {
                    let narrow = (f64::from(*sample) * 8_388_608.0).round_ties_even();
                    let narrow = narrow.clamp(-8_388_608.0, 8_388_607.0) as i32;
                    bytes.copy_from_slice(&narrow.to_le_bytes()[..3]);
                }
                Self::Int16 => {
                    let narrow = (f64::from(*sample) * 32_768.0).round_ties_even() as i16;
                    bytes.copy_from_slice(&narrow.to_le_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_survive_the_way_there_and_back() {
        let samples = [0.0, 0.5, -0.25, -1.0, 0.999, 1.0 / 32_768.0];
        for (format, step) in [
            (Format::Float, 0.0),
            (Format::Int32, 1e-7),
            (Format::Int24, 1e-7),
            (Format::Int16, 2e-5),
        ] {
            let mut bytes = vec![0; samples.len() * format.size()];
            format.write(&samples, &mut bytes);
            let mut back = [f32::NAN; 6];
            format.read(&bytes, &mut back);
            for (sample, back) in samples.iter().zip(back) {
                assert!((sample - back).abs() <= step, "{format:?} {sample} {back}");
            }
        }
    }

    #[test]
    fn samples_beyond_full_scale_stay_at_it() {
        for format in [Format::Int32, Format::Int24, Format::Int16] {
            let mut bytes = vec![0; 3 * format.size()];
            format.write(&[2.0, -2.0, f32::NAN], &mut bytes);
            let mut back = [f32::NAN; 3];
            format.read(&bytes, &mut back);
            assert!(
                back[0] > 0.999_9 && back[1] == -1.0 && back[2] == 0.0,
                "{format:?} {back:?}"
            );
        }
    }
}
