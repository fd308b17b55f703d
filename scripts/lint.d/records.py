"""Every record of the C header is in both layout tables, with all its fields in their order.

Usage: records.py ROOT

The tables are compared with each other when a program first calls the native library; a record that is missing from both is
seen here. Prints one line per finding; the exit status is 1 when there is one.
"""

import pathlib
import re
import sys

HEADER = "rust/ffi/include/rustle.h"
ARCHIVE = "rust/ffi/src/layout.rs"
SWIFT = "Sources/RustleCore/NativeLayout.swift"


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def of_header(text):
    """The fields of each record with a body, by its name."""
    records = {}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", without_comments(text), re.S):
        fields = []
        for declaration in body.split(";"):
            function = re.search(r"\(\*(\w+)\)", declaration)
            plain = re.search(r"(\w+)(?:\[\w+\])?\s*$", declaration)
            found = function or plain
            if found:
                fields.append(found.group(1))
        records[name] = fields
    return records


def of_archive(text):
    table = re.search(r"layout! \{(.*?)\n\};", without_comments(text), re.S)
    rows = re.findall(r"(\w+) \{([^}]*)\}", table.group(1)) if table else []
    return {name: re.findall(r"\w+", fields) for name, fields in rows}


def of_swift(text):
    records = {}
    for name, rows in re.findall(r'record\(\s*\w+\.self,\s*"(\w+)",\s*\[(.*?)\]\)', without_comments(text), re.S):
        records[name] = re.findall(r'\("(\w+)",', rows)
    return records


def main(root):
    def read(name):
        return (root / name).read_text(encoding="utf-8")

    header = of_header(read(HEADER))
    findings = [] if header else [f"{HEADER}: no record was found"]
    for file, table in ((ARCHIVE, of_archive(read(ARCHIVE))), (SWIFT, of_swift(read(SWIFT)))):
        for name, fields in header.items():
            if name not in table:
                findings.append(f"{file}: {name} of the header is not in the layout table")
            elif table[name] != fields:
                findings.append(f"{file}: {name} has the fields {', '.join(table[name])}, the header {', '.join(fields)}")
        for name in table:
            if name not in header:
                findings.append(f"{file}: {name} is not a record of the header")
    print("\n".join(findings))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
