"""Compiles the Swift examples of the pages: README.md, docs and the tutorials in Sources/*/*.docc.

Usage: examples.py ROOT BUILD [PAGE...]

BUILD is the package's debug build with the trait WebSocket, whose modules the examples import. A block in a page is a program by
itself, before which `import Foundation` and `import Rustle` stand unless it has imports; the blocks of a tutorial, in their order, are one
program. Two comments, alone in a line before a block, add to this:

    <!-- given: CODE -->         CODE stands before the block
    <!-- not compiled: WHY -->   the block is left out

The settings are those of Package.swift. Prints one line for each error, and last how many programs compile and how many do not.
"""

import concurrent.futures
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

strict_flags = importlib.import_module("compile-fail").strict_flags
BLOCK = re.compile(r"^(?:<!-- (given|not compiled): (.*?) -->\n+)?```swift\n(.*?)^```", re.M | re.S)
# The C modules that ours import; those of other packages have module maps.
C_MODULES = ["Sources/CRustle/include", "Sources/CSndfile"]


def programs(root, name):
    """The programs of a page, as (line, text): a text keeps the line numbers of its page."""
    text = (root / name).read_text(encoding="utf-8")
    tutorial = ".docc/" in name
    whole, first = [""] * (text.count("\n") + 1), None
    for match in BLOCK.finditer(text):
        word, code, block = match.groups()
        if word == "not compiled":
            continue
        number = text.count("\n", 0, match.start(3))
        if tutorial:
            first = first or number + 1
            whole[number:number + block.count("\n")] = block.splitlines()
        else:
            imports = "" if re.search(r"^import ", block, re.M) else "import Foundation; import Rustle; "
            head = f"#sourceLocation(file: \"{name}\", line: {number})\n{imports}{code or ''}\n"
            yield number + 1, head + block
    if first:
        yield first, f"#sourceLocation(file: \"{name}\", line: 1)\n" + "\n".join(whole) + "\n"


def check(program, compiler):
    """The errors of a program; none when it compiles."""
    name, number, text = program
    with tempfile.NamedTemporaryFile("w", suffix=".swift", encoding="utf-8") as source:
        source.write(text)
        source.flush()
        run = subprocess.run(compiler + ["-emit-sil", "-o", "/dev/null", source.name], capture_output=True, text=True)
    if run.returncode == 0:
        return []
    return re.findall(r"^.*?: error: .*$", run.stderr, re.M) or [f"{name}:{number}: {run.stderr}"]


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    names = sys.argv[3:] or ["README.md", *sorted(str(path.relative_to(root)) for pattern in ("docs/**/*.md", "Sources/*/*.docc/*.md")
                                                 for path in root.glob(pattern))]
    compiler = ["swiftc", "-module-name", "Example", "-I", str(build / "Modules")]
    compiler += [word for folder in C_MODULES for word in ("-I", str(root / folder))]
    checkouts = build.resolve().parent.parent / "checkouts"
    for map_file in [*build.glob("C*.build/module.modulemap"), *checkouts.glob("*/Sources/*/include/module.modulemap")]:
        compiler += ["-Xcc", f"-fmodule-map-file={map_file}"]
    compiler += strict_flags((root / "Package.swift").read_text(encoding="utf-8"))
    each = [(name, number, text) for name in names for number, text in programs(root, name)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        errors = list(pool.map(lambda program: check(program, compiler), each))
    bad = sum(bool(found) for found in errors)
    print("\n".join([line for found in errors for line in found] + [f"{len(each) - bad} {bad}"]))
    return 1 if bad or not each else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
