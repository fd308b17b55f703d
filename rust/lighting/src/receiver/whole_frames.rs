//! Frames that are shown whole or not at all.

/// Which data a synchronization packet shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SyncRule {
    /// The latest of each universe, as the standards say. When a data packet is lost, its universe shows the frame before.
    #[default]
    Latest,
    /// A frame only when all its universes have come: else all universes of its source stay as they are until the next whole
    /// frame. For sources that send each universe of a synchronization address once in each frame, and synchronize it themselves; it
    /// takes four frames to learn the sequence numbers. Data of sACN wait from the first packet on, for at most 2.5 s. The more
    /// packets a network loses, the fewer frames come whole.
    Whole,
}

/// Frames in step before the sequence numbers are known: that packets come in the wrong frame three times in the same way is
/// improbable.
const LEARNED: u8 = 3;
/// Frames out of step, half a second at 44 Hz, after which the sequence numbers are learned anew: a source sent a packet that never
/// came and is not a frame's, or skips universes.
const MISSES: u8 = 22;

/// Whether the universes of a frame belong together. A source's universes have counters of their own, whose distances stay the same
/// as long as each frame has one packet of each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeFrames {
    universes: usize,
    learned: u8,
    misses: u8,
}

/// What is to be done with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Show,
    Wait,
    /// Wait, and take the sequence numbers as those of one frame.
    Learn,
}

impl WholeFrames {
    /// Judges what has come at a synchronization: of how many universes, whether each has data since the last one, and whether
    /// all sequence numbers are the same number of frames after those that were learned.
    pub(super) fn judge(&mut self, universes: usize, are_new: bool, are_in_step: bool) -> Verdict {
        if universes == 0 {
            return Verdict::Show;
        }
        if universes != self.universes {
            *self = Self {
                universes,
                ..Self::default()
            };
            return Verdict::Learn;
        }
        if self.learned < LEARNED {
            if !are_in_step {
                self.learned = 0;
                return Verdict::Learn;
            }
            self.learned += u8::from(are_new);
            return if self.learned == LEARNED {
                Verdict::Show
            } else {
                Verdict::Wait
            };
        }
        if are_in_step {
            self.misses = 0;
            return Verdict::Show;
        }
        self.misses += 1;
        if self.misses < MISSES {
            return Verdict::Wait;
        }
        (self.learned, self.misses) = (0, 0);
        Verdict::Learn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_shown_once_three_were_in_step_and_learned_anew_after_half_a_second_out_of_it() {
        let mut frames = WholeFrames::default();
        assert_eq!(frames.judge(2, true, true), Verdict::Learn);
        assert_eq!(frames.judge(2, true, true), Verdict::Wait);
        assert_eq!(frames.judge(2, true, false), Verdict::Learn);
        let verdicts = [(); 4].map(|()| frames.judge(2, true, true));
        assert_eq!(
            verdicts,
            [Verdict::Wait, Verdict::Wait, Verdict::Show, Verdict::Show]
        );
        for _ in 1..MISSES {
            assert_eq!(frames.judge(2, true, false), Verdict::Wait);
        }
        assert_eq!(frames.judge(2, true, false), Verdict::Learn);
        assert_eq!(
            frames.judge(0, true, true),
            Verdict::Show,
            "there is nothing to show"
        );
        assert_eq!(frames.judge(3, true, true), Verdict::Learn);
        assert_eq!(
            frames.judge(3, false, true),
            Verdict::Wait,
            "nothing new teaches nothing"
        );
    }
}
