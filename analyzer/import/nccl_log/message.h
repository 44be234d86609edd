// SPDX-License-Identifier: Apache-2.0
// Parses NCCL's messages about created communicators, calls, settings and connections (NCCL 2.10 to 2.30,
// init.cc, enqueue.cc, transport/*.cc, misc/param.cc).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ringside::importers::nccl_log {

/// A communicator is being created.
struct InitLine {
    std::uint64_t communicator = 0; ///< address
    std::int64_t rank = 0;
    std::int64_t size = 0;
    std::int64_t device = -1;
    std::uint64_t busId = 0;
    /// NCCL's hash of it; null if it was split from another one, and before NCCL 2.16.2.
    std::optional<std::uint64_t> commId;
    std::uint64_t parent = 0; ///< address of the one it was split from, or 0
    std::string split;        ///< identifies the parent's split; the same on all members
    bool complete = false;    ///< whether the message is about the end of the creation
};

/// An NCCL function was called.
struct CallLine {
    std::string_view function;
    std::uint64_t opCount = 0; ///< NCCL's number of it on its communicator; calls of a group have the same
    std::uint64_t count = 0;
    std::int64_t datatype = 0;
    std::int64_t reduction = 0;
    std::int64_t root = 0;
    std::uint64_t communicator = 0;
    std::int64_t size = 0; ///< size of the communicator; 0 if not known
};

/// A variable was set.
struct EnvironmentLine {
    std::string_view name;
    std::string_view value;
};

/// A fact that is kept unchanged as name and value.
struct FactLine {
    std::string name;
    std::string_view value;
    bool counts = false; ///< whether the number of such lines is kept instead of the value
};

struct OtherLine {};
/// A line that begins like one of the above and continues differently.
struct TornLine {
    bool call = false; ///< a call
};

using Parsed = std::variant<OtherLine, TornLine, InitLine, CallLine, EnvironmentLine, FactLine>;
/// Parses the text of a message.
[[nodiscard]] Parsed parseMessage(std::string_view text);

/// Returns NCCL's version in a line, such as "2.28.9+cuda13.0". Empty if the line does not contain it.
[[nodiscard]] std::string_view versionOf(std::string_view line);

/// Formats NCCL's bus id as a PCI address such as 0000:05:00.0.
[[nodiscard]] std::string busName(std::uint64_t busId);

} // namespace ringside::importers::nccl_log
