# SPDX-License-Identifier: Apache-2.0
"""Writes the figures and the verdict of a run to where experiments are tracked:

    run = ringside.open("run.ringside")
    trackers.write_tensorboard(run, "logs/ringside")    # an event file, without TensorFlow
    trackers.write_mlflow(run, "mlruns")                # MLflow's file store, without MLflow
    trackers.log_wandb(run, project="training")         # needs the package wandb; offline unless wandb is told otherwise
"""

from __future__ import annotations

import math
import os
import pathlib
import struct
import time
import typing
import uuid

if typing.TYPE_CHECKING:
    from .runs import Run

__all__ = ["figures", "log_wandb", "step_times", "write_mlflow", "write_tensorboard"]

_STEPS = "SELECT number, avg(end_ns - start_ns) / 1e6 AS ms FROM step_mark GROUP BY number ORDER BY number"


def figures(run: Run) -> dict[str, float]:
    """The figures of the run's report that are one number each, by name. What was not measured is not there."""
    report = run.report
    found = {f"steps/{name}": value for name, value in report["steps"].items()}
    for name, value in report["summary"].items():
        parts = value if isinstance(value, dict) else {"": value}
        found.update({f"summary/{name}" + (f"_{part}" if part else ""): each for part, each in parts.items()})
    for finding in report["findings"]:
        found.setdefault(f"cost_ns_per_step/{finding['rule']}", finding["cost_ns_per_step"])
    return {name: float(value) for name, value in found.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}


def step_times(run: Run) -> list[tuple[int, float]]:
    """(number, ms, the mean over ranks) of the steps that the program marked; none if it marked none."""
    return [(row["number"], row["ms"]) for row in run.query(_STEPS)]


def _verdict(run: Run) -> str:
    verdict = run.report["verdict"]
    return f"{verdict['summary']} (confidence: {verdict['confidence']})"


# Protobuf's wire format, as TensorBoard's event.proto, summary.proto and tensor.proto use it.
def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, value: int | float | bytes, form: str = "") -> bytes:
    if isinstance(value, bytes):
        return _varint(number << 3 | 2) + _varint(len(value)) + value
    if form:
        return _varint(number << 3 | {"d": 1, "f": 5}[form]) + struct.pack(f"<{form}", value)
    return _varint(number << 3) + _varint(int(value))


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def _masked_crc(data: bytes) -> bytes:
    """CRC32C, masked as TFRecord does."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + _masked_crc(length) + data + _masked_crc(data)


def _event(now: float, step: int, value: bytes) -> bytes:
    return _record(_field(1, now, "d") + _field(2, step) + _field(5, _field(1, value)))


def _scalar(tag: str, value: float) -> bytes:
    return _field(1, tag.encode()) + _field(2, value, "f")


def _text(tag: str, text: str) -> bytes:
    kind_string = 7
    tensor = _field(1, kind_string) + _field(2, b"") + _field(8, text.encode())
    return _field(1, tag.encode()) + _field(8, tensor) + _field(9, _field(1, _field(1, b"text")))


def write_tensorboard(run: Run, folder: str | os.PathLike[str]) -> pathlib.Path:
    """Writes an event file into the folder, which is created, and returns its path."""
    now = time.time()
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(folder) / f"events.out.tfevents.{int(now)}.ringside.{os.getpid()}.{uuid.uuid4().hex[:8]}"
    events = [_record(_field(1, now, "d") + _field(3, b"brain.Event:2"))]
    events += [_event(now, 0, _scalar(f"ringside/{name}", value)) for name, value in figures(run).items()]
    events += [_event(now, number, _scalar("ringside/step_ms", ms)) for number, ms in step_times(run)]
    events.append(_event(now, 0, _text("ringside/verdict", _verdict(run))))
    path.write_bytes(b"".join(events))
    return path


def write_mlflow(run: Run, store: str | os.PathLike[str], experiment: str = "ringside") -> pathlib.Path:
    """Adds a run to a file store of MLflow (the folder of its --backend-store-uri) and returns the run's folder."""
    now = int(time.time() * 1000)
    home = _experiment(pathlib.Path(store), experiment, now)
    name = uuid.uuid4().hex
    folder = home / name
    for part in ("metrics", "params", "tags", "artifacts"):
        (folder / part).mkdir(parents=True)
    _write_meta(folder, {"artifact_uri": _quoted((folder / "artifacts").resolve().as_uri()), "end_time": now, "entry_point_name": "''",
                         "experiment_id": _quoted(home.name), "lifecycle_stage": "active", "run_id": name, "run_name": _quoted(run.paths[0]),
                         "run_uuid": name, "source_name": "''", "source_type": 4, "source_version": "''", "start_time": now, "status": 3,
                         "tags": "[]", "user_id": "ringside"})
    values = {f"{metric}": [(0, value)] for metric, value in figures(run).items()} | {"step_ms": step_times(run)}
    for metric, steps in values.items():
        path = folder / "metrics" / metric
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{now} {value!r} {number}\n" for number, value in steps if math.isfinite(value)))
    (folder / "tags" / "mlflow.note.content").write_text(_verdict(run))
    (folder / "tags" / "mlflow.runName").write_text(run.paths[0])
    (folder / "params" / "limited_by").write_text(run.report["verdict"]["limited_by"])
    return folder


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''").replace("\n", " ") + "'"


def _write_meta(folder: pathlib.Path, values: dict[str, object]) -> None:
    (folder / "meta.yaml").write_text("".join(f"{name}: {value}\n" for name, value in values.items()))


def _experiment(store: pathlib.Path, name: str, now: int) -> pathlib.Path:
    """The folder of the experiment; makes it if the store has none of this name."""
    for meta in store.glob("*/meta.yaml"):
        if f"name: {_quoted(name)}" in meta.read_text().splitlines() or f"name: {name}" in meta.read_text().splitlines():
            return meta.parent
    folder = store / str(uuid.uuid4().int % 10**18)
    folder.mkdir(parents=True)
    _write_meta(folder, {"artifact_location": _quoted(folder.resolve().as_uri()), "creation_time": now, "experiment_id": _quoted(folder.name),
                         "last_update_time": now, "lifecycle_stage": "active", "name": _quoted(name)})
    return folder


def log_wandb(run: Run, **init: typing.Any) -> typing.Any:
    """Logs the figures by the package wandb, whose `init` gets the further arguments, and returns its finished run."""
    import wandb

    tracked = wandb.init(**{"mode": os.environ.get("WANDB_MODE", "offline"), "job_type": "ringside", **init})
    for number, ms in step_times(run):
        tracked.log({"ringside/step_ms": ms}, step=number)
    tracked.summary.update({f"ringside/{name}": value for name, value in figures(run).items()})
    tracked.summary["ringside/verdict"] = _verdict(run)
    tracked.finish()
    return tracked
