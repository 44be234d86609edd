// SPDX-License-Identifier: Apache-2.0
// RDMA measured by the programs of perftest instead of by this program: ib_write_lat and ib_write_bw. Their
// options and tables are those of perftest 4.5 (src/perftest_parameters.c); later versions have them, too.
#pragma once
#include "probe/rdma_choice.h"
#include "probe/rdma_result.h"
#include "probe/tcp_probe.h"
#include "probe/tool_process.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::probe {

inline constexpr const char* kPerftestLatency = "ib_write_lat";
inline constexpr const char* kPerftestBandwidth = "ib_write_bw";

/// Returns the command line of one end. `peer.address` is empty at the end that waits. Both ends must get the
/// same bounds.
[[nodiscard]] std::vector<std::string> perftestWords(const std::string& program, const RdmaPort& port,
                                                     const Endpoint& peer, const Bounds& bounds);

/// Returns a figure of the table that a program printed, by its heading, such as "BW average[Gb/sec]"; null
/// if there is none.
[[nodiscard]] std::optional<double> perftestFigure(std::string_view output, std::string_view heading);

/// The end that waits: both programs, each for one client.
class PerftestServer final {
public:
    /// Returns once both listen. Throws ringside::Error (Io) with what a program said if it does not.
    PerftestServer(const RdmaPort& port, const std::string& address, const Bounds& bounds);
    [[nodiscard]] std::uint16_t latencyPort() const { return m_latency.port; }
    [[nodiscard]] std::uint16_t bandwidthPort() const { return m_bandwidth.port; }

private:
    struct Program {
        std::uint16_t port = 0;
        std::unique_ptr<ToolProcess> process;
    };
    [[nodiscard]] static Program start(const char* program, const RdmaPort& port, const std::string& address,
                                       const Bounds& bounds);
    Program m_latency;
    Program m_bandwidth;
};

/// Measures the direction to a server. RdmaMeasurement::writeUs is what perftest calls latency: half of a
/// round trip between both processes, which poll their memory.
[[nodiscard]] RdmaResult measureWithPerftest(const RdmaPort& port, const std::string& address,
                                             std::uint16_t latencyPort, std::uint16_t bandwidthPort,
                                             const Bounds& bounds);

} // namespace ringside::probe
