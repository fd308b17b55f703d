"""Measures `rustle pitch` as a whole command, its start and its reading and writing included, beside aubio's command.

    python3 pitch_command.py PROGRAM [--seed N] [--visits N]

The sounds are those of voice.py's timing: a minute of vowels and one of sentences. A figure is the processor time of the process, user and
system, in its fastest visit; the commands are visited in shuffled order. Needs numpy, scipy, praat-parselmouth and espeak-ng; aubiopitch is
measured where it is installed.
"""

import argparse
import pathlib
import random
import shutil
import tempfile

import numpy as np

from files import processor_time
from vowels import HOP, SECONDS, timed_sounds


def commands(program):
    """Their names, and the words before the file's."""
    yield "**rustle pitch**", [program, "pitch"]
    yield "**rustle pitch --voice**", [program, "pitch", "--voice"]
    if shutil.which("aubiopitch") is not None:
        for window in (2048, 4096):
            words = ["aubiopitch", "-p", "yinfft", "-B", str(window), "-H", str(HOP), "-i"]
            yield f"aubiopitch, yinfft, {window}", words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--visits", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sounds = list(timed_sounds(pathlib.Path(folder), np.random.default_rng(options.seed)))
        rows = list(commands(options.program))
        best = {}
        for _ in range(options.visits):
            jobs = [(row, sound) for row in range(len(rows)) for sound in range(len(sounds))]
            for row, sound in random.sample(jobs, len(jobs)):
                time = processor_time([*rows[row][1], sounds[sound][1]])
                best[row, sound] = min(best.get((row, sound), float("inf")), time)
    print(f"\n### Whole commands, {SECONDS} s of sound, CPU seconds per second\n")
    print(f"| command | {' | '.join(name for name, _ in sounds)} |\n|---|{'---:|' * len(sounds)}")
    for row, (name, _) in enumerate(rows):
        print(f"| {name} | {' | '.join(f'{best[row, sound] / SECONDS:.4f}' for sound in range(len(sounds)))} |")


if __name__ == "__main__":
    main()
