"""Measures `rustle batch`: the speed of two jobs beside one, and the memory over many files. Prints tables in Markdown. A figure
that misses its goal makes the status 1.

Usage: batch.py RUSTLE FOLDER

FOLDER is for the sounds and results, and is emptied. Linux.
"""

import array
import math
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
import wave

RATE = 44_100
ROUNDS = 3
# The files of a set that is short beside the start of the command, with a fast analysis, and of one that is not.
FEW, MANY = 40, 400
ALL = "meter,pitch,voice,spectrum"
# Of the 64 MiB and 16 for each of two jobs, and of the first quarter's, when that has warmed up.
MEMORY, GROWTH = 96, 1.05


def sound(path, hertz, seconds, channels):
    """Writes a sine; the frequency is a multiple of 10 Hz, whose periods fill a tenth of a second."""
    count = int(RATE * seconds)
    wavetable = [int(9_000 * math.sin(2 * math.pi * hertz * n / RATE)) for n in range(RATE // 10)]
    samples = array.array("h", (wavetable * (count // len(wavetable) + 1))[:count])
    frames = array.array("h", (sample for sample in samples for _ in range(channels))) if channels > 1 else samples
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, RATE, 0, "NONE", ""))
        file.writeframes(frames.tobytes())


def fields(path):
    return dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)


def resident(process):
    """The resident memory of a process and its children, in MiB: with shared pages counted once, and once for each process."""
    once, each = 0.0, 0.0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if process in (int(folder.name), int(fields(folder / "status")["PPid"])):
                sizes = fields(folder / "smaps_rollup")
                once += int(sizes["Pss"].split()[0]) / 1_024
                each += int(sizes["Rss"].split()[0]) / 1_024
        except (OSError, KeyError, ValueError):
            continue
    return once, each


def timed(command):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[1]} ended with {done.returncode}")
    return time.perf_counter() - start


def speeds(rustle, folder):
    """Prints them, and returns the least share of two jobs, of sets that are as long as to be judged."""
    files = []
    for number in range(MANY):
        path = folder / f"long{number}.wav"
        # Contents that differ, so that none is found.
        sound(path, 100 + 10 * (number % 40), 2 + number % 4 + number / MANY / 10, 2)
        files.append(str(path))
    audio = [wave.open(path).getnframes() / RATE for path in files]

    def run(number, jobs, analysis, sounds):
        # A folder of its own: the file system looks for inodes for longer when others have just been deleted.
        command = [rustle, "batch", "--jobs", str(jobs), "--analysis", analysis, "--output", str(folder / f"results{number}")]
        return timed([*command, *sounds])

    print(f"## WAV files of 2 to 5 s, 44.1 kHz stereo: the fastest of {ROUNDS} runs\n")
    print("| analyses | files | s of sound | 1 job, s | 2 jobs, s | 2 jobs / (2 x 1 job), goal 0.90 | s of sound per s, 2 jobs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    least, number = math.inf, 0
    for analysis, count, is_judged in (("meter", FEW, False), ("meter", MANY, True), (ALL, FEW, True)):
        best, sounds, length = {1: math.inf, 2: math.inf}, files[:count], sum(audio[:count])
        for _ in range(ROUNDS):
            # In turns, so that both see the same machine.
            for jobs in best:
                number += 1
                best[jobs] = min(best[jobs], run(number, jobs, analysis, sounds))
        share = best[1] / best[2] / 2
        least = min(least, share if is_judged else math.inf)
        print(f"| {analysis} | {count} | {length:.0f} | {best[1]:.2f} | {best[2]:.2f} | {share:.2f} | {length / best[2]:.0f} |")
    cached = min(run(number, 1, ALL, files[:FEW]) for _ in range(ROUNDS))
    size = sum(os.path.getsize(path) for path in files[:FEW]) / 1e6
    print(f"\nThe last again, with all results there, one job: {cached:.2f} s for {size:.0f} MB, {size / cached:.0f} MB/s.")
    start = min(run(number, 1, ALL, files[:1]) for _ in range(ROUNDS))
    print(f"\nA run whose one result is there: {1_000 * start:.0f} ms. The start of the command and its workers, which no job shortens, is most "
          f"of what {FEW} files of a fast analysis lack to the goal.\n")
    return least


def memory(rustle, folder, count):
    """Prints it, and returns its greatest of each quarter of the files."""
    files = folder / "list"
    with files.open("w") as names:
        for number in range(count):
            path = folder / f"short{number}.wav"
            # Contents that differ, so that none is found.
            sound(path, 100 + 10 * (number % 400), 0.1 + number / count / 20, 1)
            print(path, file=names)
    results = folder / "many"
    command = [rustle, "batch", "--jobs", "2", "--files-from", str(files), "--analysis", ALL]
    process = subprocess.Popen([*command, "--output", str(results)], stdout=subprocess.DEVNULL)
    samples, over = [], threading.Event()

    def watch():
        manifest = results / "manifest.ndjson"
        while not over.wait(0.2):
            done = manifest.read_bytes().count(b"\n") if manifest.exists() else 0
            samples.append((done, *resident(process.pid)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    over.set()
    watcher.join()
    if status != 0:
        sys.exit(f"rustle batch ended with {status}")
    print(f"## Greatest resident memory of the three processes over {count:,} files, 2 jobs, MiB\n")
    print("| files done | shared pages counted once, goal 96 | thrice |")
    print("|---|---:|---:|")
    quarters = []
    for quarter in range(4):
        low, high = count * quarter // 4, count * (quarter + 1) // 4
        sizes = [(once, each) for done, once, each in samples if low <= done <= high] or [(0.0, 0.0)]
        quarters.append(max(once for once, _ in sizes))
        print(f"| {low:,} to {high:,} | {max(once for once, _ in sizes):.1f} | {max(each for _, each in sizes):.1f} |")
    return quarters


def main():
    if len(sys.argv) != 3 or {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__.strip())
    folder = pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    share = speeds(sys.argv[1], folder)
    quarters = memory(sys.argv[1], folder, int(os.environ.get("RUSTLE_FILES", "10000")))
    shutil.rmtree(folder)
    if share < 0.9 or not 0 < min(quarters) or max(quarters) > min(MEMORY, quarters[0] * GROWTH):
        sys.exit("speed or memory missed its goal")


if __name__ == "__main__":
    main()
