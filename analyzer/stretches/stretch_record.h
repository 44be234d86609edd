// SPDX-License-Identifier: Apache-2.0
// What stays of a stretch after its rows are let go. Records can be sent to another process.
#pragma once
#include "metrics/metrics.h"
#include "report/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::stretches {

struct RankRecord {
    std::int64_t rank = 0;        ///< its number
    metrics::RankMetrics metrics; ///< without exposures
};

struct StretchRecord {
    std::int64_t firstStep = 0, lastStep = 0; ///< numbers
    std::vector<std::int64_t> analyzedSteps;
    model::StepCoverage coverage;
    std::size_t graphLaunches = 0;
    bool arrived = false;    ///< arrivals were measured
    std::int64_t stepNs = 0; ///< mean length of its steps
    std::vector<RankRecord> ranks;
    std::vector<metrics::CollectiveGroup> collectives;
    std::vector<metrics::GroupTimes> collectiveTimes; ///< of each of `collectives`
    std::vector<report::MessageGroup> messages;
    std::vector<trace::IssueRow> issues;
    std::vector<report::MissingRule> notApplicable;
    std::vector<rules::Finding> findings;
    std::vector<std::optional<std::int64_t>> estimates; ///< of each finding (report::Draft)
};

/// Takes what is kept out of a draft.
[[nodiscard]] StretchRecord recordOf(const report::Draft& draft);

/// Returns the record as bytes, for a process of the same program on a host of the same byte order.
[[nodiscard]] std::string pack(const StretchRecord& record);
/// Returns the record that `pack` made. Throws ringside::Error (Unusable) if the bytes are none.
[[nodiscard]] StretchRecord unpack(std::string_view bytes);

} // namespace ringside::stretches
