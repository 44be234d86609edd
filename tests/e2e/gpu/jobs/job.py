# SPDX-License-Identifier: Apache-2.0
"""Code that the PyTorch jobs share. They are ordinary jobs without any reference to Ringside. A step is an NVTX range ProfilerStep#N, as
torch.autograd.profiler.emit_nvtx names it. At the end rank 0 prints one line of JSON with the time of a step in the steady part."""

import argparse
import contextlib
import itertools
import json
import os
import time

import torch
import torch.distributed

BATCH = 256
INPUTS, CLASSES = 784, 10
PAUSE_S = 0.01


def options(steps, width=2048, **more):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--time-from", type=int, default=10, help="first step of those that are timed")
    parser.add_argument("--width", type=int, default=width, help="of a hidden layer")
    parser.add_argument("--gloo", action="store_true", help="communicate through Gloo instead of NCCL")
    for name, default in more.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return parser.parse_args()


def begin(chosen, **more):
    """Joins the process group of the launcher's variables; returns the device."""
    torch.manual_seed(1)
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.distributed.init_process_group("gloo" if chosen.gloo else "nccl", **more)
    return device


def network(width, layers=5):
    parts = [torch.nn.Linear(INPUTS, width), torch.nn.ReLU()]
    for _ in range(layers - 1):
        parts += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts, torch.nn.Linear(width, CLASSES))


def batch(device):
    return torch.randn(BATCH, INPUTS, device=device), torch.randint(0, CLASSES, (BATCH,), device=device)


@contextlib.contextmanager
def nvtx_range(name):
    torch.cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def step_of(model, optimizer, data):
    """A function that trains one step and returns its loss."""
    images, labels = data

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss
    return step


def numbers(chosen, go_on_s):
    """Of all steps; then, some time apart, of those of so many seconds more."""
    yield from range(chosen.steps)
    over = time.monotonic() + go_on_s
    for number in itertools.takewhile(lambda _: time.monotonic() < over, itertools.count(chosen.steps)):
        yield number
        torch.cuda.synchronize()
        time.sleep(PAUSE_S)


def train(chosen, step, each_step=lambda number: None, go_on_s=0):
    """Runs all steps; the device is waited for at the two ends of the timed part alone."""
    for number in numbers(chosen, go_on_s):
        if number == chosen.time_from:
            torch.cuda.synchronize()
            start = time.perf_counter_ns()
            print("steady", flush=True)
        with nvtx_range(f"ProfilerStep#{number}"):
            loss = step()
        each_step(number)
    torch.cuda.synchronize()
    timed = chosen.steps - chosen.time_from
    if torch.distributed.get_rank() == 0:
        print(json.dumps({"steps": chosen.steps, "step_ns": (time.perf_counter_ns() - start) / timed if timed > 0 else None,
                          "loss": loss.item()}), flush=True)


def end():
    torch.distributed.destroy_process_group()
