"""Sentences by espeak-ng: as they are, with a truth that peers agree on; and resynthesized by WORLD along a contour that is
therefore known exactly, without and with noise."""

import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

from .clip import STEP, Clip, read_wav, times

SENTENCES = (
    "The ferry leaves at seven, and nobody is waiting.",
    "Bring the long ladder round to the yellow door.",
    "Why would a river run uphill in the morning?",
    "Eleven small boats were lying in the harbour.",
    "She measured the beam again and wrote it down.",
    "Our neighbour's dog may bark all through the night.",
    "Turn the wheel slowly until you hear a low hum.",
    "Have you ever seen the moon from the old railway?",
    "No wind, no waves, only warm rain on the roof.",
    "He sold the violin, but he kept the worn bow.",
    "Please leave your muddy boots beside the oven.",
    "A minor error moved the line a mile to the east.",
    "Where were you when the lamps went out in the hall?",
    "Many more men would rather mend it than buy it new.",
    "The bell rang nine times over the empty square.",
    "Let me know whether Anna will join us on Monday.",
)
# Language and speaker, and the pitch settings that suit.
VOICES = (("en-us+m3", 20, 45), ("en-gb+m7", 35, 60), ("en-us+f2", 40, 65), ("en-gb-scotland+m1", 30, 55), ("en-gb+f4", 45, 75),
          ("en-us+m5", 25, 50), ("en-gb-x-rp+f1", 35, 60), ("en-us+f5", 50, 80))
SPEAKERS, EACH = 4, 4
# The search range of speech, in Hz.
LOW, HIGH = 60.0, 600.0
# Frames of WORLD, in seconds.
FRAME = 0.005
# Peers that differ by more are not used as truth, in cents.
AGREE = 25.0
# Sound below this level, in decibels under the loudest, is not voice; nor is a pitch that moves faster, in octaves per second.
FAINT, FASTEST = -50.0, 10.0
LONGEST = 2.8


def say(voice, pitch, speed, text):
    if shutil.which("espeak-ng") is None:
        raise FileNotFoundError("espeak-ng is missing: apt-get install espeak-ng")
    with tempfile.TemporaryDirectory() as home:
        path = pathlib.Path(home, "said.wav")
        subprocess.run(["espeak-ng", "-v", voice, "-p", str(pitch), "-s", str(speed), "-w", str(path), text], check=True)
        samples, rate = read_wav(path)
    quiet = np.zeros(rate // 10)
    return np.concatenate([quiet, samples[:int(LONGEST * rate)], quiet]), rate


def utterances(generator):
    """Speakers and sentences of a seed, each once: name, samples and their rate."""
    speakers = generator.choice(len(VOICES), SPEAKERS, replace=False)
    order = generator.permutation(len(SENTENCES))
    for number, speaker in enumerate(speakers):
        voice, low, high = VOICES[speaker]
        for turn in range(EACH):
            text = SENTENCES[order[number * EACH + turn]]
            samples, rate = say(voice, int(generator.integers(low, high)), int(generator.integers(140, 190)), text)
            yield f"{voice.replace('+', '-')}-{turn}", voice, samples, rate


def resample(samples, rate, wanted):
    from scipy.signal import resample_poly
    common = np.gcd(rate, wanted)
    found = resample_poly(samples, wanted // common, rate // common)
    return found * (0.5 / np.max(np.abs(found)))


def runs(mask):
    """The beginnings and ends of the runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def heard_voice(samples, rate):
    """Hz in each of WORLD's frames where both of its trackers agree within a semitone, 0 elsewhere, and the frames' times. One
    alone loses an octave here and there, which would then be the truth."""
    import pyworld
    first, at = pyworld.harvest(samples, rate, f0_floor=LOW, f0_ceil=HIGH, frame_period=1000 * FRAME)
    coarse, places = pyworld.dio(samples, rate, f0_floor=LOW, f0_ceil=HIGH, frame_period=1000 * FRAME)
    second = pyworld.stonemask(samples, coarse, places, rate)
    both = (first > 0) & (second > 0)
    apart = np.abs(np.log2(np.where(both, first, 1.0) / np.where(both, second, 1.0)))
    return np.where(both & (apart < 1 / 12), second, 0.0), at


def voiced_runs(samples, rate, heard):
    """Where there is a voice that is loud enough and holds for 40 ms or more without a jump."""
    reach = int(0.01 * rate)
    centres = np.minimum((np.arange(len(heard)) * FRAME * rate).astype(int), len(samples) - 1)
    level = np.array([np.sqrt(np.mean(samples[max(0, c - reach):c + reach + 1] ** 2)) for c in centres])
    there = (heard > 0) & (level > np.max(level) * 10 ** (FAINT / 20))
    octaves = np.log2(np.where(heard > 0, heard, 1.0))
    jump = np.zeros(len(heard), bool)
    jump[1:] = there[1:] & there[:-1] & (np.abs(np.diff(octaves)) > FASTEST * FRAME)
    return [(begin, end) for begin, end in runs(there & ~jump) if (end - begin) * FRAME >= 0.04]


def smooth(values, frames):
    """Along the first axis, over this many frames to each side; the ends are repeated."""
    weights = np.hanning(2 * frames + 3)[1:-1]
    padded = np.concatenate([np.repeat(values[:1], frames, axis=0), values, np.repeat(values[-1:], frames, axis=0)])
    return np.apply_along_axis(lambda column: np.convolve(column, weights / np.sum(weights), "valid"), 0, padded)


def resynthesize(samples, rate, generator):
    """The sentence along a contour of our own, in WORLD frames: smoothed, and moved as a whole and slowly."""
    import pyworld
    found, at = heard_voice(samples, rate)
    envelope = pyworld.cheaptrick(samples, found, at, rate)
    # WORLD's responses have minimum phase: an envelope that jumps moves the pulses' energy in time, and with it the pitch that
    # is heard, away from the contour. Over 30 ms it moves slowly enough.
    envelope = np.ascontiguousarray(np.exp(smooth(np.log(envelope), 6)))
    # Threshold 0: WORLD does not decide again what is voiced.
    noise = pyworld.d4c(samples, found, at, rate, threshold=0.0)
    contour = np.zeros(len(found))
    shift = generator.uniform(max(-0.15, np.log2(1.1 * LOW / np.min(found[found > 0]))), 0.25)
    sway, start = generator.uniform(1.0, 3.0), generator.uniform(0, 2 * np.pi)
    for begin, end in voiced_runs(samples, rate, found):
        moved = smooth(np.log2(found[begin:end]), 4) + shift + 0.5 / 12 * np.sin(2 * np.pi * sway * at[begin:end] + start)
        contour[begin:end] = 2 ** moved
    lowest, highest = np.min(contour[contour > 0]), np.max(contour)
    if lowest < LOW or highest > HIGH:
        raise ValueError(f"expected a contour between {LOW} and {HIGH} Hz, got {lowest} to {highest}")
    noise[contour == 0] = 1.0
    return pyworld.synthesize(contour, envelope, noise, rate, 1000 * FRAME), contour


def plainly(samples, rate, generator):
    """As WORLD does it unasked: Harvest's contour with its octaves lost and its generous voicing, and an envelope that jumps.
    What is heard then strays from the contour, for every tracker alike."""
    import pyworld
    contour, at = pyworld.harvest(samples, rate, f0_floor=LOW, f0_ceil=HIGH, frame_period=1000 * FRAME)
    envelope, noise = pyworld.cheaptrick(samples, contour, at, rate), pyworld.d4c(samples, contour, at, rate)
    return pyworld.synthesize(contour, envelope, noise, rate, 1000 * FRAME), contour


def contour_truth(contour, count, rate):
    """WORLD's contour at the truth's times: it interpolates in Hz, and takes the nearer frame's voicing."""
    at = times(count, rate)
    place = np.minimum(at / FRAME, len(contour) - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, len(contour) - 1)
    part = place - below
    left, right = contour[below], contour[above]
    both = (left > 0) & (right > 0)
    nearer = np.where(part < 0.5, left, right)
    return np.where(both, (1 - part) * left + part * right, nearer)


def world(kind, generator, rate, snr_db=None, way=resynthesize):
    # Its own draws, so that the sentences are the same with and without noise.
    hiss = generator.spawn(1)[0]
    for name, voice, samples, own in utterances(generator):
        made, contour = way(samples, own, generator)
        sound = resample(made, own, rate)
        truth = contour_truth(contour, len(sound), rate)
        if snr_db is not None:
            # Relative to what is louder than 40 dB under the peak: pauses do not count.
            loud = sound[np.abs(sound) > 0.005]
            sound = sound + hiss.normal(0, np.sqrt(np.mean(loud ** 2)) * 10 ** (-snr_db / 20), len(sound))
            sound = sound * min(1.0, 0.98 / np.max(np.abs(sound)))
        yield Clip(name, kind, sound, truth, voice, "speech", snr_db)


def world_noisy(kind, generator, rate):
    return world(kind, generator, rate, 10.0)


def world_rough(kind, generator, rate):
    return world(kind, generator, rate, way=plainly)


def agreed(samples, rate):
    """What Praat, Harvest and DIO say alike, at the truth's times: their median, 0 where none hears a voice, else NaN."""
    import parselmouth
    import pyworld
    at = times(len(samples), rate)
    period = 1000 * STEP
    heard = parselmouth.Sound(samples, rate).to_pitch_ac(time_step=STEP, pitch_floor=LOW, pitch_ceiling=HIGH)
    frequency = heard.selected_array["frequency"]
    nearest = np.clip(np.rint((at - heard.xs()[0]) / STEP).astype(int), 0, len(frequency) - 1)
    harvest, _ = pyworld.harvest(samples, rate, f0_floor=LOW, f0_ceil=HIGH, frame_period=period)
    coarse, places = pyworld.dio(samples, rate, f0_floor=LOW, f0_ceil=HIGH, frame_period=period)
    exact = pyworld.stonemask(samples, coarse, places, rate)
    count = min(len(at), len(harvest), len(exact))
    three = np.stack([frequency[nearest][:count], harvest[:count], exact[:count]])
    truth = np.full(len(at), np.nan)
    truth[:count] = np.where(np.all(three == 0, axis=0), 0.0, np.nan)
    every = np.all(three > 0, axis=0)
    octaves = np.log2(np.where(three > 0, three, 1.0))
    close = every & (1200 * np.ptp(octaves, axis=0) <= AGREE)
    truth[:count] = np.where(close, 2 ** np.median(octaves, axis=0), truth[:count])
    return truth


def espeak(kind, generator, rate):
    for name, voice, samples, own in utterances(generator):
        sound = resample(samples, own, rate)
        yield Clip(name, kind, sound, agreed(sound, rate), voice, "speech")


# Drawn alike: only the processing of the samples differs.
LIKE = {"speech_world_snr10": "speech_world"}
CLASSES = {"speech_espeak": espeak, "speech_world": world, "speech_world_snr10": world_noisy,
           "speech_world_rough": world_rough}
