// SPDX-License-Identifier: Apache-2.0
// Computes how much of their rate the ports and interfaces of a run used: in communication, in each step and
// in each collective that is longer than a sampling interval. Also finds the steps in which their other
// counters moved.
#pragma once
#include "metrics/links.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::metrics {

/// The gains of one counter, prepared for many queries. A query costs the logarithm of the number of
/// readings.
class GainsOverTime {
public:
    explicit GainsOverTime(std::vector<Gain> gains);
    /// Returns the gain per ns in the span. The gain between two readings is spread evenly over the time
    /// between them. Null if less than 90 % of the span is measured, or the span is shorter than the time
    /// between readings.
    [[nodiscard]] std::optional<double> perNs(const model::Interval& span) const;

private:
    std::vector<Gain> m_gains;
    std::vector<double> m_before;              ///< sum of the gains before each one; the last is the total
    std::vector<std::int64_t> m_coveredBefore; ///< the same for the time between readings, ns
};

/// Share of the rate used in each direction. Null if it was not measured, or the time span is too short for
/// the sampling interval.
struct Use {
    std::optional<double> tx, rx;
    [[nodiscard]] bool measured() const { return tx || rx; }
};

struct StepUse {
    std::int64_t step = 0;
    Use use;
};

struct CollectiveUse {
    std::size_t operation = 0; ///< index into Model::operations
    Use use;
};

/// The gain of a counter between two readings, and the steps that overlap that time.
struct Movement {
    trace::SeriesMetric metric;
    Gain gain;
    std::optional<std::int64_t> firstStep, lastStep; ///< null if it is outside all steps
};

struct LinkUse {
    /// What the port sent in the analyzed steps, divided by the host's mean time in communication, in bits
    /// per ns. All traffic is counted as communication. Null if it was not sampled, or no rank communicated.
    std::optional<double> communicationBitsPerNs;
    std::optional<double> communication; ///< the same as a share of the rate
    std::vector<StepUse> steps;          ///< the measured steps, in order
    std::vector<CollectiveUse> collectives;
    std::vector<Movement> moved;  ///< of all counters except traffic, by time; the first kMostMovements
    std::size_t movedLeftOut = 0; ///< number of movements beyond those
    /// Share of the bytes that all ports of its kind on this host sent. Null if the host has no other port or
    /// none of them sent anything.
    std::optional<double> railShare;

    static constexpr std::size_t kMostMovements = 256;
};

/// Whether a port's metric is a state that holds until the next reading, or an event.
[[nodiscard]] bool isState(const trace::SeriesMetric& metric);
/// Whether a port's metric counts transferred bytes or packets. Metrics that are neither state nor traffic
/// count errors and other exceptional events.
[[nodiscard]] bool isTraffic(const trace::SeriesMetric& metric);

/// Returns the sampled network interfaces, in the same form in which portsOf returns RDMA ports.
[[nodiscard]] std::vector<Port> interfacesOf(const model::Model& model);

struct RunMetrics;
/// Computes the use of each port, in the order of `ports`.
[[nodiscard]] std::vector<LinkUse> linkUsesOf(const model::Model& model, const RunMetrics& run,
                                              const std::vector<Port>& ports);

} // namespace ringside::metrics
