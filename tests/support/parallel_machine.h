// SPDX-License-Identifier: Apache-2.0
// Ranks with one device each that play scripts and meet in collectives and messages. Hosts run ahead of their
// devices until the end of a step.
#pragma once
#include "support/trace_builder.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ringside::test {

/// A communicator, by what it is for and who is in it.
struct MachineGroup {
    std::string tag; ///< "world" is the one that TraceBuilder made
    std::vector<int> members;
    bool operator<(const MachineGroup& other) const
    {
        return std::tie(tag, members) < std::tie(other.tag, other.members);
    }
};

/// Moves for `ns` once both ends have come.
struct MachineMessage {
    int sender = 0;
    int receiver = 0;
    std::uint64_t bytes = 0;
    std::int64_t ns = 0;
};

struct MachineItem {
    enum class What : std::uint8_t { Compute, Stall, HostIdle, Collective, Messages, EndStep };
    What what = What::Compute;
    std::int64_t ns = 0;
    std::string_view kernel = "ampere_sgemm_128x64_nn";
    std::string_view api = {}; ///< of a collective
    MachineGroup group = {};
    std::uint64_t bytes = 0;
    std::vector<MachineMessage> messages = {}; ///< this rank's sends and receives, in one group of calls
    bool waits = true;                         ///< compute goes on only behind it
};

/// One script a rank. Throws std::logic_error where the scripts do not fit together.
void playOnMachine(TraceBuilder& trace, const std::vector<std::vector<MachineItem>>& scripts);

} // namespace ringside::test
