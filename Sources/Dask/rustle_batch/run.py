"""The batch as tasks of Dask. A task is one run of the command over many files: the scheduler's time per task vanishes, and
what a killed task had finished is found by the next one, since results have their contents' hash as their name."""

import hashlib
import json
import shutil
import subprocess
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
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
    run: str = ""
    """The name of the run, whose marks of what has begun are in a folder of the output."""

    @property
    def marks(self) -> Path:
        return Path(self.output) / ".begun" / self.run

    def mark(self, paths: Sequence[str], kind: str) -> Path:
        """The mark of files that a worker has begun together, or alone."""
        return self.marks / f"{hashlib.sha256(chr(0).join(paths).encode()).hexdigest()}.{kind}"


def analyse(job: Job, paths: Sequence[str]) -> list[Entry]:
    """Runs the command over a task's files; returns the lines of its manifest.

    The scheduler gives a task whose worker ended to another one. That runs each file alone, and puts the one aside that has
    ended `ATTEMPTS` workers, the first of them together with the others.
    """
    mark = job.mark(paths, "task")
    job.marks.mkdir(parents=True, exist_ok=True)
    if mark.exists():
        return [_alone(job, path) for path in paths]
    mark.touch()
    entries = _entries(job, paths)
    mark.unlink(missing_ok=True)
    return entries


def _alone(job: Job, path: str) -> Entry:
    """Runs the command over a file. Its mark has a byte for each time before."""
    mark = job.mark([path], "file")
    before = mark.stat().st_size if mark.exists() else 0
    if before + 1 >= ATTEMPTS:
        return _without_result(path, "poison", 70, f"{path}: ended its worker {ATTEMPTS} times", ATTEMPTS)
    with mark.open("ab") as file:
        file.write(b".")
    [entry] = _entries(job, [path])
    mark.unlink(missing_ok=True)
    return entry


def _entries(job: Job, paths: Sequence[str]) -> list[Entry]:
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

    The scheduler counts a worker's death against every task that the worker was to run, and fails a task for too many
    (`allowed-failures`): it is submitted again, as often as its own files may end workers.
    """
    job = replace(job, run=uuid.uuid4().hex)
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
    failures: Counter[str] = Counter()

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
            failures[part[0]] += 1
            if failures[part[0]] > ATTEMPTS * len(part):
                raise CommandError(f"workers ended again and again, {part[0]} among their files") from None
            submit(part)
    except (CancelledError, ClosedClientError):
        raise CommandError("the scheduler is gone; run the batch again for what is missing") from None
    finally:
        shutil.rmtree(job.marks, ignore_errors=True)
        if job.marks.parent.is_dir() and not any(job.marks.parent.iterdir()):
            job.marks.parent.rmdir()
