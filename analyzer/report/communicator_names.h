// SPDX-License-Identifier: Apache-2.0
// What people call a communicator: the name that the program gave it, and as much of its hash as tells it
// from the others.
#pragma once
#include "report/report.h"

#include <map>
#include <string>

namespace ringside::report {

/// By hash; only of communicators that the program named.
[[nodiscard]] std::map<std::uint64_t, std::string> communicatorNames(const model::Model& model);

/// For every communicator of `report.metrics.collectives` a text that no other has. Empty when all rows are
/// of one.
[[nodiscard]] std::map<std::uint64_t, std::string> communicatorLabels(const Report& report);

} // namespace ringside::report
