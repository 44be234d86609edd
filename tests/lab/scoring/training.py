# SPDX-License-Identifier: Apache-2.0
"""Trains a scenario on the CPU platform (emulated) under `ringside record`. Runs lie in BUILD/lab/score."""

import json
import pathlib
import shlex
import shutil
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "e2e"))
import lab

FOLDER = lab.BUILD / "lab" / "score"


def device_model(scenario, rank):
    """The e2e tests' model with faster links, so that even the last message of a healthy run is short; and with a clock that a
    throttled rank's device does not reach."""
    factor = scenario.throttled[1] if scenario.throttled and scenario.throttled[0] == rank else 1
    path = FOLDER / f"device_{factor}.conf"
    lines = [line for line in lab.MODEL.read_text().splitlines() if not line.startswith("link_")]
    lines += ["link_bandwidth = 8e8", "link_latency_ns = 200000", "sm_clock_mhz = 1410", f"throttle = 0, 100000, {factor}"]
    path.write_text("\n".join(lines) + "\n")
    return path


def launch(scenario, options):
    """A shell's words that start every rank with a device of its own."""
    environment = {"WORLD_SIZE": scenario.ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    command = shlex.join(str(word) for word in (lab.TRAINER, *options))
    starts = [" ".join([*(f"{name}={value}" for name, value in {**environment, "RANK": rank, "LOCAL_RANK": rank}.items()),
                        f"RINGSIDE_DEVICE_MODEL={shlex.quote(str(device_model(scenario, rank)))}", command, "&", "pids+=($!)"])
              for rank in range(scenario.ranks)]
    return ["bash", "-c", "\n".join(["pids=()", *starts, 'for pid in "${pids[@]}"; do wait "$pid" || exit 1; done'])]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train(scenario):
    """The report of a recorded run, and its mean step in ns as the trainer itself measured it."""
    directory, result = FOLDER / f"{scenario.name or 'base'}.ringside", FOLDER / f"{scenario.name or 'base'}.json"
    options = ["--steps", scenario.steps, "--batch", scenario.batch * scenario.ranks, "--eval", 0, "--json", result,
               *scenario.shape, *scenario.options]
    for fault in scenario.faults:
        options += ["--fault", fault]
    lab.record(directory, launch(scenario, options))
    report = lab.report(directory)
    samples_a_second = json.loads(result.read_text())["samples_per_s"]
    shutil.rmtree(directory)
    return report, scenario.batch * scenario.ranks / samples_a_second * 1e9
