# SPDX-License-Identifier: Apache-2.0
"""torch.distributed of the fake torch: NCCL's calls on a stream of their own, as PyTorch makes them; with Gloo, copies to the host."""

import ctypes
import os
import pathlib
import sys
import tempfile
import threading
import time

import torch
from torch import GPU

__path__ = torch.__path__  # for `python -m torch.distributed.run`
STATE = {"communicator": None, "timeout_s": None}
GLOO_S = 0.005  # of a collective through the host
WATCHDOG_SHARE = 0.25  # of the time that was asked for


def get_rank():
    return int(os.environ["RANK"])


def exchanged_id(ranks):
    """NCCL's id, through a file that is named by the launcher's port."""
    text = ctypes.create_string_buffer(128)
    meeting = pathlib.Path(tempfile.gettempdir()) / f"fake_torch_{os.environ['MASTER_PORT']}"
    if get_rank() == 0:
        GPU.ncclId(text)
        if ranks > 1:
            meeting.with_suffix(".new").write_bytes(text.raw)
            meeting.with_suffix(".new").rename(meeting)
        return text
    while not meeting.exists():
        time.sleep(0.1)
    text.raw = meeting.read_bytes()
    meeting.unlink()
    return text


def init_process_group(backend, timeout=None):
    if backend == "nccl":
        ranks = int(os.environ["WORLD_SIZE"])
        STATE.update(communicator=ctypes.c_void_p(GPU.ncclBegin(ranks, get_rank(), exchanged_id(ranks))), stream=torch.Stream())
    STATE["timeout_s"] = timeout.total_seconds() * WATCHDOG_SHARE if timeout else None


def watch(event):
    over = time.monotonic() + STATE["timeout_s"]
    while time.monotonic() < over:
        if GPU.gpuReached(ctypes.c_void_p(event.handle)):
            return
        torch._pause(0.1)  # pylint: disable=protected-access
    print("Watchdog caught collective operation timeout", file=sys.stderr, flush=True)
    os.abort()


def collective(name, function, tensor):
    if STATE["communicator"] is None:
        tensor.copy_(tensor.cpu())
        torch._pause(GLOO_S)  # pylint: disable=protected-access
        return
    torch.profiler.note(name, tensor.count)
    STATE["stream"].wait_stream(torch.cuda.current_stream())
    function(ctypes.c_void_p(tensor.data), ctypes.c_size_t(tensor.count), STATE["communicator"], ctypes.c_void_p(STATE["stream"].handle))
    torch.cuda.current_stream().wait_stream(STATE["stream"])
    if STATE["timeout_s"]:
        event = torch.Event()
        event.record(STATE["stream"])
        threading.Thread(target=watch, args=(event,), daemon=True).start()


def all_reduce(tensor):
    collective("allreduce", GPU.allReduce, tensor)


def broadcast(tensor):
    collective("broadcast", GPU.broadcast, tensor)


def destroy_process_group():
    if STATE["communicator"] is not None:
        GPU.ncclEnd(STATE["communicator"])


fsdp = torch.module("distributed.fsdp", fully_shard=torch.fully_shard)
