// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/late_cause.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::rules {

CauseText textOf(metrics::LateCause cause)
{
    using metrics::LateCause;
    switch (cause) {
    case LateCause::Compute:
        return {"longer compute", "Give it no more work than the others (sequence length, experts), and "
                                  "check its clocks and temperature (nvidia-smi -q -d CLOCK,PERFORMANCE)."};
    case LateCause::ThrottledClock:
        return {"longer compute at a lower clock than the others'",
                "Find out what slows its GPU (nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE): cooling, "
                "power cap, a locked clock (`nvidia-smi -lgc`); see clock_throttling."};
    case LateCause::DataLoading:
        return {"data loading", "Check its input pipeline: workers, prefetching, pinned memory, its shard of "
                                "the data, its host's disk."};
    case LateCause::Synchronization:
        return {
            "idle time after blocking calls",
            "Look for what only it does in each step: logging, `.item()`, writing files (see sync_in_loop)."};
    case LateCause::Host:
        return {"a host that launches late",
                "Check its host: binding to the GPU's NUMA node, other work there, Python in its loop."};
    case LateCause::CpuContention:
        return {"a host whose threads wait for a CPU",
                "Free its CPUs: fewer loader workers or OMP_NUM_THREADS, no other jobs, a larger CPU quota "
                "of its container; see cpu_contention."};
    case LateCause::Copies:
        break;
    }
    return {"copies", "Check its copies: pinned memory, `non_blocking=True`, its PCIe link."};
}

} // namespace ringside::rules
