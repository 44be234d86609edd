// SPDX-License-Identifier: Apache-2.0
#include "metrics/device_work.h"

#include <map>
#include <unordered_set>

namespace ringside::metrics {
namespace {

/// The correlation ids under which NCCL launched anything. A copy among it is a collective's: NCCL lets copy
/// engines do it (2.28 and later), or it is that of a communicator with one rank. Copies of CUDA graphs are
/// the program's as far as is known.
std::unordered_set<std::uint32_t> copiesOfCollectives(const trace::ProcessTrace& process)
{
    const auto& links = process.callCorrelations;
    const std::unordered_set<std::uint64_t> graphs(process.graphLaunches.launch.begin(),
                                                   process.graphLaunches.launch.end());
    std::unordered_set<std::uint32_t> found;
    for (std::size_t i = 0; i < links.size() && process.copies.size() > 0; ++i) {
        if (!graphs.contains(links.call[i])) {
            found.insert(links.correlation[i]);
        }
    }
    return found;
}

} // namespace

template <typename Columns, typename Classify>
void DeviceWork::addColumns(const Columns& columns, const model::Rank& rank, const Classify& classify)
{
    using Key = std::pair<Class, std::uint64_t>; // class; device and stream
    std::map<Key, Rows*> lists;
    Key lastKey{kClasses, 0};
    Rows* last = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!rank.owns(columns.device[i])) {
            continue;
        }
        const Key key{classify(i), (static_cast<std::uint64_t>(columns.device[i]) << 32) | columns.stream[i]};
        if (key != lastKey) {
            Rows*& entry = lists[key];
            if (entry == nullptr) {
                m_rows.push_back(std::make_unique<Rows>());
                entry = m_rows.back().get();
            }
            last = entry;
            lastKey = key;
        }
        last->push_back(static_cast<std::uint32_t>(i));
    }
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
        return columns.startNs[a] < columns.startNs[b];
    };
    for (const auto& [key, rows] : lists) {
        if (!std::is_sorted(rows->begin(), rows->end(), earlier)) {
            std::sort(rows->begin(), rows->end(), earlier);
        }
        m_lanes[key.first].push_back(
            {&columns.startNs, &columns.endNs, &columns.correlation, *rows, rows->size()});
    }
}

DeviceWork::DeviceWork(const model::Model& model, const model::Rank& rank, const LastArrivals& lastArrivals)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    const model::KernelClasses& classes = model.classes[rank.process];
    addColumns(process.kernels, rank, [&](std::size_t i) {
        return classes.of(process.kernels.name[i]) == model::KernelClass::Communication ? kCommunication
                                                                                        : kCompute;
    });
    m_kernelStarts = &process.kernels.startNs;
    const auto byCopyEngines = copiesOfCollectives(process);
    addColumns(process.copies, rank, [&](std::size_t i) {
        return byCopyEngines.contains(process.copies.correlation[i]) ? kCommunication : kCopy;
    });
    for (const Lane& lane : m_lanes[kCommunication]) {
        addTransfers(lane, isOfKernels(lane) ? lastArrivals : LastArrivals());
    }
}

void DeviceWork::addTransfers(const Lane& communication, const LastArrivals& lastArrivals)
{
    std::vector<Interval> transfers;
    transfers.reserve(communication.count);
    for (std::size_t i = 0; i < communication.count; ++i) {
        const std::int64_t begin = communication.start(i);
        const std::int64_t end = std::max(begin, communication.end(i));
        const auto last = lastArrivals.find(static_cast<std::uint32_t>(communication.row(i)));
        transfers.push_back({std::clamp(last == lastArrivals.end() ? begin : last->second, begin, end), end});
    }
    std::sort(transfers.begin(), transfers.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    auto starts = std::make_unique<trace::Column<std::int64_t>>();
    auto ends = std::make_unique<trace::Column<std::int64_t>>();
    for (const Interval& transfer : transfers) {
        starts->push_back(transfer.start);
        ends->push_back(transfer.end);
    }
    m_lanes[kTransfer].push_back({starts.get(), ends.get(), nullptr, {}, starts->size()});
    m_times.push_back(std::move(starts));
    m_times.push_back(std::move(ends));
}

} // namespace ringside::metrics
