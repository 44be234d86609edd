// SPDX-License-Identifier: Apache-2.0
// Everything of a trace file but its events. It may stand before or behind them.
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
    std::optional<std::int64_t> baseTimeNs; ///< epoch ns of time 0; null: times are epoch times themselves
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> worldSize;
    std::vector<ProcessGroup> groups;
    std::vector<trace::DeviceRow> devices;
    std::vector<trace::SettingRow> settings;
    std::int64_t damaged = 0; ///< members that cannot be read
    bool isBareArray = false; ///< the file is the event array, and nothing else
};

enum class Place : std::uint8_t {
    Events,  ///< the window is at the first element of the event array
    End,     ///< of the document
    CutOff,  ///< the file ends inside
    Broken,  ///< no JSON there
    NoArray, ///< its member traceEvents is something else than an array
};

/// From the begin of the file up to its events.
[[nodiscard]] Place readHead(Window& window, Document& document);
/// From behind the event array to the end.
[[nodiscard]] Place readTail(Window& window, Document& document);

} // namespace ringside::importers::kineto
