// SPDX-License-Identifier: Apache-2.0
// What happened in a range of time, added up by name, family, rank or stream: the table that answers "which
// kernels take the time here". Times are sums over spans, not unions: kernels of several streams may run at
// once. Figures of a whole step are metrics/'s.
#pragma once
#include "document/table.h"
#include "timeline/timeline.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ringside::timeline {

enum class SpanTable : std::uint8_t {
    Kernels,
    Communication,
    Copies,
    Ranges,
    Calls,
    ProjectedRanges,
    PythonCalls
};
enum class Grouping : std::uint8_t { Name, Family, Rank, Stream };

struct GroupRequest {
    SpanTable table = SpanTable::Kernels;
    Grouping by = Grouping::Name;
    Interval range;                  ///< run time
    std::optional<std::size_t> rank; ///< index into Model::ranks; null: all
};

/// Spans that overlap the range. The total is their time within the range; the other times are of whole
/// spans. Waiting and transfer of one communication kernel count as one.
struct SpanGroup {
    std::string name;
    std::int64_t count = 0;
    std::int64_t totalNs = 0;
    std::int64_t waitNs = 0; ///< of the total: before the last rank arrived
    double meanNs = 0;
    double medianNs = 0;
    double p99Ns = 0;
    std::int64_t mostNs = 0;
    double share = 0;      ///< of the time of the range in which it was recorded, in the mean of the ranks
    std::size_t ranks = 0; ///< number of ranks on which it occurs
    std::int64_t leastOfRankNs = 0, mostOfRankNs = 0; ///< totals of single ranks among those
};

/// Returns the groups, the one with the largest total first. Runs on all cores; its cost grows with the spans
/// in the range. If `cancelled` returns true, the result is empty.
[[nodiscard]] std::vector<SpanGroup> groupsOf(const model::Model& model, const Timeline& timeline,
                                              const GroupRequest& request,
                                              const std::function<bool()>& cancelled = {});
[[nodiscard]] document::Table tableOf(const std::vector<SpanGroup>& groups, const GroupRequest& request);
/// Returns what to show as the groups' names: kernels by their short names.
[[nodiscard]] std::vector<std::string> shownNames(const std::vector<SpanGroup>& groups,
                                                  const GroupRequest& request);

/// Whether the spans of a track can belong to a table.
[[nodiscard]] bool isOf(SpanTable table, TrackKind kind);
/// Whether a span belongs to a table that its track belongs to.
[[nodiscard]] bool isOf(SpanTable table, SpanKind kind);
/// The name of the group that a span belongs to.
[[nodiscard]] std::string groupName(const model::Model& model, const Track& track, const Span& span,
                                    Grouping by);

} // namespace ringside::timeline
