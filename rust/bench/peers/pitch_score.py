"""Runs pitch trackers over sets of pitch_set.py and prints their scores in Markdown.

    python3 pitch_score.py SET... [--program CMD] [--peers praat,yinfft4096,...|none]
                           [--by note] [--worst N] [--reliability] [--goals] [--must]

CMD --min LO --max HI [--window N] --hop H FILE... prints lines `path<TAB>time_s<TAB>f0_hz<TAB>confidence<TAB>several`, the
time being the centre of the window, and the last 1 where there is more than one note, which classes of chords have; 0 Hz or a confidence below 0.5 says that there is no pitch. Music is searched from 25 to 4500 Hz, speech
from 60 to 600. With --must the exit status is 1 when the program misses a goal.
"""

import argparse
import json
import pathlib
import resource
import sys
import tempfile
import time

import numpy as np

from pitch import measures, report, trackers
from pitch.clip import read_wav, write_wav

SEARCH = {"music": (25.0, 4500.0), "speech": (60.0, 600.0)}
# Classes that move are also tracked with this window.
SHORT = 2048
MOVING = ("vibrato", "glide")
# The length of the timed file in seconds.
LONG = 60.0


class Result:
    """One tracker's scores over all sets."""

    def __init__(self, name):
        self.name = name
        self.entries = []
        self.parts = []
        self.scores = None
        self.factor = None
        # For each class the flags of the frames that have a pitch, or several.
        self.flags = {}

    def add(self, entry, folder, scores, kind):
        scores.clip = scores.clip + len(self.entries)
        label = f"{folder.name}/{entry['file']}{kind.removeprefix(entry['class'])}"
        self.entries.append({**entry, "kind": kind, "label": label})
        self.parts.append(scores)

    def close(self):
        self.scores = measures.join(self.parts)
        self.parts = []

    def kinds(self):
        return list(dict.fromkeys(entry["kind"] for entry in self.entries))

    def notes(self, kind):
        """The notes, voices or instruments of a class, in the order of the set, where there is more than one."""
        names = list(dict.fromkeys(entry["note"] for entry in self.entries if entry["kind"] == kind and entry["note"]))
        return names if len(names) > 1 else []

    def select(self, kind, notes=None):
        chosen = np.array([entry["kind"] == kind and (notes is None or entry["note"] in notes) for entry in self.entries])
        return self.scores.where(chosen[self.scores.clip])


def run(tracker, sets, speech_window):
    result = Result(tracker.name)
    takes_window = isinstance(tracker, trackers.Program)
    for one in sets:
        passes = [(search, tracker, "", None) for search in SEARCH]
        if takes_window:
            passes[1] = ("speech", tracker.with_window(speech_window), "", None)
            passes.append(("music", tracker.with_window(SHORT), f" at {SHORT}", MOVING))
        for search, which, suffix, only in passes:
            chosen = [(entry, truth) for entry, truth in zip(one.entries, one.truths)
                      if entry["search"] == search and (only is None or entry["class"] in only)]
            if not chosen:
                continue
            frames = which.track([one.folder / entry["file"] for entry, _ in chosen], *SEARCH[search])
            for entry, truth in chosen:
                scores = measures.score_clip(entry, truth, frames[one.folder / entry["file"]], which.window, one.rate)
                result.add(entry, one.folder, scores, entry["class"] + suffix)
                rows = frames[one.folder / entry["file"]]
                if rows.shape[1] > 3:
                    named = (rows[:, 1] > 0) & ((rows[:, 2] >= measures.VOICED) | (rows[:, 3] > 0))
                    result.flags.setdefault(entry["class"] + suffix, []).extend(rows[named, 3])
    result.close()
    return result


def cpu():
    """CPU seconds of this process and of those it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def long_file(one, home):
    """Tones and notes of a set, one after the other."""
    wanted = [entry for entry in one.entries if entry["class"] == "instruments"] or \
        [entry for entry in one.entries if entry["search"] == "music"]
    parts, seconds = [], 0.0
    while wanted and seconds < LONG:
        for entry in wanted:
            parts.append(read_wav(one.folder / entry["file"])[0])
            seconds += entry["seconds"]
            if seconds >= LONG:
                break
    path = home / "long.wav"
    write_wav(path, np.concatenate(parts), one.rate)
    return path, seconds


def arguments():
    parser = argparse.ArgumentParser(description="Scores pitch trackers over sets of clips whose pitch is known.")
    parser.add_argument("sets", type=pathlib.Path, nargs="+", metavar="SET")
    parser.add_argument("--program", help="a program that prints its frames")
    parser.add_argument("--name", default="ours", help="the program's name in the tables")
    parser.add_argument("--peers", default="none", help=f"peers with commas between, out of {', '.join(trackers.PEERS)}; "
                        f"usual: {', '.join(trackers.USUAL)}")
    parser.add_argument("--classes", help="the classes to score, with commas between")
    parser.add_argument("--window", type=int, default=4096, help="the program's window for music, in samples")
    parser.add_argument("--speech-window", type=int, help="the program's window for speech, in samples (default: its own choice)")
    parser.add_argument("--by", choices=["note"], help="also one line for each note")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list the N worst clips")
    parser.add_argument("--reliability", action="store_true", help="print the share of right frames by confidence")
    parser.add_argument("--no-time", action="store_true", help="do not measure the CPU time")
    parser.add_argument("--goals", action="store_true", help="apply the goals to peers too")
    parser.add_argument("--must", action="store_true", help="exit with 1 when the program misses a goal")
    given = parser.parse_args()
    given.peers = {"none": [], "usual": list(trackers.USUAL)}.get(given.peers, given.peers.split(","))
    unknown = [name for name in given.peers if name not in trackers.PEERS]
    if unknown:
        parser.error(f"expected peers out of {', '.join(trackers.PEERS)}; got {', '.join(unknown)}")
    if not given.peers and not given.program:
        parser.error("expected --program or --peers")
    return given


def main():
    given = arguments()
    only = given.classes.split(",") if given.classes else None
    sets = [measures.Set(folder, json.loads((folder / "index.json").read_text()), only) for folder in given.sets]
    chosen = [trackers.Program(given.program, given.window, given.name)] if given.program else []
    chosen += [trackers.PEERS[name]() for name in given.peers]
    results = []
    with tempfile.TemporaryDirectory() as home:
        timed = None if given.no_time else long_file(sets[0], pathlib.Path(home))
        for tracker in chosen:
            results.append(run(tracker, sets, given.speech_window))
            if timed:
                begin = cpu()
                tracker.track([timed[0]], *SEARCH["music"])
                results[-1].factor = (cpu() - begin) / timed[1]
    if len(results) > 1:
        report.beside(results)
    missed = 0
    for index, result in enumerate(results):
        ours = given.program is not None and index == 0
        if ours or len(results) == 1 or given.by:
            report.details(result, given.by == "note")
        if ours:
            report.several(result)
        if ours or given.goals:
            count = report.judged(result, results)
            missed += count if ours else 0
        if given.worst and (ours or not given.program):
            report.worst(result, given.worst)
        if given.reliability and ours:
            report.reliability(result)
    return 1 if given.must and missed else 0


if __name__ == "__main__":
    sys.exit(main())
