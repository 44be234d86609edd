// SPDX-License-Identifier: Apache-2.0
// Collects the communicators of a run and their labels in tables.
#pragma once
#include "report/report.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ringside::report {

struct Communicator {
    std::string name;             ///< name given by the program; empty if none
    std::int64_t size = 0;        ///< 0 if not known
    std::set<std::int64_t> ranks; ///< recorded ranks
};

/// Returns the communicators keyed by the hash that all their ranks share (model::sharedHash). Key 0 stands
/// for all communicators without a hash.
[[nodiscard]] std::map<std::uint64_t, Communicator> communicatorsOf(const model::Model& model);

/// Returns a unique label for every communicator of `report.metrics.collectives`: its name, else its ranks if
/// all of them were recorded, else the first half of its hash. Empty if all rows belong to one communicator.
[[nodiscard]] std::map<std::uint64_t, std::string> communicatorLabels(const Report& report);

} // namespace ringside::report
