"""Compares the status numbers of the C header with the switch that turns them into Swift cases.

Usage: statuses.py ROOT

Every status of the header must stand in the switch of Sources/RustleCore/NativeStatus.swift and the other way round, each
once, each with its own number.
"""

import pathlib
import re
import sys



def main():
    root = pathlib.Path(sys.argv[1])
    header = (root / "rust/ffi/include/rustle.h").read_text(encoding="utf-8")
    source = (root / "rust/ffi/src/status.rs").read_text(encoding="utf-8")
    switch = (root / "Sources/RustleCore/NativeStatus.swift").read_text(encoding="utf-8")
    declared = set(re.findall(r"pub const (RUSTLE_\w+): RustleStatus", source)) - {"RUSTLE_OK"}
    numbers = {name: int(number) for name, number in re.findall(r"#define (RUSTLE_\w+) (\d+)\n", header)}
    handled = re.findall(r"case (RUSTLE_\w+):", switch)
    found = [f"{name}: a status of status.rs that the header does not have" for name in declared - set(numbers)]
    found += [f"{name}: in the header, not in NativeStatus.swift" for name in declared - set(handled)]
    found += [f"{name}: in NativeStatus.swift, not a status of the header" for name in set(handled) - declared]
    found += [f"{name}: twice in NativeStatus.swift" for name in set(handled) if handled.count(name) > 1]
    values = [numbers[name] for name in declared if name in numbers]
    found += [f"{value}: the number of two statuses" for value in set(values) if values.count(value) > 1]
    print("\n".join(sorted(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
