"""Checks that every test suite that can reach native code counts the native objects after each test.

Usage: suites.py ROOT

Looks at the files in Tests that import a module with native code behind it: each `@Suite` must carry the trait
`.releasesNativeObjects` and each `@Test` must stand in a suite. Prints one line per finding; the exit status is 1 when
there is one. ConsumerTests is a package of its own, which cannot see the trait.
"""

import pathlib
import re
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


def main():
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
