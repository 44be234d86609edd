// SPDX-License-Identifier: Apache-2.0
// What names of files tell about who wrote them, where the contents do not.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ringside::importers {

/// Of "rank3.json", "trace_rank-3.json.gz", "worker3_step_12.json", "rank_3/trace.json", "trace_3.json". A
/// bare number of five digits or more is taken for a process id.
[[nodiscard]] std::optional<std::int64_t> rankOfName(const std::filesystem::path& path);

struct Writer {
    std::string host;
    std::int64_t pid = 0;
};
/// Of "HOST_PID.TIMESTAMP.pt.trace.json", the name that the PyTorch profiler gives.
[[nodiscard]] std::optional<Writer> writerOfName(const std::filesystem::path& path);

} // namespace ringside::importers
