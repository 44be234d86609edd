# SPDX-License-Identifier: Apache-2.0
"""Work of which all is known: kernels of a given length on three streams, each between two timing events, copies of known size, and
when they can have run at the earliest and latest by the host's clock; then a GPU that is busy throughout. Prints it as JSON."""

import json
import time

import torch

BATCHES = 50
PAUSE_S = 0.4  # together 20 s, in which clocks would drift apart
CYCLES = 1_000_000
COPY_BYTES = 1 << 20
BUSY_S = 3
READY_S = 2  # a tool that attaches at the first call has begun by then
WIDTH = 8192

torch.cuda.init()
streams = [torch.cuda.Stream() for _ in range(3)]
sources = [torch.ones((number + 1) * COPY_BYTES, dtype=torch.uint8).pin_memory() for number in range(3)]
targets = [torch.empty((number + 1) * COPY_BYTES, dtype=torch.uint8, device="cuda") for number in range(3)]
torch.cuda._sleep(CYCLES)  # the first launch loads code
torch.cuda.synchronize()
time.sleep(READY_S)


def batch():
    events = []
    begin_ns = time.monotonic_ns()
    for stream, source, target in zip(streams, sources, targets):
        with torch.cuda.stream(stream):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            torch.cuda._sleep(CYCLES)
            end.record()
            target.copy_(source, non_blocking=True)
            events.append((start, end))
    torch.cuda.synchronize()
    end_ns = time.monotonic_ns()
    return {"begin_ns": begin_ns, "end_ns": end_ns, "kernels_ns": [start.elapsed_time(end) * 1e6 for start, end in events]}


batches = []
for _ in range(BATCHES):
    batches.append(batch())
    time.sleep(PAUSE_S)

held = torch.empty(torch.cuda.mem_get_info()[1] // 4, dtype=torch.uint8, device="cuda")  # next to it, what the driver takes is little
busy = torch.ones(WIDTH, WIDTH, dtype=torch.bfloat16, device="cuda")
begin_ns = time.monotonic_ns()
while time.monotonic_ns() - begin_ns < BUSY_S * 1e9:
    for _ in range(10):
        busy @ busy
    torch.cuda.synchronize()
free, total = torch.cuda.mem_get_info()
print(json.dumps({"batches": batches, "copied_bytes": BATCHES * 6 * COPY_BYTES, "busy_from_ns": begin_ns,
                  "busy_to_ns": time.monotonic_ns(), "memory_used": total - free}), flush=True)
