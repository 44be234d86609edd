// SPDX-License-Identifier: Apache-2.0
// How much of their rate the ports and interfaces of a run used, where: in communication, in each step and in
// each collective that is longer than a sample; and in which steps their other counters moved.
#pragma once
#include "metrics/links.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::metrics {

/// The gains of one counter, asked of many stretches of time: a question costs the logarithm of the readings.
class GainsOverTime {
public:
    explicit GainsOverTime(std::vector<Gain> gains);
    /// What it gained in a ns of the span, readings spread evenly over their time. Null: not measured in 90 %
    /// of it, or it is shorter than what lies between readings.
    [[nodiscard]] std::optional<double> perNs(const model::Interval& span) const;

private:
    std::vector<Gain> m_gains;
    std::vector<double> m_before;              ///< gained before each, and by all
    std::vector<std::int64_t> m_coveredBefore; ///< ns
};

/// Share of the rate in each direction; null: not measured, or too short for the samples to tell.
struct Use {
    std::optional<double> tx, rx;
    [[nodiscard]] bool measured() const { return tx || rx; }
};

struct StepUse {
    std::int64_t step = 0;
    Use use;
};

struct CollectiveUse {
    std::size_t operation = 0; ///< of Model::operations
    Use use;
};

/// What a counter gained between two readings, and the steps that touch that time.
struct Movement {
    std::string metric;
    Gain gain;
    std::optional<std::int64_t> firstStep, lastStep; ///< null: outside of all steps
};

struct LinkUse {
    /// Of what it sent in the analyzed steps, as if all of it was communication: bits a ns of the host's mean
    /// time in communication. Null: not sampled then, or nobody communicated.
    std::optional<double> communicationBitsPerNs;
    std::optional<double> communication; ///< the same as a share of its rate
    std::vector<StepUse> steps;          ///< those that are measured, in order
    std::vector<CollectiveUse> collectives;
    std::vector<Movement> moved;     ///< counters but those of traffic, by time; the first kMostMovements
    std::size_t movedLeftOut = 0;    ///< beyond those
    std::optional<double> railShare; ///< of what all ports of its kind on this host sent; null: one, or none

    static constexpr std::size_t kMostMovements = 256;
};

/// Of a port's metrics: what holds until the next reading, or is an event, and counters of what went through.
/// The others count what went wrong or was out of the ordinary.
[[nodiscard]] bool isState(std::string_view metric);
[[nodiscard]] bool isTraffic(std::string_view metric);

/// The interfaces of the network as they were sampled, as portsOf gives those of RDMA devices.
[[nodiscard]] std::vector<Port> interfacesOf(const model::Model& model);

struct RunMetrics;
/// One a port, in the order of `ports`.
[[nodiscard]] std::vector<LinkUse> linkUsesOf(const model::Model& model, const RunMetrics& run,
                                              const std::vector<Port>& ports);

} // namespace ringside::metrics
