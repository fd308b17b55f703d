"""Measures whole commands on sound files beside SoX.

    python3 files.py PROGRAM FOLDER [--seconds N] [--visits N] [--live-seconds N] [--live-visits N]

Both read and write the same kinds of file: 48 kHz stereo of N seconds. The start of both is measured too, by `--version`, and the
processor time of playing and recording in real time, by the device demo, for which SoX has no counterpart. A figure is the processor time of the process, user and
system, in its fastest visit; the commands are visited in shuffled order. SoX runs without dither, as PROGRAM does.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys

CENTRES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3072, 4096, 5120, 10240, 16384]
GAINS = [1, -1, 6, 6, 3, 1, -1, 1, -1, 1, -1, -2, -2, 1]
ENCODINGS = {"s16": ["-e", "signed", "-b", "16"], "s24": ["-e", "signed", "-b", "24"], "s32": ["-e", "signed", "-b", "32"],
             "f32": ["-e", "float", "-b", "32"]}
# The extensions of the file read and of the one written, and the encoding of both.
KINDS = [("wav", "wav", "s16"), ("wav", "wav", "s24"), ("wav", "wav", "s32"), ("wav", "wav", "f32"), ("aiff", "wav", "s24"),
         ("flac", "flac", "s16"), ("flac", "flac", "s24")]


def make(folder, seconds):
    source = folder / "f32.wav"
    subprocess.run(["sox", "-R", "-n", "-r", "48000", "-c", "2", *ENCODINGS["f32"], source, "synth", str(seconds), "pinknoise",
                    "gain", "-n", "-12"], check=True)
    for extension, encoding in {(kind[0], kind[2]) for kind in KINDS} - {("wav", "f32")}:
        form = ENCODINGS[encoding][2:] if extension == "flac" else ENCODINGS[encoding]
        subprocess.run(["sox", "-D", source, *form, folder / f"{encoding}.{extension}"], check=True)


def commands(program, folder):
    """The rows: their names, and for each our command and SoX's."""
    gains = ["--gains", ",".join(map(str, GAINS))]
    bands = [word for centre, gain in zip(CENTRES, GAINS) for word in ["equalizer", str(centre), "1o", str(gain)]]
    for ours, theirs, work in [([], [], "conversion"), (gains, bands, "28 biquads")]:
        for read, written, encoding in KINDS:
            file, out = folder / f"{encoding}.{read}", folder / f"out.{written}"
            # The level of FLAC that PROGRAM writes; SoX's own default is 8.
            level = ["-C", "5"] if written == "flac" else []
            yield (f"{work}, {read.upper()} to {written.upper()}, {encoding}",
                   [program, "eq", file, out, *ours, "--encoding", encoding, "--overwrite", "--quiet"],
                   ["sox", "-D", file, *level, out, *theirs])


def live_commands(program, folder, seconds):
    device = ["--demo", "--duration", str(seconds), "--quiet"]
    yield "play, WAV s16", [program, "play", folder / "s16.wav", *device]
    yield "record, WAV s24", [program, "record", folder / "out.wav", *device, "--overwrite"]
    yield "record, FLAC s24", [program, "record", folder / "out.flac", *device, "--overwrite"]


def processor_time(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"files.py: failed: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--visits", type=int, default=9)
    parser.add_argument("--live-seconds", type=int, default=10)
    parser.add_argument("--live-visits", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    make(options.folder, options.seconds)
    rows = [("start alone (--version)", [options.program, "--version"], ["sox", "--version"]),
            *commands(options.program, options.folder)]
    best = {}
    for _ in range(options.visits):
        jobs = [(row, side) for row in range(len(rows)) for side in (1, 2)]
        for job in random.sample(jobs, len(jobs)):
            best[job] = min(best.get(job, float("inf")), processor_time(rows[job[0]][job[1]]))
    version = subprocess.run(["sox", "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    print(f"### {options.seconds} s of 48 kHz stereo from file to file, beside SoX {version}\n")
    print("| command | **rustle eq**, CPU s | SoX, CPU s | SoX / rustle |\n|---|---:|---:|---:|")
    for row, (name, _, _) in enumerate(rows):
        ours, theirs = best[row, 1], best[row, 2]
        print(f"| {name} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.2f} |")
    print(f"\n### {options.live_seconds} s of 48 kHz stereo in real time, on the device demo\n")
    print("| command | CPU s | share of a processor |\n|---|---:|---:|")
    for name, command in live_commands(options.program, options.folder, options.live_seconds):
        time = min(processor_time(command) for _ in range(options.live_visits))
        print(f"| {name} | {time:.3f} | {100 * time / options.live_seconds:.2f} % |")


if __name__ == "__main__":
    main()
