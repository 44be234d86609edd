// SPDX-License-Identifier: Apache-2.0
// Reading a run under the eyes of somebody who shows how far it is, and may have had enough.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace ringside::trace {

/// Told of bytes that were read (0: only that reading goes on), often and by several threads. What it throws,
/// other than ringside::Error, ends the reading and comes out of it.
using ReadWatch = std::function<void(std::uint64_t bytes)>;

/// As openRun(path).
RunTrace openRun(const std::filesystem::path& path, const ReadWatch& watch);

} // namespace ringside::trace
