# SPDX-License-Identifier: Apache-2.0
"""A whole training step in bf16 with its all-reduce captured into a CUDA graph and launched again in every step, while a side stream
copies the next batch."""

import time

import job
import torch

WARM_UP_STEPS = 3
WATCHDOG_S = 1  # until PyTorch's watchdog has no collective to ask for: that would break the capture

chosen = job.options(steps=1000)
device = job.begin(chosen)
model = job.network(chosen.width).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
images, labels = job.batch(device)
train_step = job.step_of(model, optimizer, (images, labels))
next_images = torch.randn(job.BATCH, job.INPUTS).pin_memory()
landing = torch.empty_like(images)


def step():
    with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):  # a cache would outlive the capture
        loss = train_step().detach()
    torch.distributed.all_reduce(loss)
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(WARM_UP_STEPS):
        step()
torch.cuda.current_stream().wait_stream(side)
torch.cuda.synchronize()
time.sleep(WATCHDOG_S)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()


def replay():
    with torch.cuda.stream(side):
        landing.copy_(next_images, non_blocking=True)
    graph.replay()
    return loss


job.train(chosen, replay)
job.end()
