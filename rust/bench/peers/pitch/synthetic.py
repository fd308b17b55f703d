"""Tones and noises whose pitch is known exactly."""

import numpy as np

from .clip import Clip, midi_hertz, note_name, steady, times

# A0 to A7, as MIDI notes.
OCTAVES = range(21, 106, 12)
# The stack of the tone classes: amplitudes 1/k.
PARTIALS = 24
# Partials stay below this share of half the rate, where converters' filters still pass them.
TOP = 0.95
PEAK = 0.5


class Stack:
    """Partials at whole multiples of a frequency, with random phases, scaled so that none of the stack's peaks exceeds PEAK."""

    def __init__(self, generator, frequency, rate, amplitudes):
        kept = {k: a for k, a in amplitudes.items() if k * frequency < TOP * rate / 2}
        self.partials = [[k, a, generator.uniform(0, 2 * np.pi)] for k, a in kept.items()]
        self.frequency = frequency

    def along(self, phase):
        """Samples for the phase of the first partial, in radians; the amplitudes are scaled with them."""
        samples = sum(a * np.sin(k * phase + start) for k, a, start in self.partials)
        scale = PEAK / np.max(np.abs(samples))
        for partial in self.partials:
            partial[1] *= scale
        return samples * scale


def harmonic(first=1, last=PARTIALS):
    return {k: 1 / k for k in range(first, last + 1)}


def detuned(generator, midi, take):
    """The exact frequency for the first take of a note, up to half a semitone beside it for the others."""
    return midi_hertz(midi) * 2 ** ((generator.uniform(-50, 50) if take else 0.0) / 1200)


def phase_of(frequency, count, rate):
    return 2 * np.pi * frequency / rate * np.arange(count)


def tones(kind, amplitudes, generator, rate, notes=OCTAVES, takes=3, seconds=0.8, snr_db=None, spoil=None, tag=""):
    """Steady tones. `snr_db`: white noise over the whole band, relative to the power of all partials; `spoil`: what is done to
    the samples afterwards."""
    count = int(seconds * rate)
    for midi in notes:
        for take in range(takes):
            frequency = detuned(generator, midi, take)
            stack = Stack(generator, frequency, rate, amplitudes)
            samples = stack.along(phase_of(frequency, count, rate))
            deviation = None
            if snr_db is not None:
                deviation = float(np.sqrt(sum(a * a / 2 for _, a, _ in stack.partials) * 10 ** (-snr_db / 10)))
                samples = samples + generator.normal(0, deviation, count)
                # Clipping would not be white: the whole signal is attenuated.
                turn = min(1.0, 0.98 / np.max(np.abs(samples)))
                samples, deviation = samples * turn, deviation * turn
                for partial in stack.partials:
                    partial[1] *= turn
            if spoil is not None:
                samples = spoil(samples, rate)
            yield Clip(f"{tag}{note_name(midi)}-{take}", kind, samples, steady(frequency, count, rate), note_name(midi),
                       snr_db=snr_db, partials=stack.partials, noise_sd=deviation, about={"f0_hz": frequency})


def sine(kind, generator, rate):
    return tones(kind, {1: 1.0}, generator, rate)


def stack(kind, generator, rate):
    return tones(kind, harmonic(), generator, rate)


def missing(kind, generator, rate):
    return tones(kind, harmonic(2, 12), generator, rate)


def weak(kind, generator, rate):
    return tones(kind, harmonic() | {1: 10 ** (-30 / 20)}, generator, rate)


def noisy_stack(kind, generator, rate):
    return tones(kind, harmonic(), generator, rate, snr_db=float(kind.removeprefix("harmonic_snr")))


def noisy_sine(kind, generator, rate):
    return tones(kind, {1: 1.0}, generator, rate, snr_db=float(kind.removeprefix("sine_snr")))


def both(kind, generator, rate, spoil, sines=OCTAVES, stacks=OCTAVES):
    """One detuned or exact take of each note, as a sine and as a stack, both spoilt."""
    for tag, amplitudes, notes in (("sine-", {1: 1.0}, sines), ("stack-", harmonic(), stacks)):
        yield from tones(kind, amplitudes, generator, rate, notes, 2, 0.6, spoil=spoil, tag=tag)


def quiet(kind, generator, rate):
    return both(kind, generator, rate, lambda samples, _: samples * (1e-3 / PEAK))


def clipped(kind, generator, rate):
    return both(kind, generator, rate, lambda samples, _: np.clip(samples * 1.8 / PEAK, -0.9, 0.9))


def offset(kind, generator, rate):
    return both(kind, generator, rate, lambda samples, _: samples + 0.3)


def hum(kind, generator, rate):
    """Hum of 50 or 60 Hz, alone or with harmonics, 20 to 40 dB below the tone. A tone of few partials nearer to the hum than to what
    a window of 4096 samples resolves has no pitch of its own, so sines begin at A2."""
    def spoil(samples, rate):
        mains = generator.choice([50.0, 60.0])
        partials = {1: 1.0} | {k: generator.uniform(0.1, 0.7) for k in range(2, generator.choice([2, 7]))}
        level = np.sqrt(np.mean(samples ** 2)) * 10 ** (-generator.choice([20, 20, 30, 40]) / 20)
        sound = sum(a * np.sin(k * phase_of(mains, len(samples), rate) + generator.uniform(0, 2 * np.pi))
                    for k, a in partials.items())
        return samples + level * np.sqrt(2 / sum(a * a for a in partials.values())) * sound
    for tag, amplitudes, notes in (("sine-", {1: 1.0}, OCTAVES[2:]), ("few-", {1: 1.0, 2: 0.5, 3: 0.3}, OCTAVES[2:]),
                                   ("stack-", harmonic(), OCTAVES[1:])):
        yield from tones(kind, amplitudes, generator, rate, notes, 4, 0.6, spoil=spoil, tag=tag)


def thin(kind, generator, rate):
    """The first four partials 10 to 40 dB below what they are in the others, as of a bass through a small loudspeaker."""
    for midi in range(21, 46, 4):
        for take in range(3):
            level = 10 ** (-generator.uniform(10, 40) / 20)
            amplitudes = {k: a * (level if k <= 4 else 1) for k, a in harmonic().items()}
            yield from tones(kind, amplitudes, generator, rate, [midi], 1, 0.6, tag=f"{take}-")


def uneven(kind, generator, rate):
    """Partials of any level from -40 to 0 dB, four to twenty-four of them; and odd ones 20 to 28 dB below what they are beside the even ones."""
    for midi in OCTAVES[:-1]:
        for take in range(4):
            count = int(generator.integers(4, PARTIALS + 1))
            amplitudes = {k: 10 ** (generator.uniform(-40, 0) / 20) for k in range(1, count + 1)}
            yield from tones(kind, amplitudes, generator, rate, [midi], 1, 0.6, tag=f"any{take}-")
        odd = 10 ** (-generator.uniform(20, 28) / 20)
        amplitudes = {k: a * (odd if k % 2 else 1) for k, a in harmonic().items()}
        yield from tones(kind, amplitudes, generator, rate, [midi], 2, 0.6, tag="even-")


def inharmonic(kind, generator, rate):
    """Plucked strings: partial k lies at k f sqrt(1 + B k²) (H. Fletcher, 1964) and decays faster the higher it is. The truth
    is the first partial, which a tuner shows."""
    count = int(1.2 * rate)
    t = np.arange(count) / rate
    for index, midi in enumerate(range(28, 77, 4)):
        b = 10 ** (-5 + 2 * (index * 5 % 13 + generator.uniform(0, 1)) / 13)
        base = detuned(generator, midi, 1)
        samples = np.zeros(count)
        for k in range(1, 31):
            frequency = k * base * np.sqrt(1 + b * k * k)
            if frequency < TOP * rate / 2:
                level = 10 ** (generator.uniform(-6, 6) / 20) / k
                samples += level * np.exp(-t * (0.8 + 0.25 * k)) * np.sin(
                    2 * np.pi * frequency * t + generator.uniform(0, 2 * np.pi))
        first = base * np.sqrt(1 + b)
        yield Clip(f"{note_name(midi)}", kind, samples * PEAK / np.max(np.abs(samples)), steady(first, count, rate),
                   note_name(midi), about={"f0_hz": first, "b": b})


def moving(name, kind, generator, rate, note, seconds, frequency_at):
    """A stack along a frequency of time; the phase is its integral, by Simpson's rule over each sample."""
    count = int(seconds * rate)
    t = np.arange(count) / rate
    steps = (frequency_at(t[:-1]) + 4 * frequency_at(t[:-1] + 0.5 / rate) + frequency_at(t[1:])) / (6 * rate)
    phase = 2 * np.pi * np.concatenate([[0.0], np.cumsum(steps)])
    highest = float(np.max(frequency_at(t)))
    samples = Stack(generator, highest, rate, harmonic()).along(phase)
    return Clip(name, kind, samples, frequency_at(times(count, rate)), note)


def vibrato(kind, generator, rate):
    """±30 cents, 5.5 times a second."""
    for midi in OCTAVES[2:6]:
        for take in range(3):
            centre = detuned(generator, midi, 1)
            start = generator.uniform(0, 2 * np.pi)
            yield moving(f"{note_name(midi)}-{take}", kind, generator, rate, note_name(midi), 1.2,
                         lambda t, c=centre, s=start: c * 2 ** (30 / 1200 * np.sin(2 * np.pi * 5.5 * t + s)))


def glide(kind, generator, rate):
    """0.8 octaves a second, up and down."""
    for midi in OCTAVES[2:6]:
        for slope in (0.8, -0.8):
            begin = detuned(generator, midi, 1)
            yield moving(f"{note_name(midi)}{'up' if slope > 0 else 'down'}", kind, generator, rate, note_name(midi), 1.0,
                         lambda t, b=begin, s=slope: b * 2 ** (s * t))


def unpitched(kind, generator, rate):
    """Four clips without any pitch."""
    count = int(1.5 * rate)
    for take in range(4):
        yield Clip(f"{take}", kind, NOISES[kind](generator, count, rate), steady(0, count, rate))


def shaped(generator, count, rate, power):
    """Noise whose amplitude falls with the frequency to the `power`, flat below 10 Hz, at a third of full scale at most."""
    frequency = np.maximum(np.fft.rfftfreq(count, 1 / rate), 10.0)
    samples = np.fft.irfft(np.fft.rfft(generator.normal(0, 1, count)) * frequency ** -power, count)
    return samples / np.max(np.abs(samples)) / 3


def clicks(generator, count, rate):
    """Single samples of either sign, 30 to 250 ms apart."""
    samples = np.zeros(count)
    place = 0
    while (place := place + int(generator.uniform(0.03, 0.25) * rate)) < count:
        samples[place] = generator.uniform(0.2, 0.9) * generator.choice([-1, 1])
    return samples


NOISES = {
    "silence": lambda generator, count, rate: np.zeros(count),
    "lsb": lambda generator, count, rate: generator.integers(-1, 2, count) / 32768,
    "white": lambda generator, count, rate: shaped(generator, count, rate, 0.0),
    "pink": lambda generator, count, rate: shaped(generator, count, rate, 0.5),
    "brown": lambda generator, count, rate: shaped(generator, count, rate, 1.0),
    "clicks": clicks,
}
CLASSES = {
    "sine": sine, "harmonic": stack, "missing_f0": missing, "weak_f0": weak,
    **{f"harmonic_snr{level}": noisy_stack for level in (40, 20, 10, 0)},
    **{f"sine_snr{level}": noisy_sine for level in (40, 20, 10, 0)},
    "inharmonic": inharmonic, "vibrato": vibrato, "glide": glide,
    "quiet": quiet, "clipped": clipped, "dc": offset, "hum": hum, "thin": thin, "uneven": uneven,
    **{name: unpitched for name in NOISES},
}
