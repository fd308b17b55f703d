"""Names the module in links of doc comments that lead to another one, as DocC requires.

Usage: doc-links.py FOLDER

FOLDER has a folder of symbol graphs for each module. A module re-exports the types of those below it, so that its comments say
``StreamElement/gap(_:)``; in the graphs this becomes ``RustleCore/StreamElement/gap(_:)``.
"""

import json
import pathlib
import re
import sys

LINK = re.compile(r"``([A-Za-z_]\w*)([^`]*)``")


def main():
    graphs = {path: json.loads(path.read_text(encoding="utf-8")) for path in pathlib.Path(sys.argv[1]).glob("*/*.symbols.json")}
    homes = {}
    for path, graph in graphs.items():
        if "@" not in path.name:
            for symbol in graph["symbols"]:
                if len(symbol["pathComponents"]) == 1:
                    homes.setdefault(symbol["pathComponents"][0], graph["module"]["name"])
    for path, graph in graphs.items():
        # The pages of an extension are in the module that it extends.
        own = path.name.partition("@")[2].partition(".")[0] or graph["module"]["name"]
        known = {part for symbol in graph["symbols"] for part in symbol["pathComponents"]} if "@" not in path.name else set()

        def named(match):
            first, rest = match.groups()
            home = homes.get(first)
            return match.group() if home in (None, own) or first in known else f"``{home}/{first}{rest}``"

        for symbol in graph["symbols"]:
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = LINK.sub(named, line["text"])
        path.write_text(json.dumps(graph), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(print(__doc__.strip()) if {"-h", "--help"} & set(sys.argv) else main())
