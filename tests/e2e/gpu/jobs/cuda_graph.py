# SPDX-License-Identifier: Apache-2.0
"""A whole training step captured into a CUDA graph, as PyTorch's documentation shows, and launched again in every step."""

import job
import torch

WARM_UP_STEPS = 3

chosen = job.options(steps=1000)
device = job.begin(chosen)
model = job.network(chosen.width).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
step = job.step_of(model, optimizer, job.batch(device))

side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(WARM_UP_STEPS):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()


def replay():
    graph.replay()
    torch.distributed.all_reduce(loss)
    return loss


job.train(chosen, device, replay)
job.end()
