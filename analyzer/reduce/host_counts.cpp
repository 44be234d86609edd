// SPDX-License-Identifier: Apache-2.0
#include "reduce/host_counts.h"

#include "trace/vocabulary/host_words.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace ringside::reduce {
namespace {

std::int64_t countIn(const std::vector<std::int64_t>& starts, const model::Interval& step)
{
    return std::ranges::lower_bound(starts, step.end) - std::ranges::lower_bound(starts, step.start);
}

/// Returns the union of those that began in the step.
std::int64_t lengthIn(const std::vector<model::Interval>& times, const model::Interval& step)
{
    const auto first = std::ranges::lower_bound(times, step.start, {}, &model::Interval::start);
    const auto last = std::ranges::lower_bound(times, step.end, {}, &model::Interval::start);
    return model::lengthOfUnion({first, last});
}

bool isLaunch(std::string_view api)
{
    return api.starts_with("cudaLaunch") || api.starts_with("cudaGraphLaunch");
}

} // namespace

HostCounts::HostCounts(const trace::ProcessTrace& process)
{
    enum class Kind : std::uint8_t { Other, Launch, Blocking };
    std::unordered_map<trace::StringId, Kind> kinds;
    const auto kindOf = [&](trace::StringId api) {
        const auto [entry, fresh] = kinds.try_emplace(api, Kind::Other);
        if (fresh) {
            const std::string_view name = process.text(api);
            entry->second = isLaunch(name)                ? Kind::Launch
                            : trace::isBlockingCall(name) ? Kind::Blocking
                                                          : Kind::Other;
        }
        return entry->second;
    };
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        const model::Interval times{process.apiCalls.startNs[i], process.apiCalls.endNs[i]};
        const Kind kind = kindOf(process.apiCalls.api[i]);
        if (kind == Kind::Launch) {
            m_launches.push_back(times.start);
        } else if (kind == Kind::Blocking) {
            m_blocking.push_back(times);
        }
    }
    if (process.apiCalls.size() == 0) { // no interposed calls, but those that CUPTI reported
        m_launches.assign(process.launches.startNs.begin(), process.launches.startNs.end());
    }
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        if (!call.graph) {
            m_calls.emplace_back(call.startNs, 1);
        }
    }
    for (std::size_t i = 0; i < process.graphLaunches.size(); ++i) {
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max(); // so that sums fit
        m_calls.emplace_back(process.graphLaunches.startNs[i],
                             static_cast<std::int64_t>(std::min(process.graphLaunches.calls[i], kMost)));
    }
    for (const trace::RangeRow& range : process.ranges) {
        if (trace::isDataLoadingRange(process.text(range.name))) {
            m_loading.push_back({range.startNs, range.endNs});
        }
    }
    std::ranges::sort(m_launches);
    std::ranges::sort(m_calls);
    std::ranges::sort(m_blocking, {}, &model::Interval::start);
    std::ranges::sort(m_loading, {}, &model::Interval::start);
}

trace::StepSummaryRow HostCounts::of(const model::Interval& step) const
{
    trace::StepSummaryRow row;
    row.startNs = step.start;
    row.endNs = step.end;
    row.launches = countIn(m_launches, step);
    const auto firstCall = std::ranges::lower_bound(m_calls, std::pair(step.start, std::int64_t{0}));
    for (auto call = firstCall; call != m_calls.end() && call->first < step.end; ++call) {
        row.collectives = model::addCapped(row.collectives, call->second);
    }
    row.blockingNs = lengthIn(m_blocking, step);
    row.loadingNs = lengthIn(m_loading, step);
    return row;
}

} // namespace ringside::reduce
