//! An equalizer that any thread may change while another one's sound runs through it.

use crate::lock::{Lock, fault_point, locked};
use crate::spin::lock_briefly;
use rustle_dsp::equalizer::{Equalizer, EqualizerError, Ramp, Settings};
use std::error::Error;
use std::fmt::{self, Display};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// An [`Equalizer`] with a side for the sound and a side for its settings.
///
/// [`process`](Self::process) never waits and never allocates or frees: the thread that requests a change computes its
/// coefficients, and the next requesting thread frees them. A change replaces an earlier one that has not begun, and follows one
/// in progress.
#[derive(Debug)]
pub struct LiveEqualizer {
    sample_rate: f64,
    bands: usize,
    /// Held by the one thread that requests a change.
    control: Mutex<Control>,
    handover: Mutex<Handover>,
    sound: Mutex<Sound>,
}

#[derive(Debug)]
struct Control {
    wanted: Settings,
    is_bypassed: bool,
    /// The target and the start of the newest ramp.
    latest: Settings,
    before: Settings,
}

/// Held for moves of pointers only; the sound's side takes it only when it is free.
#[derive(Debug, Default)]
struct Handover {
    next: Option<Ramp>,
    retired: Option<Ramp>,
}

struct Sound(Equalizer);

impl fmt::Debug for Sound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sound").finish_non_exhaustive()
    }
}

/// The error of a buffer that was not processed; its samples are unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProcessError {
    /// Another call is processing a buffer.
    Busy,
    /// The buffer's length is invalid.
    Block(EqualizerError),
}

impl Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => write!(
                f,
                "equalizer: expected one call that processes sound at a time, got a second one"
            ),
            Self::Block(error) => error.fmt(f),
        }
    }
}

impl Error for ProcessError {}

impl LiveEqualizer {
    /// An equalizer for 1 or 2 channels at `sample_rate` Hz of at most `bands` bands each, with `settings` in force.
    ///
    /// # Errors
    /// The errors of [`Settings::check`]; [`EqualizerError::Channels`], [`EqualizerError::BandCount`].
    pub fn new(
        sample_rate: f64,
        channels: usize,
        bands: usize,
        settings: Settings,
    ) -> Result<Self, EqualizerError> {
        let mut equalizer = Equalizer::new(channels, bands)?;
        let ramp = Ramp::new(&Settings::default(), &settings, bands, sample_rate)?;
        // A fresh equalizer is not changing, and the ramp is for as many bands.
        drop(equalizer.change(ramp));
        equalizer.reset();
        Ok(Self {
            sample_rate,
            bands,
            control: Mutex::new(Control {
                wanted: settings.clone(),
                is_bypassed: false,
                before: settings.clone(),
                latest: settings,
            }),
            handover: Mutex::default(),
            sound: Mutex::new(Sound(equalizer)),
        })
    }

    /// The sample rate in Hz.
    pub fn sample_rate(&self) -> f64 {
        self.sample_rate
    }

    /// Changes the settings; the sound follows within [`RAMP_SECONDS`](rustle_dsp::equalizer::RAMP_SECONDS) of it. Computes
    /// for up to some milliseconds.
    ///
    /// # Errors
    /// The errors of [`Settings::check`], [`EqualizerError::BandCount`]; the settings are unchanged then.
    pub fn change(&self, settings: &Settings) -> Result<(), EqualizerError> {
        let mut control = self.control();
        let is_bypassed = control.is_bypassed;
        if is_bypassed {
            // An error now, not when the bypass ends.
            Ramp::new(&Settings::default(), settings, self.bands, self.sample_rate)?;
        } else {
            self.lead_to(&mut control, settings)?;
        }
        control.wanted = settings.clone();
        Ok(())
    }

    /// Sets the bypass, which passes the sound unchanged; both directions are changes like any other.
    ///
    /// # Errors
    /// None except those that [`change`](Self::change) found.
    pub fn set_bypassed(&self, is_bypassed: bool) -> Result<(), EqualizerError> {
        let mut control = self.control();
        let target = if is_bypassed {
            Settings::default()
        } else {
            control.wanted.clone()
        };
        self.lead_to(&mut control, &target)?;
        control.is_bypassed = is_bypassed;
        Ok(())
    }

    /// Equalizes the samples of `block`, whole frames, in place; see [`Equalizer::process`].
    ///
    /// # Errors
    /// [`ProcessError::Busy`], [`ProcessError::Block`].
    pub fn process(&self, block: &mut [f32]) -> Result<(), ProcessError> {
        let mut sound = self.sound()?;
        if !sound.0.is_changing() {
            self.take_over(&mut sound.0);
        }
        sound.0.process(block).map_err(ProcessError::Block)
    }

    /// Resets the filters' memory of the sound; a waiting change or one in progress is completed at once.
    ///
    /// # Errors
    /// [`ProcessError::Busy`].
    pub fn reset(&self) -> Result<(), ProcessError> {
        let mut sound = self.sound()?;
        sound.0.reset();
        self.take_over(&mut sound.0);
        sound.0.reset();
        Ok(())
    }

    /// Delivers the ramp from the present or pending settings to `target`.
    fn lead_to(&self, control: &mut Control, target: &Settings) -> Result<(), EqualizerError> {
        loop {
            let is_waiting = self.handover().next.is_some();
            let from = if is_waiting {
                &control.before
            } else {
                &control.latest
            };
            if !is_waiting && from == target {
                return Ok(());
            }
            let ramp = Ramp::new(from, target, self.bands, self.sample_rate)?;
            let mut handover = self.handover();
            // The sound took the waiting ramp meanwhile: the new one begins at its target.
            if handover.next.is_some() != is_waiting {
                continue;
            }
            let gone = (handover.next.replace(ramp), handover.retired.take());
            drop(handover);
            drop(gone);
            if !is_waiting {
                control.before = control.latest.clone();
            }
            control.latest = target.clone();
            return Ok(());
        }
    }

    /// Begins the waiting change, if there is one and its lock is free.
    fn take_over(&self, equalizer: &mut Equalizer) {
        let mut handover = match self.handover.try_lock() {
            Ok(handover) => handover,
            // A thread that panicked left it in a valid state, and no other accesses it.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if let Some(ramp) = handover.next.take() {
            // Every delivered ramp is followed by a call that empties this place before the next one: nothing is freed here.
            handover.retired = match equalizer.change(ramp) {
                Ok(before) => before,
                Err(refused) => Some(refused),
            };
        }
    }

    fn handover(&self) -> MutexGuard<'_, Handover> {
        let handover = lock_briefly(&self.handover);
        fault_point(Lock::Handover);
        handover
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        locked(&self.control, Lock::Control)
    }

    fn sound(&self) -> Result<MutexGuard<'_, Sound>, ProcessError> {
        let sound = match self.sound.try_lock() {
            Ok(sound) => sound,
            // Any state that an earlier panic left is valid for an equalizer.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(ProcessError::Busy),
        };
        fault_point(Lock::Sound);
        Ok(sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustle_dsp::equalizer::Band;
    use std::f64::consts::TAU;

    const RATE: f64 = 48_000.0;

    fn gain(decibels: f64) -> Settings {
        let band = Band::peaking(1000.0, decibels, 1.0);
        Settings {
            left: vec![band],
            right: vec![band],
            preamp: 0.0,
        }
    }

    /// The level of a 1 kHz tone after `seconds` of it, in dB.
    fn level(equalizer: &LiveEqualizer, seconds: f64) -> f64 {
        let mut sum = 0.0;
        let frames = (seconds * RATE) as usize;
        let last = frames - 480;
        for frame in (0..frames).step_by(48) {
            let mut block: Vec<f32> = (frame..frame + 48)
                .flat_map(|n| [(TAU * 1000.0 * n as f64 / RATE).sin() as f32; 2])
                .collect();
            equalizer.process(&mut block).expect("a whole block");
            if frame >= last {
                sum += block.iter().map(|sample| f64::from(sample.powi(2))).sum::<f64>();
            }
        }
        10.0 * (sum / 480.0).log10()
    }

    #[test]
    fn settings_are_in_force_from_the_first_sample_on() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, gain(12.0)).expect("valid");
        assert!((level(&equalizer, 0.1) - 12.0).abs() < 0.01);
    }

    #[test]
    fn newest_of_many_changes_wins() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, Settings::default()).expect("valid");
        for step in 0..100 {
            equalizer
                .change(&gain(f64::from(step % 13) - 6.0))
                .expect("valid");
            if step % 3 == 0 {
                level(&equalizer, 0.011);
            }
        }
        equalizer.change(&gain(-9.0)).expect("valid");
        assert!((level(&equalizer, 0.3) + 9.0).abs() < 0.01);
    }

    #[test]
    fn reset_completes_a_change_in_progress_and_the_one_behind_it() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, Settings::default()).expect("valid");
        equalizer.change(&gain(12.0)).expect("valid");
        equalizer.process(&mut [0.0; 2]).expect("a whole block");
        equalizer.change(&gain(-9.0)).expect("valid");
        equalizer.reset().expect("free");
        assert!((level(&equalizer, 0.1) + 9.0).abs() < 0.01);
        // Nothing is left to take over.
        equalizer.change(&gain(3.0)).expect("valid");
        assert!((level(&equalizer, 0.2) - 3.0).abs() < 0.01);
    }

    #[test]
    fn bypass_lets_every_bit_through_and_ends_with_what_was_wanted_last() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, gain(6.0)).expect("valid");
        equalizer.set_bypassed(true).expect("valid");
        assert!(level(&equalizer, 0.2).abs() < 0.01);
        equalizer.change(&gain(-3.0)).expect("valid");
        assert!(level(&equalizer, 0.2).abs() < 0.01, "still bypassed");
        let mut block: Vec<f32> = (0..960).map(|n| (n as f32 * 0.37).sin()).collect();
        let before = block.clone();
        equalizer.reset().expect("free");
        equalizer.process(&mut block).expect("a whole block");
        assert_eq!(block, before);
        equalizer.set_bypassed(false).expect("valid");
        assert!((level(&equalizer, 0.2) + 3.0).abs() < 0.01);
    }

    #[test]
    fn refused_settings_change_nothing() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, gain(6.0)).expect("valid");
        for is_bypassed in [false, true] {
            equalizer.set_bypassed(is_bypassed).expect("valid");
            assert_eq!(
                equalizer.change(&gain(99.0)),
                Err(EqualizerError::Gain { got: 99.0 })
            );
        }
        equalizer.set_bypassed(false).expect("valid");
        assert!((level(&equalizer, 0.2) - 6.0).abs() < 0.01);
    }

    #[test]
    fn changes_from_one_thread_and_sound_on_another_end_at_the_last_change() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, Settings::default()).expect("valid");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for step in 0..500 {
                    equalizer
                        .change(&gain(f64::from(step % 24) - 12.0))
                        .expect("valid");
                }
                equalizer.change(&gain(4.0)).expect("valid");
            });
            for _ in 0..50 {
                level(&equalizer, 0.05);
            }
        });
        assert!((level(&equalizer, 0.2) - 4.0).abs() < 0.01);
    }

    #[test]
    fn change_that_takes_the_place_of_one_that_waits_begins_where_the_sound_is() {
        let equalizer = LiveEqualizer::new(RATE, 2, 4, Settings::default()).expect("valid");
        equalizer.change(&gain(12.0)).expect("valid");
        assert!((level(&equalizer, 0.3) - 12.0).abs() < 0.01);
        for decibels in [0.0, -6.0, -12.0] {
            equalizer.change(&gain(decibels)).expect("valid");
        }
        // The first period of the tone, at the beginning of the ramp.
        let mut block: Vec<f32> = (0..48)
            .flat_map(|n| [(TAU * f64::from(n) / 48.0).sin() as f32; 2])
            .collect();
        equalizer.process(&mut block).expect("a whole block");
        let power = block.iter().map(|sample| f64::from(sample.powi(2))).sum::<f64>() / 48.0;
        let begins = 10.0 * power.log10();
        assert!((begins - 12.0).abs() < 1.5, "{begins} dB");
        assert!((level(&equalizer, 0.3) + 12.0).abs() < 0.01);
    }
}
