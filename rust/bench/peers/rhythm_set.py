"""Writes rhythms whose beats are known, to evaluate beat trackers.

    python3 rhythm_set.py OUT_DIR --seed S [--rate 44100|48000] [--classes a,b]

OUT_DIR/CLASS/NAME.wav holds one channel of 16-bit samples, OUT_DIR/index.json the class, the tempo and the times of the beats. The same
seed and rate make the same samples. Requires numpy, fluidsynth and the sound font FluidR3_GM.
"""

import argparse
import json
import pathlib
import sys
import zlib

import numpy as np

from pitch.clip import write_wav
from rhythm import songs


def main():
    parser = argparse.ArgumentParser(description="Writes rhythms whose beats are known.")
    parser.add_argument("folder", type=pathlib.Path, metavar="OUT_DIR")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rate", type=int, choices=(44100, 48000), default=44100)
    parser.add_argument("--classes", default=",".join(songs.CLASSES), help="the classes to write, with commas between")
    given = parser.parse_args()
    index = []
    for kind in given.classes.split(","):
        (given.folder / kind).mkdir(parents=True, exist_ok=True)
        for number in range(songs.CLASSES[kind]):
            # Each song draws from a generator of its own, so that it is the same whichever others are written.
            generator = np.random.default_rng([given.seed, zlib.crc32(kind.encode()), number])
            song = songs.song(kind, number, generator, given.rate)
            file = f"{kind}/{number:03d}.wav"
            write_wav(given.folder / file, song.samples, given.rate)
            index.append({"file": file, "class": kind, "name": song.name, "bpm": song.bpm, "seconds": songs.SECONDS,
                          "beats": [round(t, 4) for t in song.beats]})
    (given.folder / "index.json").write_text(json.dumps(index))
    print(f"{len(index)} rhythms", file=sys.stderr)


if __name__ == "__main__":
    main()
