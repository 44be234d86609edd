// SPDX-License-Identifier: Apache-2.0
// Reads everything in a profile except its events. A plane names its events and their arguments only after
// them, so a file is read twice: first for its catalogue, then for its events.
// Source: XLA, tsl/profiler/protobuf/xplane.proto and xla/tsl/profiler/utils/xplane_schema.cc
#pragma once
#include "import/name_table.h"
#include "import/xplane/wire.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::importers::xplane {

/// The arguments of an event that a run has a place for.
enum class Argument : std::uint8_t {
    Other,
    Correlation,
    Kernel, ///< "regs:32 static_shared:0 dynamic_shared:0 grid:16,1,1 block:512,1,1 occ_pct:100"
    Copy,   ///< "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"
    Set,    ///< "kind:device num_bytes:4096 async:1"
    Graph,  ///< of the kernel of a CUDA graph
    GraphNode,
    GraphExec, ///< of a CUDA graph that was recorded as a whole
    HloOp,     ///< XLA's name of the operation, such as "all-reduce.3"
    StepNumber,
    Root, ///< of ranges that contain all work of a step
};

enum class PlaneKind : std::uint8_t { Gpu, Host, Other };

struct Line {
    std::int64_t id = 0;
    std::string name;
    std::int64_t startNs = 0;
};

/// The value of an argument: a number or a text.
struct Value {
    std::int64_t argument = 0; ///< id
    std::uint64_t number = 0;
    std::optional<std::uint64_t> reference; ///< id of the text in Plane::texts
    std::string_view text;
};
/// Reads one XStat. Null if it is damaged.
[[nodiscard]] std::optional<Value> readValue(std::string_view bytes);

struct Plane {
    std::string name;
    PlaneKind kind = PlaneKind::Other;
    std::uint32_t device = 0;
    std::vector<Line> lines;
    std::unordered_map<std::int64_t, trace::StringId> events; ///< names, by id
    std::unordered_map<std::int64_t, std::string> texts; ///< names of arguments, and texts that they refer to
    std::unordered_map<std::int64_t, Argument> arguments; ///< meaning of the names above, unless Other
    std::unordered_map<std::string, std::string> facts;   ///< of the plane itself, such as "core_count"

    /// Returns the text of a value, also of one that refers to it.
    [[nodiscard]] std::string_view textOf(const Value& value) const;
    [[nodiscard]] Argument argumentOf(const Value& value) const;
    /// Returns a fact that is a whole number. Null if the plane does not contain it.
    [[nodiscard]] std::optional<std::int64_t> number(const std::string& fact) const;
};

struct Catalogue {
    std::vector<Plane> planes; ///< in the order of the file
    std::vector<std::string> hosts;
    std::vector<std::string> complaints;   ///< the profiler's own errors and warnings
    std::optional<std::int64_t> startedNs; ///< start of the profile in CLOCK_REALTIME
    std::int64_t damaged = 0;              ///< descriptions that cannot be read
    std::int64_t beyond = 0;               ///< descriptions beyond the limit
    std::optional<Damage> end;             ///< where the file stops to be readable
};

/// Reads the catalogue of a file. `names` receives the names of events.
[[nodiscard]] Catalogue readCatalogue(Wire& wire, NameTable& names);

} // namespace ringside::importers::xplane
