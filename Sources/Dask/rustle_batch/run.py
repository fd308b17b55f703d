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

from distributed import Client, Future, KilledWorker, as_completed
from distributed.client import CancelledError, ClosedClientError

Entry = dict[str, Any]
"""A line of the manifest: see `rustle batch --help`."""

MAXIMUM_FILES_PER_TASK = 64
ATTEMPTS = 3
GONE = "the scheduler is gone; run the batch again for what is missing"


class CommandError(Exception):
    """The batch failed as a whole: the command's usage, its output folder, the scheduler."""


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
    command = [job.rustle, "batch", "--files-from", "-", "--null", "--jobs", "1", "--manifest", "-", "--quiet"]
    command += ["--analysis", job.analysis, "--output", job.output, *job.options]
    try:
        done = subprocess.run(command, input="\0".join(paths).encode(), capture_output=True, check=False)
    except OSError as error:
        raise CommandError(f"{job.rustle} does not start on a worker: {error.strerror}") from None
    # 1: some files failed, which their lines report.
    if done.returncode not in (0, 1):
        reason = " ".join(done.stderr.decode(errors="replace").split())
        raise CommandError(f"{job.rustle} batch ended with {done.returncode}: {reason}")
    # Other ends of lines, such as U+2028, stand in names.
    return [json.loads(line) for line in done.stdout.split(b"\n") if line]


def _without_result(path: str, status: str, code: int, message: str, attempts: int) -> Entry:
    empty = {"hash": None, "seconds": None, "host": None}
    return {"v": 1, "path": path, "status": status, "code": code, "message": message, "attempts": attempts, **empty}


def poison(path: str) -> Entry:
    """The entry of a file whose task ended its Dask worker each time."""
    return _without_result(path, "poison", 70, f"{path}: ended its worker {ATTEMPTS} times", ATTEMPTS)


def unnamed(path: str) -> Entry:
    """The entry of a file whose name is not UTF-8, with the code and the escapes of the command."""
    text = "".join(f"\\x{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in path)
    return _without_result(text, "failed", 64, f"expected a path of UTF-8, got '{text}'", 0)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def run(client: Client, job: Job, paths: Sequence[str], files_per_task: int = 32) -> Iterator[Entry]:
    """Yields an entry for each path, once, as the tasks end.

    The scheduler counts a worker's death against every task that the worker was to run (`allowed-failures`). A task that
    fails for that is split, until the file is alone that ends workers; it is tried `ATTEMPTS` times and put aside.
    """
    distinct = list(dict.fromkeys(paths))
    unique = [path for path in distinct if _is_utf8(path)]
    yield from (unnamed(path) for path in distinct if not _is_utf8(path))
    size = max(1, min(files_per_task, MAXIMUM_FILES_PER_TASK))
    parts = [unique[start : start + size] for start in range(0, len(unique), size)]
    tries: Counter[str] = Counter()

    def submit(part: Sequence[str]) -> Future:
        try:
            return client.submit(analyse, job, part, pure=False)
        except ClosedClientError:
            raise CommandError(GONE) from None

    tasks = {submit(part): part for part in parts}
    queue = as_completed(list(tasks))
    for task in queue:
        # A worker took the result with it when it died: the scheduler has the task run again.
        if task.status in ("pending", "lost"):
            queue.add(task)
            continue
        part = tasks.pop(task)
        try:
            entries: list[Entry] = task.result()
            missing = set(part) - {entry["path"] for entry in entries}
            if missing:
                raise CommandError(f"expected {len(part)} lines of the manifest, got {len(entries)}")
        except KilledWorker:
            pass
        except CommandError:
            raise
        except CancelledError:
            raise CommandError(GONE) from None
        except Exception as error:
            raise CommandError(f"a task ended with {type(error).__name__}: {error}") from error
        else:
            yield from entries
            continue
        if len(part) == 1:
            tries[part[0]] += 1
            if tries[part[0]] == ATTEMPTS:
                yield poison(part[0])
                continue
        half = (len(part) + 1) // 2
        for rest in (part[:half], part[half:]):
            if rest:
                again = submit(rest)
                tasks[again] = rest
                queue.add(again)


def result_path(output: str, hash_: str) -> Path:
    """The result with this name."""
    return Path(output) / hash_[:2] / f"{hash_}.ndjson"
