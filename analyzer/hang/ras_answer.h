// SPDX-License-Identifier: Apache-2.0
// What NCCL's RAS answered (NCCL 2.24 and newer, src/ras/client_support.cc): how many operations each rank of
// each communicator has launched, and which ranks do not answer. NCCL before 2.28.7 only writes text, which
// lists the differences alone. Whatever answered on that port may have written it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::hang {

struct RasRank {
    std::int64_t rank = 0;           ///< in the communicator
    std::optional<std::int64_t> pid; ///< of its process, on its host
};

/// Ranks that have launched equally many operations of a kind.
struct RasCounts {
    std::string function; ///< as NCCL calls it, such as "AllReduce"
    std::uint64_t launched = 0;
    std::uint64_t ranks = 0;    ///< their number
    std::vector<RasRank> known; ///< those that the answer lists; a text leaves out large groups
};

struct RasCommunicator {
    std::uint64_t hash = 0;        ///< NCCL's own
    std::vector<RasCounts> counts; ///< only of functions whose counts differ
    std::vector<RasRank> silent;   ///< did not answer, or are dead
};

struct RasAnswer {
    std::vector<RasCommunicator> communicators; ///< of a text: only those with differences
    std::vector<std::int64_t> pids;             ///< of all processes that it names
    std::vector<std::int64_t> silentPids;       ///< processes that did not answer, or are dead
};

/// Reads an answer in JSON or as text. Null: it is none.
[[nodiscard]] std::optional<RasAnswer> parseRasAnswer(std::string_view answer);

[[nodiscard]] std::optional<RasAnswer> parseRasJson(std::string_view json);
[[nodiscard]] std::optional<RasAnswer> parseRasText(std::string_view text);

} // namespace ringside::hang
