// SPDX-License-Identifier: Apache-2.0
// What a dump of PyTorch's flight recorder says, typed: its entries, its process groups. Field names are
// those of torch/csrc/distributed/c10d/FlightRecorder.hpp, versions 2.x.
#pragma once
#include "import/flight_recorder/values.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::importers::flight_recorder {

enum class State : std::uint8_t { Scheduled, Started, Completed };

/// The tensors of one side of a collective.
struct Tensors {
    std::optional<std::uint64_t> elements; ///< of all together; null: not told, or more than 64 bits hold
    std::string datatype;                  ///< as PyTorch calls it; empty: none, or of several types
};

struct Entry {
    std::int64_t recordId = 0;
    std::int64_t groupId = -1;
    std::string group;
    std::string groupDescription;
    std::int64_t collectiveNumber = 0; ///< in its group, from 1; calls made together share it
    std::int64_t messageNumber = 0;    ///< the same of sends and receives
    bool pointToPoint = false;
    std::string name; ///< "nccl:all_reduce", "nccl:send 0->1"
    Tensors input;
    Tensors output;
    State state = State::Scheduled;
    bool retired = false;               ///< nobody waits for it any more: it completed, or timed out
    std::int64_t createdNs = 0;         ///< since 1970
    std::optional<std::int64_t> seenNs; ///< latest time at which a watchdog saw it started or completed
    std::optional<std::int64_t> timeoutMs;
    bool timed = false; ///< a duration was measured
    ValueId frames = Values::kNone;
};

struct Group {
    std::string description;
    std::string ranks; ///< "[0, 1, 2]"
};

struct Dump {
    std::string version;
    std::string ncclVersion;
    std::map<std::string, Group> groups;  ///< by name
    std::vector<std::int64_t> usedGroups; ///< ids of all groups on which anything was ever called
    bool statusTold = false;              ///< usedGroups is known
    std::vector<Entry> entries;           ///< in the order of the calls
    std::int64_t damaged = 0;             ///< entries that say too little
    std::int64_t implausible = 0;         ///< entries with times that no clock shows
};

[[nodiscard]] Dump readDump(const Document& document);

} // namespace ringside::importers::flight_recorder
