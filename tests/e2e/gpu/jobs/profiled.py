# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel with torch.profiler on for some steps, as its documentation shows; rank 0 writes the trace.
profiled.py --profile-from N --trace FILE [--go-on-s SECONDS].
A step and its parts are ranges job:NAME, for NVTX and for torch.profiler alike."""

import contextlib
import itertools

import job
import torch
from torch.nn.parallel import DistributedDataParallel

ACTIVE_STEPS = 20
WARM_UP_STEPS = 3

chosen = job.options(steps=400, profile_from=100, trace="", go_on_s=0.0)
device = job.begin(chosen)
model = DistributedDataParallel(job.network(chosen.width).to(device), bucket_cap_mb=25)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
images, labels = job.batch(device)
host_labels = labels.cpu()
numbers = itertools.count()


@contextlib.contextmanager
def part(name):
    with torch.profiler.record_function(f"job:{name}"), job.nvtx_range(f"job:{name}"):
        yield


def train_step():
    optimizer.zero_grad(set_to_none=True)
    with part("copy"):
        labels.copy_(host_labels)
    with part("forward"):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    with part("backward"):
        loss.backward()
    with part("optimizer"):
        optimizer.step()
    return loss


def step():
    with part(f"step#{next(numbers)}"):
        return train_step()


activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
schedule = torch.profiler.schedule(wait=chosen.profile_from - WARM_UP_STEPS, warmup=WARM_UP_STEPS, active=ACTIVE_STEPS, repeat=1)


def write(profiler):
    if torch.distributed.get_rank() == 0:
        profiler.export_chrome_trace(chosen.trace)


with torch.profiler.profile(activities=activities, schedule=schedule, on_trace_ready=write) as profiler:
    job.train(chosen, step, each_step=lambda number: profiler.step(), go_on_s=chosen.go_on_s)
job.end()
