//! A scale for display, from 0 to 120, with five zones.

/// The lowest level that the scale shows, in dB relative to full scale.
const FLOOR: f64 = -80.0;

/// The upper end of the scale.
const TOP: f64 = 120.0;

/// The value of an average power on a scale from 0 to 120, for a bar or a number for people who do not read decibels. It is not a
/// sound pressure level: "50" is an average power of -15.2 dB relative to full scale, whatever the microphone.
///
/// With a = 10^(power/20) and m = 10^(-80/20) the value is 120 sqrt((a - m) / (1 - m)); 0 below -80 dB, 120 from 0 dB on. NaN
/// gives 0.
pub fn display_scale(average_power: f64) -> f64 {
    if average_power >= 0.0 {
        return TOP;
    }
    let amplitude = |decibels: f64| 10f64.powf(decibels / 20.0);
    let floor = amplitude(FLOOR);
    TOP * ((amplitude(average_power) - floor) / (1.0 - floor))
        .max(0.0)
        .sqrt()
}

/// The zone of a value on the scale of [`display_scale`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LevelZone {
    /// Below 50.
    Silent,
    /// From 50 to below 75.
    Quiet,
    /// From 75 to below 90.
    Average,
    /// From 90 to below 100.
    Noisy,
    /// From 100 to 120.
    Loud,
}

impl LevelZone {
    /// Every zone, from the softest.
    pub const ALL: [Self; 5] = [Self::Silent, Self::Quiet, Self::Average, Self::Noisy, Self::Loud];

    /// The zone of a value on the scale. A value above 120 is loud, and NaN is silent.
    pub fn of(value: f64) -> Self {
        match value {
            _ if value >= 100.0 => Self::Loud,
            _ if value >= 90.0 => Self::Noisy,
            _ if value >= 75.0 => Self::Average,
            _ if value >= 50.0 => Self::Quiet,
            _ => Self::Silent,
        }
    }

    /// The name in English, in small letters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Quiet => "quiet",
            Self::Average => "average",
            Self::Noisy => "noisy",
            Self::Loud => "loud",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_has_the_values_of_its_formula() {
        // Computed by the formula in Python, rounded to a tenth.
        for (power, value) in [
            (-81.0, 0.0),
            (-80.0, 0.0),
            (-60.0, 3.6),
            (-40.0, 11.9),
            (-20.0, 37.9),
            (-10.0, 67.5),
            (-6.0, 84.9),
            (-3.0, 101.0),
            (0.0, 120.0),
            (3.0, 120.0),
        ] {
            assert!(
                (display_scale(power) - value).abs() < 0.051,
                "{power} dB: {}",
                display_scale(power)
            );
        }
        assert_eq!(display_scale(f64::NEG_INFINITY), 0.0);
        assert_eq!(display_scale(f64::NAN), 0.0);
    }

    #[test]
    fn classes_begin_at_their_lower_edge() {
        for (value, class) in [
            (0.0, LevelZone::Silent),
            (49.999, LevelZone::Silent),
            (50.0, LevelZone::Quiet),
            (74.999, LevelZone::Quiet),
            (75.0, LevelZone::Average),
            (89.999, LevelZone::Average),
            (90.0, LevelZone::Noisy),
            (99.999, LevelZone::Noisy),
            (100.0, LevelZone::Loud),
            (119.999, LevelZone::Loud),
            (120.0, LevelZone::Loud),
            (f64::NAN, LevelZone::Silent),
        ] {
            assert_eq!(LevelZone::of(value), class, "{value}");
        }
        assert!(LevelZone::ALL.is_sorted());
    }
}
