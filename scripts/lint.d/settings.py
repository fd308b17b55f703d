"""Checks that every Swift target and every Rust crate is built with the strict settings.

Usage: settings.py ROOT

Reads the manifests by the package manager and cargo. A Swift target needs each of the settings below and no unsafe
flags; a crate of the workspace takes the workspace's lints. Prints one line per finding; the exit status is 1 when there is
one.
"""

import json
import pathlib
import re
import subprocess
import sys

STRICT = [
    {"swiftLanguageMode": {"_0": "6"}},
    {"strictMemorySafety": {}},
    {"treatAllWarnings": {"_0": "error"}},
    {"enableUpcomingFeature": {"_0": "ExistentialAny"}},
    {"enableUpcomingFeature": {"_0": "InternalImportsByDefault"}},
    {"enableUpcomingFeature": {"_0": "MemberImportVisibility"}},
]
PACKAGES = [".", "Sources/Studio", "Tests/ConsumerTests"]


def output(arguments, folder):
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=True).stdout


def swift_findings(root, package):
    # A manifest needs no binary artifact to be read, so that this works before the first build.
    manifest = json.loads(output(["swift", "package", "dump-package"], root / package))
    for target in manifest["targets"]:
        default = f"Tests/{target['name']}" if target["type"] == "test" else f"Sources/{target['name']}"
        folder = root / package / (target.get("path") or default)
        kinds = [setting["kind"] for setting in target["settings"]]
        where = f"{package}/Package.swift: {target['name']}".removeprefix("./")
        if any("unsafeFlags" in kind for kind in kinds):
            yield f"{where} has unsafe flags: nobody could depend on it"
        if target["type"] in ("binary", "system") or not any(folder.rglob("*.swift")):
            continue
        for setting in STRICT:
            if setting not in kinds:
                yield f"{where} lacks the setting {next(iter(setting))} {' '.join(next(iter(setting.values())).values())}".rstrip()


def rust_findings(root):
    metadata = json.loads(output(["cargo", "metadata", "--no-deps", "--format-version", "1"], root / "rust"))
    for package in metadata["packages"]:
        manifest = pathlib.Path(package["manifest_path"])
        if not re.search(r"^\[lints\]\nworkspace = true$", manifest.read_text(encoding="utf-8"), re.M):
            yield f"{manifest.relative_to(root.resolve())} does not take the workspace's lints"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [finding for package in PACKAGES for finding in swift_findings(root, package)]
    found += rust_findings(root)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
