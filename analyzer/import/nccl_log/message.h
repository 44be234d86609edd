// SPDX-License-Identifier: Apache-2.0
// NCCL's messages, typed: those that say what was made, called, set and connected (NCCL 2.18 to 2.30,
// init.cc, enqueue.cc, transport/*.cc, misc/param.cc).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ringside::importers::nccl_log {

/// A communicator is made.
struct InitLine {
    std::uint64_t communicator = 0; ///< address
    std::int64_t rank = 0;
    std::int64_t size = 0;
    std::int64_t device = -1;
    std::uint64_t busId = 0;
    std::optional<std::uint64_t> commId; ///< NCCL's hash of it; null: it was split from another one
    std::uint64_t parent = 0;            ///< address
    std::string split;                   ///< which of the parent's splits, the same on all members
    bool complete = false;
};

/// An NCCL function is called.
struct CallLine {
    std::string_view function;
    std::uint64_t count = 0;
    std::int64_t datatype = 0;
    std::int64_t reduction = 0;
    std::int64_t root = 0;
    std::uint64_t communicator = 0;
    std::int64_t size = 0; ///< of the communicator, 0: not told
};

struct EnvironmentLine {
    std::string_view name;
    std::string_view value;
};

/// Something that is worth keeping as it stands: name and value.
struct FactLine {
    std::string name;
    std::string_view value;
    bool counts = false; ///< of such lines the number is kept, not the value
};

struct OtherLine {};
struct TornLine {}; ///< begins like one of the above and does not go on like it

using Parsed = std::variant<OtherLine, TornLine, InitLine, CallLine, EnvironmentLine, FactLine>;
[[nodiscard]] Parsed parseMessage(std::string_view text);

/// "2.28.9+cuda13.0" of a line that says NCCL's version; empty: it does not.
[[nodiscard]] std::string_view versionOf(std::string_view line);

/// As PCI devices are called: 0000:05:00.0.
[[nodiscard]] std::string busName(std::uint64_t busId);

} // namespace ringside::importers::nccl_log
