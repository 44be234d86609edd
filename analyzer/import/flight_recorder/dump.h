// SPDX-License-Identifier: Apache-2.0
// Reads the entries and process groups of a dump of PyTorch's flight recorder. Field names are those of
// torch/csrc/distributed/c10d/FlightRecorder.hpp, versions 2.x.
#pragma once
#include "import/pickle/values.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside::importers::flight_recorder {

// The values of a dump, whether it was written as a pickle or as JSON.
using pickle::Document;
using pickle::Type;
using pickle::ValueId;
using pickle::Values;

enum class State : std::uint8_t { Scheduled, Started, Completed };

/// The tensors of one side of a collective.
struct Tensors {
    std::optional<std::uint64_t> elements; ///< sum over the tensors; null if not known or too large
    std::string datatype;                  ///< PyTorch's name; empty if there is none or the types differ
};

struct Entry {
    std::int64_t recordId = 0;
    std::int64_t groupId = -1;
    std::string group;
    std::string groupDescription;
    std::int64_t collectiveNumber = 0; ///< number in its group, from 1; calls of a batch share it
    std::int64_t messageNumber = 0;    ///< the same for sends and receives
    bool pointToPoint = false;
    std::string name; ///< such as "nccl:all_reduce" or "nccl:send 0->1"
    Tensors input;
    Tensors output;
    State state = State::Scheduled;
    bool retired = false;       ///< whether it completed or timed out, so that no thread waits for it
    std::int64_t createdNs = 0; ///< since 1970
    std::optional<std::int64_t> startedNs; ///< when the watchdog saw that it had started; null without timing
    std::optional<std::int64_t> seenNs;    ///< last time at which the watchdog saw it started or completed
    std::optional<std::int64_t> timeoutMs;
    bool timed = false; ///< whether a duration was measured
    ValueId frames = Values::kNone;
};

struct Group {
    std::string description;
    std::string ranks; ///< such as "[0, 1, 2]"
};

/// The contents of a dump.
struct Dump {
    std::string version;
    std::string ncclVersion;
    std::map<std::string, Group> groups;  ///< by name
    std::vector<std::int64_t> usedGroups; ///< ids of all groups that were ever used by a call
    bool hasStatus = false;               ///< whether usedGroups is known
    std::vector<Entry> entries;           ///< in the order of the calls
    std::int64_t damaged = 0;             ///< number of entries with missing fields
    std::int64_t implausible = 0;         ///< number of entries with impossible times
    std::set<std::string> sharedNumbers;  ///< groups of version 1 with messages: their calls were left out
    bool starts = false;                  ///< whether it tells of any call when the GPU started it
};

/// Reads the dump from the values of a file. Damaged entries are left out and counted.

[[nodiscard]] Dump readDump(const Document& document);

} // namespace ringside::importers::flight_recorder
