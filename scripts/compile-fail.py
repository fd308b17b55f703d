"""Compiles each snippet of Tests/CompileFailTests and compares the compiler's result with the snippet's first line.

Usage: compile-fail.py ROOT BUILD [SNIPPET...]

BUILD is the package's debug build, whose modules the snippets import. A first line reads `// PLACE: RESULT`. The place is
`outside`, an importer of the products, or `inside`, another module of the package, which sees its `package` API. The result
is `compiles`, or a text that the first error must have in it. Prints one line per snippet that does something else, and
last how many did as they say and how many did not. The settings are those of Package.swift.

Without SNIPPET, also compiles every public top-level type of the products, except RustleWebSocket and RustleNATS, beside a module with the names of
Tests/CompileFailTests/apple-names.txt: none may be ambiguous, and one of ours that is added to them has to be.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = {
    r"\.swiftLanguageMode\(\.v6\)": ["-swift-version", "6"],
    r"\.strictMemorySafety\(\)": ["-strict-memory-safety"],
    r"\.treatAllWarnings\(as: \.error\)": ["-warnings-as-errors"],
    r"\.enableUpcomingFeature\(\"(\w+)\"\)": ["-enable-upcoming-feature", r"\1"],
}


def strict_flags(manifest):
    """The compiler's flags for the list `strict` of Package.swift."""
    settings = re.search(r"^let strict[^\[]*\[SwiftSetting\] = \[\n(.*?)^\]", manifest, re.M | re.S)
    flags = []
    for line in settings.group(1).splitlines():
        setting = line.strip().rstrip(",")
        for pattern, words in FLAGS.items():
            if match := re.fullmatch(pattern, setting):
                flags += [match.expand(word) for word in words]
                break
        else:
            sys.exit(f"no flag is known for the setting {setting}")
    return flags


def package_name(build):
    """The name under which the package's modules were compiled: it follows the folder's."""
    root_module = re.search(r'"-module-name","RustleCore".*?"-package-name","([^"]+)"',
                            build.with_suffix(".yaml").read_text(encoding="utf-8"))
    return root_module.group(1)


def check(path, compiler):
    """The snippet's problem, or None."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    match = re.fullmatch(r"// (inside|outside): (.+)", first)
    if match is None:
        return f"{path.name}:1: expected `// inside: RESULT` or `// outside: RESULT`, got {first!r}"
    place, expected = match.groups()
    # To the intermediate language, and no further: that is where uses after a consume are found.
    run = subprocess.run(compiler[place] + ["-emit-sil", "-o", "/dev/null", str(path)], capture_output=True, text=True)
    errors = re.findall(r"^.*?: error: (.*)$", run.stderr, re.M)
    if expected == "compiles":
        return None if run.returncode == 0 else f"{path.name}: expected to compile, got: {errors or run.stderr}"
    if run.returncode == 0:
        return f"{path.name}: expected an error with {expected!r}, got none"
    if not errors or expected not in errors[0]:
        return f"{path.name}: expected an error with {expected!r}, got: {errors or run.stderr}"
    return None


# What a program imports, and the folders that declare its types.
PRODUCTS = ["Rustle", "RustleAudioFiles", "RustlePlot", "RustleTempo", "RustleTesting"]
SOURCES = ["RustleAudio", "RustleAudioFiles", "RustleCore", "RustleLighting", "RustleMarket", "RustlePlot", "RustleTempo", "RustleTesting"]
PUBLIC_TYPE = re.compile(
    r"^(?:@\w+ )*public (?:nonisolated |final |indirect )*(?:struct|class|enum|actor|protocol|typealias) (\w+)", re.M)


def public_types(root):
    """The names of the public types at the top level of the products' sources."""
    files = (path for folder in SOURCES for path in (root / "Sources" / folder).rglob("*.swift"))
    return sorted({name for path in files for name in PUBLIC_TYPE.findall(path.read_text(encoding="utf-8"))})


def ambiguous(root, compiler, also=()):
    """Which public types are ambiguous beside the names of Apple's frameworks and those of `also`."""
    names = public_types(root)
    with tempfile.TemporaryDirectory() as folder:
        apple, program = pathlib.Path(folder, "AppleNames.swift"), pathlib.Path(folder, "Program.swift")
        listed = (root / "Tests/CompileFailTests/apple-names.txt").read_text(encoding="utf-8").splitlines()
        theirs = [name for name in listed if name and not name.startswith("#")]
        apple.write_text("".join(f"public enum {name} {{}}\n" for name in theirs + list(also)), encoding="utf-8")
        imports = [f"import {module}\n" for module in PRODUCTS + ["AppleNames"]]
        program.write_text("".join(imports + [f"typealias Our{name} = {name}\n" for name in names]), encoding="utf-8")
        subprocess.run(["swiftc", "-parse-as-library", "-emit-module", "-module-name", "AppleNames", "-o",
                        str(pathlib.Path(folder, "AppleNames.swiftmodule")), str(apple)], check=True)
        run = subprocess.run(compiler + ["-I", folder, "-typecheck", str(program)], capture_output=True, text=True)
    found = sorted(set(re.findall(r"error: '(\w+)' is ambiguous for type lookup", run.stderr)))
    return found if found or run.returncode == 0 else [run.stderr]


def collisions(root, compiler):
    """What is wrong with the public names; None when nothing is."""
    if found := ambiguous(root, compiler):
        return f"expected names that Apple's frameworks do not declare, got {', '.join(found)}"
    name = public_types(root)[0]
    if (found := ambiguous(root, compiler, [name])) != [name]:
        return f"expected {name} to be ambiguous where it is declared twice, got {found}"
    return None


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    base = ["swiftc", "-parse-as-library", "-module-name", "Snippet", "-I", str(build / "Modules"),
            "-I", str(root / "Sources/CRustle/include")]
    # The modules of files and pictures name the libraries that they use.
    flags = subprocess.run(["pkg-config", "--cflags", "cairo", "sndfile"], capture_output=True, text=True, check=True)
    base += ["-I", str(root / "Sources/CCairo"), "-I", str(root / "Sources/CSndfile")]
    base += [word for flag in flags.stdout.split() for word in ("-Xcc", flag)]
    base += strict_flags((root / "Package.swift").read_text(encoding="utf-8"))
    compiler = {"outside": base, "inside": base + ["-package-name", package_name(build)]}
    checks = [lambda path=name: check(pathlib.Path(path), compiler) for name in sys.argv[3:]]
    if not checks:
        snippets = sorted((root / "Tests/CompileFailTests").glob("*.swift"))
        checks = [lambda path=path: check(path, compiler) for path in snippets]
        checks.append(lambda: collisions(root, base))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [problem for problem in pool.map(lambda run: run(), checks) if problem]
    # If everything were refused, for a wrong flag or a missing module, the snippets that compile would fail; both places need
    # one.
    print("\n".join(problems + [f"{len(checks) - len(problems)} {len(problems)}"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
