"""Checks that the pages' links, paths, and names of code and tests exist.

Usage: pages.py ROOT

Reads the Markdown files that git tracks (or would track). A relative link must lead to a file, and to a heading of it. What
stands between backquotes must exist: a path as a file or folder, a dotted or `::` name by each of its parts somewhere in the
sources. A quotation after the name of a suite must be the beginning of a test's title. The README and the prose of all pages have a
length that they keep. Prints one line per finding; the exit status is 1 when there is one.
"""

import pathlib
import re
import subprocess
import sys

SOURCES = {".swift", ".rs", ".c", ".h", ".py", ".toml", ".sh", ".json", ".txt", ".modulemap", ""}
# Top-level folders: a word in backquotes that begins with one of them is a path.
FOLDERS = ("rust/", "Sources/", "Tests/", "scripts/", "docs/", ".ci/")
# Made by a build, and not in git.
BUILT = ("rust/dist", "rust/target", "rust/.cargo", "Sources/CRustle/generated")
# What a reader is to put a name in place of.
PLACEHOLDER = re.compile(r"NAME|Name\b|VERSION|<\w+>|…|\*")
# A name of code has in it a `::`, a dot, an underscore, or a capital after a small letter.
CODE_NAME = re.compile(r"[A-Za-z]\w*(?:(?:\.|::)[A-Za-z_]\w*)*(?:\(\))?")
LOOKS_LIKE_CODE = re.compile(r"::|\w\.[a-z]\w|[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z0-9]_[A-Z]")
# What is measured or generated is no prose, and neither is a table of terms.
README_LINES, PROSE_WORDS = 200, 12_000
PROSE = re.compile(r"README\.md|docs/(?!cli\.md|glossary\.md)[^/]*\.md|docs/decisions/[^/]*\.md")
FILE_NAME = re.compile(r".*\.(?:md|h|c|rs|swift|toml|py|sh|txt|json|a)")


def files(root):
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (root / name).is_file()]


def without_code_blocks(text):
    """The text with fenced blocks blanked, line numbers kept."""
    return re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.M | re.S)


def anchors(text):
    """The headings as links name them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", without_code_blocks(text), re.M):
        plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def link_findings(root, name, text):
    for match in re.finditer(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = match.group(1).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        number = text.count("\n", 0, match.start()) + 1
        path = (root / name).parent / target if target else root / name
        if not path.exists():
            yield f"{name}:{number}: {target} is not there"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
            yield f"{name}:{number}: {target or name} has no heading #{anchor}"


def name_findings(root, name, text, words):
    for match in re.finditer(r"`([^`\n]+)`", text):
        quoted = match.group(1)
        number = text.count("\n", 0, match.start()) + 1
        if PLACEHOLDER.search(quoted):
            continue
        if quoted.startswith(FOLDERS):
            path = re.split(r"[ :]", quoted)[0]
            if not path.startswith(BUILT) and not any(root.glob(path.rstrip("/"))):
                yield f"{name}:{number}: {path} is not there"
        elif CODE_NAME.fullmatch(quoted) and LOOKS_LIKE_CODE.search(quoted) and not FILE_NAME.fullmatch(quoted):
            missing = [part for part in re.findall(r"\w+", quoted) if part not in words]
            if missing:
                yield f"{name}:{number}: nothing in the sources is called {missing[0]} ({quoted})"


def title_findings(name, text, titles):
    for match in re.finditer(r"`(\w+Tests)`\s+\"([^\"\n]+)\"", text):
        suite, title = match.group(1), match.group(2).rstrip("…. ")
        number = text.count("\n", 0, match.start()) + 1
        if not any(each.startswith(title) for each in titles.get(suite, ())):
            yield f"{name}:{number}: {suite} has no test whose title begins with: {title}"


def length_findings(root, names):
    lines = len((root / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > README_LINES:
        yield f"README.md: expected {README_LINES} lines or fewer, got {lines}"
    texts = ((root / name).read_text(encoding="utf-8") for name in names if PROSE.fullmatch(name))
    # The bars of tables and the marks of lists are no words.
    got = sum(bool(re.search(r"\w", word)) for text in texts for word in text.split())
    if got > PROSE_WORDS:
        yield f"README.md and docs: expected {PROSE_WORDS} words or fewer, got {got}"


def main():
    root = pathlib.Path(sys.argv[1])
    words, titles = set(), {}
    names = files(root)
    for name in names:
        path = root / name
        if path.suffix in SOURCES and "Tests/Vectors/" not in name:
            text = path.read_text(encoding="utf-8", errors="replace")
            words |= set(re.findall(r"\w+", text)) | set(re.findall(r"\w+", path.stem))
            titles.setdefault(path.stem, []).extend(re.findall(r"@Test\(\s*\"([^\"]*)\"", text))
    found = []
    for name in names:
        if name.endswith(".md"):
            text = without_code_blocks((root / name).read_text(encoding="utf-8"))
            found += link_findings(root, name, text)
            found += name_findings(root, name, text, words)
            found += title_findings(name, text, titles)
    found += length_findings(root, names)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
