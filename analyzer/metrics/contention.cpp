// SPDX-License-Identifier: Apache-2.0
#include "metrics/contention.h"

#include "metrics/samples.h"

#include <algorithm>
#include <cmath>

namespace ringside::metrics {
namespace {

/// The kernel's counters of the machine; of a guest, they say what the hypervisor gave to others.
std::optional<double> stolenShare(const trace::ProcessTrace& process, const Interval& span)
{
    const auto stolen = gainIn(process, {"machine", "machine", "cpu_stolen_ms"}, span);
    double all = 0;
    for (const trace::SeriesMetric& part :
         std::initializer_list<trace::SeriesMetric>{"cpu_busy_ms", "cpu_idle_ms", "cpu_iowait_ms"}) {
        all += static_cast<double>(gainIn(process, {"machine", "machine", part}, span).value_or(0));
    }
    const double lost = static_cast<double>(stolen.value_or(0));
    return stolen && all + lost > 0 ? std::optional(lost / (all + lost)) : std::nullopt;
}

/// One process of each host samples the machine.
std::optional<double> stolenShareOfHost(const model::Model& model, const trace::ProcessTrace& of,
                                        const Interval& span)
{
    for (const trace::ProcessTrace& process : model.trace.processes) {
        if (process.process.host == of.process.host) {
            if (const auto share = stolenShare(process, span)) {
                return share;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::int64_t Contention::waitedNs() const
{
    return std::max({delayNs.value_or(0), throttledNs.value_or(0), stolenNs.value_or(0)});
}

Contention contentionOf(const model::Model& model, const RankMetrics& rank)
{
    return contentionOf(model, model.ranks[rank.rank], {rank.windows.front().start, rank.windows.back().end});
}

Contention contentionOf(const model::Model& model, const model::Rank& rank, const Interval& span)
{
    constexpr std::int64_t kNsPerUs = 1000;
    const trace::ProcessTrace& process = model.processOf(rank);
    Contention result;
    result.delayNs = gainIn(process, {"process", "recording threads", "run_delay_ns"}, span);
    result.preemptions = gainIn(process, {"process", "process", "involuntary_switches"}, span);
    if (const auto us = gainIn(process, {"cgroup", "cgroup", "throttled_us"}, span)) {
        result.throttledNs = *us * kNsPerUs;
    }
    if (const auto share = stolenShareOfHost(model, process, span)) {
        result.stolenNs = std::llround(*share * static_cast<double>(span.length()));
    }
    return result;
}

} // namespace ringside::metrics
