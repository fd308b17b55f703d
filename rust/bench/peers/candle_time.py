"""The CPU time of the command's candles of a recording in CSV beside those of Polars, whole processes each, to the same columns.

    python3 candle_time.py COMMAND PROGRAM FOLDER [--lines N] [--symbols N] [--visits N]

PROGRAM recording LINES SYMBOLS SEED FILE writes the recording in FOLDER. CPU time is that of all threads; runs alternate, and the
least counts. Polars reads numbers as doubles; the candles are equal except for the order of rows and the digits of volumes, which
are compared as doubles.
"""

import argparse
import os
import subprocess
import sys

INTERVALS = {"1s": 10**9, "1m": 60 * 10**9}
PEER = """
import sys
import polars as pl
source, target, length = sys.argv[1], sys.argv[2], int(sys.argv[3])
start = (pl.col("t_ns") // length * length).alias("start_ns")
price, size = pl.col("price"), pl.col("size")
candles = (pl.scan_csv(source).group_by("symbol", start, maintain_order=True)
           .agg(price.first().alias("open"), price.max().alias("high"), price.min().alias("low"), price.last().alias("close"),
                size.sum().alias("volume"), ((price * size).sum() / size.sum()).alias("vwap"), pl.len().alias("count")))
candles.collect().write_csv(target)
"""


def cpu(arguments, output=None):
    """Runs a process and returns its CPU seconds."""
    with open(output or os.devnull, "w") as target:
        process = subprocess.Popen(arguments, stdout=target)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{arguments[0]}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def prepare(program, folder, lines, symbols):
    """Writes the recording as CSV in the order of time."""
    import polars as pl
    source, target = os.path.join(folder, "candles.ndjson"), os.path.join(folder, "candles.csv")
    subprocess.run([program, "recording", str(lines), str(symbols), "1", source], check=True)
    trades = pl.read_ndjson(source).sort("t_ms", maintain_order=True)
    trades.select("symbol", "price", "size", (pl.col("t_ms") * 10**6).alias("t_ns")).write_csv(target)
    return target


def differing(ours, theirs):
    """The number of candles that differ; sums by more than a unit in the twelfth digit."""
    import polars as pl
    keys, sums = ["symbol", "start_ns"], ["volume", "vwap"]
    mine, other = (pl.read_csv(path).sort(keys) for path in (ours, theirs))
    if len(mine) != len(other):
        return max(len(mine), len(other)), len(other)
    columns = [name for name in other.columns if name not in sums]
    is_equal = pl.Series([True] * len(mine))
    for name in columns:
        is_equal &= mine[name] == other[name]
    for name in sums:
        is_equal &= (mine[name] - other[name]).abs() <= 1e-12 * other[name].abs()
    return int((~is_equal).sum()), len(other)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--lines", type=int, default=2_000_000)
    parser.add_argument("--symbols", type=int, default=10)
    parser.add_argument("--visits", type=int, default=3)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    source = prepare(options.program, options.folder, options.lines, options.symbols)
    ours, theirs = os.path.join(options.folder, "ours.csv"), os.path.join(options.folder, "theirs.csv")
    import polars
    print(f"### Candles of {options.lines:,} trades in CSV beside Polars {polars.__version__}: CPU seconds\n")
    print("| interval | candles | differing | rustle ticker | Polars | ratio |\n|---|---|---|---|---|---|")
    different = 0
    for interval, length in INTERVALS.items():
        mine, other = [], []
        for _ in range(options.visits):
            ticker = [options.command, "ticker", "--replay", source, "--speed", "max", "--candles", interval, "--format", "csv"]
            mine.append(cpu(ticker, ours))
            other.append(cpu([sys.executable, "-c", PEER, source, theirs, str(length)]))
        count, candles = differing(ours, theirs)
        different += count
        mine, other = min(mine), min(other)
        print(f"| {interval} | {candles:,} | {count:,} | {mine:.2f} | {other:.2f} | {mine / other:.2f} |")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
