// SPDX-License-Identifier: Apache-2.0
// The hosts of a run with their ports, and which hosts exchanged data, with the health of both: what a map of
// the network shows, and the tables that say the same.
#pragma once
#include "document/table.h"
#include "metrics/host_traffic.h"
#include "report/links.h"

#include <string>
#include <vector>

namespace ringside::report {

struct MapPort {
    std::size_t row = 0; ///< in portTable()
    std::string name;    ///< "mlx5_0:1"
    Health health = Health::NotMeasured;
    std::vector<std::int64_t> nearRanks; ///< rank numbers whose GPUs are nearest to it, as far as known
};

struct MapHost {
    std::size_t host = 0; ///< index into Model::hosts
    std::string name;     ///< of a host that the trace does not name: that of its rank
    std::vector<std::int64_t> ranks;
    std::vector<MapPort> ports;
};

/// What one host sent to another. Its health is the worst severity of the findings that name it. Without
/// such findings it is ok if its rate was measured and rule slow_link could compare it, else not measured.
struct Connection {
    metrics::HostTraffic traffic;
    Health health = Health::NotMeasured;
    std::vector<const rules::Finding*> findings;
};

struct HostMap {
    std::vector<MapHost> hosts; ///< those with ranks, in the order of Model::hosts
    metrics::TrafficSource source = metrics::TrafficSource::None;
    std::vector<Connection> connections; ///< ordered by sender, then receiver
};

/// The map refers to the report's findings. Computed on each call, so call it once.
[[nodiscard]] HostMap hostMapOf(const Report& report);
/// Returns one row for each connection, in their order.
[[nodiscard]] document::Table connectionTable(const Report& report, const HostMap& map);
/// Returns one row for each host: its ranks, its ports, and which GPUs are nearest to which port.
[[nodiscard]] document::Table hostTable(const HostMap& map);
/// Returns the findings that name a port.
[[nodiscard]] std::vector<const rules::Finding*> findingsOf(const Report& report, const MapHost& host,
                                                            const MapPort& port);

} // namespace ringside::report
