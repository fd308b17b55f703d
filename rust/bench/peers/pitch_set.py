"""Writes clips of known pitch, to evaluate pitch trackers.

    python3 pitch_set.py OUT_DIR --seed S [--classes a,b | --without-speech] [--rate 44100|48000]

OUT_DIR/CLASS/NAME.wav holds 16-bit samples, NAME.csv beside it lines `time_s,f0_hz` every 2 ms (0: no pitch, nan: not to be
scored), and OUT_DIR/index.json says what each clip is. The same seed and rate make the same samples, whichever classes are
asked for. Instruments want fluidsynth and the sound font FluidR3_GM, speech espeak-ng, pyworld and praat-parselmouth.
"""

import argparse
import pathlib
import sys
import zlib

import numpy as np

from pitch import chords, clip, instruments, speech, synthetic, voices


def classes():
    return {**synthetic.CLASSES, **instruments.CLASSES, **chords.CLASSES, **voices.CLASSES, **speech.CLASSES}


def generate(names, rate, seed):
    made = classes()
    for name in names:
        # Each class draws from a generator of its own, so that a class is the same with and without the others.
        yield from made[name](name, np.random.default_rng([seed, zlib.crc32(speech.LIKE.get(name, name).encode())]), rate)


def main():
    parser = argparse.ArgumentParser(description="Writes clips whose pitch is known.")
    parser.add_argument("folder", type=pathlib.Path, metavar="OUT_DIR")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rate", type=int, choices=(44100, 48000), default=44100)
    parser.add_argument("--classes", help="the classes to write, with commas between (default: all)")
    parser.add_argument("--without-speech", action="store_true", help="write no speech, which requires the Python peers")
    given = parser.parse_args()
    names = given.classes.split(",") if given.classes else \
        [name for name in classes() if not (given.without_speech and name in speech.CLASSES)]
    unknown = [name for name in names if name not in classes()]
    if unknown:
        parser.error(f"expected classes out of {', '.join(classes())}; got {', '.join(unknown)}")
    index = clip.write_set(given.folder, generate(names, given.rate, given.seed), given.rate, given.seed)
    seconds = sum(entry["seconds"] for entry in index["clips"])
    print(f"{len(index['clips'])} clips, {seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
