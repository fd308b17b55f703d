"""Tables in Markdown."""

import math

import numpy as np

from .goals import REAL_TIME_FACTOR, goals
from .measures import GROSS, summary

COLUMNS = (("median", "median, cents"), ("p95", "95th percentile"), ("gross", "gross %"), ("octave", "octave %"),
           ("missing", "missing %"), ("rpa", "RPA %"), ("vfa", "VFA %"), ("ratio", "rms / bound"))
UNITS = {"median": "cents", "p95": "cents", "ratio": "of the bound"}
WORDS = {"median": "median", "p95": "95th percentile", "gross": "gross", "octave": "octave errors", "missing": "missing",
         "rpa": "RPA", "vfa": "VFA", "ratio": "rms error"}


def figure(value):
    """Three significant digits; a dash for none."""
    if math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) < 1e-4:
        return f"{value:.0e}"
    # Less than 100, so there is a point to strip up to.
    return f"{value:.{2 - math.floor(math.log10(abs(value)))}f}".rstrip("0").rstrip(".")


def table(head, lines):
    print(f"| {' | '.join(head)} |")
    print(f"|{'|'.join(['---'] * len(head))}|")
    for line in lines:
        print(f"| {' | '.join(line)} |")
    print()


def details(result, by_note=False):
    """Each class of one tracker, and each of its notes."""
    lines = []
    for kind in result.kinds():
        notes = result.notes(kind) if by_note else []
        for note in [None, *notes]:
            got = summary(result.select(kind, None if note is None else (note,)))
            lines.append([kind if note is None else f"{kind} {note}", str(got["frames"]),
                          *(figure(got[name]) for name, _ in COLUMNS)])
    print(f"### {result.name}\n")
    table(["class", "frames", *(title for _, title in COLUMNS)], lines)


def beside(results):
    """The trackers side by side: median / 95th percentile / gross / octave / missing, or VFA."""
    kinds = list(dict.fromkeys(kind for result in results for kind in result.kinds()))
    lines = []
    for kind in kinds:
        cells = []
        for result in results:
            got = summary(result.select(kind))
            errors = " / ".join(figure(got[name]) for name in ("median", "p95", "gross", "octave", "missing"))
            if got["frames"] == 0:
                cells.append("–")
                continue
            cell = errors if not math.isnan(got["missing"]) else f"VFA {figure(got['vfa'])}"
            if not math.isnan(got["ratio"]):
                cell += f" / {figure(got['ratio'])} of the bound"
            elif not math.isnan(got["missing"]) and not math.isnan(got["vfa"]):
                cell += f" / RPA {figure(got['rpa'])}, VFA {figure(got['vfa'])}"
            cells.append(cell)
        lines.append([kind, *cells])
    timed = [result for result in results if result.factor is not None]
    if timed:
        factors = ("–" if result.factor is None else figure(result.factor) for result in results)
        lines.append(["CPU s per s of sound", *factors])
    print("Median, 95th percentile in cents / gross %, octave % of what was named / missing %.\n")
    table(["class", *(result.name for result in results)], lines)


def verdict(met):
    return "met" if met else "**missed**"


def judged(result, others):
    """The goals for which the set has clips; the number missed."""
    lines, missed = [], 0
    kinds = set(result.kinds())
    for goal in goals():
        if goal.kind not in kinds:
            continue
        value = summary(result.select(goal.kind, goal.notes))[goal.measure]
        met = goal.met(value)
        missed += not met
        unit = UNITS.get(goal.measure, "%")
        sign = "≥" if goal.measure == "rpa" else "≤"
        lines.append([goal.where(), f"{WORDS[goal.measure]} {sign} {goal.limit:g} {unit}", figure(value), verdict(met)])
    if result.factor is not None:
        limits = [("", REAL_TIME_FACTOR), *((f"{other.name}: ", other.factor) for other in others
                                            if other.name == "aubio yinfft 4096" and other.factor is not None)]
        for whose, limit in limits:
            met = result.factor <= limit
            missed += not met
            lines.append(["CPU s per s of sound", f"{whose}≤ {figure(limit)}", figure(result.factor), verdict(met)])
    print(f"### Goals: {result.name}, {len(lines) - missed} of {len(lines)} met\n")
    table(["class", "goal", "measured", ""], lines)
    return missed


def worst(result, count):
    """The worst clips: by errors, then by the 95th percentile."""
    found = []
    for index, entry in enumerate(result.entries):
        got = summary(result.scores.where(result.scores.clip == index))
        wrong = sum(share for share in (100 - got["rpa"], got["vfa"]) if not math.isnan(share))
        found.append((wrong, got["p95"], index))
    found.sort(key=lambda row: (-row[0], -np.nan_to_num(row[1])))
    lines = []
    for _, _, index in found[:count]:
        entry = result.entries[index]
        scores = result.scores.where(result.scores.clip == index)
        got = summary(scores)
        named = scores.error[scores.named & scores.voiced]
        middle = float(np.median(named)) if len(named) else float("nan")
        lines.append([entry["label"], figure(entry.get("f0_hz", float("nan"))),
                      *(figure(got[name]) for name, _ in COLUMNS), figure(middle)])
    print(f"### Worst clips: {result.name}\n")
    table(["clip", "Hz", *(title for _, title in COLUMNS), "signed median"], lines)


def several(result):
    """How many frames are reported as several notes: all of chords should be, none of single notes."""
    lines = [[kind, str(len(flags)), figure(100 * float(np.mean(flags)))] for kind, flags in result.flags.items() if flags]
    print(f"### Several notes: {result.name}\n")
    table(["class", "frames with a pitch", "reported as several %"], lines)


def reliability(result):
    """How often a frame is right, by its confidence: within 50 cents of a pitch that is there."""
    scores = result.scores
    right = scores.voiced & (np.abs(np.nan_to_num(scores.error, nan=1e9)) <= GROSS)
    lines, gap = [], 0.0
    for low in np.arange(0, 1, 0.1):
        mask = (scores.confidence >= low) & ((scores.confidence < low + 0.1) | (low > 0.85)) & (scores.confidence > 0)
        if mask.any():
            mean, share = float(np.mean(scores.confidence[mask])), float(np.mean(right[mask]))
            gap += abs(mean - share) * mask.sum()
            lines.append([f"{low:.1f}..{low + 0.1:.1f}", str(int(mask.sum())), f"{mean:.3f}", f"{share:.3f}"])
    total = max(1, int(np.sum(scores.confidence > 0)))
    print(f"### Reliability: {result.name}, mean distance {gap / total:.3f}\n")
    table(["confidence", "frames", "mean confidence", "share right"], lines)
