# SPDX-License-Identifier: Apache-2.0
"""Figures of a run in TensorBoard, MLflow and Weights & Biases: python_trackers_test.py RINGSIDE MAKE_JOB PACKAGE_DIR. Each is read by its own
package where that is installed; the event file and the file store are also read as their formats say."""

import importlib.util
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RINGSIDE, MAKE_JOB, PACKAGE = sys.argv[1:4]
del sys.argv[1:4]
sys.path.insert(0, PACKAGE)
os.environ["PATH"] = f"{Path(RINGSIDE).parent}{os.pathsep}{os.environ['PATH']}"

import ringside  # noqa: E402
from ringside import trackers  # noqa: E402


def installed(name):
    return unittest.skipUnless(importlib.util.find_spec(name), f"the Python package {name} is not installed")


def masked(data):
    """TFRecord's checksum, bit by bit: CRC-32C (RFC 3720), turned by 15 bits, plus a constant."""
    crc = 0xFFFFFFFF
    for bit in (byte >> i & 1 for byte in data for i in range(8)):
        crc = crc >> 1 ^ (0x82F63B78 if (crc ^ bit) & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """{number: last value} of a message."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(key & 7) or varint(data, at)
            value, at = data[at:at + size], at + size
        found[key >> 3] = value
    return found


class Trackers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        path = cls.folder / "late.ringside"
        subprocess.run([MAKE_JOB, path, "8", "24", "late_rank"], check=True, stdout=subprocess.DEVNULL)
        cls.run_ = ringside.open(path)
        cls.addClassCleanup(cls.run_.close)
        cls.figures = trackers.figures(cls.run_)
        cls.steps = trackers.step_times(cls.run_)

    def test_figures_are_those_of_the_report(self):
        report = self.run_.report
        self.assertEqual(self.figures["steps/median_ns"], report["steps"]["median_ns"])
        self.assertEqual(self.figures["summary/gpu_utilization_mean"], report["summary"]["gpu_utilization"]["mean"])
        self.assertEqual(len(self.steps), 24)

    def test_an_event_file_holds_them(self):
        data = trackers.write_tensorboard(self.run_, self.folder / "logs").read_bytes()
        at, scalars, texts = 0, [], {}
        while at < len(data):
            (length,) = struct.unpack_from("<Q", data, at)
            body = data[at + 12:at + 12 + length]
            self.assertEqual(struct.unpack_from("<I", data, at + 8)[0], masked(data[at:at + 8]))
            self.assertEqual(struct.unpack_from("<I", data, at + 12 + length)[0], masked(body))
            event = fields(body)
            if at == 0:
                self.assertEqual(event[3], b"brain.Event:2")
            else:
                value = fields(fields(event[5])[1])
                if 2 in value:
                    scalars.append((value[1].decode(), event[2], struct.unpack("<f", value[2])[0]))
                else:
                    texts[value[1].decode()] = fields(value[8])[8].decode()
            at += 16 + length
        single = {f"ringside/{name}": struct.unpack("<f", struct.pack("<f", value))[0] for name, value in self.figures.items()}
        self.assertEqual({name: value for name, _, value in scalars if name != "ringside/step_ms"}, single)
        self.assertEqual([step for name, step, _ in scalars if name == "ringside/step_ms"], [number for number, _ in self.steps])
        self.assertIn(self.run_.report["verdict"]["summary"], texts["ringside/verdict"])

    @installed("tensorboard")
    def test_tensorboard_reads_it(self):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        trackers.write_tensorboard(self.run_, self.folder / "read")
        events = EventAccumulator(str(self.folder / "read"))
        events.Reload()
        self.assertEqual([each.step for each in events.Scalars("ringside/step_ms")], [number for number, _ in self.steps])

    def test_a_file_store_holds_them_and_keeps_its_experiment(self):
        first, second = (trackers.write_mlflow(self.run_, self.folder / "mlruns") for _ in range(2))
        self.assertEqual(first.parent, second.parent)
        lines = [line.split() for line in (first / "metrics" / "step_ms").read_text().splitlines()]
        self.assertEqual([(int(step), float(value)) for _, value, step in lines], self.steps)
        self.assertEqual(float((first / "metrics" / "steps" / "median_ns").read_text().split()[1]), self.figures["steps/median_ns"])
        self.assertIn(f"run_id: {first.name}", (first / "meta.yaml").read_text())

    @installed("mlflow")
    def test_mlflow_reads_it(self):
        from mlflow.tracking import MlflowClient

        run = trackers.write_mlflow(self.run_, self.folder / "read_mlruns")
        found = MlflowClient((self.folder / "read_mlruns").as_uri()).get_run(run.name)
        self.assertEqual(found.data.metrics["steps/median_ns"], self.figures["steps/median_ns"])

    @installed("wandb")
    def test_wandb_takes_it(self):
        self.assertIsNotNone(trackers.log_wandb(self.run_, dir=str(self.folder)))


if __name__ == "__main__":
    unittest.main()
