// SPDX-License-Identifier: Apache-2.0
#include "link_model.h"

#include "platform.h"

namespace ringside::nccl {

LinkLoad loadOf(const Operation& operation, int ranks)
{
    const auto bytes = static_cast<double>(operation.bytes());
    const double others = ranks - 1;
    switch (operation.kind) {
    case Kind::AllReduce:
        return {.bytes = bytes * 2 * others / ranks, .steps = 2 * others};
    case Kind::AllGather:
    case Kind::ReduceScatter:
        return {.bytes = bytes * others, .steps = others};
    case Kind::Broadcast:
    case Kind::Reduce:
        return {.bytes = ranks > 1 ? bytes : 0, .steps = others};
    case Kind::Send:
    case Kind::Recv:
        break;
    }
    return {.bytes = bytes, .steps = 1};
}

std::chrono::nanoseconds modelledTime(const LinkLoad& load)
{
    const double bandwidth = ringside_platform_model_number("link_bandwidth", 0);
    const double latencyNs = ringside_platform_model_number("link_latency_ns", 0);
    const double transferNs = bandwidth > 0 ? load.bytes / bandwidth * 1e9 : 0;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(transferNs + load.steps * latencyNs));
}

} // namespace ringside::nccl
