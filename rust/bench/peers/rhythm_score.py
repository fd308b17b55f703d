"""Runs beat trackers over rhythms of rhythm_set.py and prints their scores in Markdown.

    python3 rhythm_score.py SET --program CMD [--peers]

CMD [--stream] FILE... prints lines of path, tempo, confidence and times of beats, separated by tabs. With --peers aubio's command and librosa
are scored too, where they are installed. Tempo: from the median interval of the beats, right within 4 % of the truth's; a half or double one
is counted apart. Beats: the F-measure of pairs within 70 ms, as MIREX counts (M. E. P. Davies et al., "Evaluation methods for musical audio
beat tracking algorithms", 2009), after the first 5 s, and over all.
"""

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import time

import numpy as np

TOLERANCE, WITHIN, SKIPPED = 0.04, 0.070, 5.0


def program(command):
    def track(files):
        lines = subprocess.run([*command, *map(str, files)], check=True, capture_output=True, text=True).stdout.splitlines()
        return [[float(beat) for beat in line.split("\t")[3:]] for line in lines]
    return track


def aubio(files):
    """Its command prints the times of beats; the method and sizes are its defaults."""
    return [[float(line.split()[0]) for line in subprocess.run(["aubiotrack", "-i", str(file)], check=True, capture_output=True,
                                                                text=True).stdout.splitlines() if line.strip()] for file in files]


def librosa(files):
    import librosa as library
    found = []
    for file in files:
        samples, rate = library.load(file)
        found.append(list(library.beat.beat_track(y=samples, sr=rate, units="time")[1]))
    return found


def trackers(given):
    command = given.program.split()
    yield "**rustle, whole file**", program(command)
    yield "**rustle, stream**", program([*command, "--stream"])
    if given.peers:
        if shutil.which("aubiotrack"):
            yield "aubiotrack (a stream)", aubio
        try:
            import librosa as library
            yield f"librosa {library.__version__} (whole file)", librosa
        except ImportError:
            print("librosa is not installed: not measured.\n")


def f_measure(found, truth, begin):
    found, truth = [beat for beat in found if beat >= begin], [beat for beat in truth if beat >= begin]
    i = j = pairs = 0
    while i < len(found) and j < len(truth):
        if abs(found[i] - truth[j]) <= WITHIN:
            pairs, i, j = pairs + 1, i + 1, j + 1
        elif found[i] < truth[j]:
            i += 1
        else:
            j += 1
    return 2 * pairs / max(1, len(found) + len(truth))


def score(beats, entry):
    ratio = 60 / np.median(np.diff(beats)) / entry["bpm"] if len(beats) > 2 else 0.0
    near = [abs(ratio / factor - 1) <= TOLERANCE for factor in (1, 0.5, 2)]
    return [*near, not any(near), f_measure(beats, entry["beats"], SKIPPED), f_measure(beats, entry["beats"], 0.0)]


def processor_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main():
    parser = argparse.ArgumentParser(description="Scores beat trackers over rhythms whose beats are known.")
    parser.add_argument("set", type=pathlib.Path, metavar="SET")
    parser.add_argument("--program", required=True, help="a program that prints beats")
    parser.add_argument("--peers", action="store_true", help="also aubio and librosa")
    given = parser.parse_args()
    index = json.loads((given.set / "index.json").read_text())
    kinds = list(dict.fromkeys(entry["class"] for entry in index))
    seconds = sum(entry["seconds"] for entry in index)
    print(f"### Beats of {len(index)} rendered rhythms, {seconds:.0f} s\n")
    print("Right tempo within 4 %, half, double and other ones apart; F-measure of beats within 70 ms after 5 s, and from the beginning.\n")
    print("| tracker | class | right | half | double | other | F after 5 s | F | CPU, share of real time |\n|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, track in trackers(given):
        begin = processor_seconds()
        found = track([given.set / entry["file"] for entry in index])
        share = (processor_seconds() - begin) / seconds
        scores = np.array([score(beats, entry) for beats, entry in zip(found, index)])
        for kind in [*kinds, "all"]:
            chosen = scores[[kind in (entry["class"], "all") for entry in index]]
            right, half, double, other, late, whole = chosen.mean(axis=0)
            cost = f"{share:.4f}" if kind == "all" else ""
            print(f"| {name} | {kind} | {100 * right:.1f} % | {100 * half:.1f} % | {100 * double:.1f} % | {100 * other:.1f} % "
                  f"| {late:.3f} | {whole:.3f} | {cost} |")


if __name__ == "__main__":
    main()
