"""Drum patterns and accompaniments of one bar, on a grid of twelve steps a beat, which sixteenths and triplets both meet."""

STEPS = 12
# General MIDI's percussion keys.
KICK, STICK, SNARE, CLAP, CLOSED, PEDAL, OPEN, RIDE, CRASH, TOM, SHAKER = 36, 37, 38, 39, 42, 44, 46, 51, 49, 45, 70


def every(step, beats, key, strong, weak=None):
    """A key on every `step`, the ones off the beat softer."""
    return [(at, key, strong if at % STEPS == 0 else weak or strong) for at in range(0, beats * STEPS, step)]


def at(key, velocity, *beats):
    """A key at these beats of the bar, counted from 0."""
    return [(round(beat * STEPS), key, velocity) for beat in beats]


EIGHTH, SIXTEENTH = STEPS // 2, STEPS // 4
# Name: beats in a bar, the slowest and fastest tempo that players take it at, and the notes (step, key, velocity).
DRUMS = {
    "rock": (4, 60, 180, at(KICK, 110, 0, 2) + at(SNARE, 108, 1, 3) + every(EIGHTH, 4, CLOSED, 84, 66)),
    "rock with a pickup": (4, 60, 180, at(KICK, 110, 0, 2, 2.5) + at(SNARE, 108, 1, 3) + every(EIGHTH, 4, CLOSED, 84, 66)),
    "quarters on the ride": (4, 80, 180, at(KICK, 110, 0, 2) + at(SNARE, 106, 1, 3) + every(STEPS, 4, RIDE, 90)),
    "sixteenths": (4, 60, 120, at(KICK, 110, 0, 1.75, 2.5) + at(SNARE, 108, 1, 3) + every(SIXTEENTH, 4, CLOSED, 80, 56)),
    "funk": (4, 70, 120, at(KICK, 112, 0, 0.75, 2.5) + at(SNARE, 110, 1, 3) + at(SNARE, 40, 1.75, 2.25, 3.75)
             + every(SIXTEENTH, 4, CLOSED, 78, 58)),
    "house": (4, 100, 150, at(KICK, 115, 0, 1, 2, 3) + at(CLAP, 100, 1, 3) + at(OPEN, 86, 0.5, 1.5, 2.5, 3.5)),
    "kick alone": (4, 60, 180, at(KICK, 115, 0, 1, 2, 3)),
    "march": (4, 80, 160, at(KICK, 108, 0, 2) + at(SNARE, 104, 1, 3)),
    "shuffle": (4, 70, 150, at(KICK, 110, 0, 2) + at(SNARE, 108, 1, 3)
                + [(at + off, CLOSED, 84 if off == 0 else 64) for at in range(0, 4 * STEPS, STEPS) for off in (0, 8)]),
    "bossa nova": (4, 100, 160, at(KICK, 96, 0, 1.5, 2, 3.5) + at(STICK, 96, 0, 1.5, 3) + every(EIGHTH, 4, CLOSED, 76, 66)),
    "waltz": (3, 80, 180, at(KICK, 110, 0) + at(SNARE, 88, 1, 2) + every(STEPS, 3, RIDE, 80)),
    "punk": (4, 130, 180, at(KICK, 112, 0, 0.5, 2, 2.5) + at(SNARE, 110, 1, 3) + every(EIGHTH, 4, OPEN, 84, 74)),
}
# Name: beats in a bar, program from 0, the slowest and fastest tempo, and the strokes (step, length in steps, velocity, voices:
# "all" notes of the chord, "bass", or an index into it).
CHORDS = {
    "piano quarters": (4, 0, 60, 170, [(beat * STEPS, 11, 96 if beat % 2 == 0 else 86, "all") for beat in range(4)]),
    "piano, bass and chord": (4, 0, 70, 180, [(beat * STEPS, 10, 92, "all" if beat % 2 else "bass") for beat in range(4)]),
    "guitar eighths": (4, 25, 60, 150, [(step, 6, 98 if step % STEPS == 0 else 76, "all") for step in range(0, 48, EIGHTH)]),
    "guitar arpeggio": (4, 24, 60, 120, [(step, 12, 96 if step % STEPS == 0 else 80, step // EIGHTH % 4)
                                         for step in range(0, 48, EIGHTH)] + [(0, 44, 90, "bass"), (24, 22, 84, "bass")]),
    "organ quarters": (4, 16, 80, 160, [(beat * STEPS, 8, 92, "all") for beat in range(4)]),
    "waltz": (3, 0, 80, 180, [(0, 11, 100, "bass"), (12, 9, 84, "all"), (24, 9, 84, "all")]),
    "strings, bass quarters": (4, 48, 70, 150, [(0, 46, 80, "all")] + [(beat * STEPS, 11, 100, "bass") for beat in range(4)]),
}
# Roots of progressions, one a bar, as MIDI notes, and whether minor.
PROGRESSIONS = [[(48, 0), (55, 0), (57, 1), (53, 0)], [(50, 1), (55, 0), (48, 0), (57, 1)], [(52, 1), (48, 0), (55, 0), (50, 0)],
                [(45, 1), (53, 0), (48, 0), (55, 0)]]


def chord(root, minor):
    return [root + 12, root + 12 + (3 if minor else 4), root + 19, root + 24]
