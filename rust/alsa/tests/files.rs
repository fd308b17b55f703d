//! Devices of ALSA's file plugin: what is read is the file bit for bit, and what is written arrives in one.

use rustle_alsa::{AlsaError, Configuration, Direction, Pcm, Progress, devices};
use rustle_testkit::this_program;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

const FRAMES: usize = 10_000;
const CONFIGURATION: Configuration = Configuration {
    rate: 48_000,
    channels: 2,
    period: 256,
    buffer: 1_024,
};
const PATIENCE: Duration = Duration::from_secs(5);

/// Interleaved samples, each another number.
fn sound() -> Vec<f32> {
    (0..2 * FRAMES).map(|n| n as f32 / 32_768.0 - 0.3).collect()
}

fn bytes(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

/// The library reads its configuration once in a process: the test runs again in one that has the folder's.
#[test]
fn devices_of_files_read_and_write_every_bit() -> Result<(), Box<dyn Error>> {
    if let Some(folder) = std::env::var_os("RUSTLE_ALSA_FOLDER") {
        let folder = Path::new(&folder);
        captured_sound_is_the_file()?;
        played_sound_arrives(folder)?;
        refusals_say_expected_and_got()?;
        let names: Vec<String> = devices()?.into_iter().map(|device| device.name).collect();
        assert!(names.iter().any(|name| name == "source"), "{names:?}");
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("rustle-alsa-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("in.raw"), bytes(&sound()))?;
    let at = |name: &str| folder.join(name).display().to_string();
    let configuration = format!(
        "pcm.nothing {{ type null }}\n\
         pcm.source {{ type file; slave.pcm nothing; file /dev/null; infile \"{}\"; format raw; hint {{ show on }} }}\n\
         pcm.target {{ type file; slave.pcm nothing; file \"{}\"; format raw }}\n",
        at("in.raw"),
        at("out.raw")
    );
    std::fs::write(folder.join("asound.conf"), configuration)?;
    let output = this_program()
        .args([
            "devices_of_files_read_and_write_every_bit",
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

fn captured_sound_is_the_file() -> Result<(), AlsaError> {
    let mut pcm = Pcm::open("source", Direction::Capture, CONFIGURATION)?;
    assert!((1..=1_024).contains(&pcm.period()));
    let expected = sound();
    let mut heard = Vec::new();
    let mut block = [0.0; 2 * 1_024];
    while heard.len() < expected.len() {
        match pcm.read(&mut block, PATIENCE)? {
            Progress::Frames(count) => {
                assert!((1..=pcm.period()).contains(&count));
                heard.extend_from_slice(&block[..2 * count]);
            }
            other => assert_eq!(other, Progress::Nothing),
        }
    }
    heard.truncate(expected.len());
    assert!(heard == expected, "expected the file's samples");
    Ok(())
}

fn played_sound_arrives(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut pcm = Pcm::open("target", Direction::Playback, CONFIGURATION)?;
    let expected = sound();
    let mut left = &expected[..];
    while !left.is_empty() {
        match pcm.write(left, PATIENCE)? {
            Progress::Frames(count) => left = &left[2 * count..],
            other => assert_eq!(other, Progress::Nothing),
        }
    }
    pcm.drain()?;
    drop(pcm);
    assert!(
        std::fs::read(folder.join("out.raw"))? == bytes(&expected),
        "expected what was played"
    );
    Ok(())
}

fn refusals_say_expected_and_got() -> Result<(), AlsaError> {
    let refusal = Pcm::open("no-such-device", Direction::Capture, CONFIGURATION).err();
    let text = refusal.map(|error| error.to_string()).unwrap_or_default();
    assert!(text.contains("no-such-device"), "{text}");
    // Twice: a device that was closed can be opened again.
    for _ in 0..2 {
        drop(Pcm::open("source", Direction::Capture, CONFIGURATION)?);
    }
    Ok(())
}
