"""Checks that nothing of Ableton's Link is in the package: docs/tempo.md says how rust/tempo came about without it.

Usage: licences.py ROOT

No dependency is called after Link, no file bears its vendor's copyright notice, and the archives that were built have no symbol of its
namespace. Prints one line per finding; the exit status is 1 when there is one.
"""

import mmap
import pathlib
import re
import subprocess
import sys

# In two parts, so that this file does not bear it.
NOTICE = re.compile(rb"copyright[^\n]*able" + rb"ton", re.I)
# A name of the namespace in a mangled symbol follows its length.
SYMBOL = re.compile(rb"[0-9]able" + rb"ton")
ARCHIVES = ["rust/dist*/*/*/librustle.a", "rust/target/*/librustle.a"]
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
SWIFT_DEPENDENCY = re.compile(r"\.(?:package|product|systemLibrary|linkedLibrary|linkedFramework)\(([^)]*)\)")


def is_named_after_link(name):
    words = [word.lower() for word in WORD.findall(name)]
    return "link" in words or "able" + "ton" in words


def cargo_dependencies(text):
    """The names in the tables of dependencies, each with its line, and those of the packages behind them."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0]
        if line.startswith("["):
            section = line.strip("[] ")
            table = re.search(r"dependencies\.(.+)$", section)
            if table:
                yield number, table.group(1)
        elif re.search(r"dependencies(?:\.|$)", section):
            key = re.match(r"\s*([\w-]+)", line)
            is_table = re.search(r"dependencies\.", section)
            names = [key.group(1)] if key and not is_table else []
            for name in names + re.findall(r"(?:package|git)\s*=\s*\"([^\"]*)\"", line):
                yield number, name


def dependencies(name, text):
    if name.endswith("Cargo.toml"):
        yield from cargo_dependencies(text)
    elif name.endswith("Package.swift"):
        for call in SWIFT_DEPENDENCY.finditer(text):
            number = text.count("\n", 0, call.start()) + 1
            for quoted in re.findall(r"\"([^\"]*)\"", call.group(1)):
                yield number, quoted


def findings(root):
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                           cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in names:
        path = root / name
        if not path.is_file():
            continue
        content = path.read_bytes()
        notice = NOTICE.search(content)
        if notice:
            number = content.count(b"\n", 0, notice.start()) + 1
            yield f"{name}:{number}: the copyright notice of Link's vendor"
        if name.endswith(("Cargo.toml", "Package.swift")):
            for number, dependency in dependencies(name, content.decode()):
                if is_named_after_link(dependency):
                    yield f"{name}:{number}: a dependency that is named after Link: {dependency}"
    for archive in sorted(found for pattern in ARCHIVES for found in root.glob(pattern)):
        with archive.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if SYMBOL.search(content):
                yield f"{archive.relative_to(root)}: a symbol of the namespace of Link's vendor"


def main():
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
