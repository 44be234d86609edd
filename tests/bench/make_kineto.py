# SPDX-License-Identifier: Apache-2.0
"""Writes files as the PyTorch profiler does, one a rank: make_kineto.py DIRECTORY EVENTS [RANKS]. EVENTS over all ranks.

The mix follows real traces: of 100 events 36 are operators, 22 CUDA calls, 9 kernels, 32 arrows, with names and arguments of their
lengths. Durations are log-normal, kernels lie on three streams, a step holds 20 all-reduces of sizes from a few KiB to hundreds of
MiB. For timing: what is found means nothing.
"""

import os
import random
import sys

KERNELS = [f"void at::native::vectorized_elementwise_kernel<4, at::native::functor_{i}<float>, at::detail::Array<char*, {i % 4 + 1}> >"
           f"(int, at::native::functor_{i}<float>, at::detail::Array<char*, {i % 4 + 1}>)" for i in range(60)]
OPERATORS = ["aten::" + name for name in "add mm linear relu empty view reshape copy_ to div mul addmm t transpose as_strided".split()]
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
BASE_NS = 1711964646000000000


def complete(category, name, pid, tid, ts, duration, arguments):
    return (f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid},\n'
            f'    "ts": {ts:.3f}, "dur": {duration:.3f},\n    "args": {{\n      {arguments}\n    }}\n  }}')


def arrow(phase, correlation, pid, tid, ts):
    end = ', "bp": "e"' if phase == "f" else ""
    return (f'  {{\n    "ph": "{phase}", "id": {correlation}, "pid": {pid}, "tid": {tid}, "ts": {ts:.3f},\n'
            f'    "cat": "ac2g", "name": "ac2g"{end}\n  }}')


def operation(index, ts, rank, pid):
    """The 11 events of one kernel, within 32 us."""
    chosen = random.Random(index)
    reduction = index % 50 == 0
    end = ts + 24.5
    for i in range(4):
        end -= chosen.uniform(0.001, 3)
        yield complete("cpu_op", chosen.choice(OPERATORS), pid, pid, ts + i, end - ts - i,
                       f'"External id": {4 * index + i}, "Record function id": 0, "Sequence number": {index}, "Fwd thread id": 0, '
                       f'"Ev Idx": {4 * index + i}')
    yield complete("cuda_runtime", "cudaStreamIsCapturing", pid, pid, ts + 5, min(0.9, chosen.lognormvariate(-1.4, 0.4)),
                   f'"External id": {4 * index}, "cbid": 317, "correlation": {2 * index + 2}')
    yield complete("cuda_runtime", "cudaLaunchKernel", pid, pid, ts + 6, min(9, chosen.lognormvariate(1.3, 0.5)),
                   f'"External id": {4 * index}, "cbid": 211, "correlation": {2 * index + 1}')
    yield arrow("s", 2 * index + 1, pid, pid, ts + 6)
    elements = int(random.Random(index % 1000).lognormvariate(13.5, 2))
    extra = (f'"Collective name": "allreduce", "In msg nelems": {elements}, "Out msg nelems": {elements}, "Group size": 8, "dtype": "Float", '
             '"In split size": "[]", "Out split size": "[]", "Process Group Name": "0", "Process Group Description": "default_pg", '
             '"Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]"') if reduction else '"est. achieved occupancy %": 75'
    start = ts + 12 + (rank % 8 if reduction else 0)
    stream = 40 if reduction else chosen.choice((7,) * 9 + (20,))
    lasts = ts + 30 - start if reduction else min(18, chosen.lognormvariate(1.8, 0.8))
    yield complete("kernel", ALL_REDUCE if reduction else chosen.choice(KERNELS), 0, stream, start, lasts,
                   f'"External id": {4 * index}, "queued": 0, "device": 0, "context": 1,\n      "stream": {stream}, '
                   f'"correlation": {2 * index + 1},\n      "registers per thread": 32, "shared memory": 0, "blocks per SM": 4.740741,\n'
                   f'      "warps per SM": 75.851852, "grid": [512, 1, 1], "block": [512, 1, 1],\n      {extra}')
    yield arrow("f", 2 * index + 1, 0, stream, start)
    yield arrow("f", 2 * index + 2, pid, pid, ts + 5)
    yield arrow("s", 2 * index + 2, pid, pid, ts + 5)


def write_rank(path, rank, ranks, events):
    pid = 5000 + rank
    with open(path, "w", encoding="ascii") as file:
        file.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [{"id": 0, "name": "generated", "totalGlobalMem": 85899345920}],\n'
                   f'  "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": {ranks}}},\n  "traceEvents": [\n')
        operations = events // 11
        step = 1000
        first = True
        for index in range(operations):
            ts = 4458676416788.066 + 32.0 * index
            if index % step == 0:
                text = complete("user_annotation", f"ProfilerStep#{index // step}", pid, pid, ts - 0.5, 32.0 * step - 1, '"External id": 0')
                file.write(("" if first else ",\n") + text)
                first = False
            file.write(",\n" + ",\n".join(operation(index, ts, rank, pid)))
        file.write(f'\n  ],\n  "traceName": "generated", "baseTimeNanoseconds": {BASE_NS}\n}}\n')


def main():
    directory, events = sys.argv[1], int(sys.argv[2])
    ranks = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    os.makedirs(directory)
    for rank in range(ranks):
        write_rank(os.path.join(directory, f"rank{rank}.json"), rank, ranks, events // ranks)


main()
