# SPDX-License-Identifier: Apache-2.0
"""Trains, then asks for more memory than the device has, as a batch that is too large does; PyTorch's error ends it."""

import job
import torch

chosen = job.options(steps=100)
device = job.begin(chosen)
model = job.network(chosen.width).to(device)
job.train(chosen, job.step_of(model, torch.optim.SGD(model.parameters(), lr=0.01), job.batch(device)))
torch.empty(2 * torch.cuda.mem_get_info()[1], dtype=torch.uint8, device=device)
