// SPDX-License-Identifier: Apache-2.0
// What a report says of snapshots of PyTorch's allocator: what held memory, by rank and by place in the
// program.
#pragma once
#include "document/table.h"
#include "report/json_figures.h"
#include "report/report.h"

#include <string>
#include <vector>

namespace ringside::report {

/// A row for each rank, GPU and moment; no rows if no snapshot was read.
[[nodiscard]] document::Table memoryTable(const Report& report);

struct HeldMemory {
    std::string title; ///< "Rank 0, GPU 0, when an allocation failed: 70.0 GiB held by"
    document::Table places;
};
/// Of all moments, or of the one that tells most: the last out-of-memory, else the highest peak.
[[nodiscard]] std::vector<HeldMemory> heldMemory(const Report& report, bool all);

/// Null if no snapshot was read.
[[nodiscard]] Json memoryJson(const Report& report);

} // namespace ringside::report
