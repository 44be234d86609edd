# SPDX-License-Identifier: Apache-2.0
"""Trains a scenario on the CPU platform (emulated) under `ringside record`. Runs lie in BUILD/lab/score."""

import collections
import contextlib
import json
import shutil

import lab

FOLDER = lab.BUILD / "lab" / "score"
WARM_UP = 10
# step_ns: mean, as the trainer itself measured it. replay: what `ringside whatif` says of the run unchanged; None: it refuses to.
Trained = collections.namedtuple("Trained", "report step_ns replay")


def device_model(scenario, rank):
    """The e2e tests' model with faster links, so that even the last message of a healthy run is short; and with a clock that a
    throttled rank's device does not reach."""
    factor = scenario.throttled[1] if scenario.throttled and scenario.throttled[0] == rank else 1
    path = FOLDER / f"device_{factor}.conf"
    lines = [line for line in lab.MODEL.read_text().splitlines() if not line.startswith("link_")]
    lines += ["link_bandwidth = 8e8", "link_latency_ns = 200000", "sm_clock_mhz = 1410", f"throttle = 0, 100000, {factor}"]
    path.write_text("\n".join(lines) + "\n")
    return path


def ranks_of(scenario, result):
    """Variables and words of each rank, which has a device of its own; rank 0 writes its figures to `result`."""
    options = ["--steps", scenario.steps, "--batch", scenario.batch * scenario.ranks, "--eval", 0, "--json", result,
               *scenario.shape, *scenario.options, *scenario.wrong, *(() if scenario.marked else ("--no-ranges",))]
    for fault in scenario.faults:
        options += ["--fault", fault]
    return [({"RINGSIDE_DEVICE_MODEL": device_model(scenario, rank)},
             [*(word for each in scenario.disturbed for word in each.words(rank)), lab.TRAINER, *options])
            for rank in range(scenario.ranks)]


def window_of(scenario):
    """Options of `ringside record`: past the warm-up, as a profiler's schedule does."""
    return ("--start-step", WARM_UP, "--steps", scenario.window) if scenario.window else ()


def undisturbed(scenario):
    """A context: ahead of all other work, where no disturbance is of the processor itself; quotas and hogs do not bind a real-time
    priority."""
    return contextlib.nullcontext() if scenario.disturbed else lab.ahead_of_others()


def train(scenario, keep=False):
    """`keep`: the run stays where it is."""
    directory, result = FOLDER / f"{scenario.name or 'base'}.ringside", FOLDER / f"{scenario.name or 'base'}.json"
    with scenario.place.made():
        with contextlib.ExitStack() as stack:
            for disturbance in scenario.disturbed:
                stack.enter_context(disturbance.made())
            stack.enter_context(undisturbed(scenario))
            scenario.place.record(ranks_of(scenario, result), directory, window_of(scenario))
            if scenario.place.probed == "disturbed":
                scenario.place.probe(directory)
        if scenario.place.probed == "quiet":
            scenario.place.probe(directory)
    report, replay = lab.report(directory), replay_of(directory)
    samples_a_second = json.loads(result.read_text())["samples_per_s"]
    if not keep:
        shutil.rmtree(directory)
    return Trained(report, scenario.batch * scenario.ranks / samples_a_second * 1e9, replay)


def replay_of(directory):
    done = lab.run([lab.RINGSIDE, "whatif", directory, "--format", "json"], expect=None)
    return json.loads(done.stdout) if done.returncode == 0 else None
