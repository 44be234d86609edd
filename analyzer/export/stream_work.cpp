// SPDX-License-Identifier: Apache-2.0
#include "export/stream_work.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ringside::exporting {
namespace {

constexpr std::int64_t kCrossingNs = 1000;
constexpr std::size_t kMaxLanes = 64; ///< no GPU overlaps more work within a stream, but a damaged file may

using Stream = std::pair<std::uint32_t, std::uint32_t>; ///< device, stream
/// Rows of one stream in both tables.
struct Rows {
    std::vector<std::uint32_t> kernels, copies;
};

template <class Columns>
void collect(const Columns& columns, const model::Rank& rank, std::vector<std::uint32_t> Rows::*member,
             std::map<Stream, Rows>& streams)
{
    Stream lastStream;
    std::vector<std::uint32_t>* last = nullptr; // caches the list: work of one stream often follows itself
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Stream stream{columns.device[i], columns.stream[i]};
        if (!rank.owns(stream.first)) {
            continue;
        }
        if (last == nullptr || stream != lastStream) {
            lastStream = stream;
            last = &(streams[stream].*member);
        }
        last->push_back(static_cast<std::uint32_t>(i));
    }
}

template <class Columns>
void sortByStart(const Columns& columns, std::vector<std::uint32_t>& rows)
{
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
        return columns.startNs[a] < columns.startNs[b];
    };
    if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
        std::stable_sort(rows.begin(), rows.end(), earlier);
    }
}

/// The lanes of one stream, each with the end of its last work.
class Lanes final {
public:
    /// Puts the work into the first free lane, and moves its begin if it overlaps slightly.
    std::size_t place(model::Interval& time)
    {
        std::size_t lane = 0;
        while (lane < m_ends.size() && time.start < m_ends[lane] - kCrossingNs) {
            ++lane;
        }
        if (lane == kMaxLanes) {
            return lane; // unchanged
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
    const trace::KernelColumns& kernels = process.kernels;
    const trace::CopyColumns& copies = process.copies;
    std::map<Stream, Rows> streams;
    collect(kernels, rank, &Rows::kernels, streams);
    collect(copies, rank, &Rows::copies, streams);
    for (auto& [stream, rows] : streams) {
        sortByStart(kernels, rows.kernels);
        sortByStart(copies, rows.copies);
        Lanes lanes;
        const auto next = [&, &stream = stream](bool copy, std::size_t row, const model::Interval& time) {
            ShownWork shown{stream.first, stream.second, 0, copy, row, time};
            shown.lane = lanes.place(shown.time);
            show(shown);
        };
        auto copy = rows.copies.begin();
        const auto showCopy = [&] {
            next(true, *copy, {copies.startNs[*copy], copies.endNs[*copy]});
            ++copy;
        };
        for (const std::uint32_t row : rows.kernels) {
            const std::int64_t startNs = kernels.startNs[row];
            while (copy != rows.copies.end() && copies.startNs[*copy] < startNs) {
                showCopy();
            }
            next(false, row, {startNs, kernels.endNs[row]});
        }
        while (copy != rows.copies.end()) {
            showCopy();
        }
    }
}

} // namespace ringside::exporting
