"""Checks that every engine of the C header has a row in the tables of engines of the boundary's tests.

Usage: engines.py ROOT

An engine is a NAME with a function `rustle_NAME_start` or `rustle_NAME_start_RECORDS` that takes a sink. Prints one line per
finding; the exit status is 1 when there is one.
"""

import pathlib
import re
import sys

HEADER = "rust/ffi/include/rustle.h"
RUST = "rust/ffi/tests/engines/table.rs"
SWIFT = "Tests/ConformanceTests/ConformingEngines.swift"


def of_header(text):
    text = re.sub(r"//[^\n]*", "", text)
    starts = re.findall(r"\brustle_([a-z][a-z0-9_]*?)_start(?:_\w+)?\(([^)]*)\)", text)
    return {name for name, parameters in starts if "RustleSink" in parameters}


def of_rust(root):
    table = re.search(r"ENGINES: &\[Engine\] = &\[(.*?)\];", (root / RUST).read_text(encoding="utf-8"), re.S)
    modules = set(re.findall(r"(\w+)::[A-Z]+\b", table.group(1))) if table else set()
    files = [root / RUST] + [(root / RUST).parent / f"{module}.rs" for module in modules]
    return {name for file in files for name in re.findall(r'\bname: "(\w+)"', file.read_text(encoding="utf-8"))}


def of_swift(text):
    table = re.search(r"let conformingEngines: .*?= \[(.*?)\]\n", text, re.S)
    return set(re.findall(r'name: "(\w+)"', table.group(1))) if table else set()


def main(root):
    header = of_header((root / HEADER).read_text(encoding="utf-8"))
    findings = [] if header else [f"{HEADER}: no engine was found"]
    for file, rows in ((RUST, of_rust(root)), (SWIFT, of_swift((root / SWIFT).read_text(encoding="utf-8")))):
        findings += [f"{file}: rustle_{name}_start of the header has no row" for name in sorted(header - rows)]
        findings += [f"{file}: the header has no rustle_{name}_start" for name in sorted(rows - header)]
    print("\n".join(findings))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main(pathlib.Path(sys.argv[1])))
