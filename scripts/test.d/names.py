"""The names that scripts/test accepts: the modules with tests, and their tests.

Usage: names.py ROOT [FILTER...]

Prints one line for each crate or Swift module with tests, `LANGUAGE MODULE`. With filters it prints what they name instead, and
fails for one that names nothing. A module is named by its whole name, with or without `rustle` before it or `Tests` after it, in any
case: `market` is the crate rustle-market and the module RustleMarketTests. Any other word is a part of the names of tests or suites.

    rust PACKAGE                       all tests of a crate
    rust PACKAGE TARGET NAME           a test; TARGET is `lib`, or a file or folder of its `tests`, after `faults:` where the test is there
                                       with that feature alone
    swift MODULE                       all tests of a module
    swift MODULE NAME                  a test, or a suite
"""

import pathlib
import re
import sys
import tomllib

FAULTS_MODULE = re.compile(r'#\[cfg\(feature = "faults"\)\]\nmod (\w+);')
RUST_TEST = re.compile(r"^[ \t]*#\[test\]\n", re.M)
RUST_FUNCTION = re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?fn (\w+)")
SWIFT_TEST = re.compile(r"@Test\b")
SWIFT_FUNCTION = re.compile(r"\s*(?:@\w+\s+)*(?:\w+\s+)*?func\s+(\w+)")
STRING = re.compile(r'"""[\s\S]*?"""|#+"[\s\S]*?"#+|"(?:\\.|[^"\\\n])*"|//[^\n]*')
SWIFT_SUITE = re.compile(r"@Suite\b.*?\b(?:struct|class|actor|enum)\s+(\w+)", re.S)


def with_faults(manifest):
    """The targets, and the files of targets, that are there with the feature `faults` alone."""
    targets = tomllib.loads(manifest.read_text(encoding="utf-8")).get("test", [])
    names = {target["name"] for target in targets if "faults" in target.get("required-features", [])}
    files = {path.parent / f"{module}.rs" for path in manifest.parent.glob("tests/**/*.rs")
             for module in FAULTS_MODULE.findall(path.read_text(encoding="utf-8"))}
    return names, files


def after_brackets(text, start):
    """The place after the bracket that closes the one at `start`; brackets in strings and comments do not count."""
    depth, place = 0, start
    while place < len(text):
        if skipped := STRING.match(text, place):
            place = skipped.end()
            continue
        depth += (text[place] in "([") - (text[place] in ")]")
        place += 1
        if depth == 0:
            break
    return place


def rust_names(text):
    for test in RUST_TEST.finditer(text):
        place = test.end()
        while attribute := re.compile(r"\s*#(?=\[)").match(text, place):
            place = after_brackets(text, attribute.end())
        if function := RUST_FUNCTION.match(text, place):
            yield function[1]


def swift_names(text):
    for test in SWIFT_TEST.finditer(text):
        arguments = re.compile(r"\s*(?=\()").match(text, test.end())
        place = after_brackets(text, arguments.end()) if arguments else test.end()
        if function := SWIFT_FUNCTION.match(text, place):
            yield function[1]


def rust_tests(root):
    for manifest in sorted(root.glob("rust/*/Cargo.toml")):
        crate = manifest.parent
        fault_targets, fault_files = with_faults(manifest)
        for path in sorted(crate.rglob("*.rs")):
            place = path.relative_to(crate).parts
            target = {"src": "lib", "tests": pathlib.Path(place[1]).stem}.get(place[0]) if len(place) > 1 else None
            if target in fault_targets or path in fault_files:
                target = f"faults:{target}"
            for name in rust_names(path.read_text(encoding="utf-8")) if target else []:
                yield f"rustle-{crate.name}", target, name


def swift_tests(root):
    for path in sorted(root.glob("Tests/*Tests/**/*.swift")):
        module = path.relative_to(root / "Tests").parts[0]
        if module == "ConsumerTests":
            continue
        text = path.read_text(encoding="utf-8")
        for name in [*SWIFT_SUITE.findall(text), *swift_names(text)]:
            yield module, name


def short(name):
    return re.sub(r"^rustle-?|tests$", "", name.lower())


def named(rust, swift, word):
    modules = [("rust", package) for package in sorted({test[0] for test in rust})]
    modules += [("swift", module) for module in sorted({test[0] for test in swift})]
    found = [module for module in modules if word.lower() in (module[1].lower(), short(module[1])) or
             module[0] == "swift" and word.lower() == module[1].lower().removesuffix("tests")]
    if not found:
        found = [("rust", *test) for test in rust if word in test[2]]
        found += [("swift", *test) for test in swift if word in test[1]]
    return found


def main():
    root, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    rust, swift = list(rust_tests(root)), list(swift_tests(root))
    if not words:
        print("\n".join([f"rust {package}" for package in sorted({test[0] for test in rust})] +
                        [f"swift {module}" for module in sorted({test[0] for test in swift})]))
        return 0
    for word in words:
        found = named(rust, swift, word)
        if not found:
            print(f"expected a step, a module or a part of a test's name, got {word}: see scripts/test --list", file=sys.stderr)
            return 1
        print("\n".join(" ".join(parts) for parts in found))
    return 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
