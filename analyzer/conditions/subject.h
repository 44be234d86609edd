// SPDX-License-Identifier: Apache-2.0
// What conditions judge. The absolute value of a counter includes what came before the recording, so gains
// are used. A counter that cannot be read is not measured.
#pragma once
#include "conditions/gains_over_time.h"
#include "trace/vocabulary/port_fact.h"
#include "trace/vocabulary/series.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::conditions {

/// Values of a port's metric `async_event`, as enum ibv_event_type of libibverbs numbers them.
enum class PortEvent : std::int64_t { DeviceFatal = 8, Up = 9, Down = 10, GidChange = 18 };

/// A reading of a metric.
struct SampleValue {
    std::int64_t timeNs = 0; ///< on the host's clock
    std::int64_t value = 0;  ///< in the unit of the metric
};

/// A port, a network interface or a GPU with all that was read of it. Two readings at two times make a gain.
struct Subject {
    std::string host;
    std::optional<std::size_t> rank; ///< index into Model::ranks: of a GPU its rank, else one on this host
    std::string name;                ///< "mlx5_0:1", "gpu0"
    std::map<std::string, std::string, std::less<>> facts;
    std::map<trace::SeriesMetric, std::vector<SampleValue>> values; ///< in run time
    std::map<trace::SeriesMetric, std::string> missing;             ///< why values are missing
    /// Largest number of queue pairs that the run's processes on this host had on the port. Null if it is not
    /// known for all of them.
    std::optional<std::int64_t> queuePairs;

    [[nodiscard]] std::string label() const { return host + " " + name; }
    /// Returns a fact of the port such as its firmware. Empty if it is not known.
    [[nodiscard]] std::string_view fact(const trace::PortFact& name) const;
    /// Returns a fact by its name, of any kind. Empty if it is not known.
    [[nodiscard]] std::string_view told(std::string_view name) const;
    /// Returns the gain over the whole run. Null if it was not measured or read only once.
    [[nodiscard]] std::optional<std::int64_t> gain(const trace::SeriesMetric& metric) const;
    /// Returns the gain between each two consecutive readings, including gains of 0. Resets are left out.
    [[nodiscard]] std::vector<Gain> gains(const trace::SeriesMetric& metric) const;
    /// Whether the counter reached its largest value, or could not be read all the time, so that its gain is
    /// what it gained at least.
    [[nodiscard]] bool gainedAtLeast(const trace::SeriesMetric& metric) const;
    /// Returns the times of an event in run time, in order.
    [[nodiscard]] std::vector<std::int64_t> momentsOf(PortEvent event) const;
    /// Returns all readings of a metric in the order of time. Empty if it was not measured.
    [[nodiscard]] const std::vector<SampleValue>& readings(const trace::SeriesMetric& metric) const;
    /// Returns the first reading of a metric. Null if it was not measured.
    [[nodiscard]] std::optional<std::int64_t> first(const trace::SeriesMetric& metric) const;
    /// Returns the last reading of a metric. Null if it was not measured.
    [[nodiscard]] std::optional<std::int64_t> last(const trace::SeriesMetric& metric) const;
    /// Returns the largest reading of a metric. Null if it was not measured.
    [[nodiscard]] std::optional<std::int64_t> largest(const trace::SeriesMetric& metric) const;
    /// Returns the data rate in bits per ns: the signalling rate without line coding. Null if it is not
    /// known.
    [[nodiscard]] std::optional<double> bitsPerNs() const;
    /// Whether data of any program went through the port during the run. Null if its traffic was not
    /// measured.
    [[nodiscard]] std::optional<bool> carried() const;
    /// Returns the share of the data rate that `metric` (tx_bytes or rx_bytes) used. Null if it was not
    /// measured in `span`, or `span` is too short for the sampling interval.
    [[nodiscard]] std::optional<double> utilization(const trace::SeriesMetric& metric,
                                                    const values::Interval& span) const;
    /// Returns true if another tool read it, and only at one time, so that no gain can be measured.
    [[nodiscard]] bool isReadOnce() const;
    /// Returns the time from the first to the last reading.
    [[nodiscard]] values::Interval sampled() const;
};

/// Returns the length of a time in minutes.
[[nodiscard]] double minutesOf(const values::Interval& span);

} // namespace ringside::conditions
