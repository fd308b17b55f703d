"""The command rustle-batch."""

import argparse
import json
import logging
import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import dask
from distributed import Client, LocalCluster
from pyarrow import ArrowException

from . import tables
from .run import CommandError, Entry, Job, run


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="rustle-batch", description="rustle batch over Dask distributed. Every worker needs the command, the files "
        "and the output folder under the same paths. Options after -- go to rustle batch.")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--files-from", help="a file with a path per line; - is standard input")
    parser.add_argument("-0", "--null", action="store_true", help="paths of --files-from end with a zero byte")
    parser.add_argument("--analysis", default="meter", help="as for rustle batch (default: meter)")
    parser.add_argument("--output", required=True, help="the folder of the results")
    parser.add_argument("--rustle", default="rustle", help="the command on the workers (default: rustle)")
    parser.add_argument("--parquet", help="write tables into this folder")
    parser.add_argument("--files-per-task", type=int, default=32, choices=range(1, 65), metavar="1..64")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--scheduler", help="the address of a scheduler, tcp://...")
    where.add_argument("--local", type=int, metavar="N", help="N workers on this machine (default: one per processor)")
    # argparse takes what follows -- for files.
    split = words.index("--") if "--" in words else len(words)
    return parser.parse_args(words[:split], argparse.Namespace(options=tuple(words[split + 1 :])))


@contextmanager
def local(workers: int, allowed_failures: int = 10) -> Iterator[Client]:
    """A scheduler with workers of this machine. A worker that dies is started again by its nanny."""
    # So many deaths of workers fail a task: the scheduler's own 3 would blame tasks that only stood in the queue.
    # The cluster closes a nanny for good whose worker is not there 15 s after one of its deaths: files that end workers one
    # after the other would leave none.
    settings = {"distributed.scheduler.allowed-failures": allowed_failures, "distributed.deploy.lost-worker-timeout": "1 day"}
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, death_timeout=60) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _client(scheduler: str | None, workers: int | None) -> AbstractContextManager[Client]:
    if not scheduler:
        return local(workers or os.cpu_count() or 1)
    try:
        client: AbstractContextManager[Client] = Client(scheduler)
    except (OSError, ValueError) as error:
        raise CommandError(f"--scheduler: cannot reach {scheduler}: {error}") from None
    return client


def _paths(files: Sequence[str], list_: str | None, is_zero_ended: bool) -> list[str]:
    end, rest = (b"\0", b"") if is_zero_ended else (b"\n", b"\r")
    listed = b"" if list_ is None else sys.stdin.buffer.read() if list_ == "-" else Path(list_).read_bytes()
    return [*files, *(os.fsdecode(name) for line in listed.split(end) if (name := line.removesuffix(rest)))]


def _batch(given: argparse.Namespace) -> int:
    # Workers have working folders of their own.
    paths = [os.path.abspath(path) for path in _paths(given.files, given.files_from, given.null)]
    job = Job(os.path.abspath(given.output), given.analysis, given.rustle, given.options)
    Path(job.output).mkdir(parents=True, exist_ok=True)
    # With tracebacks they log what the status and one line say.
    for name in ("distributed", "distributed.client", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    entries: list[Entry] = []
    with (
        _client(given.scheduler, given.local) as client,
        open(Path(job.output) / "manifest.ndjson", "w", encoding="utf-8") as manifest,
    ):
        for entry in run(client, job, paths, given.files_per_task):
            entries.append(entry)
            print(json.dumps(entry, ensure_ascii=False, separators=(",", ":")), file=manifest, flush=True)
    if given.parquet:
        tables.write(given.parquet, job.output, sorted(entries, key=lambda entry: str(entry["path"])))
    counts = Counter(entry["status"] for entry in entries)
    print(f"{len(entries)} of {len(set(paths))} files: " + ", ".join(f"{counts[key]} {key}" for key in (
        "done", "cached", "failed", "poison")))
    return 1 if counts["failed"] or counts["poison"] else 0


def main() -> int:
    """Runs the batch; returns 0, 1 if a file failed, 69 if the batch ended early, or 70 for an error of this program."""
    given = _arguments(sys.argv[1:])
    try:
        return _batch(given)
    except (CommandError, ArrowException) as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except Exception:
        traceback.print_exc()
        return 70
    print(f"error: {reason}", file=sys.stderr)
    return 69


if __name__ == "__main__":
    sys.exit(main())
