# SPDX-License-Identifier: Apache-2.0
"""A data-parallel training with PyTorch over Gloo, without a GPU: pytorch_test.py runs it, bare and recorded. Without RANK in the
environment it starts two ranks as a launcher does (Debian's torchrun does not start under its Python). Rank 0 prints the losses
and the trained parameters exactly, so that two runs can be compared. With RINGSIDE_MARKS=1 it marks its steps with the
collector's Python module."""

import hashlib
import os
import subprocess
import sys
import tempfile

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

STEPS = 20
RANKS = 2


def batches(rank):
    generator = torch.Generator().manual_seed(100 + rank)
    data = TensorDataset(torch.randn(STEPS * 8, 16, generator=generator), torch.randn(STEPS * 8, 4, generator=generator))
    return DataLoader(data, batch_size=8, num_workers=2)  # its workers are forked while this process records


def train(model, loader, each_step):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for inputs, wanted in each_step(loader):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), wanted)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def launch():
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, __file__, f"{folder}/rendezvous"],
                                  env={**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(RANKS)})
                 for rank in range(RANKS)]
        codes = [rank.wait() for rank in ranks]
    sys.exit(max(codes, key=abs))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}", rank=int(os.environ["RANK"]),
                                         world_size=RANKS)
    rank = torch.distributed.get_rank()
    each_step = iter
    if os.environ.get("RINGSIDE_MARKS"):
        import ringside
        each_step = lambda loader: ringside.steps(ringside.watch(loader))  # noqa: E731
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)))
    losses = train(model, batches(rank), each_step)
    if rank == 0:
        parameters = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
        print("losses", " ".join(loss.hex() for loss in losses))
        print("parameters", hashlib.sha256(parameters).hexdigest())
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main() if "RANK" in os.environ else launch()
