// SPDX-License-Identifier: Apache-2.0
// All spans of a name, for "find", for "the next of these" and for marking them in a picture.
#pragma once
#include "timeline/span_groups.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ringside::timeline {

struct SearchRequest {
    std::string text;
    /// Set: the group of this table and grouping that is named `text`. Null: spans whose names contain
    /// `text`, in upper or lower case.
    std::optional<std::pair<SpanTable, Grouping>> group;
    std::optional<std::size_t> rank; ///< index into Model::ranks; null: all
    bool operator==(const SearchRequest&) const = default;
};

struct Hits {
    static constexpr std::size_t kMost = 1'000'000; ///< spans that are kept

    SearchRequest request;
    std::vector<SpanId> spans;       ///< by track, lane and index
    std::vector<std::size_t> byTime; ///< positions in `spans`, by start
    std::size_t count = 0;           ///< of all matches; more than spans.size() if there are more than kMost

    /// Returns the hits of a lane: their indices ascend.
    [[nodiscard]] std::span<const SpanId> of(std::size_t track, std::size_t lane) const;
    /// Returns the place in `byTime` of the first hit that starts after `timeNs`, or of the last one that
    /// starts before it. Begins again at the other end if there is none. Null: there are no hits.
    [[nodiscard]] std::optional<std::size_t> nearest(const Timeline& timeline, std::int64_t timeNs,
                                                     Direction direction) const;
};

/// Finds all spans. If `cancelled` returns true, the result is empty.
[[nodiscard]] Hits search(const model::Model& model, const Timeline& timeline, const SearchRequest& request,
                          const std::function<bool()>& cancelled = {});

} // namespace ringside::timeline
