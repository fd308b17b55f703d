"""Two and three notes at once, in equal temperament: whether a frame is reported as more than one note is scored, not its pitch."""

import numpy as np

from .clip import Clip, midi_hertz, note_name, read_wav, times
from .instruments import INSTRUMENTS, HELD, render_chords
from .synthetic import PEAK, Stack, harmonic, phase_of

# Semitones above the lowest note. A fifth, and all beside it, is a fit of a common root; an octave is the partials of one note.
DYADS = {"second": (2,), "minor third": (3,), "third": (4,), "fourth": (5,), "tritone": (6,), "fifth": (7,), "sixth": (9,),
         "seventh": (10,), "tenth": (16,)}
TRIADS = {"major": (4, 7), "minor": (3, 7), "first inversion": (3, 8), "second inversion": (5, 9)}
# The lowest notes, C3 to C6 and between, as MIDI notes.
ROOTS = (48, 53, 58, 60, 65, 70, 72, 79, 84)
# The level of the weakest note relative to the lowest, in dB.
WEAKEST = -6.0


def unknown(count, rate):
    return np.full(len(times(count, rate)), np.nan)


def synthetic(kind, chords, amplitudes, generator, rate):
    count = int(0.5 * rate)
    for name, above in chords.items():
        for root in ROOTS:
            notes = [root, *(root + step for step in above)]
            samples = np.zeros(count)
            for index, note in enumerate(notes):
                frequency = midi_hertz(note)
                level = 10 ** (generator.uniform(WEAKEST, 0.0) / 20) if index else 1.0
                samples += level * Stack(generator, frequency, rate, amplitudes).along(phase_of(frequency, count, rate))
            yield Clip(f"{name.replace(' ', '-')}-{note_name(root).replace('#', 's')}", kind, samples * PEAK / np.max(np.abs(samples)),
                       unknown(count, rate), name)


def sampled(kind, generator, rate):
    """The same intervals of one instrument of the sound font, somewhere in its range."""
    for instrument, (program, low, high, _) in INSTRUMENTS.items():
        chords = {**DYADS, **TRIADS}
        roots = [int(generator.integers(low, high - max(above) + 1)) for above in chords.values()]
        notes = [[root, *(root + step for step in above)] for root, above in zip(roots, chords.values())]
        for name, root, samples in zip(chords, roots, render_chords(program, notes, rate)):
            samples = samples[:round(HELD * rate)]
            yield Clip(f"{instrument}-{name.replace(' ', '-')}-{note_name(root).replace('#', 's')}", kind,
                       samples * PEAK / np.max(np.abs(samples)), unknown(len(samples), rate), name)


CLASSES = {
    "dyad_sine": lambda kind, generator, rate: synthetic(kind, DYADS, {1: 1.0}, generator, rate),
    "dyad_stack": lambda kind, generator, rate: synthetic(kind, DYADS, harmonic(1, 12), generator, rate),
    "triad_sine": lambda kind, generator, rate: synthetic(kind, TRIADS, {1: 1.0}, generator, rate),
    "triad_stack": lambda kind, generator, rate: synthetic(kind, TRIADS, harmonic(1, 12), generator, rate),
    "chord_instruments": sampled,
}
