// SPDX-License-Identifier: Apache-2.0
// Finds which readings of several files are of the same port. A GUID, or host and device, is of
// one port only. A LID, or a device of an unknown host, only refers to a port: it counts where one port has
// it.
#pragma once
#include "tool_output/reader.h"

#include <cstdint>
#include <vector>

namespace ringside::tool_output {

/// A port in a file.
struct PlacedReading {
    const Reader* reader = nullptr;
    std::size_t file = 0;    ///< in the order in which they were given
    std::int64_t timeNs = 0; ///< since 1970
    const PortReading* port = nullptr;
    bool isTotal = false;
};

/// Returns the readings of each port, in the order of files.
[[nodiscard]] std::vector<std::vector<PlacedReading>> groupByPort(const std::vector<PlacedReading>& readings);

} // namespace ringside::tool_output
