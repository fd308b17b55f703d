"""The package over real schedulers and workers, some of which are killed. RUSTLE names the command.

Run by `scripts/test dask`.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from distributed import Client

from rustle_batch import tables
from rustle_batch.cli import _paths, local
from rustle_batch.run import ATTEMPTS, CommandError, Entry, Job, run

RUSTLE = os.environ["RUSTLE"]
ANALYSIS = "meter,pitch,voice,spectrum"


def sound(path: Path, hertz: float, seconds: float) -> str:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8_000, 0, "NONE", ""))
        samples = (int(9_000 * math.sin(2 * math.pi * hertz * n / 8_000)) for n in range(int(8_000 * seconds)))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return str(path)


def sounds(folder: Path, count: int, broken: int, seconds: Callable[[int], float]) -> list[str]:
    """WAV files, every fourth a FLAC, every so many of them broken."""
    for number in range(count):
        path = folder / f"{number}.wav"
        if number % broken == 3:
            path.write_bytes(b"no sound %d" % number)
            continue
        sound(path, 150 + 5 * (number % 400), seconds(number))
        if number % 4 == 2:
            words = [RUSTLE, "eq", "--quiet", str(path), str(path.with_suffix(".flac"))]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            path.unlink()
    return sorted(map(str, folder.iterdir()))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """40 files, 5 of them broken."""
    return sounds(tmp_path_factory.mktemp("sounds"), 40, 8, lambda number: 0.5 + 0.05 * number)


def results(output: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in output.glob("??/*.ndjson")}


def alone(files: list[str], output: Path) -> dict[str, bytes]:
    """The results of the command alone."""
    done = subprocess.run([RUSTLE, "batch", "--quiet", "--analysis", ANALYSIS, "--output", str(output), *files], check=False)
    assert done.returncode == 1
    return results(output)


@pytest.fixture(scope="module")
def expected(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return alone(files, tmp_path_factory.mktemp("alone"))


class Beginnings:
    """Counts the results that are begun in a folder, by inotify: each has a temporary name at first."""

    def __init__(self, output: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK)
        for number in range(256):
            folder = output / f"{number:02x}"
            folder.mkdir(parents=True)
            # IN_CREATE
            assert libc.inotify_add_watch(self.descriptor, os.fsencode(folder), 0x100) >= 0

    def count(self) -> int:
        begun = 0
        while True:
            try:
                events = os.read(self.descriptor, 1 << 20)
            except BlockingIOError:
                return begun
            while events:
                kind, length = struct.unpack_from("=4xI4xI", events)
                assert kind == 0x100
                begun += events[16 : 16 + length].rstrip(b"\0").endswith(b".part")
                events = events[16 + length :]


@pytest.fixture
def client() -> Iterator[Client]:
    with local(3, allowed_failures=2) as client:
        yield client


def check(entries: list[Entry], files: list[str]) -> None:
    assert sorted(entry["path"] for entry in entries) == files
    assert [entry["code"] for entry in sorted(entries, key=lambda entry: files.index(entry["path"]))] == [
        65 if Path(path).read_bytes().startswith(b"no") else None for path in files
    ]


def test_results_equal_those_of_one_machine(
    client: Client, files: list[str], expected: dict[str, bytes], tmp_path: Path
) -> None:
    entries = list(run(client, Job(str(tmp_path / "out"), ANALYSIS, RUSTLE), files, 4))
    check(entries, files)
    assert results(tmp_path / "out") == expected
    tables.write(str(tmp_path / "tables"), str(tmp_path / "out"), entries)
    read = {name: pq.read_table(tmp_path / "tables" / f"{name}.parquet") for name in tables.schemas()}
    assert all(table.schema.metadata[b"rustle_batch_schema"] == b"1" for table in read.values())
    assert read["files"].num_rows == 40 and read["meter"].num_rows == 35 and read["spectrum"].num_rows == 35
    # One for each analysis of the five.
    assert read["errors"].num_rows == 20 and set(read["errors"]["code"].to_pylist()) == {65}
    hashes = {entry["path"]: entry["hash"] for entry in entries}
    peaks = dict(zip(read["spectrum"]["hash"].to_pylist(), read["spectrum"]["peaks"].to_pylist(), strict=True))
    first = next(path for path in files if path.endswith("/0.wav"))
    assert abs(peaks[hashes[first]][0]["hz"] - 150) < 0.1
    assert read["pitch"].num_rows > 35 and None not in read["pitch"]["time_s"].to_pylist()


def test_every_column_of_the_schema_is_a_field_of_a_result(expected: dict[str, bytes]) -> None:
    records = [json.loads(line) for result in expected.values() for line in result.splitlines()]
    fields = {name for record in records for name in record}
    for name, schema in tables.schemas().items():
        if name not in ("files", "errors"):
            assert set(schema.names) - fields <= {"hash", "kind"}, name


def is_there(output: Path, count: int) -> bool:
    return sum(1 for _ in output.glob("??/*.ndjson")) >= count


def lose_workers(client: Client, files: list[str], expected: dict[str, bytes], output: Path, shares: list[float]) -> None:
    """Runs a batch, a worker of which is killed at each of these shares of the results."""
    over, kills = threading.Event(), 0
    beginnings = Beginnings(output)

    def kill() -> None:
        nonlocal kills
        for share in shares:
            while not is_there(output, int(share * len(expected))) and not over.is_set():
                time.sleep(0.01)
            pids = client.run(os.getpid, on_error="ignore")
            os.kill(next(iter(pids.values())), signal.SIGKILL)
            kills += 1

    killer = threading.Thread(target=kill)
    killer.start()
    entries = list(run(client, Job(str(output), ANALYSIS, RUSTLE), files, 4))
    over.set()
    killer.join()
    check(entries, files)
    assert results(output) == expected
    # A worker has one file in hand.
    begun = beginnings.count()
    assert kills == len(shares) and len(expected) <= begun <= len(expected) + kills


def test_killed_workers_lose_nothing(client: Client, files: list[str], expected: dict[str, bytes], tmp_path: Path) -> None:
    lose_workers(client, files, expected, tmp_path, [0.2, 0.4, 0.6])


@pytest.mark.skipif("RUSTLE_LONG" not in os.environ, reason="scripts/test --long")
def test_a_thousand_files_and_five_killed_workers(client: Client, tmp_path: Path) -> None:
    (tmp_path / "sounds").mkdir()
    files = sounds(tmp_path / "sounds", 1_000, 50, lambda number: 1 + 29 * (number * 7 % 1_000) / 1_000)
    expected = alone(files, tmp_path / "alone")
    assert len(files) == len(expected) == 1_000
    lose_workers(client, files, expected, tmp_path / "out", [0.15, 0.3, 0.45, 0.6, 0.75])


def killing_command(tmp_path: Path, word: str) -> str:
    """A command that ends its Dask worker for a list with a word, of which it notes each time, and is rustle for others."""
    script = tmp_path / "killer"
    script.write_text(
        f'#!/bin/sh\nlist={tmp_path}/list.$$\ncat >"$list"\nif grep -q "{word}" "$list"; then echo >>{tmp_path}/ends; kill -9 $PPID; exit 1; fi\n'
        f'{RUSTLE} "$@" <"$list"\n')
    script.chmod(0o755)
    return str(script)


def test_a_file_that_ends_workers_is_put_aside(client: Client, files: list[str], tmp_path: Path) -> None:
    bad = files[5]
    job = Job(str(tmp_path / "out"), "meter", killing_command(tmp_path, f"/{Path(bad).name}"))
    entries = list(run(client, job, files[:12], 4))
    assert sorted(entry["path"] for entry in entries) == files[:12]
    poison = [entry for entry in entries if entry["status"] == "poison"]
    assert [(entry["path"], entry["attempts"]) for entry in poison] == [(bad, ATTEMPTS)]
    assert all(entry["hash"] for entry in entries if entry["path"] != bad)
    # No more workers than it is said to have ended, and no mark of them is left.
    assert (tmp_path / "ends").read_text().count("\n") == ATTEMPTS
    assert not (tmp_path / "out" / ".begun").exists()


def test_a_worker_that_dies_for_long_comes_back() -> None:
    with local(1) as client:
        # Longer than the 15 s after which Dask looks whether a worker that died is there.
        end = time.monotonic() + 18
        while time.monotonic() < end:
            for pid in client.run(os.getpid, on_error="ignore").values():
                os.kill(pid, signal.SIGKILL)
        client.wait_for_workers(1, timeout=60)


def test_a_killed_scheduler_is_followed_by_the_rest(files: list[str], expected: dict[str, bytes], tmp_path: Path) -> None:
    words = ["--local", "2", "--files-per-task", "4", "--analysis", ANALYSIS, "--rustle", RUSTLE, "--output", str(tmp_path)]
    command = [sys.executable, "-m", "rustle_batch.cli", *words, *files]
    first = subprocess.Popen(command)
    until(lambda: len(results(tmp_path)) >= len(expected) / 2, first)
    first.kill()
    first.wait()
    # The commands of its workers end with them.
    before = -1
    while before != len(results(tmp_path)):
        before = len(results(tmp_path))
        time.sleep(2)
    second = subprocess.run([*command, "--parquet", str(tmp_path / "tables")], capture_output=True, text=True, check=False)
    assert second.returncode == 1, second.stderr
    entries = [json.loads(line) for line in (tmp_path / "manifest.ndjson").read_text().splitlines()]
    check(entries, files)
    assert results(tmp_path) == expected
    computed = sum(entry["status"] == "done" for entry in entries)
    assert computed <= len(expected) - before
    assert pq.read_metadata(tmp_path / "tables" / "files.parquet").num_rows == 40


def until(holds: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    while not holds():
        assert process.poll() is None, "the batch ended early"
        time.sleep(0.01)


def test_the_slurm_template_covers_every_file(files: list[str], expected: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "rustle").symlink_to(RUSTLE)
    (tmp_path / "list").write_text("\n".join(files))
    for part in range(3):
        assert slurm_task(tmp_path, ID=part, MIN=0, MAX=2, COUNT=3).returncode in (0, 1)
    assert results(tmp_path / "out") == expected


def slurm_task(folder: Path, shards: int | None = None, **array: int) -> subprocess.CompletedProcess[str]:
    """A task of a Slurm array over the files of a list."""
    slurm = {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in array.items()} | {"SLURM_CPUS_PER_TASK": "1"}
    if shards:
        slurm["RUSTLE_SHARDS"] = str(shards)
    return subprocess.run(
        ["bash", str(Path(__file__).parent.parent / "slurm-array.sh"), str(folder / "list"), str(folder / "out"), ANALYSIS], check=False,
        capture_output=True, text=True, env={**os.environ, **slurm, "PATH": f"{folder}:{os.environ['PATH']}"})


def test_a_slurm_array_without_some_parts_names_their_number(files: list[str], expected: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "rustle").symlink_to(RUSTLE)
    (tmp_path / "list").write_text("\n".join(files))
    # --array=1-4, --array=0-4:2, and --array=0,3.
    for array in ({"MIN": 1, "MAX": 4, "COUNT": 4}, {"MIN": 0, "MAX": 4, "COUNT": 3}, {"MIN": 0, "MAX": 3, "COUNT": 2}):
        refused = slurm_task(tmp_path, ID=array["MAX"], **array)
        assert refused.returncode == 64 and f"expected --array=0-{array['MAX']} or RUSTLE_SHARDS" in refused.stderr
        assert not (tmp_path / "out").exists()
    # Slurm may not say how many there are; and a part may be submitted alone.
    assert slurm_task(tmp_path, ID=0, MAX=1).returncode in (0, 1)
    assert slurm_task(tmp_path, shards=2, ID=1, MIN=1, MAX=1, COUNT=1).returncode in (0, 1)
    assert results(tmp_path / "out") == expected


def test_a_failure_of_the_command_is_told(client: Client, files: list[str], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="expected meter, pitch, voice or spectrum"):
        list(run(client, Job(str(tmp_path), "tune", RUSTLE), files[:2]))
    with pytest.raises(CommandError, match="^/no/such/rustle does not start on a worker: No such file or directory$"):
        list(run(client, Job(str(tmp_path), rustle="/no/such/rustle"), files[:2]))


def test_names_of_any_kind(client: Client, tmp_path: Path) -> None:
    names = ["\u00e9", "e\u0301", "a\u2028b", "a\x0bb", "a\x85b", "a\nb", "a\r"]
    paths = [sound(tmp_path / f"{name}.wav", 200 + 10 * number, 0.2) for number, name in enumerate(names)]
    paths.append(sound(tmp_path / "end\r", 300, 0.2))
    strange = [f"{tmp_path}/\u00e9\udcff.wav", f"{tmp_path}/\udce9.wav"]
    entries = list(run(client, Job(str(tmp_path / "out"), "meter", RUSTLE), paths + strange, 4))
    assert sorted(entry["path"] for entry in entries if entry["status"] == "done") == sorted(paths)
    assert len({entry["hash"] for entry in entries}) == len(paths) + 1
    failed = {entry["path"]: entry["code"] for entry in entries if entry["status"] == "failed"}
    assert failed == {f"{tmp_path}/\u00e9\\xFF.wav": 64, f"{tmp_path}/\\xE9.wav": 64}
    tables.write(str(tmp_path / "tables"), str(tmp_path / "out"), entries)
    assert pq.read_metadata(tmp_path / "tables" / "files.parquet").num_rows == len(paths) + 2


def test_a_list_has_a_path_per_line(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"a\xe2\x80\xa8b\r\n\n\r\nc\x0bd\n\xff")
    assert _paths(["e"], str(tmp_path / "list"), False) == ["e", "a\u2028b", "c\x0bd", "\udcff"]
    (tmp_path / "list").write_bytes(b"a\nb\r\0\0c\0")
    assert _paths([], str(tmp_path / "list"), True) == ["a\nb\r", "c"]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "rustle_batch.cli", "--rustle", RUSTLE, *words]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--output", "/proc/none", "a.wav"], "/proc/none: No such file or directory"),
        (["--output", "{folder}/out", "--files-from", "/no/such/list"], "/no/such/list: No such file or directory"),
        (["--output", "{folder}/out", "--scheduler", "tcp://127.0.0.1:{port}", "a.wav"], "--scheduler: cannot reach tcp://"),
    ],
)
def test_a_batch_that_cannot_begin_says_why(words: list[str], reason: str, tmp_path: Path) -> None:
    given = [word.format(folder=tmp_path, port=free_port()) for word in words]
    done = subprocess.run(
        command(*given), capture_output=True, text=True, check=False,
        env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"})
    assert done.returncode == 69, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"error: {reason}") and "Traceback" not in done.stderr


def test_a_scheduler_that_dies_ends_the_batch(files: list[str], tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    started: list[subprocess.Popen[bytes]] = []
    with (tmp_path / "log").open("wb") as log:

        def start(*words: str) -> subprocess.Popen[bytes]:
            started.append(subprocess.Popen([sys.executable, "-m", *words], stdout=log, stderr=log))
            return started[-1]

        try:
            port = address.rsplit(":", 1)[1]
            scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
            for _ in range(2):
                # Without a nanny, which would outlive it.
                start(
                    "distributed.cli.dask_worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny",
                    "--no-dashboard", "--death-timeout", "60")
            words = ["--scheduler", address, "--files-per-task", "2", "--analysis", ANALYSIS, "--output", str(tmp_path / "out")]
            batch = subprocess.Popen(command(*words, *files), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            until(lambda: len(results(tmp_path / "out")) >= 4, batch)
            scheduler.kill()
            _, errors = batch.communicate(timeout=120)
        finally:
            for process in started:
                process.kill()
                process.wait()
    assert batch.returncode == 69, errors
    assert errors.splitlines()[-1].startswith("error: the scheduler ") and "Traceback" not in errors
