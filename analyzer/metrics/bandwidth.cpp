// SPDX-License-Identifier: Apache-2.0
#include "metrics/bandwidth.h"

namespace ringside::metrics {

using model::CollectiveKind;

double algorithmBytes(CollectiveKind kind, std::uint64_t bytes, std::int64_t ranks)
{
    const auto part = static_cast<double>(bytes);
    switch (kind) {
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
    case CollectiveKind::Gather:
    case CollectiveKind::Scatter:
        return part * static_cast<double>(ranks);
    default:
        return part;
    }
}

double busFactor(CollectiveKind kind, std::int64_t ranks)
{
    const auto n = static_cast<double>(ranks);
    switch (kind) {
    case CollectiveKind::AllReduce:
        return 2.0 * (n - 1.0) / n;
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll:
    case CollectiveKind::Gather:
    case CollectiveKind::Scatter:
        return (n - 1.0) / n;
    default:
        return 1.0;
    }
}

std::optional<LatencyFit> fitLatency(const std::vector<SizeTime>& points)
{
    constexpr double kLeastSpread = 2.0; // largest size over smallest
    double weight = 0;
    double meanBytes = 0;
    double meanNs = 0;
    double smallest = 0;
    double largest = 0;
    for (const SizeTime& point : points) {
        weight += point.weight;
        meanBytes += point.weight * point.bytes;
        meanNs += point.weight * point.ns;
        smallest = smallest == 0 ? point.bytes : std::min(smallest, point.bytes);
        largest = std::max(largest, point.bytes);
    }
    if (weight == 0 || smallest <= 0 || largest < kLeastSpread * smallest) {
        return std::nullopt;
    }
    meanBytes /= weight;
    meanNs /= weight;
    double covariance = 0;
    double variance = 0;
    for (const SizeTime& point : points) {
        covariance += point.weight * (point.bytes - meanBytes) * (point.ns - meanNs);
        variance += point.weight * (point.bytes - meanBytes) * (point.bytes - meanBytes);
    }
    LatencyFit fit;
    fit.nsPerByte = covariance / variance;
    fit.latencyNs = meanNs - fit.nsPerByte * meanBytes;
    if (fit.nsPerByte <= 0 || fit.latencyNs < 0) {
        return std::nullopt;
    }
    return fit;
}

} // namespace ringside::metrics
