"""Results as Parquet: one file per analysis, one for the files and one for errors, with the columns of schema.json.

A change of a column's meaning or type raises the version, which is in each file's metadata (`rustle_batch_schema`); a further
column does not.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .run import Entry

_TYPES: dict[str, Any] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "peaks": pa.list_(pa.struct([("hz", pa.float64()), ("db", pa.float64()), ("amplitude", pa.float64())])),
}


def schemas() -> dict[str, Any]:
    """The Arrow schema of each table."""
    described = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    metadata = {"rustle_batch_schema": str(described["version"])}
    return {
        name: pa.schema([(column, _TYPES[kind]) for column, kind in columns.items()], metadata=metadata)
        for name, columns in described["tables"].items()
    }


def records(output: str, hash_: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of a result, each with the name of its table; none if there is no result."""
    analysis, path = "", Path(output) / hash_[:2] / f"{hash_}.ndjson"
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if error := record.get("error"):
                yield "errors", {**error, "hash": hash_, "analysis": record["analysis"]}
            elif "analysis" in record:
                analysis = record["analysis"]
            else:
                yield analysis.split()[0], {**record, "hash": hash_, "analysis": analysis}


def write(folder: str, output: str, entries: Iterable[Entry]) -> None:
    """Writes the tables of the entries' results; a result of several paths is in them once."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(pq.ParquetWriter(str(Path(folder) / f"{name}.parquet"), schema))
            for name, schema in schemas().items()
        }
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in writers}

        def flush(limit: int) -> None:
            for name, writer in writers.items():
                if len(rows[name]) >= limit:
                    writer.write_table(pa.Table.from_pylist(rows[name], schema=writer.schema))
                    rows[name] = []

        for entry in entries:
            rows["files"].append(entry)
            name = entry["hash"]
            for table, record in records(output, name) if name and name not in seen else ():
                rows[table].append(record)
            seen.add(name)
            flush(100_000)
        flush(1)
