"""Counts the instructions of one crossing of the boundary, and compares them with committed bounds.

Usage: instructions.py THRESHOLDS NAME=PROGRAM...

Each line of THRESHOLDS is `NAME/CASE MOST MEASURED TEXT`. PROGRAM is called with its cases and a number of crossings,
under callgrind; two runs with different numbers are subtracted, so that what comes before and after does not count. The
exit status is 1 when a number is above its bound in three counts.
"""

import re
import subprocess
import sys

# Runs of this many crossings and of twice as many are subtracted.
CROSSINGS = 20_000


def instructions(command):
    """The instructions of a whole run, all threads."""
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or collected is None:
        sys.exit(f"expected a count for: {' '.join(command)}; got status {result.returncode} and:\n{result.stderr}")
    return int(collected.group(1))


def each(program, case):
    few, many = (instructions([program, case, str(n)]) for n in (CROSSINGS, 2 * CROSSINGS))
    return (many - few) / CROSSINGS


def least(program, case, most):
    """The least of at most three counts, where the first are above `most`: what other threads do while they wait only adds."""
    count = each(program, case)
    for _ in range(2):
        if count > most:
            count = min(count, each(program, case))
    return count


def bounds(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                way, most, _ = line.split(maxsplit=2)
                name, case = way.split("/")
                yield name, case, int(most)


def main():
    programs = dict(argument.split("=", 1) for argument in sys.argv[2:])
    failed = 0
    for name, case, most in bounds(sys.argv[1]):
        if name not in programs:
            continue
        count = least(programs[name], case, most)
        print(f"{name + '/' + case:16} {count:9.1f} instructions, expected at most {most}")
        failed += count > most
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
