# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel: gradients all-reduced in buckets of 25 MiB."""

import job
import torch
from torch.nn.parallel import DistributedDataParallel

chosen = job.options(steps=400)
device = job.begin(chosen)
model = DistributedDataParallel(job.network(chosen.width).to(device), bucket_cap_mb=25)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
job.train(chosen, job.step_of(model, optimizer, job.batch(device)))
job.end()
