"""Rhythms of known beats, rendered by fluidsynth with the sound font FluidR3."""

import dataclasses
import struct

import numpy as np

from pitch.instruments import render_song, variable_length

from . import patterns
from .patterns import STEPS

SECONDS = 30.0
# Standard deviation of a player's timing, in seconds, and of velocities.
HAND, VELOCITY = 0.004, 6
PERCUSSION, CHORD, BASS = 9, 0, 1
BASS_PROGRAM = 33


@dataclasses.dataclass
class Song:
    """Samples, the times of the beats in seconds, and the tempo in BPM: of a drifting one the median."""

    name: str
    kind: str
    samples: np.ndarray
    beats: np.ndarray
    bpm: float


def track(notes, programs):
    """A Standard MIDI File of one track, 1000 ticks a second, of notes (seconds, seconds of length, channel, key, velocity)."""
    events = []
    for begin, length, channel, key, velocity in notes:
        begin = max(0, round(begin * 1000))
        events.append((begin, 1, bytes([0x90 | channel, key, int(np.clip(velocity, 1, 127))])))
        events.append((begin + max(20, round(length * 1000)), 0, bytes([0x80 | channel, key, 64])))
    body = b"".join(b"\x00" + bytes([0xC0 | channel, program]) for channel, program in programs.items())
    now = 0
    for tick, _, message in sorted(events):
        body += variable_length(tick - now) + message
        now = tick
    body += variable_length(500) + b"\xff\x2f\x00"
    return b"MThd" + struct.pack(">IHHH", 6, 0, 1, 500) + b"MTrk" + struct.pack(">I", len(body)) + body


def beat_times(bpm, drift, generator):
    """The times of beats until SECONDS: of one tempo, or of one that `drift`s by this share to both sides."""
    lead = generator.uniform(0.1, 0.6)
    grid = np.arange(0, SECONDS + 5, 0.001)
    course = generator.choice(["ramp", "wave"])
    sign = generator.choice([-1, 1])
    bend = np.linspace(-1, 1, len(grid)) if course == "ramp" else np.sin(2 * np.pi * grid / 20.0)
    beats = np.concatenate([[0], np.cumsum(bpm / 60 * (1 + sign * drift * bend) * 0.001)])[:-1]
    return np.interp(np.arange(int(beats[-1])), beats, grid) + lead


def drum_notes(pattern, times, generator):
    length, _, _, notes = patterns.DRUMS[pattern]
    played = []
    for bar in range(0, len(times) - length, length):
        added = [(0, patterns.CRASH, 96)] if bar // length % 8 == 0 else []
        if bar // length % 8 == 7 and length == 4 and pattern not in ("kick alone",):
            # A fill in the last beat.
            added += [(step, patterns.TOM, 100) for step in (36, 39, 42, 45)]
        for step, key, velocity in notes + added:
            played.append((bar * STEPS + step, 0.1, PERCUSSION, key, velocity))
    return place(played, times, generator)


def chord_notes(pattern, times, generator):
    length, _, _, _, strokes = patterns.CHORDS[pattern]
    progression = patterns.PROGRESSIONS[generator.integers(len(patterns.PROGRESSIONS))]
    played = []
    for bar in range(0, len(times) - length, length):
        root, minor = progression[bar // length % len(progression)]
        keys = patterns.chord(root, minor)
        for step, lasts, velocity, voices in strokes:
            at = bar * STEPS + step
            span = lasts / STEPS * (times[1] - times[0])
            if voices == "bass":
                played.append((at, span, BASS, root - 12, velocity))
            else:
                for key in keys if voices == "all" else [keys[voices]]:
                    played.append((at, span, CHORD, key, velocity))
    return place(played, times, generator)


def place(played, times, generator):
    """Notes at steps, to notes at seconds, as a hand plays them: strokes at one step together."""
    shifts = {}
    notes = []
    for step, length, channel, key, velocity in played:
        shift = shifts.setdefault((step, channel), generator.normal(0, HAND))
        begin = float(np.interp(step / STEPS, np.arange(len(times)), times))
        notes.append((begin + shift, length, channel, key, velocity + generator.normal(0, VELOCITY)))
    return notes


def song(kind, index, generator, rate):
    drums = list(patterns.DRUMS)[index % len(patterns.DRUMS)] if kind != "chords" else None
    fitting = [name for name, entry in patterns.CHORDS.items() if drums is None or entry[0] == patterns.DRUMS[drums][0]]
    chords = fitting[index % len(fitting)] if kind in ("chords", "band", "drift") else None
    limits = ([patterns.DRUMS[drums][1:3]] if drums else []) + ([patterns.CHORDS[chords][2:4]] if kind == "chords" else [])
    low, high = max(limit[0] for limit in limits), min(limit[1] for limit in limits)
    bpm = float(np.exp(generator.uniform(np.log(low), np.log(high))))
    times = beat_times(bpm, 0.08 if kind == "drift" else 0.0, generator)
    notes = drum_notes(drums, times, generator) if drums else []
    programs = {}
    if chords and not (kind == "drift" and index % 2):
        program = patterns.CHORDS[chords][1]
        softer = 0.8 if drums else 1.0
        notes += [(b, l, c, k, softer * v) for b, l, c, k, v in chord_notes(chords, times, generator)]
        programs = {CHORD: program, BASS: BASS_PROGRAM}
    sound = render_song(track(notes, programs), rate)[:round(SECONDS * rate)]
    peak = np.max(np.abs(sound))
    beats = times[(times < SECONDS - 0.1) & (times < max(note[0] for note in notes))]
    label = "+".join(name for name in (drums, chords if programs else None) if name)
    return Song(f"{index:03d} {label} {bpm:.1f}", kind, sound * (0.7 / peak), beats, 60 / float(np.median(np.diff(beats))))


# Class: songs of it.
CLASSES = {"drums": 48, "chords": 28, "band": 24, "drift": 24}
