// SPDX-License-Identifier: Apache-2.0
// One line of NCCL Inspector, typed: a completed operation with its communicator and process (output format
// v4.0, plugins/profiler/inspector/inspector_json.cc).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::importers::inspector {

struct Record {
    std::string communicator; ///< NCCL's hash as text, "0x7f8c..."
    std::string communicatorName;
    std::int64_t rank = 0;
    std::int64_t size = 0; ///< of the communicator
    std::string version;
    std::string host;
    std::int64_t pid = 0;
    std::int64_t dumpedUs = 0; ///< since 1970, 0: not told
    bool pointToPoint = false;
    std::string function; ///< "AllReduce"
    std::int64_t sequence = 0;
    std::uint64_t bytes = 0;
    std::optional<std::int64_t> peer;
    std::optional<std::int64_t> lengthUs;  ///< null: not told, or longer than a month
    std::string timedBy;                   ///< kernel_gpu, kernel_cpu, collective_cpu
    std::optional<std::int64_t> startedUs; ///< of the host call, since 1970; null: not verbose
};

enum class LineKind : std::uint8_t { Record, Empty, Other, Damaged };

/// `record` holds something only for LineKind::Record. Other: JSON of another kind.
[[nodiscard]] LineKind parseLine(std::string_view line, Record& record);

} // namespace ringside::importers::inspector
