// SPDX-License-Identifier: Apache-2.0
// Parses one line of NCCL Inspector: a completed operation with its communicator and process (output format
// v4.0, plugins/profiler/inspector/inspector_json.cc).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::importers::inspector {

struct Record {
    std::string communicator; ///< NCCL's hash as text, such as "0x7f8c..."
    std::string communicatorName;
    std::int64_t rank = 0;
    std::int64_t size = 0; ///< number of ranks of the communicator
    std::string version;
    std::string host;
    std::int64_t pid = 0;
    std::int64_t dumpedUs = 0; ///< time of the dump since 1970; 0 if not known
    bool pointToPoint = false;
    std::string function; ///< such as "AllReduce"
    std::int64_t sequence = 0;
    std::uint64_t bytes = 0;
    std::optional<std::int64_t> peer;
    std::optional<std::int64_t> lengthUs;  ///< null if not known or longer than a month
    std::string timedBy;                   ///< kernel_gpu, kernel_cpu or collective_cpu
    std::optional<std::int64_t> startedUs; ///< start of the host call since 1970; null unless verbose
};

enum class LineKind : std::uint8_t { Record, Empty, Other, Damaged };

/// Parses a line into `record`, which is valid only for LineKind::Record. Other is JSON without an operation.
[[nodiscard]] LineKind parseLine(std::string_view line, Record& record);

} // namespace ringside::importers::inspector
