# SPDX-License-Identifier: Apache-2.0
"""An ordinary PyTorch DDP job, small enough for one GPU: nothing in it knows of Ringside. Rank and address come from the
launcher's variables."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS = 60
BATCH = 256


def model():
    layers = [torch.nn.Linear(784, 2048), torch.nn.ReLU()]
    for _ in range(4):
        layers += [torch.nn.Linear(2048, 2048), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(2048, 10))


def main():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    torch.manual_seed(1)
    network = DistributedDataParallel(model().to(device), device_ids=[device.index], bucket_cap_mb=25)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    images = torch.randn(BATCH, 784, device=device)
    labels = torch.randint(0, 10, (BATCH,), device=device)
    for step in range(STEPS):
        torch.cuda.nvtx.range_push(f"ProfilerStep#{step}")
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    if dist.get_rank() == 0:
        print(f"loss after {STEPS} steps: {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
