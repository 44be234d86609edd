// SPDX-License-Identifier: Apache-2.0
// Checks the kernel's TCP settings for a job whose data goes through sockets. Limits follow from the
// bandwidth-delay product, not from habit. The rules on recorded runs and `ringside doctor` use it. It reads
// no files.
#pragma once
#include "trace/vocabulary/severity.h"
#include "words/text.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::settings {

/// Returns the value of a setting such as "net.ipv4.tcp_rmem"; empty if not known.
using KernelSetting = std::function<std::string_view(std::string_view name)>;

/// The path that a connection should be able to fill.
struct TcpNeed {
    std::string interface;
    std::int64_t mbps = 0; ///< link rate; 0 if not known
    double roundTripMs = 0.5;

    /// Returns the bandwidth-delay product in bytes.
    [[nodiscard]] double inFlight() const;
};

/// A setting that limits a connection, and how to correct it.
struct TcpRemark {
    trace::Severity severity = trace::Severity::Info;
    std::string setting;
    words::Text what;
    words::Text advice;                ///< why it matters
    std::string fix;                   ///< command that corrects the setting
    std::optional<double> bytes = {};  ///< bytes that a connection may use
    std::optional<double> wanted = {}; ///< bytes that it should be able to use
};

/// Checks window scaling, selective acknowledgements, and the largest sizes of socket buffers.
[[nodiscard]] std::vector<TcpRemark> checkTcpBuffers(const KernelSetting& setting, const TcpNeed& need);
/// Returns a remark unless the algorithm is cubic, bbr or dctcp, or is not known.
[[nodiscard]] std::vector<TcpRemark> checkCongestionControl(const KernelSetting& setting);

} // namespace ringside::settings
