// SPDX-License-Identifier: Apache-2.0
// Reading a run with progress reports, and with a way to stop.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace ringside::trace {

/// Called with the number of bytes read (0 for progress without a size), often and from several threads. An
/// exception other than ringside::Error ends the reading and is passed on.
using ReadWatch = std::function<void(std::uint64_t bytes)>;

/// Reads a run as openRun(path) does.
RunTrace openRun(const std::filesystem::path& path, const ReadWatch& watch);

} // namespace ringside::trace
