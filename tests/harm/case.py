# SPDX-License-Identifier: Apache-2.0
"""The matrix as data: matrix/KIND.toml contains the cases of a kind, one table each. README.md explains the fields."""

import dataclasses
import pathlib
import shutil
import subprocess
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent / "matrix"
MODES = ("record", "preload")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    kind: str
    what: str
    command: list
    under: str = 'exec "$@"'
    environment: dict = dataclasses.field(default_factory=dict)
    stdin: str = ""
    cuda: bool = False
    records: bool = False
    readable: bool = True
    answers: str = ""
    modes: tuple = MODES
    long: bool = False
    needs: tuple = ()
    shm: str = "1g"
    limit_s: int = 40
    memory_mib: int = 64
    known_failure: str = ""

    def missing(self, programs):
        """The first program or Python module (python:NAME) that this machine lacks, or nothing. `programs`: the folder of ours."""
        return next((need for need in self.needs if not _is_here(need, programs)), None)


def _is_here(need, programs):
    if need.startswith("python:"):
        return subprocess.run(["/usr/bin/python3", "-c", f"import {need[7:]}"], capture_output=True, check=False).returncode == 0
    if need.startswith("/"):
        return pathlib.Path(need).exists()
    return shutil.which(need) is not None or (programs / need).exists()


def _case(name, kind, fields):
    """Raises a TypeError that names the case for a field that none has, or lacks."""
    command = fields["command"]
    if isinstance(command, str):
        fields["command"] = ["bash", "-c", command]
    fields["records"] = fields.get("records", fields.get("cuda", False))
    try:
        return Case(name=name, kind=kind, **fields)
    except TypeError as error:
        raise TypeError(f"{kind}.toml, case {name}: {error}") from None


def read_matrix(folder=FOLDER):
    """All cases, in the order of the files' names and of their rows."""
    cases = []
    for path in sorted(folder.glob("*.toml")):
        for name, fields in tomllib.loads(path.read_text()).items():
            cases.append(_case(name, path.stem, dict(fields)))
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two cases have the name {', '.join(twice)}")
    return cases
