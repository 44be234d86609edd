// SPDX-License-Identifier: Apache-2.0
// Small files of sysfs and what their texts mean. They may be empty, binary, huge, or gone the next moment:
// what is no number is none, never 0.
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
    std::string text; ///< its first line, at most 255 bytes, without blanks at its ends; only printable ASCII
    int error = 0;    ///< errno where it could not be read; EFBIG: it is longer
};
[[nodiscard]] FileText readText(const std::string& path);
/// Of a read() into `buffer`: what it returned, and errno where that was negative.
[[nodiscard]] FileText asText(std::span<const char> buffer, ssize_t got, int error);

/// What lies in a folder, sorted; nothing where there is none.
[[nodiscard]] std::vector<std::string> namesIn(const std::string& folder);

/// The last name of the path that a symbolic link holds; empty where `path` is none.
[[nodiscard]] std::string linkName(const std::string& path);

/// The number before the colon of "4: ACTIVE".
[[nodiscard]] std::optional<std::uint64_t> codeIn(std::string_view text);

/// "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)", "10 Gb/sec (4X)".
struct Rate {
    std::uint64_t mbps = 0;
    std::optional<std::uint64_t> lanes;
    std::string generation; ///< "NDR"; empty: not told
};
[[nodiscard]] std::optional<Rate> rateIn(std::string_view text);

/// Mb/s of data that a PCIe link of "16.0 GT/s PCIe" and so many lanes carries.
[[nodiscard]] std::optional<std::uint64_t> pcieMbps(std::string_view speed, std::string_view width);

/// The payload that RoCE puts into a packet over an interface of that MTU: the largest of 256 to 4096 that
/// fits with its headers (96 bytes at most). Nothing: none fits.
[[nodiscard]] std::optional<std::uint64_t> roceMtu(std::uint64_t netdevMtu);

} // namespace ringside::host
