"""Compiles the Swift examples of the pages (README.md, docs, the tutorials in Sources/*/*.docc) and of doc comments, and runs the
console blocks of README.md and of the tutorial in docs/lighting.md.

Usage: examples.py ROOT BUILD [FILE...]

BUILD is the package's debug build with the traits WebSocket and NATS, whose modules the examples import. A block in a page is a program by
itself, before which `import Foundation` and `import Rustle` stand unless it has imports; the blocks of a tutorial, in their order, are one
program. Two comments, alone in a line before a block, add to this:

    <!-- given: CODE -->         CODE stands before the block
    <!-- not compiled: WHY -->   the block is left out

A block in a doc comment of a Swift file is a program with imports of its module and of Rustle. What it uses without declaring is declared by
GIVEN. Blocks of declarations that are not public are left out.

The settings are those of Package.swift.

In a console block a line after `$ ` is run, with BUILD/rustle as `rustle`, on a terminal of 80 columns and 24 rows, in a folder with copies of
the files of docs/tutorial; the lines up to the next are the expected screen at its end, in which the durations and rates that VARYING names
may differ. A script of the package is not run: it has to be there, and to have no lines below it.

Prints one line for each error, and last how many programs compile or run and how many do not.
"""

import concurrent.futures
import fcntl
import importlib
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

strict_flags = importlib.import_module("compile-fail").strict_flags
BLOCK = re.compile(r"^(?:<!-- (given|not compiled): (.*?) -->\n+)?```swift\n(.*?)^```", re.M | re.S)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
# What a run of a command decides by the clock: the age of a price, and the updates of a second.
VARYING = re.compile(r" +\d+(?:\.\d)? m?s$|\b\d+(?=/s\b)", re.M)
# The pages whose console blocks are run beside those of the pages that are named, and the files that they use.
RUN, TUTORIAL = ("README.md", "docs/lighting.md"), "docs/tutorial"
# The C modules that ours import; those of other packages have module maps.
C_MODULES = ["Sources/CRustle/include", "Sources/CSndfile", "Sources/CCairo", "Sources/CZlib", "Sources/CNats"]
COMMENT = re.compile(r"^( *)/// ```swift\n(.*?)^ */// ```\n(?: *///[^\n]*\n| *@[^\n]*\n)* *", re.M | re.S)
# What the examples of doc comments use: their readers have it.
GIVEN = {
    "samples": "let samples: [Float] = []",
    "signal": "let signal: [Float] = []",
    "vowel": "let vowel: [Float] = []",
    "frame": "let frame: [Float] = []",
    "gains": "let gains = [Double](repeating: 0, count: 28)",
    "bytes": "let bytes: [UInt8] = []",
    "levels": "let levels: [Double] = []",
    "text": "let text = \"\"",
    "symbols": "let symbols: [String] = []",
    "table": "var table: [String: Double] = [:]",
    "format": "let format = try AudioFormat(sampleRate: 48_000, channels: 2)",
    "settings": "let settings = EqualizerSettings.flat",
    "output": "var values = [Float](repeating: 0, count: 513); var output = values.mutableSpan",
    "fft": "let fft = try FFT(size: 1024)",
    "stft": "let stft = try STFT(size: 1024)",
    "input": "let input = AudioFileInput(path: \"take1.flac\")",
    "capture": "let capture = try AudioCapture(DeviceConfiguration(format: AudioFormat(sampleRate: 48_000, channels: 1)))",
    "writer": "var writer = try AudioFileWriter(path: \"take2.flac\", format: AudioFormat(sampleRate: 48_000, channels: 2))",
    "meter": "let meter = try SoundLevelMeter(format: AudioFormat(sampleRate: 48_000, channels: 1))",
    "analyzer": "var analyzer = try WelchAnalyzer(size: 4096, sampleRate: 48_000)",
    "tuner": "let tuner = try Tuner(format: AudioFormat(sampleRate: 48_000, channels: 1))",
    "tuning": "var tuning = Tuning.standard",
    "note": "let note = Note.a4",
    "frames": "let frames: [PitchFrame] = []",
    "rig": "let rig = Data()",
    "recorded": "let recorded = Data()",
    "found": "let found: FixtureMap = { preconditionFailure() }()",
    "sender": "let sender: DMXSender = { preconditionFailure() }()",
    "controller": "let controller: LightingController = { preconditionFailure() }()",
    "camera": "let camera = AsyncStream<Data> { $0.finish() }",
    "show": "func show(_ reading: TuningReading, isHeld: Bool) {}",
    "microphone": "let microphone = AsyncStream<[Float]> { $0.finish() }",
    "ticker": "let ticker = try TickerController()",
    "feed": "let feed = try MarketFeed(.external(ExternalFeed()))",
    "points": "let points: [LineChart.Series.Sample] = []",
    "grid": "let grid = HeatGrid(columns: 1, rows: 1, x: 0...1, y: 0...1, values: [0])",
}


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


def comments(root, name):
    """The programs of a Swift file's doc comments, as those of a page."""
    text = (root / name).read_text(encoding="utf-8")
    for match in COMMENT.finditer(text):
        if not re.match(r"public |init|case ", text[match.end():]):
            continue
        block = re.sub(r"^ */// ?", "", match.group(2), flags=re.M)
        number = text.count("\n", 0, match.start(2))
        parts = pathlib.Path(name).parts
        modules = {"Rustle", "RustleAudioFiles", parts[parts.index("Sources") + 1]}
        imports = "import Foundation\n" + "".join(f"import {module}\n" for module in sorted(modules))
        uses = {word for word in re.findall(r"(?<![.\w])\w+(?!:)\b", block)}
        declares = set(re.findall(r"\b(?:let|var|func|for(?: try)?(?: await)?(?: case)?) \(?(\w+)", block))
        declares |= set(re.findall(r"\blet \(\w+, (\w+)\)", block))
        given = "\n".join(code for word, code in GIVEN.items() if word in uses - declares)
        # A program in a function, in which an example may declare a name anew, and borrow what it declares.
        head = f"{imports}func example() async throws {{\n{given}\ndo {{\n#sourceLocation(file: \"{name}\", line: {number + 1})\n"
        yield number + 1, f"{head}{block}}}\n}}\n"


def check(program, compiler):
    """The errors of a program; none when it compiles."""
    name, number, text = program
    # An example of a doc comment shows calls whose results it does not use.
    flags = ["-suppress-warnings"] if name.endswith(".swift") else ["-warnings-as-errors"]
    with tempfile.NamedTemporaryFile("w", suffix=".swift", encoding="utf-8") as source:
        source.write(text)
        source.flush()
        run = subprocess.run(compiler + flags + ["-emit-sil", "-o", "/dev/null", source.name], capture_output=True, text=True)
    if run.returncode == 0:
        return []
    return re.findall(r"^.*?: error: .*$", run.stderr, re.M) or [f"{name}:{number}: {run.stderr}"]


def commands(root, name):
    """The commands of a page's console blocks, as (page, line, command, expected screen)."""
    text = (root / name).read_text(encoding="utf-8")
    for block in CONSOLE.finditer(text):
        number = text.count("\n", 0, block.start(1)) + 1
        found = []
        for offset, line in enumerate(block.group(1).splitlines()):
            if line.startswith("$ "):
                found.append([name, number + offset, line[2:].partition(" #")[0].strip(), []])
            elif found:
                found[-1][3].append(line)
        yield from found


def screen(command, build, folder):
    """The lines on a terminal after a command in a folder: those before the last picture, and that picture."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    path = f"{build.resolve()}:{os.environ['PATH']}"
    environment = {"PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color", "NO_COLOR": "1"}
    # Its input is no terminal: no keys are offered.
    process = subprocess.Popen(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=environment, cwd=folder)
    os.close(terminal)
    written = b""
    while True:
        try:
            part = os.read(main, 65_536)
        except OSError:
            # Linux's way to report that the last writer is gone.
            break
        if not part:
            break
        written += part
    os.close(main)
    text = written.decode("utf-8").replace("\r\n", "\n")
    # A picture begins with synchronized output, and replaces the one before it.
    text = re.sub(r"\x1b\[\?2026h.*(?=\x1b\[\?2026h)", "", text, flags=re.S)
    lines = re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\r", "", text).splitlines()
    return lines if process.wait() == 0 else lines + [f"[status {process.returncode}]"]


def run(found, root, build):
    """The errors of a command; none when the screen is the expected one."""
    name, number, command, expected = found
    if command.startswith("scripts/"):
        is_there = os.access(root / command.split()[0], os.X_OK) and not expected
        return [] if is_there else [f"{name}:{number}: expected a script without lines below it, got {command}"]
    # A busy machine may end a run an update too late: another attempt follows.
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(root / TUTORIAL, folder, dirs_exist_ok=True)
            shown = screen(command, build, folder)
        if [VARYING.sub(" #", line) for line in shown] == [VARYING.sub(" #", line) for line in expected]:
            return []
    return [f"{name}:{number}: {command}: expected", *expected, "got", *shown]


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    patterns = ("docs/**/*.md", "Sources/*/*.docc/*.md", "Sources/*/**/*.swift")
    names = sys.argv[3:] or ["README.md", *sorted(str(path.relative_to(root)) for pattern in patterns for path in root.glob(pattern))]
    # The studio's package has modules of its own, which no other imports.
    names = [name for name in names if not name.startswith("Sources/Studio/")]
    compiler = ["swiftc", "-module-name", "Example", "-I", str(build / "Modules")]
    compiler += [word for folder in C_MODULES for word in ("-I", str(root / folder))]
    checkouts = build.resolve().parent.parent / "checkouts"
    for map_file in [*build.glob("C*.build/module.modulemap"), *checkouts.glob("*/Sources/*/include/module.modulemap")]:
        compiler += ["-Xcc", f"-fmodule-map-file={map_file}"]
    strict = strict_flags((root / "Package.swift").read_text(encoding="utf-8"))
    compiler += [flag for flag in strict if flag != "-warnings-as-errors"]
    each = [(name, number, text) for name in names
            for number, text in (comments if name.endswith(".swift") else programs)(root, name)]
    consoles = [found for name in names if name in RUN or name in sys.argv[3:]
                for found in commands(root, name)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = pool.map(lambda found: run(found, root, build), consoles)
        errors = [*pool.map(lambda program: check(program, compiler), each), *runs]
    bad = sum(bool(found) for found in errors)
    print("\n".join([line for found in errors for line in found] + [f"{len(errors) - bad} {bad}"]))
    return 1 if bad or not errors else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
