# SPDX-License-Identifier: Apache-2.0
"""torch.profiler of the fake torch: CUPTI's records, ranges and collectives as a Kineto trace."""

import contextlib
import ctypes
import json
import time
import types

import torch

ProfilerActivity = types.SimpleNamespace(CPU=0, CUDA=1)
EVENTS = []
ON = []


def microseconds():
    return time.time_ns() / 1000


def note(collective, count):
    if ON:
        EVENTS.append({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": microseconds(), "dur": 1,
                       "args": {"Collective name": collective, "In msg nelems": count}})


@contextlib.contextmanager
def record_function(name):
    begin = microseconds()
    yield
    if ON:
        EVENTS.append({"ph": "X", "cat": "user_annotation", "name": name, "ts": begin, "dur": microseconds() - begin, "args": {}})


def schedule(wait, warmup, active, repeat):
    return wait + warmup, wait + warmup + active, repeat


class profile:  # pylint: disable=invalid-name
    def __init__(self, activities, schedule, on_trace_ready):  # pylint: disable=redefined-outer-name
        self.window, self.ready, self.number, self.activities = schedule, on_trace_ready, 0, activities
        self.cupti = ctypes.CDLL(str(torch.LIBRARIES / "libfake_torch_profiler.so"))
        self.cupti.profilerStop.restype = ctypes.c_char_p
        self.device_events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def step(self):
        self.number += 1
        if self.number == self.window[0]:
            torch.cuda.synchronize()
            self.cupti.profilerStart()
            ON.append(True)
        elif self.number == self.window[1]:
            torch.cuda.synchronize()
            self.device_events = json.loads("[" + self.cupti.profilerStop().decode().rstrip(",\n") + "]")
            ON.clear()
            self.ready(self)

    def export_chrome_trace(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": EVENTS + self.device_events, "deviceProperties": [
                {"name": torch.device_name(), "totalGlobalMem": torch.memory()[1]}]}, file)
