// SPDX-License-Identifier: Apache-2.0
#include "export/stream_work.h"

#include <algorithm>
#include <map>

namespace ringside::exporting {
namespace {

constexpr std::int64_t kCrossingNs = 1000;
constexpr std::size_t kMaxLanes = 64; ///< no GPU overlaps more within a stream, but a damaged file may

using Stream = std::pair<std::uint32_t, std::uint32_t>; ///< device, stream
struct Work {
    std::int64_t startNs;
    std::uint32_t row;
    bool copy;
};

template <class Columns>
void collect(const Columns& columns, const model::Rank& rank, bool copy,
             std::map<Stream, std::vector<Work>>& streams)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (rank.owns(columns.device[i])) {
            streams[{columns.device[i], columns.stream[i]}].push_back(
                {columns.startNs[i], static_cast<std::uint32_t>(i), copy});
        }
    }
}

/// The lanes of one stream, each with the end of what was last put into it.
class Lanes final {
public:
    /// Puts it into the first lane that is free, and moves its begin to where it is.
    std::size_t place(model::Interval& time)
    {
        std::size_t lane = 0;
        while (lane < m_ends.size() && time.start < m_ends[lane] - kCrossingNs) {
            ++lane;
        }
        if (lane == kMaxLanes) {
            return lane; // as it is
        }
        if (lane == m_ends.size()) {
            m_ends.push_back(time.start);
        }
        time.start = std::max(time.start, m_ends[lane]);
        time.end = std::max(time.start, time.end);
        m_ends[lane] = time.end;
        return lane;
    }

private:
    std::vector<std::int64_t> m_ends;
};

} // namespace

void forEachDeviceWork(const model::Model& model, const model::Rank& rank,
                       const std::function<void(const ShownWork&)>& show)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    std::map<Stream, std::vector<Work>> streams;
    collect(process.kernels, rank, false, streams);
    collect(process.copies, rank, true, streams);
    for (auto& [stream, list] : streams) {
        std::stable_sort(list.begin(), list.end(),
                         [](const Work& a, const Work& b) { return a.startNs < b.startNs; });
        Lanes lanes;
        for (const Work& work : list) {
            const std::int64_t endNs =
                work.copy ? process.copies.endNs[work.row] : process.kernels.endNs[work.row];
            ShownWork shown{stream.first, stream.second, 0, work.copy, work.row, {work.startNs, endNs}};
            shown.lane = lanes.place(shown.time);
            show(shown);
        }
    }
}

} // namespace ringside::exporting
