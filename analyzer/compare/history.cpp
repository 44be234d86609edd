// SPDX-License-Identifier: Apache-2.0
#include "compare/history.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ringside::compare {
namespace {

/// Returns the median compute time of the rank and its peers. Null if it has no peers.
std::optional<std::int64_t> peerCompute(const report::Report& report, const metrics::RankMetrics& rank)
{
    std::vector<std::int64_t> medians;
    for (const metrics::RankMetrics& other : report.metrics.ranks) {
        if (other.rank == rank.rank || report.model.layout.arePeers(rank.rank, other.rank)) {
            medians.push_back(other.median.computeNs);
        }
    }
    return medians.size() > 1 ? std::optional(model::median(std::move(medians))) : std::nullopt;
}

const trace::DeviceRow* deviceOf(const model::Model& model, const model::Rank& rank, std::int64_t ordinal)
{
    const auto& devices = model.processOf(rank).devices;
    const auto found = std::ranges::find(devices, ordinal, &trace::DeviceRow::ordinal);
    return found == devices.end() ? nullptr : &*found;
}

/// Returns the CUDA ordinal of a rank's GPU: as its launcher gave it, else that of its first kernel.
std::int64_t ordinalOf(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    return rank.device                  ? std::int64_t{*rank.device}
           : process.kernels.size() > 0 ? std::int64_t{process.kernels.device[0]}
                                        : 0;
}

} // namespace

std::size_t GpuHistory::slowRuns() const
{
    return static_cast<std::size_t>(std::ranges::count(runs, true, &GpuInRun::slow));
}

double GpuHistory::medianExcess() const
{
    return medianOf([](const GpuInRun& /*run*/) { return true; });
}

double GpuHistory::slowExcess() const
{
    return medianOf([](const GpuInRun& run) { return run.slow; });
}

double GpuHistory::medianOf(bool (*counts)(const GpuInRun&)) const
{
    std::vector<double> values;
    for (const GpuInRun& each : runs) {
        if (counts(each)) {
            values.push_back(each.excess);
        }
    }
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

bool GpuHistory::oneRank() const
{
    return std::ranges::all_of(runs, [&](const GpuInRun& each) { return each.rank == runs.front().rank; });
}

std::vector<const GpuHistory*> History::oftenSlow() const
{
    std::vector<const GpuHistory*> result;
    for (const GpuHistory& gpu : gpus) {
        if (gpu.slowRuns() > 1 && 2 * gpu.slowRuns() >= gpu.runs.size()) {
            result.push_back(&gpu);
        }
    }
    return result;
}

GpuHistory& HistoryBuilder::gpuOf(const model::Model& model, const model::Rank& rank)
{
    const std::int64_t ordinal = ordinalOf(model, rank);
    const trace::DeviceRow* const device = deviceOf(model, rank, ordinal);
    const std::string uuid = device == nullptr ? std::string() : device->uuid;
    const std::string& host = model.hosts[rank.host].name;
    const auto known = std::ranges::find_if(m_history.gpus, [&](const GpuHistory& gpu) {
        return uuid.empty() ? gpu.uuid.empty() && gpu.host == host && gpu.ordinal == ordinal
                            : gpu.uuid == uuid;
    });
    return known != m_history.gpus.end() ? *known
                                         : m_history.gpus.emplace_back(GpuHistory{uuid, host, ordinal, {}});
}

void HistoryBuilder::add(const report::Report& report)
{
    const std::size_t run = m_history.runs.size();
    if (!m_paths.insert(report.model.trace.path).second) {
        throw Error(ErrorCode::Usage, report.model.trace.path.string() + " is given twice",
                    "Name runs of different jobs.");
    }
    m_history.runs.push_back(report.model.trace.path.filename().string());
    if (report.model.emulated) {
        m_history.remarks.push_back(m_history.runs.back() + " was emulated on the CPU platform.");
    }
    std::size_t compared = 0;
    for (const metrics::RankMetrics& figures : report.metrics.ranks) {
        const auto peers = peerCompute(report, figures);
        if (!peers || *peers <= 0) {
            continue;
        }
        const model::Rank& rank = report.model.ranks[figures.rank];
        const double excess = static_cast<double>(figures.median.computeNs) / static_cast<double>(*peers) - 1;
        std::vector<GpuInRun>& runs = gpuOf(report.model, rank).runs;
        if (runs.empty() || runs.back().run != run) { // else two ranks share the GPU
            runs.push_back({run, rank.rank, excess, excess > m_history.limit});
        }
        ++compared;
    }
    if (compared == 0) {
        m_history.remarks.push_back(
            fmt::format("{} has no compute times of two ranks with the same work.", m_history.runs.back()));
    }
}

History HistoryBuilder::finish()
{
    if (m_history.gpus.empty()) {
        throw Error(ErrorCode::Unusable, "no run has compute times of two ranks with the same work",
                    "Record the device tier on several ranks: ringside record --profile standard.");
    }
    if (std::ranges::any_of(m_history.gpus, [](const GpuHistory& gpu) { return gpu.uuid.empty(); })) {
        m_history.remarks.emplace_back(
            "Some traces do not name their GPUs, which then are told apart by host and number.");
    }
    std::ranges::stable_sort(m_history.gpus, [](const GpuHistory& a, const GpuHistory& b) {
        return std::pair(a.slowRuns(), a.medianExcess()) > std::pair(b.slowRuns(), b.medianExcess());
    });
    return std::move(m_history);
}

} // namespace ringside::compare
