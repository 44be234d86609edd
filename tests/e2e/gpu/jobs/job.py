# SPDX-License-Identifier: Apache-2.0
"""Code that the PyTorch jobs share. They are ordinary jobs without any reference to Ringside. A step is an NVTX range ProfilerStep#N, as
torch.autograd.profiler.emit_nvtx names it. At the end rank 0 prints one line of JSON with the time of a step in the steady part."""

import argparse
import contextlib
import json
import os
import time

import torch
import torch.distributed

BATCH = 256
INPUTS, CLASSES = 784, 10


def options(steps, width=2048, **more):
    """`--cpu` is for the suite, which has no GPU."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--time-from", type=int, default=10, help="first step of those that are timed")
    parser.add_argument("--width", type=int, default=width, help="of a hidden layer")
    parser.add_argument("--cpu", action="store_true", help="on the CPU with Gloo")
    for name, default in more.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return parser.parse_args()


def begin(chosen):
    """Joins the process group of the launcher's variables; returns the device."""
    torch.manual_seed(1)
    device = torch.device("cpu") if chosen.cpu else torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    if not chosen.cpu:
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("gloo" if chosen.cpu else "nccl")
    return device


def network(width, layers=5):
    parts = [torch.nn.Linear(INPUTS, width), torch.nn.ReLU()]
    for _ in range(layers - 1):
        parts += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts, torch.nn.Linear(width, CLASSES))


def batch(device):
    return torch.randn(BATCH, INPUTS, device=device), torch.randint(0, CLASSES, (BATCH,), device=device)


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


@contextlib.contextmanager
def nvtx_range(name, device):
    if device.type != "cuda":
        yield
        return
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


def train(chosen, device, step, each_step=lambda number: None):
    """Runs all steps; the device is waited for at the two ends of the timed part alone."""
    for number in range(chosen.steps):
        if number == chosen.time_from:
            synchronize(device)
            start = time.perf_counter_ns()
        with nvtx_range(f"ProfilerStep#{number}", device):
            loss = step()
        each_step(number)
    synchronize(device)
    timed = chosen.steps - chosen.time_from
    if torch.distributed.get_rank() == 0:
        print(json.dumps({"steps": chosen.steps, "step_ns": (time.perf_counter_ns() - start) / timed if timed > 0 else None,
                          "loss": loss.item()}), flush=True)


def end():
    torch.distributed.destroy_process_group()
