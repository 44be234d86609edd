// SPDX-License-Identifier: Apache-2.0
// The matches of a search as a table, by time.
#pragma once
#include "document/table.h"
#include "timeline/search.h"

namespace ringside::timeline {

constexpr std::size_t kMostListedHits = 10'000;

/// Returns name, rank, stream or thread, start and duration of the first hits by time: row r is
/// Hits::byTime[r]. Waiting and transfer of one kernel are one hit.
[[nodiscard]] document::Table hitTable(const model::Model& model, const Timeline& timeline, const Hits& hits,
                                       std::size_t most = kMostListedHits);

/// Returns what to show as the names of the first `rows` hits by time: kernels by their short names.
[[nodiscard]] std::vector<std::string> shownNames(const model::Model& model, const Timeline& timeline,
                                                  const Hits& hits, std::size_t rows);

/// Returns the time of a hit: of a kernel that waits for others, its whole time.
[[nodiscard]] Interval timeOf(const Timeline& timeline, const SpanId& hit);

} // namespace ringside::timeline
