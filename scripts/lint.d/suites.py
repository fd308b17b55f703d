"""Checks that every test suite that can reach native code counts the native objects after each test, and that no Python test hides another.

Usage: suites.py ROOT

Looks at the files in Tests that import a module with native code behind it: each `@Suite` must carry the trait
`.releasesNativeObjects` and each `@Test` must stand in a suite. Prints one line per finding; the exit status is 1 when
there is one. ConsumerTests is a package of its own, which cannot see the trait.

In Python a function, method or class whose name is defined a second time in the same body takes the place of the first one, which then
never runs.
"""

import ast
import pathlib
import re
import subprocess
import sys

NATIVE = re.compile(r"^(?:@testable )?import (?:Rustle|RustleCore|RustleAudio|RustleLighting|RustleMarket|RustleTempo|RustleTesting|RustleWebSocket|RustleNATS|RustleCLI)$", re.M)


def findings(root):
    for path in sorted((root / "Tests").glob("*Tests/*.swift")):
        text = path.read_text(encoding="utf-8")
        if not NATIVE.search(text) or path.name == "Package.swift":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{path.relative_to(root)}:{number}"
            if re.match(r"\s*(@\w+ )*@Suite\b", line) and ".releasesNativeObjects" not in line:
                yield f"{where}: a suite that can reach native code needs the trait `.releasesNativeObjects`"
            if re.match(r"@Test\b", line):
                yield f"{where}: a test that can reach native code needs a suite around it"


def redefinitions(root):
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in names:
        if not (root / name).is_file():
            continue
        for node in ast.walk(ast.parse((root / name).read_text(encoding="utf-8"), name)):
            if not isinstance(node, ast.Module | ast.ClassDef):
                continue
            seen = set()
            for each in node.body:
                if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    continue
                # The setter of a property and an overload have the name of another one on purpose.
                if each.name in seen and not re.search(r"\.(setter|deleter)$|overload$", "\n".join(map(ast.unparse, each.decorator_list)), re.M):
                    yield f"{name}:{each.lineno}: {each.name} is defined a second time, so that the first one never runs"
                seen.add(each.name)


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*findings(root), *redefinitions(root)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
