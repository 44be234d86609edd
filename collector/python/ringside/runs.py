# SPDX-License-Identifier: Apache-2.0
"""Reads runs, and traces of other tools, into data frames: what `ringside.open` gives.

The program `ringside` reads the run and writes its tables as Arrow files, which pyarrow and polars map without copying them. No library is
loaded into the interpreter, so one package serves every Python from 3.9 on, and the sentence of an error is the program's own.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing

if typing.TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["RingsideError", "Run", "Table"]

_HERE = pathlib.Path(__file__).resolve().parent
_SHORT_NAMES = {"kernels": "kernel", "copies": "copy", "calls": "api_call", "ranges": "user_range", "steps": "step_mark",
                "collectives": "collective_call", "counters": "sample", "series": "series", "operators": "operator"}


class RingsideError(Exception):
    """The run cannot be read. Its text is what `ringside` prints; `code` is the program's exit code (2: usage, 3: unusable input)."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def _program() -> str:
    """The program of this package: of the wheel, of the archive, else the one on PATH."""
    for path in (_HERE / "bin" / "ringside", _HERE.parents[3] / "bin" / "ringside"):
        if os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("ringside")
    if found is None:
        raise RingsideError("the program ringside was not found\nInstall Ringside, or put its folder bin on PATH.", 3)
    return found


def _ask(*words: str | os.PathLike[str]) -> bytes:
    done = subprocess.run([_program(), *map(os.fspath, words)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise RingsideError(said.replace("ringside: error: ", "", 1).replace("\n  ", "\n"), done.returncode)
    return done.stdout


class Table:
    """One table of a run. Its columns are those of SQL (FORMAT.md), with the text beside each id. pandas, polars, DuckDB and others take it
    as it is through the Arrow PyCapsule interface: `polars.DataFrame(table)`, `pyarrow.table(table)`."""

    def __init__(self, name: str, path: pathlib.Path, run: Run) -> None:
        self.name = name
        self.path = path  #: the Arrow file; it is removed when the run is closed
        self._run = run  # keeps the file

    def __repr__(self) -> str:
        return f"<ringside.Table {self.name}>"

    def arrow(self) -> pyarrow.Table:
        """The table in pyarrow, mapped and not copied. Texts are dictionaries."""
        import pyarrow

        with pyarrow.memory_map(str(self.path)) as source:
            return pyarrow.ipc.open_file(source).read_all()

    def pandas(self) -> pandas.DataFrame:
        """The table in pandas, which needs pyarrow for it. Texts are categories."""
        return self.arrow().to_pandas()

    def polars(self) -> polars.DataFrame:
        """The table in polars, which needs no pyarrow for it. Texts are categories."""
        import polars

        return polars.read_ipc(self.path)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)


class Run:
    """A run, or traces of another tool that are read as one. Times are ns of each host's own clock, as in SQL;
    `report["coverage"]["clocks"]` has the offsets of the hosts.

    Short names of tables: kernels, copies, calls, ranges, steps, collectives, counters (the samples; `series` names them), operators.
    """

    kernels: Table
    copies: Table
    calls: Table
    ranges: Table
    steps: Table
    collectives: Table
    counters: Table
    series: Table
    operators: Table

    def __init__(self, *paths: str | os.PathLike[str]) -> None:
        self.paths = [os.fspath(path) for path in paths]
        self._folder = tempfile.TemporaryDirectory(prefix="ringside-")
        self._tables = pathlib.Path(self._folder.name) / "tables"
        try:
            _ask("export", *self.paths, "--format", "arrow", "-o", self._tables)
        except RingsideError:
            self.close()
            raise

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the tables. Those that are mapped stay readable."""
        self._folder.cleanup()

    @functools.cached_property
    def report(self) -> dict[str, typing.Any]:
        """The report's facts: ringside-report/1, described in report-json.md. Lists in it make data frames: `pandas.DataFrame(run.report["ranks"])`."""
        return json.loads(_ask("report", *self.paths, "--format", "json"))

    @property
    def tables(self) -> list[str]:
        """The names of all tables, which FORMAT.md describes."""
        return sorted(path.stem for path in self._tables.iterdir())

    def table(self, name: str) -> Table:
        """The table of this name. Raises KeyError."""
        path = self._tables / f"{name}.arrow"
        if name not in self.tables:
            raise KeyError(f"a run has no table {name!r}; its tables: {', '.join(self.tables)}")
        return Table(name, path, self)

    def __getattr__(self, name: str) -> Table:
        if name not in _SHORT_NAMES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.table(_SHORT_NAMES[name])

    def query(self, sql: str) -> list[dict[str, typing.Any]]:
        """The rows of one SELECT over the tables, as `ringside query` gives them."""
        if len(self.paths) > 1:
            raise RingsideError("SQL reads one run\nImport the files first: ringside import FILES -o RUN.ringside", 2)
        return json.loads(_ask("query", *self.paths, sql, "--format", "json"))

    def write_parquet(self, folder: str | os.PathLike[str]) -> None:
        """Writes each table as a Parquet file into a new folder."""
        _ask("export", *self.paths, "--format", "parquet", "-o", folder)
