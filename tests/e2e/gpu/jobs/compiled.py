# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel with torch.compile. Inductor's kernels are started by code that it has a C compiler make; where there is no
compiler, the backend that only captures CUDA graphs stands in."""

import shutil

import job
import torch
from torch.nn.parallel import DistributedDataParallel

chosen = job.options(steps=400)
device = job.begin(chosen)
backend = "inductor" if shutil.which("cc") or shutil.which("gcc") or shutil.which("clang") else "cudagraphs"
print(f"torch.compile with backend {backend}", flush=True)
model = torch.compile(DistributedDataParallel(job.network(chosen.width).to(device), bucket_cap_mb=25), backend=backend)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
job.train(chosen, job.step_of(model, optimizer, job.batch(device)))
job.end()
