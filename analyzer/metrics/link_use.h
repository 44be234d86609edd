// SPDX-License-Identifier: Apache-2.0
// Computes how much of their rate the ports and interfaces of a run used: in communication, in each step and
// in each collective that is longer than a sampling interval. Also finds the steps in which their other
// counters moved.
#pragma once
#include "metrics/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::metrics {

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

/// Computes the use of each port, in the order of `ports`.
[[nodiscard]] std::vector<LinkUse> linkUsesOf(const model::Model& model, const RunMetrics& run,
                                              const std::vector<Port>& ports);

} // namespace ringside::metrics
