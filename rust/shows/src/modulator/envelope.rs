//! Followers with attack and release.

/// A level that follows another one, or single strokes, no faster than its attack and its release. It is a function of the inputs
/// and their times: how often it is read changes nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    /// Seconds from 0 to 1, and from 1 to 0.
    attack: f64,
    release: f64,
    /// The level at the last input, and its time in seconds.
    level: f64,
    since: f64,
    /// Where it goes from there, and from there on.
    peak: f64,
    rest: f64,
}

impl Envelope {
    pub(crate) fn new(attack: f32, release: f32) -> Self {
        Self {
            attack: f64::from(attack),
            release: f64::from(release),
            level: 0.0,
            since: 0.0,
            peak: 0.0,
            rest: 0.0,
        }
    }

    /// Follows a level from a time on.
    pub(crate) fn follow(&mut self, seconds: f64, level: f32) {
        self.go(seconds, f64::from(level), f64::from(level));
    }

    /// Is at a level, and follows it from a time on.
    pub(crate) fn begin(&mut self, seconds: f64, level: f32) {
        self.level = f64::from(level);
        (self.since, self.peak, self.rest) = (seconds, self.level, self.level);
    }

    /// A stroke: up to its strength, if the level is not above it, and down to 0.
    pub(crate) fn strike(&mut self, seconds: f64, strength: f32) {
        let level = self.exact(seconds);
        self.go(seconds, level.max(f64::from(strength)), 0.0);
    }

    fn go(&mut self, seconds: f64, peak: f64, rest: f64) {
        self.level = self.exact(seconds);
        self.since = seconds;
        self.peak = peak;
        self.rest = rest;
    }

    /// The level at a time, 0 to 1.
    pub(crate) fn at(&self, seconds: f64) -> f32 {
        self.exact(seconds) as f32
    }

    fn exact(&self, seconds: f64) -> f64 {
        let passed = (seconds - self.since).max(0.0);
        let rise = (self.peak - self.level).max(0.0) * self.attack;
        if passed < rise {
            return self.level + passed / self.attack;
        }
        // What is left falls, from the peak or from a level that was above it.
        let from = self.peak.max(self.level);
        let fallen = if self.release > 0.0 {
            (passed - rise) / self.release
        } else {
            f64::INFINITY
        };
        if from > self.rest {
            (from - fallen).max(self.rest)
        } else {
            self.rest.max(from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_followed_no_faster_than_attack_and_release() {
        let mut envelope = Envelope::new(0.5, 2.0);
        envelope.follow(1.0, 1.0);
        assert_eq!(
            [0.5, 1.0, 1.25, 1.5, 9.0].map(|time| envelope.at(time)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        envelope.follow(9.0, 0.5);
        assert_eq!(
            [9.0, 9.5, 10.0, 99.0].map(|time| envelope.at(time)),
            [1.0, 0.75, 0.5, 0.5]
        );
    }

    #[test]
    fn strokes_rise_and_fall() {
        let mut envelope = Envelope::new(0.25, 1.0);
        envelope.strike(0.0, 0.5);
        assert_eq!(
            [0.0, 0.0625, 0.125, 0.375, 0.625, 5.0].map(|time| envelope.at(time)),
            [0.0, 0.25, 0.5, 0.25, 0.0, 0.0]
        );
        // A weaker stroke does not interrupt the fall of a stronger one.
        envelope.strike(1.0, 1.0);
        envelope.strike(1.5, 0.25);
        assert_eq!([1.5, 1.75, 2.25].map(|time| envelope.at(time)), [0.75, 0.5, 0.0]);
    }

    #[test]
    fn without_attack_and_release_it_is_its_input() {
        let mut envelope = Envelope::new(0.0, 0.0);
        envelope.follow(1.0, 0.75);
        assert_eq!(envelope.at(1.0), 0.75);
        envelope.follow(2.0, 0.25);
        assert_eq!(envelope.at(2.0), 0.25);
    }
}
