// SPDX-License-Identifier: Apache-2.0
// The functions of NCCL that move data, by kind and name.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ringside::trace {

enum class CollectiveKind : std::uint8_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Send,
    Receive,
    Put,
    Signal,
    WaitSignal,
    Other
};

struct CollectiveEntry {
    CollectiveKind kind;
    std::string_view text; ///< NCCL's name without the prefix "nccl"
    bool rooted;           ///< one rank is the root
};
/// The first entry of a kind contains the name that is shown.
inline constexpr std::array kCollectives{
    CollectiveEntry{CollectiveKind::AllReduce, "AllReduce", false},
    CollectiveEntry{CollectiveKind::AllGather, "AllGather", false},
    CollectiveEntry{CollectiveKind::ReduceScatter, "ReduceScatter", false},
    CollectiveEntry{CollectiveKind::AllToAll, "AlltoAll", false},
    CollectiveEntry{CollectiveKind::Broadcast, "Broadcast", true},
    CollectiveEntry{CollectiveKind::Broadcast, "Bcast", true},
    CollectiveEntry{CollectiveKind::Reduce, "Reduce", true},
    CollectiveEntry{CollectiveKind::Gather, "Gather", true},
    CollectiveEntry{CollectiveKind::Scatter, "Scatter", true},
    CollectiveEntry{CollectiveKind::Send, "Send", false},
    CollectiveEntry{CollectiveKind::Receive, "Recv", false},
    CollectiveEntry{CollectiveKind::Put, "PutSignal", false},
    CollectiveEntry{CollectiveKind::Signal, "Signal", false},
    CollectiveEntry{CollectiveKind::WaitSignal, "WaitSignal", false},
    CollectiveEntry{CollectiveKind::Other, "Other", false},
};

/// Accepts "ncclAllReduce", "pncclAllReduce", "ncclAllReduceConfig" (NCCL 2.31) and "AllReduce". Returns the
/// entry of CollectiveKind::Other for any other name.
[[nodiscard]] constexpr const CollectiveEntry& collectiveOf(std::string_view function)
{
    for (const std::string_view prefix : {"pnccl", "nccl"}) {
        if (function.starts_with(prefix)) {
            function.remove_prefix(prefix.size());
        }
    }
    if (constexpr std::string_view kConfigured = "Config"; function.ends_with(kConfigured)) {
        function.remove_suffix(kConfigured.size());
    }
    for (const CollectiveEntry& entry : kCollectives) {
        if (function == entry.text) {
            return entry;
        }
    }
    return kCollectives.back();
}

[[nodiscard]] constexpr CollectiveKind collectiveKind(std::string_view function)
{
    return collectiveOf(function).kind;
}

/// Returns for example "AllReduce".
[[nodiscard]] constexpr std::string_view collectiveName(CollectiveKind kind)
{
    for (const CollectiveEntry& entry : kCollectives) {
        if (entry.kind == kind) {
            return entry.text;
        }
    }
    return kCollectives.back().text;
}

} // namespace ringside::trace
