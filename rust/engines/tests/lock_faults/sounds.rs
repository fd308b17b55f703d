//! Sound: the demonstration's devices, and an equalizer.

use crate::{Ends, SECOND_HUNDREDTH, call, check};
use rustle_dsp::equalizer::{Band, Settings};
use rustle_engines::*;
use std::sync::Arc;

/// The demonstration's capture and playback.
pub(crate) struct Sounds {
    capture: CaptureEngine,
    playback: PlaybackEngine,
    captured: Option<(CaptureSession, Ends, u64)>,
    played: Option<(PlaybackSession, Ends)>,
}

impl Sounds {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        let configuration = SoundConfiguration {
            device: DEMO_DEVICE.to_owned(),
            rate: 48_000,
            channels: 1,
            period: 48,
            frame_limit: None,
        };
        Self {
            capture: CaptureEngine::on(runtime.clone(), configuration.clone()).expect("valid"),
            playback: PlaybackEngine::on(runtime.clone(), configuration).expect("valid"),
            captured: None,
            played: None,
        }
    }

    pub(crate) fn turn(&mut self, runtime: &Runtime, is_calm: bool) -> bool {
        let mut refused = 0;
        let mut note = |error: SoundError| {
            assert!(matches!(error, SoundError::Poisoned), "{error}");
            refused += 1;
        };
        if self.captured.is_none() {
            let ends = Ends::default();
            let delivery = Delivery::pull(Overflow::DropOldest, 64, ends.clone()).expect("a size of lanes");
            match call(|| self.capture.start(delivery)) {
                Some(Ok(session)) => self.captured = Some((session, ends, 0)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if self.played.is_none() {
            let ends = Ends::default();
            match call(|| {
                self.playback
                    .start_pulling(Overflow::DropOldest, 64, ends.clone())
            }) {
                Some(Ok(session)) => self.played = Some((session, ends)),
                Some(Err(error)) => note(error),
                None => assert!(!is_calm && ends.count() == 0),
            }
        }
        if refused == 2 {
            return false;
        }
        let advanced = call(|| runtime.advance(SECOND_HUNDREDTH)).is_some();
        if let Some((session, ends, next)) = &mut self.captured {
            let drained = call(|| {
                session.drain(64, |block, lost| {
                    assert!(block.position == *next || lost > 0);
                    *next = block.position + u64::from(block.frames);
                })
            });
            if let Some(Some((count, statistics))) = drained {
                check(statistics);
                assert!(!(is_calm && advanced) || count > 0 || ends.count() == 1);
            }
            if ends.count() == 1 {
                self.captured = None;
            }
        }
        if let Some((session, ends)) = &mut self.played {
            let written = call(|| session.write(&[0.5; 480]));
            assert!(!is_calm || matches!(written, Some(Ok(1..))));
            if let Some(Some((count, statistics))) = call(|| session.drain(64, |_, _| {})) {
                check(statistics);
                assert!(!(is_calm && advanced) || count > 0 || ends.count() == 1);
            }
            if ends.count() == 1 {
                self.played = None;
            }
        }
        true
    }
}

/// An equalizer between two settings.
pub(crate) struct Equalizers {
    equalizer: LiveEqualizer,
    turns: u32,
}

impl Equalizers {
    fn settings(decibels: f64) -> Settings {
        Settings {
            left: vec![Band::peaking(1_000.0, decibels, 1.0)],
            right: vec![Band::peaking(1_000.0, decibels, 1.0)],
            preamp: 0.0,
        }
    }

    pub(crate) fn new() -> Self {
        Self {
            equalizer: LiveEqualizer::new(48_000.0, 1, 4, Settings::default()).expect("valid"),
            turns: 0,
        }
    }

    pub(crate) fn turn(&mut self, is_calm: bool) {
        self.turns += 1;
        let settings = Self::settings(f64::from(self.turns % 3));
        let changed = call(|| self.equalizer.change(&settings));
        assert!(changed == Some(Ok(())) || !is_calm);
        let mut block = [0.25; 256];
        let processed = call(|| self.equalizer.process(&mut block));
        assert!(processed == Some(Ok(())) || !is_calm);
        assert!(block.iter().all(|sample| sample.abs() < 1.0));
        assert!(!is_calm || block.iter().any(|sample| *sample != 0.0));
    }

    /// The last requested settings are in force in the end.
    pub(crate) fn end(&mut self) {
        for is_bypassed in [true, false] {
            self.equalizer.set_bypassed(is_bypassed).expect("valid");
        }
        self.equalizer.change(&Self::settings(6.0)).expect("valid");
        // A ramp in progress, and the last one.
        for _ in 0..400 {
            self.equalizer.process(&mut [0.0; 256]).expect("free");
        }
        let tone = |n: usize| (std::f64::consts::TAU * n as f64 / 48.0).sin() as f32;
        let mut block: Vec<f32> = (0..4_800).map(tone).collect();
        self.equalizer.process(&mut block).expect("free");
        let loudest = block[2_400..]
            .iter()
            .fold(0.0_f32, |most, sample| most.max(*sample));
        assert!((loudest - 1.995).abs() < 0.01, "{loudest}");
    }
}
