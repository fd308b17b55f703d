"""What may stand in no file, and how long a file may be.

Usage: words.py ROOT

Reads the text files that git tracks (or would track), comments included, and prints one line per finding; the exit status is
1 when there is one. The patterns are spelled so that they do not match themselves.
"""

import pathlib
import re
import subprocess
import sys

ANY = ""
# Which files, which words, and why not.
RULES = [
    (ANY, r"(?<![\w./-])/(?:work|root|home|opt|Users)/\w", "a path of somebody's machine"),
    (ANY, r"\b(?:TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b", "unfinished work belongs in an issue"),
    (r"\.md$", r"[\U0001F300-\U0001FAFF]", "no pictographs"),
    (r"\.swift$", r"swift-format-[i]gnore", "goes around a check"),
    (r"^Sources/.*\.swift$", r"\bfatal[E]rror\(", "a library does not end its host"),
    (r"^Tests/.*\.swift$", r"\.[d]isabled\(|\bXCT[S]kip\b", "a test that does not run"),
    (r"^Tests/.*\.swift$", r"\bTask\.[s]leep\(|\b(?:u|nano)?[s]leep\(", "time in tests is virtual"),
    (r"^rust/.*\.rs$", r"#\[[i]gnore", "a test that does not run"),
    (r"^rust/.*tests/.*\.(?:rs|c|h)$", r"\b(?:u|nano)?[s]leep\(", "time in tests is virtual"),
    (r"^rust/.*\.c$", r"#pragma\s+(?:clang|GCC)\s+[d]iagnostic", "goes around a check"),
]
# Past this a file wants to be two; tables of numbers and what a program wrote are no sources.
LONGEST = 600
SOURCE = re.compile(r"\.(?:swift|rs|c|py)$|^scripts/[^.]*$")


def files(root):
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]


def findings(root):
    for name in files(root):
        try:
            lines = (root / name).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        rules = [(re.compile(words), why) for where, words, why in RULES if re.search(where, name)]
        for number, line in enumerate(lines, 1):
            for words, why in rules:
                match = words.search(line)
                if match:
                    yield f"{name}:{number}: `{match.group()}`: {why}"
        if SOURCE.search(name) and len(lines) > LONGEST:
            yield f"{name}: expected {LONGEST} lines or fewer, got {len(lines)}"


def main():
    found = list(findings(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
