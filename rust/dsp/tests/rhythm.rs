//! Beats of synthetic drums.

use rustle_dsp::rhythm::{
    BeatEstimate, Onset, Rhythm, RhythmAnalyzer, RhythmConfiguration, RhythmError, RhythmFrame, RhythmTracker,
};
use rustle_testkit::{CountingAllocator, Drum, allocations_in, drums, noise, sine};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const RATE: f64 = 22_050.0;
/// Beats this near to the true ones are right, in seconds.
const WITHIN: f64 = 0.07;

/// Times of beats from `begin` until `seconds`, of a tempo that changes linearly.
fn times(begin: f64, seconds: f64, from: f64, to: f64) -> Vec<f64> {
    let mut beats = vec![begin];
    let mut now = begin;
    while now < seconds - 0.2 {
        now += 60.0 / (from + (to - from) * now / seconds);
        beats.push(now);
    }
    beats.pop();
    beats
}

fn analyzed(signal: &[f32], rate: f64) -> Rhythm {
    let mut analyzer = RhythmAnalyzer::new(&RhythmConfiguration::new(rate)).expect("a configuration");
    analyzer.push(signal).expect("memory");
    analyzer.finish().expect("memory")
}

fn followed(signal: &[f32], rate: f64, buffer: usize) -> Vec<RhythmFrame> {
    let mut tracker = RhythmTracker::new(&RhythmConfiguration::new(rate)).expect("a configuration");
    let mut frames = Vec::new();
    for buffer in signal.chunks(buffer) {
        tracker
            .push(buffer, |frame| frames.push(frame))
            .expect("a transform");
    }
    frames
}

fn reported(frames: &[RhythmFrame], rate: f64) -> Vec<f64> {
    let beats = frames
        .iter()
        .filter_map(|frame| frame.beat)
        .filter(|beat| beat.is_beat);
    beats.map(|beat| beat.next / rate).collect()
}

fn last(frames: &[RhythmFrame]) -> BeatEstimate {
    frames.last().and_then(|frame| frame.beat).expect("a tempo")
}

/// The F-measure of beats from `begin` on, in seconds.
fn f_measure(found: &[f64], truth: &[f64], begin: f64) -> f64 {
    let later = |beats: &[f64]| {
        beats
            .iter()
            .copied()
            .filter(|beat| *beat >= begin)
            .collect::<Vec<f64>>()
    };
    let (found, truth) = (later(found), later(truth));
    let mut free = truth.clone();
    let pairs = found.iter().filter(|beat| {
        let near = free.iter().position(|other| (other - **beat).abs() <= WITHIN);
        near.map(|index| free.remove(index)).is_some()
    });
    2.0 * pairs.count() as f64 / (found.len() + truth.len()) as f64
}

#[test]
fn whole_signals_give_tempo_and_beats_from_70_to_168() {
    for bpm in [70.0, 80.0, 90.5, 104.0, 120.0, 139.0, 155.0, 168.0] {
        let truth = times(0.37, 16.0, bpm, bpm);
        let rhythm = analyzed(&drums(16.0, RATE, &truth), RATE);
        let beats: Vec<f64> = rhythm.beats.iter().map(|beat| beat / RATE).collect();
        let tempo = rhythm.tempo.expect("a tempo");
        assert!((tempo / bpm - 1.0).abs() < 0.005, "{tempo} for {bpm}");
        assert!(f_measure(&beats, &truth, 0.0) > 0.96, "{beats:?} for {truth:?}");
        assert!(rhythm.confidence > 0.5, "{}", rhythm.confidence);
        // The beats are where the drums are hit.
        let near = |beat: &f64| truth.iter().map(|other| (beat - other).abs()).fold(1.0, f64::min);
        let within = beats
            .iter()
            .filter(|beat| (truth[0]..truth[truth.len() - 1]).contains(*beat));
        let worst = within.map(near).fold(0.0, f64::max);
        assert!(worst < 0.015, "{worst} s for {bpm}");
    }
}

#[test]
fn streams_give_tempo_and_beats_from_70_to_168() {
    for bpm in [70.0, 80.0, 90.5, 104.0, 120.0, 139.0, 155.0, 168.0] {
        let truth = times(0.37, 16.0, bpm, bpm);
        let frames = followed(&drums(16.0, RATE, &truth), RATE, 512);
        let beats = reported(&frames, RATE);
        let end = last(&frames);
        assert!((end.tempo / bpm - 1.0).abs() < 0.005, "{} for {bpm}", end.tempo);
        assert!(f_measure(&beats, &truth, 5.0) > 0.96, "{beats:?} for {truth:?}");
        assert!(
            end.confidence > 0.5 && end.phase_error < 0.015 * RATE,
            "{end:?} for {bpm}"
        );
    }
}

#[test]
fn tempo_that_drifts_is_followed() {
    for (from, to) in [(90.0, 110.0), (140.0, 120.0)] {
        let truth = times(0.2, 20.0, from, to);
        let signal = drums(20.0, RATE, &truth);
        let beats: Vec<f64> = analyzed(&signal, RATE)
            .beats
            .iter()
            .map(|beat| beat / RATE)
            .collect();
        assert!(f_measure(&beats, &truth, 0.0) > 0.96, "{beats:?} for {truth:?}");
        let frames = followed(&signal, RATE, 512);
        let beats = reported(&frames, RATE);
        assert!(f_measure(&beats, &truth, 5.0) > 0.96, "{beats:?} for {truth:?}");
        assert!(
            (last(&frames).tempo / to - 1.0).abs() < 0.04,
            "{} for {to}",
            last(&frames).tempo
        );
    }
}

#[test]
fn another_rhythm_is_followed_after_some_seconds() {
    let (first, second) = (times(0.2, 15.0, 96.0, 96.0), times(0.3, 15.0, 131.0, 131.0));
    let mut signal = drums(15.0, RATE, &first);
    signal.extend(drums(15.0, RATE, &second));
    let frames = followed(&signal, RATE, 512);
    let beats: Vec<f64> = reported(&frames, RATE).iter().map(|beat| beat - 15.0).collect();
    assert!(f_measure(&beats, &second, 6.0) > 0.95, "{beats:?} for {second:?}");
    assert!(
        (last(&frames).tempo / 131.0 - 1.0).abs() < 0.005,
        "{}",
        last(&frames).tempo
    );
}

/// The seconds after a change of rhythm in which beats are missed or the tempo is wrong.
fn seconds_to_follow(from: f64, to: f64) -> f64 {
    let (first, second) = (times(0.2, 12.0, from, from), times(0.3, 12.0, to, to));
    let mut signal = drums(12.0, RATE, &first);
    signal.extend(drums(12.0, RATE, &second));
    let frames = followed(&signal, RATE, 512);
    let beats: Vec<f64> = reported(&frames, RATE).iter().map(|beat| beat - 12.0).collect();
    let is_missed = |beat: &&f64| !beats.iter().any(|found| (found - **beat).abs() <= WITHIN);
    // The last beat may be reported after the end.
    let missed = second[..second.len() - 1].iter().rfind(is_missed).copied();
    let is_wrong = |frame: &&RhythmFrame| frame.beat.is_none_or(|beat| (beat.tempo / to - 1.0).abs() > 0.04);
    let wrong = frames.iter().rfind(is_wrong);
    let wrong = wrong.map_or(0.0, |frame| frame.frame.sample as f64 / RATE - 12.0);
    missed.unwrap_or(0.0).max(wrong)
}

#[test]
fn another_rhythm_is_followed_after_four_to_six_seconds() {
    let changes = [
        (75.0, 105.0),
        (96.0, 131.0),
        (128.0, 90.0),
        (110.0, 145.0),
        (150.0, 120.0),
        (96.0, 72.0),
        (128.0, 165.0),
    ];
    let mut seconds = changes.map(|(from, to)| seconds_to_follow(from, to));
    seconds.sort_unstable_by(f64::total_cmp);
    assert!(seconds[3] < 5.0 && seconds[6] < 6.5, "{seconds:?}");
}

#[test]
fn beats_are_expected_and_reported_once() {
    let truth = times(0.37, 16.0, 100.0, 100.0);
    let signal = drums(16.0, RATE, &truth);
    let tracker = RhythmTracker::new(&RhythmConfiguration::new(RATE)).expect("a configuration");
    let frames = followed(&signal, RATE, 512);
    let mut before: Option<f64> = None;
    for frame in &frames {
        let Some(beat) = frame.beat else { continue };
        assert!((0.0..1.0).contains(&beat.phase));
        let known = frame.frame.sample as f64 + tracker.latency() as f64;
        if beat.is_beat {
            // Not later than the frame that follows, and half a period after the one before.
            assert!(
                beat.next >= known - 1.0 && beat.next < known + 2.0 * tracker.hop() as f64,
                "{beat:?} at {known}"
            );
            assert!(
                before.is_none_or(|before| beat.next > before + 0.25 * RATE),
                "{beat:?} after {before:?}"
            );
            before = Some(beat.next);
        }
    }
}

#[test]
fn results_do_not_depend_on_how_the_signal_is_cut() {
    let signal = drums(8.0, RATE, &times(0.1, 8.0, 120.0, 120.0));
    let whole = followed(&signal, RATE, signal.len());
    for buffer in [1, 219, 220, 4096] {
        assert_eq!(followed(&signal, RATE, buffer), whole, "{buffer}");
    }
    let mut tracker = RhythmTracker::new(&RhythmConfiguration::new(RATE)).expect("a configuration");
    tracker.push(&signal[..100_000], |_| {}).expect("a transform");
    tracker.reset();
    let mut again = Vec::new();
    tracker
        .push(&signal, |frame| again.push(frame))
        .expect("a transform");
    assert_eq!(again, whole);
    let mut analyzer = RhythmAnalyzer::new(&RhythmConfiguration::new(RATE)).expect("a configuration");
    for _ in 0..2 {
        for buffer in signal.chunks(1000) {
            analyzer.push(buffer).expect("memory");
        }
        assert_eq!(analyzer.finish().expect("memory"), analyzed(&signal, RATE));
    }
}

#[test]
fn stream_does_not_allocate() {
    let signal = drums(8.0, RATE, &times(0.1, 8.0, 120.0, 120.0));
    let mut tracker = RhythmTracker::new(&RhythmConfiguration::new(RATE)).expect("a configuration");
    let (count, _) = allocations_in(|| vec![0_u8; 10]);
    assert_eq!(count, 1);
    let (count, frames) = allocations_in(|| {
        let mut frames = 0;
        for buffer in signal.chunks(512) {
            tracker.push(buffer, |_| frames += 1).expect("a transform");
        }
        tracker.reset();
        frames
    });
    assert_eq!(count, 0);
    assert!(frames > 790);
}

#[test]
fn sample_rates_have_the_same_beats() {
    for rate in [8000.0, 11_025.0, 44_100.0, 96_000.0] {
        let truth = times(0.2, 12.0, 112.0, 112.0);
        let rhythm = analyzed(&drums(12.0, rate, &truth), rate);
        let beats: Vec<f64> = rhythm.beats.iter().map(|beat| beat / rate).collect();
        assert!(f_measure(&beats, &truth, 0.0) > 0.96, "{beats:?} at {rate}");
        assert!(
            (rhythm.tempo.expect("a tempo") / 112.0 - 1.0).abs() < 0.005,
            "{rhythm:?} at {rate}"
        );
    }
}

#[test]
fn onsets_are_where_drums_are_hit() {
    let hits: Vec<f64> = (0..20)
        .map(|hit| 0.5 + 0.4 * f64::from(hit) + 0.01 * f64::from(hit * hit % 7))
        .collect();
    for drum in [Drum::Kick, Drum::Snare, Drum::Hat] {
        let mut signal = vec![0.0; 200_000];
        for hit in &hits {
            drum.strike(&mut signal, RATE, *hit, 0.3);
        }
        let whole: Vec<Onset> = analyzed(&signal, RATE).onsets;
        let streamed: Vec<Onset> = followed(&signal, RATE, 512)
            .iter()
            .filter_map(|frame| frame.onset)
            .collect();
        assert_eq!(whole, streamed);
        assert_eq!(whole.len(), hits.len(), "{drum:?}");
        for (onset, hit) in whole.iter().zip(&hits) {
            let off = onset.sample as f64 / RATE - hit;
            assert!(off.abs() < 0.02, "{off} s, {drum:?}");
        }
    }
}

#[test]
fn steady_sounds_vibrato_and_silence_have_no_onsets() {
    let mut phase = 0.0;
    let vibrato: Vec<f32> = (0..200_000)
        .map(|n| {
            let turn = std::f64::consts::TAU / RATE;
            phase += turn * 440.0 * (1.0 + 0.02 * (turn * 6.0 * f64::from(n)).sin());
            (0.3 * f64::sin(phase)) as f32
        })
        .collect();
    for signal in [sine(200_000, 330.0, RATE, 0.3, 0.0), vibrato, vec![0.0; 200_000]] {
        let onsets = analyzed(&signal, RATE).onsets;
        // The beginning of the signal is one.
        assert!(onsets.iter().all(|onset| onset.sample < 2000), "{onsets:?}");
    }
    let silence = analyzed(&vec![0.0; 200_000], RATE);
    assert_eq!(silence, Rhythm::default());
    assert!(
        followed(&vec![0.0; 200_000], RATE, 512)
            .iter()
            .all(|frame| frame.beat.is_none())
    );
    assert_eq!(analyzed(&[], RATE), Rhythm::default());
    assert_eq!(analyzed(&[0.5; 100], RATE), Rhythm::default());
}

#[test]
fn noise_has_little_confidence() {
    for seed in 1..5 {
        let signal = noise(seed, 300_000);
        assert!(analyzed(&signal, RATE).confidence < 0.2);
        let frames = followed(&signal, RATE, 512);
        let beats = frames.iter().filter_map(|frame| frame.beat);
        let most = beats.map(|beat| beat.confidence).fold(0.0, f64::max);
        assert!(most < 0.3, "{most}");
    }
}

#[test]
fn levels_are_those_of_their_bands() {
    for (frequency, band) in [(100.0, 0), (1000.0, 1), (5000.0, 2)] {
        let frames = followed(&sine(40_000, frequency, RATE, 0.5, 0.0), RATE, 512);
        let levels = frames[50].frame.levels;
        let levels = [levels.low, levels.middle, levels.high];
        for (index, level) in levels.iter().enumerate() {
            let expected = if index == band {
                0.5_f32 / 2.0_f32.sqrt()
            } else {
                0.0
            };
            assert!((level - expected).abs() < 0.01, "{levels:?} at {frequency} Hz");
        }
    }
}

#[test]
fn samples_that_are_no_numbers_pass() {
    let truth = times(0.2, 20.0, 120.0, 120.0);
    let mut signal = drums(20.0, RATE, &truth);
    for (index, wrong) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38, -3e38]
        .iter()
        .enumerate()
    {
        signal[100_000 + 300 * index] = *wrong;
    }
    let beats: Vec<f64> = analyzed(&signal, RATE)
        .beats
        .iter()
        .map(|beat| beat / RATE)
        .collect();
    assert!(f_measure(&beats, &truth, 0.0) > 0.9, "{beats:?}");
    let frames = followed(&signal, RATE, 512);
    assert!(f_measure(&reported(&frames, RATE), &truth, 12.0) > 0.9);
    assert!(
        frames
            .iter()
            .filter_map(|frame| frame.beat)
            .all(|beat| beat.tempo.is_finite() && beat.confidence.is_finite())
    );
}

#[test]
fn configurations_are_checked() {
    let refused = |configuration: &RhythmConfiguration| RhythmTracker::new(configuration).err();
    for got in [0.0, 7999.0, 768_001.0, f64::INFINITY] {
        assert_eq!(
            refused(&RhythmConfiguration::new(got)),
            Some(RhythmError::SampleRate { got })
        );
    }
    for (slowest, fastest) in [(29.0, 100.0), (100.0, 301.0), (100.0, 149.0), (200.0, 100.0)] {
        let configuration = RhythmConfiguration {
            tempi: slowest..=fastest,
            ..RhythmConfiguration::new(RATE)
        };
        assert_eq!(
            refused(&configuration),
            Some(RhythmError::Tempi { slowest, fastest })
        );
    }
    let widest = RhythmConfiguration {
        tempi: 30.0..=300.0,
        ..RhythmConfiguration::new(RATE)
    };
    assert_eq!(refused(&widest), None);
}
