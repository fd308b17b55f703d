"""Clips of an evaluation set: samples, what their pitch is at each time, and how both stand on disk."""

import csv
import dataclasses
import json
import math
import wave

import numpy as np

# Time between two lines of a truth file, in seconds. Between them the pitch is interpolated on a scale of cents.
STEP = 0.002
LETTERS = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


@dataclasses.dataclass
class Clip:
    """A clip before it is written.

    samples: floats, full scale 1; truth: Hz every STEP seconds, 0 where there is no pitch, NaN where nobody can say;
    search: "music" or "speech", which says between which frequencies a tracker looks; partials and noise_sd, where given:
    amplitude and phase of each partial, by its multiple of the first, and the standard deviation of white noise.
    """

    name: str
    kind: str
    samples: np.ndarray
    truth: np.ndarray
    note: str = ""
    search: str = "music"
    snr_db: float | None = None
    partials: list | None = None
    noise_sd: float | None = None
    about: dict = dataclasses.field(default_factory=dict)


def times(count, rate):
    """The times of the truth lines of `count` samples."""
    return np.arange(int(count / rate / STEP) + 1) * STEP


def steady(frequency, count, rate):
    """The truth of a tone that keeps one frequency, which may be 0."""
    return np.full(len(times(count, rate)), float(frequency))


def note_name(midi):
    return f"{LETTERS[midi % 12]}{midi // 12 - 1}"


def midi_hertz(midi):
    return 440.0 * 2 ** ((midi - 69) / 12)


def cents(frequency, reference):
    return 1200 * np.log2(frequency / reference)


def write_wav(path, samples, rate):
    """Rounds to 16 bits without dither; a sample over full scale is an error of the generator."""
    peak = float(np.max(np.abs(samples), initial=0))
    if peak > 1:
        raise ValueError(f"{path}: expected samples within full scale, got {peak}")
    whole = np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(whole.tobytes())


def read_wav(path):
    """Samples of the first channel as floats, full scale 1, and the rate."""
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise ValueError(f"{path}: expected 16 bits, got {8 * file.getsampwidth()}")
        whole = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        return whole[:, 0] / 32768.0, file.getframerate()


def write_truth(path, truth):
    with open(path, "w", newline="") as file:
        file.write("time_s,f0_hz\n")
        for index, frequency in enumerate(truth):
            file.write(f"{index * STEP:.3f},{'nan' if math.isnan(frequency) else f'{frequency:.10g}'}\n")


def read_truth(path):
    with open(path, newline="") as file:
        return np.array([float(row["f0_hz"]) for row in csv.DictReader(file)])


def write_set(folder, clips, rate, seed):
    """Writes clips as they come, and the index last: a set without one is not whole."""
    entries = []
    for clip in clips:
        home = folder / clip.kind
        home.mkdir(parents=True, exist_ok=True)
        write_wav(home / f"{clip.name}.wav", clip.samples, rate)
        write_truth(home / f"{clip.name}.csv", clip.truth)
        entries.append({
            "file": f"{clip.kind}/{clip.name}.wav", "truth": f"{clip.kind}/{clip.name}.csv", "class": clip.kind,
            "note": clip.note, "search": clip.search, "snr_db": clip.snr_db, "seconds": len(clip.samples) / rate,
            "partials": clip.partials, "noise_sd": clip.noise_sd, **clip.about})
    index = {"rate": rate, "seed": seed, "step_s": STEP, "clips": entries}
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    return index
