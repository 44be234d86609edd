# SPDX-License-Identifier: Apache-2.0
"""Trains, then the GPU does not get to the end of a collective: a kernel before it runs for minutes. PyTorch's watchdog ends the job."""

import datetime
import time

import job
import torch

WATCHDOG_S = 8
CYCLES = 10 ** 12

chosen = job.options(steps=100)
device = job.begin(chosen, timeout=datetime.timedelta(seconds=WATCHDOG_S))
model = job.network(chosen.width).to(device)
job.train(chosen, job.step_of(model, torch.optim.SGD(model.parameters(), lr=0.01), job.batch(device)))
torch.cuda._sleep(CYCLES)
torch.distributed.all_reduce(torch.ones(1 << 20, device=device))
time.sleep(1000)
