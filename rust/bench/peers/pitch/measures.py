"""The differences of a tracker's frames from the truth."""

import dataclasses

import numpy as np

from .bound import cents_bound
from .clip import STEP, read_truth

# Each clip is scored at these intervals, in seconds: the tracker's nearest frame is compared with the truth at its own time.
GRID = 0.01
# A frame further away than this counts as missing.
REACH = 0.0085
# This part of a clip's ends is not scored: trackers differ in how they begin.
END = {"music": 0.1, "speech": 0.05}
# The surroundings of a change of voicing are not scored: no tracker's window is that short.
EDGE = 0.02
GROSS = 50.0
# The least confidence of a frame that has a pitch.
VOICED = 0.5


@dataclasses.dataclass
class Scores:
    """One row for each question: which clip, whether there is a pitch, whether one was named, by how many cents it is off, the
    same in units of the bound (NaN where there is none), and the confidence and error of an unsure frame too."""

    clip: np.ndarray
    voiced: np.ndarray
    named: np.ndarray
    error: np.ndarray
    ratio: np.ndarray
    confidence: np.ndarray

    def where(self, mask):
        return Scores(*(getattr(self, field.name)[mask] for field in dataclasses.fields(self)))


def truth_at(truth, times):
    """Hz at times, on a scale of cents between two voiced lines; 0 without a pitch, NaN at an edge and past the ends."""
    place = np.asarray(times) / STEP
    inside = (place >= 0) & (place <= len(truth) - 1)
    below = np.clip(np.floor(place).astype(int), 0, len(truth) - 1)
    above = np.minimum(below + 1, len(truth) - 1)
    part = place - below
    left, right = truth[below], truth[above]
    with np.errstate(invalid="ignore", divide="ignore"):
        both = np.exp((1 - part) * np.log(left) + part * np.log(right))
    silent = (left == 0) & (right == 0)
    mixed = (left == 0) != (right == 0)
    return np.where(inside, np.where(silent, 0.0, np.where(mixed, np.nan, both)), np.nan)


def questions(truth, search, seconds):
    """The times at which a clip is scored."""
    grid = np.arange(END[search], seconds - END[search] + 1e-9, GRID)
    reach = round(EDGE / STEP)
    voiced = np.where(np.isnan(truth), np.nan, truth > 0)
    change = np.zeros(len(truth), bool)
    change[1:] = np.abs(np.diff(voiced)) == 1
    near = np.convolve(change, np.ones(2 * reach + 1), "same") > 0
    index = np.minimum(np.rint(grid / STEP).astype(int), len(truth) - 1)
    return grid[~near[index] & ~np.isnan(truth_at(truth, grid))]


def answers(frames, asked, hop):
    """For each question the index of the tracker's frame, or -1."""
    if len(frames) == 0:
        return np.full(len(asked), -1)
    times = frames[:, 0]
    after = np.clip(np.searchsorted(times, asked), 1, max(len(times) - 1, 1))
    after = np.minimum(after, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(times[before] - asked) <= np.abs(times[after] - asked), before, after)
    return np.where(np.abs(times[nearest] - asked) <= max(REACH, 0.75 * hop), nearest, -1)


def score_clip(entry, truth, frames, window, rate):
    asked = questions(truth, entry["search"], entry["seconds"])
    hop = float(np.median(np.diff(frames[:, 0]))) if len(frames) > 1 else 0.0
    which = answers(frames, asked, hop)
    there = which >= 0
    frequency = np.where(there, frames[which, 1] if len(frames) else 0.0, 0.0)
    confidence = np.where(there & (frequency > 0), frames[which, 2] if len(frames) else 0.0, 0.0)
    reference = truth_at(truth, asked)
    # A moving tone is compared at the frame's own time.
    own = truth_at(truth, np.where(there, frames[which, 0] if len(frames) else 0.0, asked))
    reference = np.where((own > 0) & (reference > 0), own, reference)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where((frequency > 0) & (reference > 0), 1200 * np.log2(frequency / reference), np.nan)
    limit = np.nan
    if entry["noise_sd"] and window:
        # Used again by every tracker.
        known = entry.setdefault("bounds", {})
        if window not in known:
            known[window] = cents_bound(entry["f0_hz"], entry["partials"], entry["noise_sd"], window, rate)
        limit = known[window]
    named = (frequency > 0) & (confidence >= VOICED)
    return Scores(np.zeros(len(asked), int), reference > 0, named, error, error / limit, confidence)


class Set:
    """A generated set, with its truths."""

    def __init__(self, folder, index, only=None):
        self.folder = folder
        self.rate = index["rate"]
        self.entries = [entry for entry in index["clips"] if only is None or entry["class"] in only]
        self.truths = [read_truth(folder / entry["truth"]) for entry in self.entries]

    def paths(self, search):
        return [self.folder / entry["file"] for entry in self.entries if entry["search"] == search]


def join(parts):
    fields = [field.name for field in dataclasses.fields(Scores)]
    return Scores(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


def summary(scores):
    """The figures of some rows, percentages except cents and ratios; NaN where there is no value.

    median, p95: of the absolute error where a pitch was named; gross: off by more than 50 cents, of those; octave: gross, and
    within 50 cents of whole octaves; missing: of the questions with a pitch; rpa: within 50 cents, of the questions with a
    pitch; vfa: named, of the questions without one; ratio: rms error relative to the bound, gross errors left out.
    """
    voiced = scores.where(scores.voiced)
    named = voiced.where(voiced.named)
    size = np.abs(named.error)
    octave = (size > GROSS) & (np.abs(named.error - 1200 * np.rint(named.error / 1200)) <= GROSS)
    fine = named.ratio[(size <= GROSS) & ~np.isnan(named.ratio)]
    unvoiced = ~scores.voiced

    def share(part, whole):
        return 100 * float(np.sum(part)) / whole if whole else float("nan")
    return {
        "frames": len(scores.clip),
        "median": float(np.median(size)) if len(size) else float("nan"),
        "p95": float(np.percentile(size, 95)) if len(size) else float("nan"),
        "gross": share(size > GROSS, len(size)),
        "octave": share(octave, len(size)),
        "missing": share(~voiced.named, len(voiced.clip)),
        "rpa": share(size <= GROSS, len(voiced.clip)),
        "vfa": share(scores.named[unvoiced], int(np.sum(unvoiced))),
        "ratio": float(np.sqrt(np.mean(fine ** 2))) if len(fine) else float("nan"),
    }
