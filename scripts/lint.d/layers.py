"""Checks imports against the layers, and the places of restricted words.

Usage: layers.py ROOT [--count-unsafe]

Reads the files that git tracks (or would track) and prints one line per finding; the exit status is 1 when there is
one. With --count-unsafe it prints instead how many lines of each module say `unsafe`.
"""

import collections
import pathlib
import re
import subprocess
import sys

# Rust: which workspace crates a crate may depend on. The arrows of docs/architecture.md.
RUST_ARROWS = {
    "kit": set(),
    "alsa": set(),
    "zstd": set(),
    "udp": set(),
    "system": set(),
    "dsp": set(),
    "market": set(),
    "lighting": set(),
    "shows": {"lighting"},
    "mapping": {"lighting", "shows"},
    "tempo": set(),
    "provisioning": set(),
    "bluez": {"provisioning"},
    "engines": {"alsa", "bluez", "dsp", "lighting", "market", "provisioning", "shows", "system", "tempo", "udp", "zstd"},
    "ffi": {"alsa", "dsp", "lighting", "mapping", "market", "provisioning", "shows", "tempo", "engines"},
    "testkit": set(),
    "fuzz": {"bluez", "ffi", "lighting", "mapping", "provisioning", "shows", "tempo"},
    "bench": {"bluez", "dsp", "engines", "ffi", "lighting", "mapping", "market", "provisioning", "shows", "tempo", "testkit", "udp"},
}
# Swift: which modules of this package a module may import.
SWIFT_ARROWS = {
    "RustleCore": {"CRustle"},
    "RustleAudio": {"RustleCore"},
    "RustleMarket": {"RustleCore", "RustleFiles"},
    "RustleTempo": {"RustleCore"},
    "RustleAccount": {"RustleCore"},
    "RustleLighting": {"RustleCore", "RustleFiles", "RustleTempo"},
    "Rustle": {"RustleAudio", "RustleLighting", "RustleMarket", "RustleTempo"},
    "RustleTesting": {"RustleCore", "RustleMarket"},
    "RustleWebSocket": {"CZlib", "RustleFiles", "RustleMarket"},
    "RustleNATS": {"CNats", "RustleCore", "RustleFiles", "RustleMarket"},
    "RustleFiles": set(),
    "RustleAudioFiles": {"CSndfile", "RustleAudio", "RustleCore", "RustleFiles"},
    "RustlePlot": {"CCairo", "RustleFiles"},
    "RustleCLI": {"CLoaded", "CTerminal", "Rustle", "RustleAccount", "RustleAudio", "RustleLighting", "RustleMarket", "RustleTempo", "RustleCore", "RustleAudioFiles", "RustleFiles", "RustlePlot", "RustleNATS", "RustleWebSocket"},
    "RustleCommand": {"RustleCLI"},
    "RustleBench": {"RustleCore", "RustleMarket", "RustleAudio"},
    "RustleCrossings": {"RustleCore", "RustleMarket"},
    # The studio's package.
    "StudioCore": set(),
    "RustleAccounts": {"CSodium"},
    "RustleStudio": {"CWeb", "Rustle", "RustleAudio", "RustleAudioFiles", "RustleAccounts", "RustleLighting", "RustleMarket", "StudioCore"},
    "StudioCommand": {"RustleAccounts", "RustleLighting", "RustleMarket", "RustleStudio", "StudioCore"},
}
OUR_MODULES = set(SWIFT_ARROWS) | {"CRustle", "CNats", "CSndfile", "CCairo", "CLoaded", "CSodium", "CTerminal", "CWeb", "CZlib"}

# Where the word `unsafe` may stand.
UNSAFE_RUST = re.compile(r"rust/(alsa/src|zstd/src|udp/src|system/src|ffi|kit|testkit|bench|fuzz|lighting/fuzz|shows/fuzz|mapping/fuzz|tempo/fuzz|bluez/fuzz)/|rust/dsp/src/(fft|equalizer)/kernels/")
UNSAFE_SWIFT = re.compile(
    r"Sources/RustleCore/|Sources/RustleAudioFiles/(SoundFile|SoundFileEncoder|FilePart|Coded/ProgramChannel)\.swift$"
    r"|Sources/RustlePlot/Canvas\.swift$|Sources/RustleLighting/Nodes/DatagramSocket\.swift$|Sources/RustleFiles/(FileReplacement|FileStatus|AvailableBytes|OpenFiles)\.swift$"
    r"|Sources/RustleWebSocket/Inflater\.swift$|Sources/RustleNATS/NATSLibrary\.swift$|Sources/Studio/Sources/(RustleStudio/(DeviceExecutor|StudioServer|WebFiles)|RustleAccounts/Sodium)\.swift$")

# Ways around the compiler's checks, spelled in two parts so that this file does not hold them.
FORBIDDEN = {
    ".swift": ["@unchecked " + "Sendable", "nonisolated" + "(unsafe)", "@pre" + "concurrency", "unsafe" + "BitCast",
               "@_silgen" + "_name", "unsafe" + "Flags", "try" + "!"],
    ".rs": ["#[al" + "low(", "#![al" + "low("],
}

# A mutex that ThreadSanitizer does not see, in what is tested under it.
UNSEEN = re.compile(r"\bMutex[(<]")
SEEN = re.compile(r"Sources/RustleCore/SeenMutex\.swift$|Sources/Studio/")

IMPORT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)", re.M)


def files(root):
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (root / name).is_file()]


def without_comments(text):
    """The text with comments blanked, line numbers kept; string literals are left as they are."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def swift_module(name):
    parts = name.removeprefix("Sources/Studio/").split("/")
    return parts[1] if parts[0] == "Sources" and len(parts) > 2 else None


def findings(root):
    for name in files(root):
        path = root / name
        if name.endswith((".swift", ".rs")):
            code = without_comments(path.read_text(encoding="utf-8"))
            yield from word_findings(name, code)
            if name.endswith(".swift"):
                yield from import_findings(name, code)
        if re.fullmatch(r"rust/\w+/Cargo\.toml", name):
            yield from crate_findings(name, path.read_text(encoding="utf-8"))


def word_findings(name, code):
    allowed = (UNSAFE_RUST if name.endswith(".rs") else UNSAFE_SWIFT).search(name)
    forbidden = [word for word in FORBIDDEN[pathlib.Path(name).suffix] if word in code]
    for number, line in enumerate(code.splitlines(), 1):
        if re.search(r"\bunsafe\b", line) and not allowed and "forbid(unsafe_code)" not in line:
            yield f"{name}:{number}: `unsafe` may not stand in this file"
        for word in forbidden:
            if word in line:
                yield f"{name}:{number}: `{word}` goes around a check"
        if UNSEEN.search(line) and name.endswith(".swift") and not SEEN.match(name):
            yield f"{name}:{number}: ThreadSanitizer does not see `Mutex`: use `SeenMutex` of RustleCore"


def import_findings(name, code):
    module = swift_module(name)
    if module is not None and module not in SWIFT_ARROWS:
        yield f"{name}: {module} has no line in the arrows of scripts/lint.d/layers.py"
    for match in IMPORT.finditer(code):
        imported = match.group(1)
        if imported not in OUR_MODULES:
            continue
        number = code.count("\n", 0, match.start(1)) + 1
        if imported == "CRustle" and module != "RustleCore":
            yield f"{name}:{number}: only RustleCore may import CRustle"
        elif module is not None and imported not in SWIFT_ARROWS.get(module, set()):
            yield f"{name}:{number}: {module} may not import {imported}"


def crate_findings(name, text):
    crate = name.split("/")[1]
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0]
        if line.startswith("["):
            section = line.strip("[] ")
        # [dependencies], [dependencies.rustle-…], those of a target and of a build script; not [dev-dependencies].
        if not re.search(r"(?:^|\.)(?:build-)?dependencies(?:\.|$)", section):
            continue
        for dependency in re.findall(r"rustle-(\w+)", line):
            if dependency not in RUST_ARROWS.get(crate, set()):
                yield f"{name}:{number}: {crate} may not depend on {dependency}"


def unsafe_counts(root):
    counts = collections.Counter()
    for name in files(root):
        if not name.endswith((".swift", ".rs")):
            continue
        code = without_comments((root / name).read_text(encoding="utf-8"))
        lines = sum(bool(re.search(r"\bunsafe\b", line)) for line in code.splitlines())
        if lines:
            counts["/".join(name.split("/")[:2])] += lines
    return counts


def main():
    root = pathlib.Path(sys.argv[1])
    if "--count-unsafe" in sys.argv:
        counts = ", ".join(f"{module} {count}" for module, count in sorted(unsafe_counts(root).items()))
        print(f"lines with `unsafe`: {counts}")
        return 0
    found = list(findings(root))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
