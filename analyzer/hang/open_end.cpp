// SPDX-License-Identifier: Apache-2.0
#include "hang/open_end.h"

#include "hang/issued.h"
#include "trace/vocabulary/nccl_result.h"

#include <limits>
#include <unordered_map>

namespace ringside::hang {
namespace {

/// How far a communicator is, by the numbers of its calls.
struct End {
    bool hasMessages = false;
    std::int64_t firstOpen = std::numeric_limits<std::int64_t>::max();
    std::int64_t lastOfAll = std::numeric_limits<std::int64_t>::min();
};

} // namespace

void keepOpenEnd(trace::ProcessTrace& process)
{
    constexpr std::ptrdiff_t kShown = 8;
    std::unordered_map<std::int64_t, End> ends;
    for (const trace::CollectiveCallRow& row : process.collectiveCalls) {
        End& end = ends[row.communicator];
        end.hasMessages = end.hasMessages || isPointToPoint(process.text(row.api));
        if (row.result != 0) {
            end.firstOpen = std::min(end.firstOpen, row.sequence);
        }
    }
    for (const trace::CollectiveCallRow& row : process.collectiveCalls) {
        End& end = ends[row.communicator];
        if (row.result == 0 && row.sequence < end.firstOpen && needsAll(process.text(row.api))) {
            end.lastOfAll = std::max(end.lastOfAll, row.sequence);
        }
    }
    auto& calls = process.collectiveCalls;
    const auto shown = calls.end() - std::min<std::ptrdiff_t>(kShown, std::ssize(calls));
    const auto kept = std::remove_if(calls.begin(), shown, [&](const trace::CollectiveCallRow& row) {
        const End& end = ends[row.communicator];
        return !end.hasMessages && row.sequence < end.lastOfAll;
    });
    calls.erase(kept, shown);
    calls.shrink_to_fit();
}

} // namespace ringside::hang
