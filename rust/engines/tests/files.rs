//! Captures and playbacks of real devices, ALSA's file plugin: every bit passes the queue, the job and the lane.

use rustle_engines::{
    CaptureEngine, Delivery, Doorbell, Overflow, PlaybackEngine, Release, Runtime, SoundConfiguration,
    SoundError,
};
use rustle_testkit::this_program;
use std::error::Error;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Well below the second that fits into a capture's queue, and the half second of a playback's: the plugin keeps no time.
const FRAMES: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(20);

/// Interleaved samples, all different, none of them 0.
fn sound() -> Vec<f32> {
    (1..=2 * FRAMES).map(|n| n as f32 / 32_768.0).collect()
}

fn bytes(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

fn configuration(device: &str, frame_limit: Option<u64>) -> SoundConfiguration {
    SoundConfiguration {
        device: device.to_owned(),
        rate: 48_000,
        channels: 2,
        period: 256,
        frame_limit,
    }
}

/// Forwards the end of a session.
struct Ends(Sender<Release>);

impl Doorbell for Ends {
    fn on_ready(&mut self) {}

    fn on_release(self: Box<Self>, release: Release) {
        // A test that has failed no longer receives.
        let _ = self.0.send(release);
    }
}

/// The library reads its configuration once in a process: the test runs again in a process that has the folder's.
#[test]
fn engines_bring_every_bit_from_and_to_devices_of_files() -> Result<(), Box<dyn Error>> {
    if let Some(folder) = std::env::var_os("RUSTLE_ALSA_FOLDER") {
        captured_sound_is_the_file()?;
        return played_sound_arrives(Path::new(&folder));
    }
    let folder = std::env::temp_dir().join(format!("rustle-engines-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("in.raw"), bytes(&sound()))?;
    let at = |name: &str| folder.join(name).display().to_string();
    let configuration = format!(
        "pcm.nothing {{ type null }}\n\
         pcm.source {{ type file; slave.pcm nothing; file /dev/null; infile \"{}\"; format raw }}\n\
         pcm.target {{ type file; slave.pcm nothing; file \"{}\"; format raw }}\n",
        at("in.raw"),
        at("out.raw")
    );
    std::fs::write(folder.join("asound.conf"), configuration)?;
    let output = this_program()
        .args([
            "engines_bring_every_bit_from_and_to_devices_of_files",
            "--exact",
            "--nocapture",
        ])
        .env("RUSTLE_ALSA_FOLDER", &folder)
        .env("ALSA_CONFIG_PATH", folder.join("asound.conf"))
        .output()?;
    std::fs::remove_dir_all(&folder)?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    Ok(())
}

fn captured_sound_is_the_file() -> Result<(), Box<dyn Error>> {
    let capture = CaptureEngine::on(
        Runtime::shared().clone(),
        configuration("source", Some(FRAMES as u64)),
    )?;
    // Twice: the device of a capture can be opened again when its session is released.
    for _ in 0..2 {
        let (sender, releases) = channel();
        let delivery = Delivery::pull(Overflow::DropNewest, 4_096, Ends(sender)).ok_or("a size of lanes")?;
        let session = capture.start(delivery)?;
        assert_eq!(releases.recv_timeout(PATIENCE), Ok(Release::Ended));
        let (mut heard, mut next) = (Vec::new(), 0);
        session.drain(4_096, |block, gap| {
            assert_eq!((block.position, block.lost, block.overruns, gap), (next, 0, 0, 0));
            next += u64::from(block.frames);
            heard.extend_from_slice(&block.samples[..2 * block.frames as usize]);
        });
        assert!(heard == sound(), "expected the file's samples");
    }
    Ok(())
}

fn played_sound_arrives(folder: &Path) -> Result<(), Box<dyn Error>> {
    let playback = PlaybackEngine::on(Runtime::shared().clone(), configuration("target", None))?;
    let (sender, releases) = channel();
    let session = playback.start_pulling(Overflow::DropOldest, 16, Ends(sender))?;
    // In one write: later samples would follow some silence, because the plugin takes them at any speed.
    assert_eq!(session.write(&sound())?, 2 * FRAMES);
    session.finish().expect("no fork");
    assert_eq!(releases.recv_timeout(PATIENCE), Ok(Release::Ended));
    let mut last = None;
    session.drain(16, |record, _| last = Some(record));
    let last = last.ok_or("expected a record of progress")?;
    assert_eq!(
        (last.played, last.queued, last.inserted_silence),
        (FRAMES as u64, 0, 0)
    );
    let written = std::fs::read(folder.join("out.raw"))?;
    let is_silent = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
    let frame = |bytes: &&[u8]| is_silent(bytes);
    let before = written.chunks_exact(8).take_while(frame).count() * 8;
    let expected = bytes(&sound());
    assert!(
        written[before..].starts_with(&expected),
        "expected the played samples without a gap"
    );
    assert!(
        is_silent(&written[before + expected.len()..]),
        "and nothing after them"
    );
    Ok(())
}

#[test]
fn device_that_nobody_knows_is_refused_and_takes_no_bell() -> Result<(), SoundError> {
    let playback = PlaybackEngine::on(Runtime::shared().clone(), configuration("no such device", None))?;
    let (sender, releases) = channel();
    let refusal = playback.start_pulling(Overflow::DropOldest, 16, Ends(sender));
    assert!(matches!(refusal, Err(SoundError::Device(_))));
    // The bell was dropped without a call.
    assert!(releases.recv().is_err());
    Ok(())
}
