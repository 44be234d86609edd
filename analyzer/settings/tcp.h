// SPDX-License-Identifier: Apache-2.0
// What the kernel's settings of TCP mean for a job whose data goes through sockets: judged by need, bandwidth
// times delay, not by habit. Used by the rules on recorded runs and by `ringside doctor`; reads no file.
#pragma once
#include "trace/vocabulary/severity.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::settings {

/// The value of "net.ipv4.tcp_rmem" and the like; empty: not known.
using KernelSetting = std::function<std::string_view(std::string_view name)>;

/// The connection that must be kept full.
struct TcpNeed {
    std::string interface;
    std::int64_t mbps = 0; ///< 0: not known
    double roundTripMs = 0.5;

    /// Bytes that are under way when it is full.
    [[nodiscard]] double inFlight() const;
};

struct TcpRemark {
    trace::Severity severity = trace::Severity::Info;
    std::string setting;
    std::string what;
    std::string advice;
    std::string fix;                   ///< a command
    std::optional<double> bytes = {};  ///< that a connection may use
    std::optional<double> wanted = {}; ///< that it should
};

/// Window scaling, selective acknowledgements, and what a socket's buffers may grow to.
[[nodiscard]] std::vector<TcpRemark> judgeTcpBuffers(const KernelSetting& setting, const TcpNeed& need);
/// cubic and bbr are fine.
[[nodiscard]] std::vector<TcpRemark> judgeCongestionControl(const KernelSetting& setting);

} // namespace ringside::settings
