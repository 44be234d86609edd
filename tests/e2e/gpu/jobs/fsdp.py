# SPDX-License-Identifier: Apache-2.0
"""Fully sharded data parallel (FSDP 2): every layer is gathered before it is used, its gradient reduced and scattered."""

import job
import torch
from torch.distributed.fsdp import fully_shard

chosen = job.options(steps=400)
device = job.begin(chosen)
model = job.network(chosen.width).to(device)
for layer in model:
    if isinstance(layer, torch.nn.Linear):
        fully_shard(layer)
fully_shard(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
job.train(chosen, job.step_of(model, optimizer, job.batch(device)))
job.end()
