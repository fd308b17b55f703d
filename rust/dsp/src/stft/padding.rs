//! The samples before the first and after the last of a signal.

/// The position of frames on a signal, and the samples beyond its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Padding {
    /// Frame f begins at sample f `hop`; every frame lies inside the signal, and samples at the end that fill no frame are
    /// left out. librosa's `center=False`.
    None,
    /// The middle of frame f, its sample N/2, lies on sample f `hop` of the signal; beyond the ends are zeros. librosa's
    /// `center=True, pad_mode="constant"`.
    #[default]
    Zero,
    /// As `Zero`, but beyond the ends the signal is mirrored at its first and its last sample, which occur once: numpy's `pad`
    /// with `mode="reflect"`, also for signals shorter than what is padded.
    Reflect,
}

impl Padding {
    /// The distance from the start of frame f to sample f `hop`, for frames of `size` samples.
    pub(super) const fn lead(self, size: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Zero | Self::Reflect => size / 2,
        }
    }

    /// The frames of a signal of `length` samples.
    pub(super) const fn frame_count(self, length: u64, size: usize, hop: usize) -> u64 {
        match self {
            Self::None if length < size as u64 => 0,
            Self::None => 1 + (length - size as u64) / hop as u64,
            Self::Zero | Self::Reflect if length == 0 => 0,
            // Saturates only for a length that no signal has.
            Self::Zero | Self::Reflect => (length / hop as u64).saturating_add(1),
        }
    }

    /// Fills `frame` with the samples from `start` on of a signal of `length` samples, at least 1, of which `held` has
    /// those from `base` on: all that the frame needs.
    pub(super) fn fill(self, frame: &mut [f32], start: i64, held: &[f32], base: u64, length: u64) {
        let at = |position: u64| held[(position - base) as usize];
        let before = start.min(0).unsigned_abs().min(frame.len() as u64) as usize;
        let (outside, frame) = frame.split_at_mut(before);
        for (n, sample) in outside.iter_mut().enumerate() {
            *sample = self.beyond(start + n as i64, length).map_or(0.0, at);
        }
        let start = start.max(0) as u64;
        let inside = length.saturating_sub(start).min(frame.len() as u64) as usize;
        let (inside, outside) = frame.split_at_mut(inside);
        if !inside.is_empty() {
            let first = (start - base) as usize;
            inside.copy_from_slice(&held[first..first + inside.len()]);
        }
        let start = start + inside.len() as u64;
        for (n, sample) in outside.iter_mut().enumerate() {
            *sample = self.beyond((start + n as u64) as i64, length).map_or(0.0, at);
        }
    }

    /// The sample at a position outside of the signal; `None` for a zero.
    fn beyond(self, position: i64, length: u64) -> Option<u64> {
        match self {
            Self::None | Self::Zero => None,
            Self::Reflect if length == 1 => Some(0),
            Self::Reflect => {
                let period = 2 * (length - 1);
                let place = position.rem_euclid(period as i64) as u64;
                Some(place.min(period - place))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(padding: Padding, start: i64, signal: &[f32]) -> [f32; 8] {
        let mut frame = [9.0; 8];
        padding.fill(&mut frame, start, signal, 0, signal.len() as u64);
        frame
    }

    #[test]
    fn signal_is_mirrored_as_often_as_it_takes() {
        // numpy.pad([1, 2, 3], 5, "reflect") is 2 1 2 3 2 [1 2 3] 2 1 2 3 2.
        let signal = [1.0, 2.0, 3.0];
        let expected = [2.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0];
        assert_eq!(filled(Padding::Reflect, -5, &signal), expected);
        let expected = [1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0, 2.0];
        assert_eq!(filled(Padding::Reflect, 0, &signal), expected);
        assert_eq!(filled(Padding::Reflect, -4, &[7.0]), [7.0; 8]);
    }

    #[test]
    fn zeros_stand_on_both_sides() {
        let expected = [0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
        assert_eq!(filled(Padding::Zero, -2, &[1.0, 2.0, 3.0]), expected);
        assert_eq!(filled(Padding::Zero, -8, &[1.0]), [0.0; 8]);
        assert_eq!(filled(Padding::Zero, 1, &[1.0]), [0.0; 8]);
    }
}
