"""The batch as tasks of Dask. A task is one run of the command over many files: the scheduler's time per task vanishes, and
what a killed task had finished is found by the next one, since results have their contents' hash as their name."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from distributed import Client, Future, KilledWorker, as_completed
from distributed.client import CancelledError, ClosedClientError

Entry = dict[str, Any]  # A line of the manifest: see `rustle batch --help`.

ATTEMPTS = 3


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
    entries: list[Entry] = [json.loads(line) for line in done.stdout.split(b"\n") if line]
    if {entry["path"] for entry in entries} != set(paths):
        raise CommandError(f"expected {len(paths)} lines of the manifest, got {len(entries)}")
    return entries


def _without_result(path: str, status: str, code: int, message: str, attempts: int) -> Entry:
    empty = {"hash": None, "seconds": None, "host": None}
    return {"v": 1, "path": path, "status": status, "code": code, "message": message, "attempts": attempts, **empty}


def run(client: Client, job: Job, paths: Sequence[str], files_per_task: int = 32) -> Iterator[Entry]:
    """Yields an entry for each path, once, as the tasks end.

    The scheduler counts a worker's death against every task that the worker was to run (`allowed-failures`). A task that
    fails for that is split, until the file is alone that ends workers; it is tried `ATTEMPTS` times and put aside.
    """
    unique: list[str] = []
    for path in dict.fromkeys(paths):
        # The escapes of the command, of what is not UTF-8.
        text = "".join(f"\\x{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in path)
        if text == path:
            unique.append(path)
        else:
            yield _without_result(text, "failed", 64, f"expected a path of UTF-8, got '{text}'", 0)
    tasks: dict[Future, Sequence[str]] = {}
    queue = as_completed(loop=client.loop)
    tries: Counter[str] = Counter()

    def submit(part: Sequence[str]) -> None:
        task = client.submit(analyse, job, part, pure=False)
        tasks[task] = part
        queue.add(task)

    try:
        for start in range(0, len(unique), files_per_task):
            submit(unique[start : start + files_per_task])
        for task in queue:
            # A worker took the result with it when it died: the scheduler has the task run again.
            if task.status in ("pending", "lost"):
                queue.add(task)
                continue
            part = tasks.pop(task)
            try:
                yield from task.result()
                continue
            except KilledWorker:
                pass
            except (CommandError, CancelledError):
                raise
            except Exception as error:
                raise CommandError(f"a task ended with {type(error).__name__}: {error}") from error
            tries[part[0]] += len(part) == 1
            if tries[part[0]] == ATTEMPTS:
                yield _without_result(part[0], "poison", 70, f"{part[0]}: ended its worker {ATTEMPTS} times", ATTEMPTS)
                continue
            half = (len(part) + 1) // 2
            for rest in filter(None, (part[:half], part[half:])):
                submit(rest)
    except (CancelledError, ClosedClientError):
        raise CommandError("the scheduler is gone; run the batch again for what is missing") from None
