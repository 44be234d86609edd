// SPDX-License-Identifier: Apache-2.0
// Reads everything in a trace file except its events. It may be before or after them.
#pragma once
#include "import/kineto/window.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::importers::kineto {

struct ProcessGroup {
    std::string name;
    std::string description;
    std::vector<std::int64_t> ranks;
};

struct Document {
    std::optional<std::int64_t> baseTimeNs; ///< epoch ns of time 0; null if times are epoch times themselves
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> worldSize;
    std::vector<ProcessGroup> groups;
    std::vector<trace::DeviceRow> devices;
    std::vector<trace::SettingRow> settings;
    std::int64_t damaged = 0; ///< number of members that cannot be read
    bool isBareArray = false; ///< whether the file consists only of the event array
};

/// Where reading stopped.
enum class Place : std::uint8_t {
    Events,  ///< at the first element of the event array
    End,     ///< at the end of the document
    CutOff,  ///< at the end of the file, inside the document
    Broken,  ///< at invalid JSON
    NoArray, ///< at a member traceEvents that is not an array
};

/// Reads from the beginning of the file up to its events.
[[nodiscard]] Place readHead(Window& window, Document& document);
/// Reads from the end of the event array to the end of the document.
[[nodiscard]] Place readTail(Window& window, Document& document);

} // namespace ringside::importers::kineto
