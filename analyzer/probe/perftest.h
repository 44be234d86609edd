// SPDX-License-Identifier: Apache-2.0
// RDMA measured by the programs of perftest instead of by this program: ib_write_lat and ib_write_bw. Their
// options and tables are those of perftest 4.5 (src/perftest_parameters.c); later versions have them, too.
#pragma once
#include "probe/rdma_choice.h"
#include "probe/rdma_result.h"
#include "probe/socket.h"
#include "probe/tcp_probe.h"

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::probe {

// A measuring program that an agent starts, such as those of perftest. It outlives neither the agent's object
// nor, if that is killed, its process.

class ToolProcess final {
public:
    using Clock = std::chrono::steady_clock;

    /// Starts a program that PATH has; `words` are its name and arguments. Throws ringside::Error (Io) if it
    /// cannot be started.
    explicit ToolProcess(const std::vector<std::string>& words);
    ToolProcess(const ToolProcess&) = delete;
    ToolProcess& operator=(const ToolProcess&) = delete;
    /// Ends it by SIGKILL if it still runs.
    ~ToolProcess();

    /// Reads what it prints until it ends. Returns false at `last`, if it has not ended by then.
    [[nodiscard]] bool endsBefore(Clock::time_point last);
    /// What it printed until now, on both streams, at most 64 KiB of it.
    [[nodiscard]] const std::string& output() const { return m_output; }
    /// Returns 128 plus the signal if one ended it, as a shell does. Null while it runs.
    [[nodiscard]] std::optional<int> exitCode() const { return m_exitCode; }

private:
    [[nodiscard]] bool readMore();

    pid_t m_pid = -1;
    Descriptor m_pipe;
    std::string m_output;
    std::optional<int> m_exitCode;
};

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
