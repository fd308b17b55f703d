"""Compares voice measures with Praat's, on vowels with known poles, pulse trains with known jitter and shimmer, tones in noise,
and espeak-ng's vowels, and the time that they take; prints Markdown.

    python3 voice.py --program "PROGRAM voice" [--command RUSTLE] [--seed N] [--seeds N] [--summary] [--quick]
      [--part formants|noise|periods|espeak|speed] [--must]

PROGRAM is asked with `--min HZ --max HZ --ceiling HZ FILE...` and prints one line per file as rust/bench/src/voice.rs says. Needs numpy,
scipy and praat-parselmouth, and espeak-ng for the last table. With --must the exit status is 1 when a goal is missed. With
--seeds the voices are drawn from so many seeds, from --seed on; with --summary the tables of single sounds are left out.
"""

import argparse
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import parselmouth
from parselmouth.praat import call

from vowels import CEILING, HOP, PITCH, RATES, SOURCES, TIMED_RATE, UPPER, VOWELS, noisy, source, steady, timed_sounds, tract, write

FIELDS = ["f1", "f2", "f3", "f4", "f5", "b1", "b2", "b3", "b4", "b5", "hnr", "f0", "jitter", "rap", "ppq5", "shimmer", "shimmer_db", "apq3", "apq5", "h1h2", "median", "mean", "deviation"]


def ours(program, files, *options):
    lines = subprocess.run([*program, *map(str, options), *map(str, files)], check=True, capture_output=True, text=True).stdout.splitlines()
    return [dict(zip(FIELDS, map(float, line.split("\t")[1:]))) for line in lines]


def praat_formants(path, ceiling):
    """Medians over frames of the first three formants that are no wider than 700 Hz: what is wider is a slope, here as in ours."""
    formants = parselmouth.Sound(str(path)).to_formant_burg(0.01, 5, ceiling, 0.025, 50)
    found = []
    for time in formants.xs():
        poles = [(formants.get_value_at_time(number, time), formants.get_bandwidth_at_time(number, time)) for number in range(1, 6)]
        narrow = [frequency for frequency, width in poles if width <= 700]
        if len(narrow) >= 3:
            found.append(narrow[:3])
    return list(np.median(found, 0)) if found else [0.0] * 3


SUMMARY = False


def table(title, heads, rows, is_summary=False):
    if SUMMARY and not is_summary:
        return
    print(f"\n### {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


class Goals:
    """The worst value of each goal over the seeds, and Praat's values of the same."""

    def __init__(self):
        self.worst, self.praat, self.noise = {}, {}, {}

    def least(self, name, value, goal, praat=None):
        return self.judge(name, value, goal, 1, praat)

    def most(self, name, value, goal, praat=None):
        return self.judge(name, value, goal, -1, praat)

    def judge(self, name, value, goal, sign, praat):
        before = self.worst.get(name, (value,))[0]
        self.worst[name] = (sign * min(sign * value, sign * before), goal, sign)
        if praat is not None:
            self.praat.setdefault(name, []).append(praat)
        met = sign * value >= sign * goal
        return f"{value:.3g} ({'>=' if sign > 0 else '<='} {goal}: {'met' if met else 'MISSED'})"

    @property
    def missed(self):
        return [f"{name}: {value:.3g}, goal {goal}" for name, (value, goal, sign) in self.worst.items() if sign * value < sign * goal]

    def rows(self):
        for name, (value, goal, sign) in self.worst.items():
            praat = " to ".join(f"{v:.3g}" for v in sorted({min(self.praat[name]), max(self.praat[name])})) if name in self.praat else ""
            yield [name, f"{'at least' if sign > 0 else 'at most'} {goal}", f"{value:.3g}", praat]


def formant_table(program, folder, random, goals, quick):
    rows = []
    kinds = [(kind, ratio) for ratio in (None, 20) for kind in SOURCES]
    for kind, ratio in kinds:
        total, theirs = [], []
        for voice, vowels in VOWELS.items():
            paths, truths = [], []
            for index, vowel in enumerate(vowels):
                for pitch in random.uniform(*PITCH[voice], 2 if quick else 4):
                    for rate in RATES[:: 2 if quick else 1]:
                        widths = np.array([60, 80, 120, 170, 230]) * random.uniform(0.8, 1.3, 5)
                        periods = steady(random, pitch, 0.4)
                        sound = tract(source(kind, periods, np.ones(len(periods)), rate), vowel + UPPER[voice], widths, rate)
                        path = folder / f"{kind}-{ratio}-{voice}-{len(paths)}.wav"
                        write(path, rate, noisy(random, sound, ratio))
                        paths.append(path), truths.append(vowel)
            truths = np.array(truths)
            found = {
                "ours": [[r["f1"], r["f2"], r["f3"]] for r in ours(program, paths, "--ceiling", CEILING[voice])],
                "Praat": [praat_formants(path, CEILING[voice]) for path in paths],
            }
            for name, values in found.items():
                errors = np.abs(np.nan_to_num(np.array(values)) / truths - 1)
                median, most = 100 * np.median(errors, 0), 100 * np.percentile(errors, 95, axis=0)
                inside = 100 * np.mean((errors < 0.1).all(1))
                (total if name == "ours" else theirs).append(errors)
                rows.append([kind, "clean" if ratio is None else f"{ratio} dB", voice, name, " / ".join(f"{e:.2f}" for e in median), " / ".join(f"{e:.1f}" for e in most), f"{inside:.0f} %"])
        errors, praat = np.concatenate(total), np.concatenate(theirs)
        label = f"{kind} {'clean' if ratio is None else f'{ratio} dB'}"
        inside = goals.least(f"{label}: within 10 %", 100 * np.mean((errors < 0.1).all(1)), 95 if ratio is None else 80, 100 * np.mean((praat < 0.1).all(1)))
        median = 100 * np.median(errors, 0)
        errors_text = " / ".join(f"{e:.2f}" for e in median)
        if ratio is None:
            errors_text += ": " + goals.most(f"{label}: median of F2, F3 in %", max(median[1:]), 1, 100 * max(np.median(praat, 0)[1:]))
        rows.append([kind, "clean" if ratio is None else f"{ratio} dB", "all", "ours", errors_text, "", inside])
    table("Formants of vowels with known poles, median over frames", ["source", "noise", "voice", "by", "F1/F2/F3 median error %", "95 % of errors below %", "all three within 10 %"], rows)


def praat_noise(path, lowest):
    sound = parselmouth.Sound(str(path))
    means = []
    for harmonicity in (sound.to_harmonicity_ac(0.01, lowest, 0.1, 4.5), sound.to_harmonicity_cc(0.01, lowest, 0.1, 1.0)):
        values = harmonicity.values[harmonicity.values > -199]
        means.append(values.mean() if len(values) else np.nan)
    return means


def praat_noise_below(path, lowest, highest):
    """Praat's ratio with an upper limit of pitch, which its harmonicity has not. Its pitch analysis has a window of three periods, at
    two thirds of the lowest pitch as long as four and a half are."""
    pitch = parselmouth.Sound(str(path)).to_pitch_ac(0.01, lowest / 1.5, 15, True, 0.1, 0.0, 0.0, 0.0, 0.0, highest)
    likeness = pitch.selected_array["strength"][pitch.selected_array["frequency"] > 0]
    return np.mean(10 * np.log10(likeness / (1 - likeness))) if len(likeness) else np.nan


def noise_table(program, folder, random, goals, quick):
    rows, differences, truths, fair, limited = [], [], [], [], []
    for rate in RATES:
        for ratio in (0, 5, 10, 20, 30, 40):
            first = len(rows)
            for pitch in random.uniform(90, 300, 1 if quick else 3):
                n = np.arange(int(1.0 * rate))
                tone = sum(np.sin(2 * np.pi * pitch * k * n / rate + random.uniform(0, 6)) / k for k in range(1, 9))
                path = folder / f"noise-{rate}-{ratio}-{len(differences)}.wav"
                write(path, rate, noisy(random, tone, ratio))
                [found] = ours(program, [path], "--min", 75, "--max", 500)
                ac, cc = praat_noise(path, 75)
                differences.append(abs(found["hnr"] - ac))
                truths.append(abs(found["hnr"] - ratio))
                if abs(ac - ratio) <= 0.5:
                    fair.append(differences[-1])
                # Without noise to speak of, the lower end differs, not the upper.
                below = praat_noise_below(path, 75, 500) if ratio <= 10 else np.nan
                limited.append(abs(found["hnr"] - below))
                rows.append([f"{rate}", f"{ratio}", f"{pitch:.1f}", f"{found['f0']:.2f}", f"{found['hnr']:.2f}", f"{ac:.2f}", f"{cc:.2f}", "" if np.isnan(below) else f"{below:.2f}"])
            if ratio <= 5:
                # The columns from ours on.
                found = np.array([[float(value) for value in row[4:]] for row in rows[first:]])
                goals.noise.setdefault((rate, ratio), []).append(found)
    largest = goals.most("HNR: largest difference from Praat (ac) in dB", max(differences), 0.5)
    within = goals.most("HNR: the same where Praat is within 0.5 dB of the truth", max(fair), 0.5)
    below = goals.most("HNR: largest difference from Praat limited to 500 Hz, to 10 dB", np.nanmax(limited), 0.5)
    rows.append(["all", "", "", "largest difference", f"from the truth {max(truths):.2f}", f"{largest}; where it is within 0.5 dB of the truth {within}", "", below])
    table("Harmonics-to-noise ratio of harmonic tones in white noise, dB", ["rate", "truth", "pitch", "ours f0", "ours", "Praat ac", "Praat cc", "Praat below 500 Hz"], rows)


def praat_periods(path, lowest, highest):
    sound = parselmouth.Sound(str(path))
    points = call(sound, "To PointProcess (periodic, cc)", lowest, highest)
    window = (0, 0, 0.0001, 0.02, 1.3)
    jitters = [call(points, f"Get jitter ({name})", *window) for name in ("local", "rap", "ppq5")]
    shimmers = [call([sound, points], f"Get shimmer ({name})", *window, 1.6) for name in ("local", "local_dB", "apq3", "apq5")]
    return jitters + shimmers, call(points, "Get number of points")


PERIODS = ["jitter", "rap", "ppq5", "shimmer", "shimmer_db", "apq3", "apq5"]


def quotients(values):
    """Local, three-point and five-point quotient."""
    local = np.mean(np.abs(np.diff(values)))
    around = [np.mean(np.abs(values[k // 2 : len(values) - k // 2] - np.convolve(values, np.ones(k) / k, "valid"))) for k in (3, 5)]
    return np.array([local, *around]) / values.mean()


def period_table(program, folder, random, goals, quick):
    rows, worst, true, lost = [], [], [], 0
    vowels = [(600, 1200, 2500, 3500, 4500), (300, 2300, 3000, 3500, 4500), (350, 800, 2300, 3400, 4500)]
    for rate in (16000, 22050, 44100, 48000):
        for index, pitch in enumerate(random.uniform(low, high) for low, high in ((80, 130), (130, 200), (200, 260), (240, 280), (280, 400))):
            for jitter, shimmer in ((0.005, 0.02), (0.01, 0.05), (0.02, 0.1)):
                count = int(2 * pitch)
                periods = (1 + jitter * random.standard_normal(count).clip(-2.5, 2.5)) / pitch
                amplitudes = 1 + shimmer * random.standard_normal(count).clip(-2.5, 2.5)
                sound = tract(source("rosenberg", periods, amplitudes, rate), vowels[index % len(vowels)], [80, 100, 140, 200, 250], rate)
                path = folder / f"periods-{rate}-{pitch:.0f}-{jitter}.wav"
                write(path, rate, sound)
                [found] = ours(program, [path], "--min", 75, "--max", 500)
                mine = np.array([found[name] for name in PERIODS])
                praat, points = praat_periods(path, 75, 500)
                praat, truth = np.array(praat), quotients(periods)
                # Where Praat takes two periods for one its jitter is that of another voice.
                is_found = points > 0.95 * count
                lost += not is_found
                if is_found:
                    worst.append(np.abs(mine / praat - 1))
                true.append((np.abs(mine[:3] / truth - 1), np.abs(praat[:3] / truth - 1)))
                for name, values in (("ours", mine), ("Praat", praat)):
                    rows.append([f"{rate}", f"{pitch:.0f}", f"{jitter}, {shimmer}", name, *(f"{v:.5f}" for v in values)])
                rows.append([f"{rate}", f"{pitch:.0f}", f"{jitter}, {shimmer}", "truth", *(f"{v:.5f}" for v in truth), "", "", "", ""])
    errors = 100 * np.array(worst)
    goals.least(f"pulses: share of {len(worst)} voices of each seed with all seven within 5 % of Praat's, in %", 100 * np.mean((errors < 5).all(1)), 100)
    rows.append(["all", "", "", "largest difference from Praat %", *(goals.most(f"pulses: {name} in % of Praat's", e, 5) for name, e in zip(PERIODS, errors.max(0)))])
    rows.append(["all", "", "", f"voices of which Praat misses a twentieth of the periods, which do not count above: {lost}", *[""] * 7])
    for name, values in zip(("ours", "Praat"), zip(*true)):
        rows.append(["all", "", "", f"largest error of {name} %", *(f"{100 * e:.2f}" for e in np.max(values, 0)), "", "", "", ""])
    table("Jitter and shimmer of pulses with both", ["rate", "pitch", "jitter, shimmer", "by", *PERIODS], rows)


ESPEAK = ("a:", "E", "i:", "O", "u:", "@", "A:", "e:", "o:", "I")


def espeak_table(program, folder, goals, quick):
    if shutil.which("espeak-ng") is None:
        print("\nespeak-ng is missing: its vowels are skipped.")
        return
    rows, formants, by_burg, periods, noises, halved = [], [], [], [], [], 0
    for voice, pitch, ceiling in (("en+m3", 30, 5000), ("de+f2", 60, 5500)):
        for vowel in ESPEAK[:: 3 if quick else 1]:
            path = folder / f"espeak-{voice}-{len(rows)}.wav"
            subprocess.run(["espeak-ng", "-v", voice, "-p", str(pitch), "-s", "80", "-w", str(path), f"[[{vowel}{vowel}]]"], check=True, stderr=subprocess.DEVNULL)
            sound = parselmouth.Sound(str(path))
            times = np.flatnonzero(np.abs(sound.values[0]) > 0.05 * np.abs(sound.values).max()) / sound.sampling_frequency
            middle = sound.extract_part(times[0] + 0.03, times[-1] - 0.03)
            write(path, int(sound.sampling_frequency), middle.values[0])
            [found] = ours(program, [path], "--min", 75, "--max", 500, "--ceiling", ceiling)
            mine = np.array([found[name] for name in ("f1", "f2", "f3")])
            praat = np.array(praat_formants(path, ceiling))
            ac, _ = praat_noise(path, 75)
            formants.append(np.abs(mine / praat - 1))
            [burg] = ours(program, [path], "--ceiling", ceiling, "--method", "burg")
            by_burg.append(np.abs(np.array([burg[name] for name in ("f1", "f2", "f3")]) / praat - 1))
            noises.append(abs(found["hnr"] - ac))
            mine_p, (praat_p, points) = np.array([found[name] for name in PERIODS]), praat_periods(path, 75, 500)
            praat_p = np.array(praat_p)
            # Where Praat takes two periods for one its jitter is that of another voice.
            is_halved = points < 0.75 * found["median"] * middle.duration
            halved += is_halved
            if not is_halved:
                periods.append(np.abs(mine_p / praat_p - 1))
            rows.append([voice, vowel, f"{sound.duration:.2f}", "/".join(f"{v:.0f}" for v in mine), "/".join(f"{v:.0f}" for v in praat), f"{found['hnr']:.2f}", f"{ac:.2f}", f"{mine_p[0]:.5f}", f"{praat_p[0]:.5f}", f"{mine_p[3]:.4f}", f"{praat_p[3]:.4f}"])
    medians = 100 * np.nanmedian(formants, 0)
    goals.most("espeak: largest formant difference from Praat by burg in %", 100 * np.max(by_burg), 1)
    largest = 100 * np.max([one[0] for one in periods])
    goals.most(f"espeak: largest jitter difference in %, without {halved} vowels of which Praat marks every second period", largest, 5)
    rows.append(["all", "", "", "median difference %", goals.most("espeak: median formant difference from Praat in %", max(medians), 3), goals.most("espeak: median HNR difference from Praat in dB", np.nanmedian(noises), 0.5), "", goals.most("espeak: median jitter difference in %", 100 * np.nanmedian(periods, 0)[0], 5), "", goals.most("espeak: median shimmer difference in %", 100 * np.nanmedian(periods, 0)[3], 5), ""])
    table("espeak-ng's vowels", ["voice", "vowel", "s", "ours F1/F2/F3", "Praat", "ours HNR", "Praat", "ours jitter", "Praat", "ours shimmer", "Praat"], rows)


def cpu():
    """CPU seconds of this process and of those it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# The visits of which the fastest counts, and the range of pitch in Hz.
VISITS, LOW, HIGH = 5, 60, 1100


def praat_jobs(sound):
    """Praat's measures of the same frames, one after the other."""
    step, state = HOP / TIMED_RATE, {}

    def pitch():
        state["pitch"] = sound.to_pitch_ac(step, LOW, 15, False, 0.03, 0.45, 0.01, 0.35, 0.14, HIGH)

    def periods():
        points = call([sound, state["pitch"]], "To PointProcess (cc)")
        call(points, "Get jitter (local)", 0, 0, 0.0001, 0.02, 1.3)
        call([sound, points], "Get shimmer (local)", 0, 0, 0.0001, 0.02, 1.3, 1.6)

    return {
        "pitch (ac)": pitch,
        "formants (burg)": lambda: sound.to_formant_burg(step, 5, 5500, 0.025, 50),
        "harmonicity (ac)": lambda: sound.to_harmonicity_ac(step, LOW, 0.1, 4.5),
        "periods, jitter, shimmer": periods,
    }


def speed_table(program, folder, random, goals, quick, command):
    """The analyzer of a stream beside Praat."""
    rows = []
    for name, path in timed_sounds(folder, random):
        times = {}
        praat = parselmouth.Sound(str(path))
        jobs = {"ours": lambda: ours_frames(program, path), **praat_jobs(praat)}
        if command is not None:
            jobs["command"] = lambda: subprocess.run([command, "voice", "--min", str(LOW), "--max", str(HIGH), str(path)], check=True, stdout=subprocess.DEVNULL)
        for _ in range(2 if quick else VISITS):
            for job, run in jobs.items():
                begin = cpu()
                run()
                times[job] = min(times.get(job, np.inf), cpu() - begin)
        factors = {job: seconds / praat.duration for job, seconds in times.items()}
        mine, whole = factors.pop("ours"), factors.pop("command", None)
        total = sum(factors.values())
        for job, factor in factors.items():
            rows.append([name, f"Praat: {job}", f"{factor:.4f}"])
        rows.append([name, "Praat: all of these", f"{total:.4f}"])
        rows.append([name, "ours, with centroids", f"{mine:.4f}: " + goals.most(f"{name}: time over that of Praat", mine / total, 1)])
        if whole is not None:
            # With the reading of the file, the report's measures of the whole recording, and the program's start.
            rows.append([name, "rustle voice, the whole command", f"{whole:.4f}: " + goals.most(f"{name}: time of the command over that of Praat", whole / total, 0.5)])
    table("CPU seconds per second of sound, all measures of a stream", ["sound", "by", "of real time"], rows, True)


def ours_frames(program, path):
    subprocess.run([*program, "--min", str(LOW), "--max", str(HIGH), "--hop", str(HOP), str(path)], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--command", help="the command-line tool, whose `voice` is timed as a whole")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--part", choices=["formants", "noise", "periods", "espeak", "speed"])
    parser.add_argument("--must", action="store_true")
    options = parser.parse_args()
    global SUMMARY
    SUMMARY = options.summary
    program, goals = shlex.split(options.program), Goals()
    for seed in range(options.seed, options.seed + options.seeds):
        is_first = seed == options.seed
        if not is_first and options.part in ("espeak", "speed"):
            break
        with tempfile.TemporaryDirectory() as name:
            folder, random = pathlib.Path(name), np.random.default_rng(seed)
            parts = {
                "formants": lambda: formant_table(program, folder, random, goals, options.quick),
                "noise": lambda: noise_table(program, folder, random, goals, options.quick),
                "periods": lambda: period_table(program, folder, random, goals, options.quick),
            }
            # The same for every seed, or nearly.
            once = {
                "espeak": lambda: espeak_table(program, folder, goals, options.quick),
                "speed": lambda: speed_table(program, folder, random, goals, options.quick, options.command),
            }
            for part, run in {**parts, **(once if is_first else {})}.items():
                if options.part in (None, part):
                    run()
    if SUMMARY:
        means = []
        for (rate, ratio), found in sorted(goals.noise.items()):
            found = np.concatenate(found)
            errors = np.abs(found - ratio).mean(0)
            largest = np.abs(found[:, 0] - found[:, 1]).max()
            means.append([f"{rate} Hz, {ratio} dB", *(f"{error:.2f}" for error in errors), f"{largest:.2f}"])
        heads = ["rate and truth", "ours", "Praat ac", "Praat cc", "Praat below 500 Hz", "largest difference, ours from Praat ac"]
        table("Mean errors of the harmonics-to-noise ratio, dB", heads, means, True)
        table("Goals, the worst of the seeds", ["measure", "goal", "ours", "Praat"], list(goals.rows()), True)
    print(f"\nMissed: {'; '.join(goals.missed) or 'none'}")
    return 1 if options.must and goals.missed else 0


if __name__ == "__main__":
    sys.exit(main())
