// SPDX-License-Identifier: Apache-2.0
// The RDMA ports of a run as they were sampled, host by host, in run time. What a counter had counted before
// is history and says nothing of the run: only gains do. What sticks, or cannot be read, is not measured.
#pragma once
#include "metrics/samples.h"
#include "model/model.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::metrics {

/// What a counter gained between two readings.
struct Gain {
    model::Interval between; ///< run time
    std::int64_t gain = 0;
};

/// What a port's `async_event` may be: libibverbs' numbers.
enum class PortEvent : std::int64_t { DeviceFatal = 8, Up = 9, Down = 10, GidChange = 18 };

struct Port {
    std::string host;
    std::optional<std::size_t> rank; ///< of Model::ranks: one on this host, for evidence
    std::string name;                ///< "mlx5_0:1"
    std::map<std::string, std::string, std::less<>> facts;
    std::map<std::string, std::vector<SampleValue>, std::less<>> values; ///< by metric, in run time
    std::map<std::string, std::string, std::less<>> missing;             ///< by metric: why values are
    /// Most queue pairs that the run's processes on this host had on it; null: not known of all of them.
    std::optional<std::int64_t> queuePairs;

    [[nodiscard]] std::string label() const { return host + " " + name; }
    [[nodiscard]] std::string_view fact(std::string_view name) const; ///< empty: not known
    /// Over the whole run; null: not measured, or read only once.
    [[nodiscard]] std::optional<std::int64_t> gain(std::string_view metric) const;
    /// Between each reading and the next one, also where nothing was gained.
    [[nodiscard]] std::vector<Gain> gains(std::string_view metric) const;
    /// In run time, in order.
    [[nodiscard]] std::vector<std::int64_t> momentsOf(PortEvent event) const;
    [[nodiscard]] std::optional<std::int64_t> first(std::string_view metric) const;
    [[nodiscard]] std::optional<std::int64_t> last(std::string_view metric) const;
    /// What of its rate is there for data, in bits a ns; null: not known.
    [[nodiscard]] std::optional<double> bitsPerNs() const;
    /// Whether anybody's data went through it during the run; null: its traffic is not measured.
    [[nodiscard]] std::optional<bool> carried() const;
    /// Share of its rate that `metric` (tx_bytes or rx_bytes) took. Null: not measured there, or so short
    /// that readings do not tell.
    [[nodiscard]] std::optional<double> utilization(std::string_view metric,
                                                    const model::Interval& span) const;
    /// From its first to its last reading.
    [[nodiscard]] model::Interval sampled() const;
};

/// By host and name.
[[nodiscard]] std::vector<Port> portsOf(const model::Model& model);

} // namespace ringside::metrics
