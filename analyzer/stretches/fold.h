// SPDX-License-Identifier: Apache-2.0
// Adds up the reports of the stretches of a run.
#pragma once
#include "metrics/metrics.h"
#include "report/report.h"
#include "stretches/stretch_record.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ringside::stretches {

/// Findings of one kind on the same ranks and links, from all stretches that have one. Title, figures, advice
/// and evidence are those of the stretch in which it costs most.
struct FoldedFinding {
    rules::Finding finding;
    std::int64_t firstStep = 0, lastStep = 0; ///< of the stretch that the text is of
    double costNs = 0, estimateNs = 0;        ///< times the analyzed steps of each stretch
    bool costs = false, estimated = false;    ///< whether any stretch has a cost, or an estimate
    bool byCost = false;                      ///< the severity follows from the cost
    std::size_t stretches = 0;                ///< that have it
};

/// The report of a run, from those of its stretches. Sums and counts are exact. Step times and the medians of
/// a rank's steps are exact, too, because every step's breakdown is kept. Median times of collectives are
/// exact up to 65,536 values a group, and beyond that the median of every n-th value.
class Fold final {
public:
    /// Adds the next stretch of the run.
    void add(const StretchRecord& stretch);
    /// Returns the number of steps that were analyzed so far.
    [[nodiscard]] std::size_t analyzed() const { return m_analyzedSteps.size(); }
    /// Returns the report of all stretches. `shown` is one of them, whose model and rows the report keeps.
    [[nodiscard]] report::Report finish(report::Draft shown);

private:
    void addSteps(const StretchRecord& stretch);
    void addRanks(const StretchRecord& stretch);
    void addCollectives(const StretchRecord& stretch);
    void addMessages(const std::vector<report::MessageGroup>& groups);
    void addIssues(const StretchRecord& stretch);
    void addFindings(const StretchRecord& stretch);
    void addRules(const StretchRecord& stretch);
    void finishMetrics(report::Report& report);
    void finishFindings(report::Draft& draft) const;

    std::size_t m_stretches = 0;
    std::size_t m_measured = 0; ///< stretches with analyzed steps
    std::vector<std::int64_t> m_analyzedSteps;
    model::StepCoverage m_coverage;
    std::size_t m_graphLaunches = 0;
    struct Rank {
        metrics::RankMetrics sum;
        std::int64_t mostCalls = 0;  ///< blocking calls of one stretch
        std::int64_t mostLostNs = 0; ///< overlap that blocking calls of one stretch lost
    };
    std::map<std::int64_t, Rank> m_ranks; ///< by rank number
    bool m_arrived = false;
    struct Group {
        metrics::CollectiveGroup group;
        metrics::GroupTimes times;
        std::size_t every = 1; ///< of so many values one is kept
    };
    using GroupKey = std::tuple<std::uint64_t, model::CollectiveKind, std::optional<std::uint64_t>>;
    std::map<GroupKey, Group> m_groups;
    std::map<std::pair<model::CollectiveKind, std::optional<std::uint64_t>>, report::MessageGroup> m_messages;
    std::vector<trace::IssueRow> m_issues;
    std::vector<FoldedFinding> m_findings;                                   ///< in the order of their rules
    std::map<std::string, report::MissingRule, std::less<>> m_notApplicable; ///< in every stretch so far
};

} // namespace ringside::stretches
