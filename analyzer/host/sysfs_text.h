// SPDX-License-Identifier: Apache-2.0
// Small files of sysfs and the meaning of their texts. They may be empty, binary, huge, or disappear at any
// moment. Text that is no number gives null, never 0.
#pragma once
#include "host/proc_text.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::host {

struct FileText {
    /// First line, at most 255 bytes, without leading and trailing blanks; only printable ASCII.
    std::string text;
    int error = 0; ///< errno if the file could not be read; EFBIG if it is longer
};
[[nodiscard]] FileText readText(const std::string& path);
/// Makes the result of a read() into `buffer` with its return value, and errno if that is negative.
[[nodiscard]] FileText asText(std::span<const char> buffer, ssize_t got, int error);

/// Returns the sorted entries of a folder; empty if there is none.
[[nodiscard]] std::vector<std::string> namesIn(const std::string& folder);

/// Returns the last component of a symbolic link's target; empty if `path` is no link.
[[nodiscard]] std::string linkName(const std::string& path);

/// Parses the number before the colon of "4: ACTIVE".
[[nodiscard]] std::optional<std::uint64_t> codeIn(std::string_view text);

/// Parses "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)", "10 Gb/sec (4X)".
struct Rate {
    std::uint64_t mbps = 0;
    std::optional<std::uint64_t> lanes;
    std::string generation; ///< "NDR"; empty if not reported
};
[[nodiscard]] std::optional<Rate> rateIn(std::string_view text);

/// Returns the data rate in Mb/s of a PCIe link of "16.0 GT/s PCIe" with this number of lanes.
[[nodiscard]] std::optional<std::uint64_t> pcieMbps(std::string_view speed, std::string_view width);

/// Returns the payload that RoCE uses per packet over an interface with this MTU: the largest of 256 to 4096
/// that fits with its headers (at most 96 bytes). Null if none fits.
[[nodiscard]] std::optional<std::uint64_t> roceMtu(std::uint64_t netdevMtu);

} // namespace ringside::host
