"""Notes of the General MIDI sound font FluidR3, rendered by fluidsynth without chorus and reverb.

Sampled instruments are not exactly where their MIDI note is, so the truth is what three estimates over long windows agree on,
near the MIDI note: nobody else's tracker is asked.
"""

import pathlib
import shutil
import struct
import subprocess
import tempfile

import numpy as np

from .clip import Clip, cents, midi_hertz, note_name, read_wav, times

# The paths of the sound font in distributions.
SOUND_FONTS = ("/usr/share/sounds/sf2/FluidR3_GM.sf2", "/usr/share/soundfonts/FluidR3_GM.sf2")
# Name: General MIDI program from 0, lowest and highest note, notes to take.
INSTRUMENTS = {
    "piano": (0, 28, 96, 10), "nylon": (24, 40, 80, 9), "steel": (25, 40, 80, 9), "bass": (33, 28, 55, 8),
    "violin": (40, 55, 96, 8), "cello": (42, 36, 72, 8), "voice": (52, 45, 76, 7), "trumpet": (56, 54, 82, 8),
    "sax": (65, 49, 80, 8), "clarinet": (71, 50, 86, 9), "flute": (73, 60, 96, 9),
}
# Others, at which nothing was fitted.
OTHERS = {
    "harpsichord": (6, 36, 84, 7), "celesta": (8, 60, 96, 6), "organ": (19, 36, 84, 7), "accordion": (21, 48, 84, 6),
    "jazz guitar": (26, 40, 80, 7), "slap bass": (36, 28, 55, 8), "fretless bass": (35, 28, 55, 7), "viola": (41, 48, 84, 7),
    "contrabass": (43, 28, 55, 7), "trombone": (57, 40, 70, 7), "tuba": (58, 29, 55, 6), "horn": (60, 41, 74, 7),
    "soprano sax": (64, 56, 86, 6), "tenor sax": (66, 44, 75, 8), "baritone sax": (67, 38, 68, 7), "oboe": (68, 58, 86, 7),
    "bassoon": (70, 34, 70, 8), "recorder": (74, 60, 91, 6),
}
# Seconds: a note is held, then the next begins later, so that none rings into another.
HELD, APART = 1.2, 3.0
# The estimates search this far around the MIDI note, and are discarded when they differ by more, in cents.
AROUND, AGREE = 80.0, 15.0
# Seconds between two estimates, and the length of their windows: this many periods, within limits in seconds.
HOP, PERIODS, SHORTEST, LONGEST = 0.02, 12, 0.1, 0.25
# Below this level relative to the note's loudest window there is no estimate.
FADED = 10 ** (-40 / 20)


def variable_length(value):
    """A delta time of a Standard MIDI File: seven bits a byte, the highest bit set in all but the last."""
    parts = [value & 0x7F]
    while value := value >> 7:
        parts.append(0x80 | value & 0x7F)
    return bytes(reversed(parts))


def midi_file(program, chords):
    """One track, 1000 ticks a second (500 a quarter at 120 quarters a minute), notes at once every APART seconds."""
    events = b"\x00" + bytes([0xC0, program])
    wait = 0
    for notes in chords:
        for index, note in enumerate(notes):
            events += variable_length(0 if index else wait) + bytes([0x90, note, 96])
        for index, note in enumerate(notes):
            events += variable_length(0 if index else round(HELD * 1000)) + bytes([0x80, note, 64])
        wait = round((APART - HELD) * 1000)
    # The end of the track lies where the last note has rung out.
    events += variable_length(wait) + b"\xff\x2f\x00"
    return b"MThd" + struct.pack(">IHHH", 6, 0, 1, 500) + b"MTrk" + struct.pack(">I", len(events)) + events


def sound_font():
    for path in SOUND_FONTS:
        if pathlib.Path(path).exists():
            return path
    places = " or ".join(SOUND_FONTS)
    raise FileNotFoundError(f"expected the sound font FluidR3_GM at {places}: apt-get install fluid-soundfont-gm")


def render(program, chords, rate):
    return render_song(midi_file(program, chords), rate)


def render_song(song, rate):
    """The sound of a Standard MIDI File, one channel."""
    if shutil.which("fluidsynth") is None:
        raise FileNotFoundError("fluidsynth is missing: apt-get install fluidsynth")
    with tempfile.TemporaryDirectory() as home:
        file, sound = pathlib.Path(home, "notes.mid"), pathlib.Path(home, "notes.wav")
        file.write_bytes(song)
        subprocess.run(["fluidsynth", "-ni", "-q", "-R", "0", "-C", "0", "-g", "0.6", "-r", str(rate), "-O", "s16",
                        "-F", str(sound), sound_font(), str(file)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return read_wav(sound)[0]


def render_chords(program, chords, rate):
    """The sound of each of `chords`, lists of MIDI notes, from its beginning to that of the next."""
    sound = render(program, chords, rate)
    begins = [round(index * APART * rate) for index in range(len(chords) + 1)]
    return [sound[begin:end] for begin, end in zip(begins, begins[1:])]


def parabola(left, middle, right):
    """The position of the peak of three points, from the middle one."""
    curve = left - 2 * middle + right
    return 0.5 * (left - right) / curve if curve < 0 else 0.0


def harmonic_sum(window, rate, nominal, partials):
    """The frequency near `nominal` at which the amplitudes of its partials sum to most, in cents from it."""
    size = 8 * 2 ** int(np.ceil(np.log2(len(window))))
    spectrum = np.abs(np.fft.rfft(window * np.hanning(len(window)), size))
    grid = np.arange(-AROUND, AROUND + 0.5, 1.0)
    places = nominal * 2 ** (grid / 1200) * size / rate
    total = np.zeros(len(grid))
    for k in range(1, partials + 1):
        if k * places[-1] < len(spectrum) - 1:
            below = (k * places).astype(int)
            part = k * places - below
            total += (1 - part) * spectrum[below] + part * spectrum[below + 1]
    best = int(np.argmax(total))
    if best in (0, len(grid) - 1):
        return np.nan
    return grid[best] + parabola(*total[best - 1:best + 2])


def square_difference(window, rate, nominal):
    """The same by the normalised square difference at as many periods as fit into half the window: the median over them."""
    count = len(window)
    correlation = np.fft.irfft(np.abs(np.fft.rfft(window, 2 * count)) ** 2)[:count]
    energy = np.concatenate([[0.0], np.cumsum(window ** 2)])
    lags = np.arange(count)
    both = energy[count - lags] + energy[count] - energy[lags]
    similar = 2 * correlation / np.maximum(both, 1e-12)
    found = []
    period = rate / nominal
    centre = 0.0
    most = max(1, int(count / 2 / period))
    # From one period to many, each narrowing where the next looks, so that a later period is not mistaken for its neighbour.
    for multiple in sorted({1, 2, 3, 4, 6, 8, 12, 16, 24, 32, most} & set(range(1, most + 1))):
        reach = min(AROUND, 300.0 / multiple)
        low = int(np.floor(multiple * period * 2 ** (-(centre + reach) / 1200)))
        high = int(np.ceil(multiple * period * 2 ** (-(centre - reach) / 1200))) + 1
        if high + 1 >= count or low < 1:
            break
        best = low + int(np.argmax(similar[low:high]))
        lag = best + parabola(*similar[best - 1:best + 2])
        centre = float(cents(multiple / lag * rate, nominal))
        found.append(centre)
    return float(np.median(found[-3:])) if found else np.nan


def consensus(samples, rate, nominal):
    """The truth of a note: the median of the three estimates where they agree; NaN elsewhere."""
    length = int(rate * min(max(PERIODS / nominal, SHORTEST), LONGEST))
    centres, values, levels = [], [], []
    for begin in range(0, len(samples) - length, int(HOP * rate)):
        window = samples[begin:begin + length]
        found = [harmonic_sum(window, rate, nominal, 12), harmonic_sum(window, rate, nominal, 4),
                 square_difference(window, rate, nominal)]
        centres.append((begin + length / 2) / rate)
        levels.append(np.sqrt(np.mean(window ** 2)))
        values.append(np.median(found) if np.ptp(found) <= AGREE and np.max(np.abs(found)) < AROUND else np.nan)
    values = np.where(np.array(levels) < FADED * max(levels), np.nan, values)
    at = times(len(samples), rate)
    truth = np.full(len(at), np.nan)
    for left in range(len(values) - 1):
        # Between two that agreed; anything else is unknown.
        if np.isfinite(values[left]) and np.isfinite(values[left + 1]):
            low, high = np.searchsorted(at, centres[left:left + 2] - np.array([1e-9, -1e-9]))
            truth[low:high] = nominal * 2 ** (np.interp(at[low:high], centres[left:left + 2], values[left:left + 2]) / 1200)
    return truth


def notes(kind, generator, rate):
    for name, (program, low, high, count) in CLASSES_OF[kind].items():
        # Spread over the range, each note somewhere in its part of it.
        edges = np.linspace(low, high + 1, count + 1)
        keys = [int(generator.integers(np.ceil(a), max(np.ceil(a) + 1, np.ceil(b)))) for a, b in zip(edges, edges[1:])]
        sound = render(program, [[note] for note in keys], rate)
        for index, note in enumerate(keys):
            begin = round(index * APART * rate)
            samples = sound[begin:begin + round(1.3 * rate)]
            peak = np.max(np.abs(samples))
            if peak == 0:
                raise ValueError(f"{name}: {note_name(note)} was rendered silent")
            samples = samples * (0.5 / peak)
            truth = consensus(samples, rate, midi_hertz(note))
            yield Clip(f"{name.replace(' ', '_')}-{note_name(note).replace('#', 's')}", kind, samples, truth, name,
                       about={"f0_hz": midi_hertz(note), "known": round(float(np.mean(np.isfinite(truth))), 3)})


CLASSES_OF = {"instruments": INSTRUMENTS, "more_instruments": OTHERS}
CLASSES = {kind: notes for kind in CLASSES_OF}
