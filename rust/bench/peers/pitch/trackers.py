"""The evaluated trackers: peers in this process, and any program that prints its frames.

A tracker has a `name`, a `window` (samples, for the bound; None where it sets its own) and `track(paths, low, high)`, which
gives for each path an array of rows (time in seconds, Hz or 0, confidence, and of a program 1 where there is more than one note),
the time being the centre of what was looked at.
"""

import shlex
import subprocess

import numpy as np

from .clip import read_wav

# The hop size of the trackers in samples, and in seconds.
HOP = 512
STEP = 0.01
# The maximum length of a command line.
BATCH = 400


class Program:
    """An external program: CMD --min LO --max HI [--window N] --hop H FILE..., which prints lines
    path<TAB>time_s<TAB>f0_hz<TAB>confidence<TAB>several."""

    def __init__(self, command, window=4096, name="ours"):
        self.command = shlex.split(command)
        self.window = window
        self.name = name

    def with_window(self, window):
        return Program(shlex.join(self.command), window, self.name)

    def track(self, paths, low, high):
        lines = {str(path): [] for path in paths}
        for begin in range(0, len(paths), BATCH):
            files = [str(path) for path in paths[begin:begin + BATCH]]
            window = ["--window", str(self.window)] if self.window else []
            arguments = ["--min", str(low), "--max", str(high), *window, "--hop", str(HOP), *files]
            result = subprocess.run(self.command + arguments, stdout=subprocess.PIPE, text=True, check=True)
            for line in result.stdout.splitlines():
                path, *numbers = line.split("\t")
                lines[path].append([float(number) for number in numbers])
        return {path: np.array(lines[str(path)]).reshape(-1, 4) for path in paths}


class InProcess:
    """A peer that takes one signal at a time."""

    window = 4096

    def track(self, paths, low, high):
        return {path: self.frames(*read_wav(path), low, high) for path in paths}


def rows(times, frequencies):
    """Frames of a peer without a confidence: 1 where it names a pitch."""
    frequencies = np.nan_to_num(np.asarray(frequencies, float))
    return np.column_stack([times, frequencies, (frequencies > 0).astype(float)])


class Praat(InProcess):
    """Boersma's autocorrelation. Its floor sets its window, so for music it looks from 30 Hz on."""

    name = "praat ac"

    def frames(self, samples, rate, low, high):
        import parselmouth
        pitch = parselmouth.Sound(samples, rate).to_pitch_ac(
            time_step=STEP, pitch_floor=max(low, 30.0), pitch_ceiling=float(high))
        return rows(pitch.xs(), pitch.selected_array["frequency"])


class Aubio(InProcess):
    """One of aubio's methods. It takes no range; its gate is set below the quietest clips."""

    def __init__(self, method, window):
        self.name = f"aubio {method} {window}"
        self.method = method
        self.window = window

    def frames(self, samples, rate, low, high):
        import aubio
        tracker = aubio.pitch(self.method, self.window, HOP, rate)
        tracker.set_silence(-120)
        whole = np.ascontiguousarray(samples[:len(samples) // HOP * HOP], np.float32).reshape(-1, HOP)
        found = np.array([float(tracker(hop)[0]) for hop in whole])
        # After hop i the buffer ends at (i + 1) hops.
        times = ((np.arange(len(found)) + 1) * HOP - self.window / 2) / rate
        return rows(times, np.where((found >= low) & (found <= high), found, 0.0))


class LibrosaYin(InProcess):
    """Without voicing: every frame has a pitch."""

    name = "librosa yin 4096"

    def frames(self, samples, rate, low, high):
        import librosa
        found = librosa.yin(samples, fmin=low, fmax=high, sr=rate, frame_length=self.window, hop_length=HOP)
        return rows(np.arange(len(found)) * HOP / rate, found)


class Harvest(InProcess):
    name = "world harvest"

    def frames(self, samples, rate, low, high):
        import pyworld
        found, times = pyworld.harvest(samples, rate, f0_floor=low, f0_ceil=high, frame_period=1000 * STEP)
        return rows(times, found)


# By the names of the command line. The last two are slow and run only when named.
PEERS = {
    "praat": Praat,
    "yinfft2048": lambda: Aubio("yinfft", 2048),
    "yinfft4096": lambda: Aubio("yinfft", 4096),
    "mcomb4096": lambda: Aubio("mcomb", 4096),
    "yin4096": LibrosaYin,
    "harvest": Harvest,
}
USUAL = ("praat", "yinfft2048", "yinfft4096", "mcomb4096")
