"""Synthetic vowels of voices, and espeak-ng's sentences."""

import subprocess
import wave

import numpy as np
import parselmouth
from scipy.signal import lfilter, resample

# Formants of ten vowels in Hz: G. E. Peterson and H. L. Barney, JASA 24, 1952, table II.
VOWELS = {
    "male": [(270, 2290, 3010), (390, 1990, 2550), (530, 1840, 2480), (660, 1720, 2410), (730, 1090, 2440), (570, 840, 2410), (440, 1020, 2240), (300, 870, 2240), (640, 1190, 2390), (490, 1350, 1690)],
    "female": [(310, 2790, 3310), (430, 2480, 3070), (610, 2330, 2990), (860, 2050, 2850), (850, 1220, 2810), (590, 920, 2710), (470, 1160, 2680), (370, 950, 2670), (760, 1400, 2780), (500, 1640, 1960)],
    "child": [(370, 3200, 3730), (530, 2730, 3600), (690, 2610, 3570), (1010, 2320, 3320), (1030, 1370, 3170), (680, 1060, 3180), (560, 1410, 3310), (430, 1170, 3260), (850, 1590, 3360), (560, 1820, 2160)],
}
UPPER = {"male": (3500, 4500), "female": (4100, 5100), "child": (4800, 5900)}
CEILING = {"male": 5000, "female": 5500, "child": 6500}
PITCH = {"male": (90, 180), "female": (165, 260), "child": (220, 300)}
RATES = (16000, 44100, 48000)
SOURCES = ("impulses", "rosenberg")
OVER = 8
# The timing: seconds of sound, the rate, and the hop size in samples.
SECONDS, TIMED_RATE, HOP = 60, 44100, 512


def source(kind, periods, amplitudes, rate):
    """Pulses of a voice, made at eight times the rate: their spectrum falls by about 12 dB per octave, and is raised by 6."""
    starts = np.concatenate([[0], np.cumsum(periods)]) * rate * OVER
    flow = np.zeros(int(starts[-1]) + 1)
    for start, end, amplitude in zip(starts, starts[1:], amplitudes):
        if kind == "impulses":
            whole, part = int(start), start % 1
            flow[whole : whole + 2] += amplitude * np.array([1 - part, part])
            continue
        n = np.arange(int(np.ceil(start)), int(np.ceil(end)))
        x = (n - start) / (end - start)
        # A. E. Rosenberg, JASA 49, 1971, type C: opening 40 %, closing 16 % of the period.
        pulse = np.where(x < 0.4, 0.5 - 0.5 * np.cos(np.pi * x / 0.4), np.where(x < 0.56, np.cos(0.5 * np.pi * (x - 0.4) / 0.16), 0))
        flow[n] = amplitude * pulse
    count = len(flow) // OVER
    sound = resample(flow[: count * OVER], count)
    if kind == "impulses":
        pole = np.exp(-2 * np.pi * 100 / rate)
        sound = lfilter([1], [1, -2 * pole, pole * pole], sound)
    return np.diff(sound, prepend=0)


def tract(sound, formants, widths, rate):
    for frequency, width in zip(formants, widths):
        if frequency < 0.49 * rate:
            radius = np.exp(-np.pi * width / rate)
            turn = 2 * radius * np.cos(2 * np.pi * frequency / rate)
            sound = lfilter([1 - turn + radius**2], [1, -turn, radius**2], sound)
    return sound


def steady(random, pitch, seconds):
    """Periods of a voice that wavers by 1 %, three times a second."""
    phase, time, periods = random.uniform(0, 2 * np.pi), 0.0, []
    while time < seconds:
        periods.append(1 / (pitch * (1 + 0.01 * np.sin(2 * np.pi * 3 * time + phase))))
        time += periods[-1]
    return np.array(periods)


def noisy(random, sound, ratio):
    return sound if ratio is None else sound + random.standard_normal(len(sound)) * np.sqrt(np.mean(sound**2) / 10 ** (ratio / 10))


def write(path, rate, sound):
    sound = np.round(0.5 * 32767 * sound / np.abs(sound).max()).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(rate)
        file.writeframes(sound.tobytes())


def timed_sounds(folder, random):
    """A minute each of vowels one after the other, and of sentences: names and paths."""
    voices, said = [], folder / "said.wav"
    for voice, vowels in VOWELS.items():
        for vowel in vowels[::2]:
            periods = steady(random, random.uniform(*PITCH[voice]), 4.0)
            sound = tract(source("rosenberg", periods, np.ones(len(periods)), TIMED_RATE), vowel + UPPER[voice], [60, 80, 120, 170, 230], TIMED_RATE)
            voices.append(noisy(random, sound / np.abs(sound).max(), 30))
    text = " ".join(["The ferry leaves at seven, and nobody is waiting. Why would a river run uphill in the morning?"] * 12)
    subprocess.run(["espeak-ng", "-v", "en-us", "-w", str(said), text], check=True, stderr=subprocess.DEVNULL)
    sentences = parselmouth.Sound(str(said)).resample(TIMED_RATE).values[0]
    for name, sound in (("vowels", np.concatenate(voices)), ("sentences", sentences)):
        path = folder / f"timed-{name}.wav"
        write(path, TIMED_RATE, sound[: SECONDS * TIMED_RATE])
        yield name, path
