// SPDX-License-Identifier: Apache-2.0
// Reads a file that may be a dump of PyTorch's flight recorder, in a folder where others may write, too.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ringside::flight_dumps {

inline constexpr std::uint64_t kMostFlightDumpBytes = std::uint64_t{64} << 20U; ///< usual is 1 MiB

struct FlightDumpFile {
    bool isDump = false;
    std::optional<std::string> content; ///< null: larger than the limit
};

/// Reads the file. A link, a FIFO, another user's file and a file with other contents are no dump.
[[nodiscard]] FlightDumpFile readFlightDump(const std::filesystem::path& file);

} // namespace ringside::flight_dumps
