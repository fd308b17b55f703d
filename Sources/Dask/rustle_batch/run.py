"""The batch as tasks of Dask. A task is one run of the command over many files: the scheduler's time per task vanishes, and
what a killed task had finished is found by the next one, since results have their contents' hash as their name."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client, as_completed

Entry = dict[str, Any]
"""A line of the manifest: see `rustle batch --help`."""

MAXIMUM_FILES_PER_TASK = 64
ATTEMPTS = 3


class CommandError(Exception):
    """The command failed as a whole: its usage, or its output folder."""


@dataclass(frozen=True)
class Job:
    """What is done with every file."""

    output: str
    analysis: str = "meter"
    rustle: str = "rustle"
    options: tuple[str, ...] = ()
    """Further options of the command: `--time-limit`, `--memory-limit`."""


def analyse(job: Job, paths: Sequence[str]) -> list[Entry]:
    """Runs the command over a task's files, one after the other; returns the lines of its manifest."""
    command = [job.rustle, "batch", "--files-from", "-", "--jobs", "1", "--manifest", "-", "--quiet"]
    command += ["--analysis", job.analysis, "--output", job.output, *job.options]
    done = subprocess.run(command, input="\n".join(paths), capture_output=True, text=True, check=False)
    # 1: some files failed, which their lines report.
    if done.returncode not in (0, 1):
        raise CommandError(f"{job.rustle} batch ended with {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def poison(path: str) -> Entry:
    """The entry of a file whose task ended its Dask worker each time."""
    message = f"{path}: ended its worker {ATTEMPTS} times"
    empty = {"hash": None, "seconds": None, "host": None}
    return {"v": 1, "path": path, "status": "poison", "code": 70, "message": message, "attempts": ATTEMPTS, **empty}


def run(client: Client, job: Job, paths: Sequence[str], files_per_task: int = 32) -> Iterator[Entry]:
    """Yields an entry for each path, once, as the tasks end.

    The scheduler counts a worker's death against every task that the worker was to run (`allowed-failures`). A task that
    fails for that is split, until the file is alone that ends workers; it is tried `ATTEMPTS` times and put aside.
    """
    unique = list(dict.fromkeys(paths))
    size = max(1, min(files_per_task, MAXIMUM_FILES_PER_TASK))
    parts = [unique[start : start + size] for start in range(0, len(unique), size)]
    tries: Counter[str] = Counter()
    tasks = {client.submit(analyse, job, part, pure=False): part for part in parts}
    queue = as_completed(list(tasks))
    for task in queue:
        part = tasks.pop(task)
        if task.status == "finished":
            entries = task.result()
            yield from entries
            missing = set(part) - {entry["path"] for entry in entries}
            if missing:
                raise CommandError(f"expected {len(part)} lines of the manifest, got {len(entries)}")
            continue
        error = task.exception()
        if type(error).__name__ != "KilledWorker":
            raise error
        if len(part) == 1:
            tries[part[0]] += 1
            if tries[part[0]] == ATTEMPTS:
                yield poison(part[0])
                continue
        half = (len(part) + 1) // 2
        for rest in (part[:half], part[half:]):
            if rest:
                again = client.submit(analyse, job, rest, pure=False)
                tasks[again] = rest
                queue.add(again)


def result_path(output: str, hash_: str) -> Path:
    """The result with this name."""
    return Path(output) / hash_[:2] / f"{hash_}.ndjson"
