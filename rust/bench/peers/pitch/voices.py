"""Voices of pulses through formants, whose contour is therefore known at each pulse: with onsets, glides, fricatives, stops and
creak, and without the smoothing of a vocoder."""

import numpy as np
from scipy.signal import lfilter

from .clip import Clip, times

OVER = 4
SECONDS = 2.4
VOWELS = ((270, 2290, 3010), (390, 1990, 2550), (530, 1840, 2480), (660, 1720, 2410), (730, 1090, 2440), (570, 840, 2410),
          (440, 1020, 2240), (300, 870, 2240))
WIDTHS = (70, 90, 120, 180)
# Median pitch in Hz, and the factor of the formants.
SPEAKERS = {"low": (85, 0.95), "man": (115, 1.0), "tenor": (150, 1.03), "woman": (205, 1.16), "high": (250, 1.2), "child": (310, 1.35)}


def course(generator, median, count, rate):
    """Syllables: where there is a voice, its frequency and strength at each sample; and how much noise."""
    frequency, strength, noise = np.zeros(count), np.zeros(count), np.zeros(count)
    place, level = int(0.12 * rate), 0.25
    while place < count - int(0.45 * rate):
        length = int(generator.uniform(0.08, 0.35) * rate)
        kind = generator.choice(["modal", "modal", "glide", "creak"], p=[0.35, 0.3, 0.22, 0.13])
        t = np.linspace(0, 1, length)
        level -= generator.uniform(0.0, 0.1)
        contour = level + generator.uniform(-0.2, 0.2) * t + generator.uniform(-0.12, 0.12) * np.sin(np.pi * t)
        if kind == "glide":
            contour = level + generator.choice([-1, 1]) * generator.uniform(0.3, 0.8) * (t - 0.5)
        if kind == "creak":
            contour = contour - generator.uniform(0.4, 0.8) * t ** 2
        rise = int(generator.uniform(0.004, 0.03) * rate)
        fall = int(generator.uniform(0.01, 0.05) * rate)
        shape = np.minimum(1, np.minimum((np.arange(length) + 1) / rise, (length - np.arange(length)) / fall))
        frequency[place:place + length] = median * 2 ** contour
        strength[place:place + length] = shape * 10 ** (-generator.uniform(0, 10) / 20)
        place += length
        gap = int(generator.choice([0.0, generator.uniform(0.03, 0.16)], p=[0.2, 0.8]) * rate)
        if gap and generator.random() < 0.6:
            noise[place:place + gap] = np.hanning(gap) * generator.uniform(0.05, 0.4)
        place += gap
        if generator.random() < 0.2:
            place += int(0.15 * rate)
            level = 0.25
    return frequency, strength, noise


def pulses(generator, frequency, strength, rate):
    """Rosenberg's pulses with 0.5 to 1 % jitter and 3 % shimmer, four times as many in creak; at OVER times the rate."""
    flow = np.zeros(len(frequency) * OVER)
    truth = np.zeros(len(frequency))
    place, jitter = 0.0, generator.uniform(0.005, 0.01)
    while place < len(frequency) - 1:
        here = int(place)
        if frequency[here] == 0:
            later = np.flatnonzero(frequency[here:])
            if not len(later):
                break
            place = here + float(later[0])
            continue
        rough = 4 if frequency[here] < 70 else 1
        period = rate / frequency[here] * (1 + jitter * rough * generator.normal())
        amplitude = strength[here] * (1 + 0.03 * rough * generator.normal())
        n = np.arange(int(np.ceil(place * OVER)), min(int(np.ceil((place + period) * OVER)), len(flow)))
        x = (n / OVER - place) / period
        pulse = np.where(x < 0.4, 0.5 - 0.5 * np.cos(np.pi * x / 0.4), np.where(x < 0.56, np.cos(0.5 * np.pi * (x - 0.4) / 0.16), 0))
        flow[n] += amplitude * pulse * period * frequency[here] / rate
        truth[here:int(place + period)] = frequency[here:int(place + period)]
        place += period
    taps = np.sinc(np.arange(-48, 49) / OVER) * np.hanning(99)[1:-1] / OVER
    return np.diff(np.convolve(flow, taps, "same")[::OVER], prepend=0), truth


def tract(generator, sound, factor, rate):
    """Formants that go from vowel to vowel, in steps of 5 ms."""
    step = int(0.005 * rate)
    blocks = -(-len(sound) // step)
    anchors = np.array([VOWELS[i] for i in generator.integers(0, len(VOWELS), 14)], float) * factor
    at = np.linspace(0, len(anchors) - 1, blocks)
    tracks = [np.interp(at, np.arange(len(anchors)), anchors[:, k]) for k in range(3)] + [np.full(blocks, 3600 * factor)]
    for track, width in zip(tracks, WIDTHS):
        state, out = np.zeros(2), np.empty_like(sound)
        radius = np.exp(-np.pi * width / rate)
        for block in range(blocks):
            part = slice(block * step, (block + 1) * step)
            turn = 2 * radius * np.cos(2 * np.pi * min(track[block], 0.47 * rate) / rate)
            out[part], state = lfilter([1 - turn + radius ** 2], [1, -turn, radius ** 2], sound[part], zi=state)
        sound = out
    return sound


def voices(kind, generator, rate):
    for name, (median, factor) in SPEAKERS.items():
        for take in range(4):
            count = int(SECONDS * rate)
            frequency, strength, noise = course(generator, median * 2 ** generator.uniform(-0.1, 0.1), count, rate)
            flow, contour = pulses(generator, frequency, strength, rate)
            voiced = tract(generator, flow + generator.normal(0, 1, count) * 0.003 * np.std(flow), factor, rate)
            voiced /= np.max(np.abs(voiced))
            hiss = lfilter([1, -1.4, 0.6], [1], generator.normal(0, 0.2, count)) * noise
            sound = 0.5 * (voiced + hiss) + generator.normal(0, 10 ** (-generator.uniform(45, 65) / 20), count)
            sound *= 0.5 / np.max(np.abs(sound))
            truth = np.interp(times(count, rate), np.arange(count) / rate, contour)
            nearest = np.minimum(np.rint(times(count, rate) * rate).astype(int), count - 1)
            truth = np.where(contour[nearest] > 0, contour[nearest], 0.0)
            yield Clip(f"{name}-{take}", kind, sound, truth, name, "speech")


CLASSES = {"voices": voices}
