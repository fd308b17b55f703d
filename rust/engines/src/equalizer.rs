//! An equalizer that any thread may change while another one's sound runs through it.

use crate::lock::{Lock, fault_point, locked};
use crate::spin::lock_briefly;
use rustle_dsp::equalizer::{Equalizer, EqualizerError, Ramp, Settings};
use std::error::Error;
use std::fmt::{self, Display};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// An [`Equalizer`] with a side for the sound and a side for its settings.
///
/// [`process`](Self::process) never waits and never allocates or frees: what a change needs is computed by the thread that
/// asks for it, handed over, and freed by the next one that asks. A change that comes before the one before has begun takes
/// its place; one that comes while another is under way follows it.
#[derive(Debug)]
pub struct LiveEqualizer {
    sample_rate: f64,
    bands: usize,
    /// One thread at a time decides.
    control: Mutex<Control>,
    handover: Mutex<Handover>,
    sound: Mutex<Sound>,
}

#[derive(Debug)]
struct Control {
    wanted: Settings,
    is_bypassed: bool,
    /// What the newest ramp leads to, and from.
    latest: Settings,
    before: Settings,
}

/// Held for moves of pointers only, and by the sound's side only when it is free.
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

/// Why a block was not processed; it is as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProcessError {
    /// Another call processes a block at the moment.
    Busy,
    /// The block does not suit.
    Block(EqualizerError),
}

impl Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => write!(f, "equalizer: expected one block at a time, got a second one"),
            Self::Block(error) => error.fmt(f),
        }
    }
}

impl Error for ProcessError {}

impl LiveEqualizer {
    /// An equalizer for 1 or 2 channels at `sample_rate` Hz of at most `bands` bands each, with `settings` in force.
    ///
    /// # Errors
    /// What [`Settings::check`] finds; [`EqualizerError::Channels`], [`EqualizerError::BandCount`].
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

    /// Changes the settings; the sound follows within [`RAMP_SECONDS`](rustle_dsp::equalizer::RAMP_SECONDS) of it. Computes
    /// for up to some milliseconds.
    ///
    /// # Errors
    /// What [`Settings::check`] finds, [`EqualizerError::BandCount`]; nothing is changed then.
    pub fn change(&self, settings: &Settings) -> Result<(), EqualizerError> {
        let mut control = self.control();
        let is_bypassed = control.is_bypassed;
        if is_bypassed {
            // Refused now, not when the bypass ends.
            Ramp::new(&Settings::default(), settings, self.bands, self.sample_rate)?;
        } else {
            self.lead_to(&mut control, settings)?;
        }
        control.wanted = settings.clone();
        Ok(())
    }

    /// Lets the sound through as it is, or ends that; the way there and back is a change like any other.
    ///
    /// # Errors
    /// None that [`change`](Self::change) has not found.
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

    /// Replaces the samples of `block`, whole frames, by their equalized form; see [`Equalizer::process`].
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

    /// Forgets the sound so far; a change that is under way or waits is over at once.
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

    /// Hands over the way from what is in force, or will be, to `target`.
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
            // The sound took the one that waited meanwhile: the way begins where that one leads.
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

    /// Begins the change that waits, if any and if nobody else looks at it just now.
    fn take_over(&self, equalizer: &mut Equalizer) {
        let mut handover = match self.handover.try_lock() {
            Ok(handover) => handover,
            // A thread that panicked has left it in order, and nobody else looks at it.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if let Some(ramp) = handover.next.take() {
            // Every ramp that was handed over is followed by one that empties this place before the next is taken: nothing
            // is freed here.
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
            // Whatever an earlier panic left is a state that an equalizer can be in.
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
