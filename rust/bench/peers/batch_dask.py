"""Measures rustle-batch beside `rustle batch`: three Dask workers on all cores, and what a scheduler costs. Prints a table in Markdown.
A figure that misses its goal makes the status 1.

Usage: batch_dask.py RUSTLE FOLDER

FOLDER is for the sounds and results, and is emptied. Requires the packages distributed and rustle_batch.
"""

import math
import os
import pathlib
import shutil
import sys
import time

from batch import ALL, ROUNDS, sound, timed
from distributed import Client, LocalCluster
from rustle_batch.run import Job, run

FILES_PER_TASK = 32


def over(workers, job, files):
    """The time of a batch whose workers are there already."""
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, death_timeout=60) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(workers)
            start = time.perf_counter()
            entries = list(run(client, job, files, FILES_PER_TASK))
            seconds = time.perf_counter() - start
    if any(entry["status"] != "done" for entry in entries) or len(entries) != len(files):
        sys.exit("a file of the batch failed")
    return seconds


def main():
    if len(sys.argv) != 3 or {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__.strip())
    rustle, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count, cores = int(os.environ.get("RUSTLE_DASK_FILES", "192")), len(os.sched_getaffinity(0))
    files = []
    for number in range(count):
        path = folder / f"{number}.wav"
        # Contents that differ, so that none is found.
        sound(path, 100 + 10 * (number % 40), 2 + number % 4 + number / count / 10, 2)
        files.append(str(path))
    results = folder / "results"

    def alone(jobs):
        return timed([rustle, "batch", "--jobs", str(jobs), "--analysis", ALL, "--output", str(results), *files])

    job = Job(str(results), ALL, rustle)
    runs = {
        "rustle batch, 1 job": lambda: alone(1),
        f"rustle batch, {cores} jobs": lambda: alone(cores),
        "rustle-batch, 1 Dask worker": lambda: over(1, job, files),
        "rustle-batch, 3 Dask workers": lambda: over(3, job, files),
    }
    best = dict.fromkeys(runs, math.inf)
    for _ in range(ROUNDS):
        # In turns, so that all see the same machine.
        for name, measure in runs.items():
            shutil.rmtree(results, ignore_errors=True)
            best[name] = min(best[name], measure())
    one, many, worker, three = best.values()
    print(f"\n## {count} WAV files of 2 to 5 s, {ALL}, {FILES_PER_TASK} files to a task: the fastest of {ROUNDS} runs\n")
    print(f"| run | s | speed / ({cores} cores x 1 job) |")
    print("|---|---:|---:|")
    for name, seconds in best.items():
        print(f"| {name} | {seconds:.2f} | {one / seconds / cores:.2f} |")
    print(f"\nThree workers: {many / three:.2f} of the speed of {cores} jobs (goal: 0.90). ", end="")
    print(f"One worker: {100 * (worker / one - 1):.1f} % more time than one job (goal: 5 % or less).\n")
    shutil.rmtree(folder)
    if many / three < 0.9 or worker / one > 1.05:
        sys.exit("the workers missed their goals")


if __name__ == "__main__":
    main()
