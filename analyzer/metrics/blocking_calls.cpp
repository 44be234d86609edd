// SPDX-License-Identifier: Apache-2.0
#include "metrics/blocking_calls.h"

#include "metrics/exposure.h"
#include "metrics/host_threads.h"
#include "metrics/idle.h"

namespace ringside::metrics {
namespace {

const model::Interval& hostOf(const model::Step* step)
{
    return step->host;
}

/// Finds out whether the step in which a call begins still issues a collective of relevant size after it.
class LaterCollectives final {
public:
    LaterCollectives(const trace::ProcessTrace& process, const std::vector<const model::Step*>& steps)
        : m_steps(steps)
    {
        constexpr std::uint64_t kLeastBytes = 4096; // the reduction of a loss or a flag needs no overlap
        for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
            if (call.bytes && *call.bytes >= kLeastBytes) {
                m_starts.push_back(call.startNs);
            }
        }
        std::sort(m_starts.begin(), m_starts.end());
    }
    [[nodiscard]] bool after(const Interval& call) const
    {
        const auto next = std::lower_bound(m_starts.begin(), m_starts.end(), call.end);
        const auto step = values::indexAt(m_steps, call.start, hostOf);
        return next != m_starts.end() && step && *next < m_steps[*step]->host.end;
    }

private:
    const std::vector<const model::Step*>& m_steps;
    std::vector<std::int64_t> m_starts;
};

/// Adds the exposed communication during `calls`. Where calls of several threads overlap, the first counts.
void addLostOverlap(BlockingCalls& result, std::vector<Interval> calls, const Lanes& lanes)
{
    std::sort(calls.begin(), calls.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::int64_t reached = calls.empty() ? 0 : calls.front().start;
    for (Interval& call : calls) {
        call = {std::max(reached, call.start), std::max({reached, call.start, call.end})};
        reached = call.end;
    }
    const std::vector<std::int64_t> exposed = exposedIn(lanes, calls);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        result.overlapLostNs = model::addCapped(result.overlapLostNs, exposed[i]);
        if (exposed[i] > most) {
            most = exposed[i];
            result.overlapLost = calls[i];
        }
    }
}

} // namespace

BlockingCalls findBlockingCalls(const model::Model& model, const model::Rank& rank, const Lanes& lanes,
                                const std::vector<const model::Step*>& steps)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    const HostThreads threads(model, rank);
    const LaterCollectives later(process, steps);
    std::vector<Interval> hindering;
    BlockingCalls result;
    std::unordered_map<trace::StringId, std::int64_t> counts; // -1: does not block
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        const trace::StringId api = process.apiCalls.api[i];
        const auto [entry, fresh] = counts.try_emplace(api, 0);
        if (fresh && !isBlockingCall(process.text(api))) {
            entry->second = -1;
        }
        const Interval time{process.apiCalls.startNs[i], process.apiCalls.endNs[i]};
        if (entry->second < 0 || !values::indexAt(steps, time.start, hostOf) ||
            !threads.concern(process.apiCalls.thread[i], process.apiCalls.stream[i])) {
            continue;
        }
        if (later.after(time)) {
            hindering.push_back(time);
        }
        ++entry->second;
        ++result.count;
        result.ns = model::addCapped(result.ns, time.length());
        result.longest = time.length() > result.longest.length() ? time : result.longest;
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (result.count > 0) {
        result.commonest = process.text(most->first);
    }
    addLostOverlap(result, std::move(hindering), lanes);
    return result;
}

} // namespace ringside::metrics
