// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposed_copies.h"

#include "metrics/device_work.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ringside::metrics {
namespace {

using Kind = std::pair<std::uint32_t, std::uint32_t>; ///< direction, memory of the host
using CopyRows = std::vector<std::uint32_t>;

/// The copies of one kind, in one list of rows for each lane.
struct CopiesOfKind {
    std::vector<CopyRows> lanes;
    CopyExposure found;
};

std::map<Kind, CopiesOfKind> copiesByKind(const trace::CopyColumns& copies, const RankMetrics& rank,
                                          const std::vector<Lane>& lanes)
{
    std::map<Kind, CopiesOfKind> kinds;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        for (std::size_t i = 0; i < lanes[lane].count; ++i) {
            const std::size_t row = lanes[lane].row(i);
            CopiesOfKind& kind = kinds[{copies.kind[row], copies.hostMemory[row]}];
            kind.lanes.resize(lanes.size());
            kind.lanes[lane].push_back(static_cast<std::uint32_t>(row));
            const Interval copy = lanes[lane].interval(i);
            if (values::indexAt(rank.windows, copy.start)) {
                kind.found.bytes += static_cast<double>(copies.bytes[row]);
                kind.found.longest = copy.length() > kind.found.longest.length() ? copy : kind.found.longest;
            }
        }
    }
    return kinds;
}

/// Returns the lanes of a rank without the copies of other kinds.
Lanes onlyCopies(const Lanes& all, const CopiesOfKind& kind)
{
    Lanes lanes = all;
    for (std::size_t lane = 0; lane < kind.lanes.size(); ++lane) {
        lanes[kCopy][lane].order = kind.lanes[lane];
        lanes[kCopy][lane].count = kind.lanes[lane].size();
    }
    return lanes;
}

} // namespace

std::vector<CopyExposure> exposedCopiesOf(const model::Model& model, const RankMetrics& rank)
{
    const model::Rank& of = model.ranks[rank.rank];
    const DeviceWork work(model, of);
    std::vector<CopyExposure> result;
    for (auto& [kind, copies] : copiesByKind(model.processOf(of).copies, rank, work.lanes()[kCopy])) {
        CopyExposure& found = result.emplace_back(copies.found);
        found.kind = kind.first;
        found.hostMemory = kind.second;
        for (const Coverage& step : sweep(onlyCopies(work.lanes(), copies), rank.windows)) {
            found.copyNs += step.time(bit(kCopy));
            found.exposedNs += step.time(bit(kCopy), bit(kCompute) | bit(kCommunication));
        }
    }
    std::ranges::stable_sort(result, std::greater<>(), &CopyExposure::exposedNs);
    return result;
}

} // namespace ringside::metrics
