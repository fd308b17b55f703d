"""Compares our candles of a recording with those that pandas makes of the same file. All of them must be equal.

    python3 candles.py PROGRAM FILE [--lines N] [--symbols N] [--seed N]

PROGRAM recording LINES SYMBOLS SEED FILE writes the recording, PROGRAM candles INTERVAL LATENESS FILE the candles as CSV. Prices are
compared as the doubles that both texts are nearest to, volumes as integers in units of the sizes' last digit, all without
tolerance. The exit status is 1 when a candle differs.
"""

import argparse
import io
import subprocess
import sys

import pandas

INTERVALS = {"1s": 10**9, "1m": 60 * 10**9, "1h": 3600 * 10**9}
# The recording's times are up to 3 s out of order: with this lateness nothing is late.
LATENESS = "4s"
# Sizes have four digits after the point.
UNITS = 10**4
COLUMNS = ["symbol", "start_ns", "open", "high", "low", "close", "volume", "count"]


def ours(program, file, interval):
    text = subprocess.run([program, "candles", interval, LATENESS, file], check=True, capture_output=True, text=True).stdout
    candles = pandas.read_csv(io.StringIO(text), dtype=str)
    for column in COLUMNS[2:6]:
        candles[column] = candles[column].map(float)
    candles["volume"] = (candles["volume"].map(float) * UNITS).round().astype("int64")
    candles = candles.astype({"start_ns": "int64", "count": "int64"})
    return candles.sort_values(["symbol", "start_ns"], ignore_index=True)[COLUMNS]


def theirs(trades, length):
    trades = trades.assign(start_ns=trades["time_ns"] // length * length)
    groups = trades.groupby(["symbol", "start_ns"], sort=True)
    candles = groups.agg(open=("price", "first"), high=("price", "max"), low=("price", "min"), close=("price", "last"),
                         volume=("units", "sum"), count=("price", "size"))
    return candles.reset_index()[COLUMNS]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--symbols", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    subprocess.run([options.program, "recording", str(options.lines), str(options.symbols), str(options.seed), options.file],
                   check=True)
    trades = pandas.read_json(options.file, lines=True, precise_float=True,
                              dtype={"t_ms": "int64", "price": "float64", "size": "float64"})
    trades["units"] = (trades["size"].fillna(0) * UNITS).round().astype("int64")
    trades["time_ns"] = trades["t_ms"] * 10**6
    # By time, and by arrival where times are equal.
    trades = trades.sort_values("time_ns", kind="stable", ignore_index=True)
    print(f"### Candles of {len(trades):,} updates beside pandas {pandas.__version__}\n")
    print("| interval | candles | differing |\n|---|---|---|")
    differing = 0
    for interval, length in INTERVALS.items():
        mine, other = ours(options.program, options.file, interval), theirs(trades, length)
        if len(mine) != len(other):
            count = max(len(mine), len(other))
        else:
            count = int((mine != other).any(axis=1).sum())
        differing += count
        print(f"| {interval} | {len(other):,} | {count:,} |")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
