// SPDX-License-Identifier: Apache-2.0
// The communicators of a run, and what people call them.
#pragma once
#include "report/report.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ringside::report {

struct Communicator {
    std::string name;             ///< that the program gave it; empty: none
    std::int64_t size = 0;        ///< 0: not known
    std::set<std::int64_t> ranks; ///< of those in the trace
};

/// By the hash that all its ranks share (model::sharedHash); 0 stands for all that have none.
[[nodiscard]] std::map<std::uint64_t, Communicator> communicatorsOf(const model::Model& model);

/// For every communicator of `report.metrics.collectives` a text that no other has: its name, else its ranks
/// where the trace has all of them, else the first half of its hash. Empty when all rows are of one.
[[nodiscard]] std::map<std::uint64_t, std::string> communicatorLabels(const Report& report);

} // namespace ringside::report
