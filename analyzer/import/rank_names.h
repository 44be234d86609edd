// SPDX-License-Identifier: Apache-2.0
// Finds rank, host and process id in file names, for files whose contents lack them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ringside::importers {

/// Finds the rank in names such as "rank3.json", "trace_rank-3.json.gz", "worker3_step_12.json",
/// "rank_3/trace.json" and "trace_3.json". A bare number of five digits or more is not a rank but a process
/// id.
[[nodiscard]] std::optional<std::int64_t> rankOfName(const std::filesystem::path& path);

struct Writer {
    std::string host;
    std::int64_t pid = 0;
};
/// Finds host and process in "HOST_PID.TIMESTAMP.pt.trace.json", the PyTorch profiler's default name.
[[nodiscard]] std::optional<Writer> writerOfName(const std::filesystem::path& path);

} // namespace ringside::importers
