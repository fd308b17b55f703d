"""The command rustle-batch."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed import Client, LocalCluster

from . import tables
from .run import MAXIMUM_FILES_PER_TASK, CommandError, Entry, Job, run

ALLOWED_FAILURES = 10
"""Deaths of workers before a task fails; the scheduler's own 3 would blame tasks that only stood in the queue."""


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="rustle-batch", description="rustle batch over Dask distributed. Every worker needs the command, the files "
        "and the output folder under the same paths. Options after -- go to rustle batch.")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--files-from", help="a file with a path per line; - is standard input")
    parser.add_argument("--analysis", default="meter", help="as for rustle batch (default: meter)")
    parser.add_argument("--output", required=True, help="the folder of the results")
    parser.add_argument("--rustle", default="rustle", help="the command on the workers (default: rustle)")
    parser.add_argument("--parquet", help="write tables into this folder")
    parser.add_argument(
        "--files-per-task", type=int, default=32, choices=range(1, MAXIMUM_FILES_PER_TASK + 1), metavar="1..64")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--scheduler", help="the address of a scheduler, tcp://...")
    where.add_argument("--local", type=int, metavar="N", help="N workers on this machine (default: one per processor)")
    # argparse takes what follows -- for files.
    split = list(words).index("--") if "--" in words else len(words)
    parsed = parser.parse_args(words[:split])
    parsed.options = tuple(words[split + 1 :])
    return parsed


@contextmanager
def _client(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    if scheduler:
        with Client(scheduler) as client:
            yield client
        return
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES}),
        LocalCluster(
            n_workers=workers or os.cpu_count(), threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
            death_timeout=60) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _paths(files: Sequence[str], list_: str | None) -> list[str]:
    if list_ is None:
        return list(files)
    text = sys.stdin.read() if list_ == "-" else Path(list_).read_text(encoding="utf-8")
    return [*files, *text.splitlines()]


def main(words: Sequence[str] | None = None) -> int:
    """Runs the batch; returns 0, 1 if a file failed, or 69."""
    given = _arguments(sys.argv[1:] if words is None else words)
    # Workers have working folders of their own.
    paths = [os.path.abspath(path) for path in _paths(given.files, given.files_from)]
    job = Job(os.path.abspath(given.output), given.analysis, given.rustle, given.options)
    Path(job.output).mkdir(parents=True, exist_ok=True)
    entries: list[Entry] = []
    try:
        with _client(given.scheduler, given.local) as client, open(
            Path(job.output) / "manifest.ndjson", "w", encoding="utf-8") as manifest:
            for entry in run(client, job, paths, given.files_per_task):
                entries.append(entry)
                print(json.dumps(entry, ensure_ascii=False, separators=(",", ":")), file=manifest, flush=True)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 69
    if given.parquet:
        tables.write(given.parquet, job.output, sorted(entries, key=lambda entry: str(entry["path"])))
    counts = Counter(entry["status"] for entry in entries)
    print(f"{len(entries)} of {len(set(paths))} files: " + ", ".join(f"{counts[key]} {key}" for key in (
        "done", "cached", "failed", "poison")))
    return 1 if counts["failed"] or counts["poison"] else 0


if __name__ == "__main__":
    sys.exit(main())
