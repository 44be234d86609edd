// SPDX-License-Identifier: Apache-2.0
// Collects the sampled RDMA ports of a run for each host, in run time. The absolute value of a counter
// includes traffic from before the run, so only gains are used. A counter that cannot be read is not
// measured.
#pragma once
#include "metrics/gains_over_time.h"
#include "metrics/samples.h"
#include "model/model.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::metrics {

/// Values of a port's metric `async_event`, as enum ibv_event_type of libibverbs numbers them.
enum class PortEvent : std::int64_t { DeviceFatal = 8, Up = 9, Down = 10, GidChange = 18 };

struct Port {
    std::string host;
    std::optional<std::size_t> rank; ///< index into Model::ranks of a rank on this host, for evidence
    std::string name;                ///< "mlx5_0:1"
    std::map<std::string, std::string, std::less<>> facts;
    std::map<trace::SeriesMetric, std::vector<SampleValue>> values; ///< in run time
    std::map<trace::SeriesMetric, std::string> missing;             ///< why values are missing
    /// Largest number of queue pairs that the run's processes on this host had on the port. Null if it is not
    /// known for all of them.
    std::optional<std::int64_t> queuePairs;

    [[nodiscard]] std::string label() const { return host + " " + name; }
    /// Returns a fact of the port such as its firmware. Empty if it is not known.
    [[nodiscard]] std::string_view fact(const trace::PortFact& name) const;
    /// Returns the gain over the whole run. Null if it was not measured or read only once.
    [[nodiscard]] std::optional<std::int64_t> gain(const trace::SeriesMetric& metric) const;
    /// Returns the gain between each two consecutive readings, including gains of 0. Resets are left out.
    [[nodiscard]] std::vector<Gain> gains(const trace::SeriesMetric& metric) const;
    /// Whether the counter reached its largest value, or could not be read all the time, so that its gain is
    /// what it gained at least.
    [[nodiscard]] bool gainedAtLeast(const trace::SeriesMetric& metric) const;
    /// Returns the times of an event in run time, in order.
    [[nodiscard]] std::vector<std::int64_t> momentsOf(PortEvent event) const;
    /// Returns the first reading of a metric. Null if it was not measured.
    [[nodiscard]] std::optional<std::int64_t> first(const trace::SeriesMetric& metric) const;
    /// Returns the last reading of a metric. Null if it was not measured.
    [[nodiscard]] std::optional<std::int64_t> last(const trace::SeriesMetric& metric) const;
    /// Returns the data rate in bits per ns: the signalling rate without line coding. Null if it is not
    /// known.
    [[nodiscard]] std::optional<double> bitsPerNs() const;
    /// Whether data of any program went through the port during the run. Null if its traffic was not
    /// measured.
    [[nodiscard]] std::optional<bool> carried() const;
    /// Returns the share of the data rate that `metric` (tx_bytes or rx_bytes) used. Null if it was not
    /// measured in `span`, or `span` is too short for the sampling interval.
    [[nodiscard]] std::optional<double> utilization(const trace::SeriesMetric& metric,
                                                    const model::Interval& span) const;
    /// Returns the time from the first to the last reading.
    [[nodiscard]] model::Interval sampled() const;
};

/// Returns the RDMA ports of a run, ordered by host and name.
[[nodiscard]] std::vector<Port> portsOf(const model::Model& model);

} // namespace ringside::metrics
