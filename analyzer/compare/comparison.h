// SPDX-License-Identifier: Apache-2.0
// Compares two runs of the same job: what got faster or slower, by how much, and whether that is more than
// the runs' own noise. It uses the reports' metrics and computes only differences.
#pragma once
#include "compare/predictions.h"
#include "compare/statistics.h"
#include "document/table.h"
#include "report/report.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ringside::compare {

using values::Unit;

/// One metric with a value for each step (mean over ranks).
struct Metric {
    std::string name; ///< as in the JSON report, or "step_ns"
    Unit unit = Unit::Ns;
    bool smallerIsBetter = true;
    Summary base, now;
    std::optional<Change>
        change; ///< of times: as share of the base's step; of others: absolute. Null: not measured
    Verdict verdict = Verdict::Inconclusive;
    /// steps of each run that would make an inconclusive change conclusive
    std::optional<std::size_t> stepsNeeded = std::nullopt;
    Centre centre = Centre::Median; ///< what of both series is compared
};

enum class Kind : std::uint8_t { Added, Removed, Slower, Faster };

/// A kernel, or a collective of one kind, size and number of ranks, whose time per step changed.
struct Item {
    std::string name;
    Kind kind = Kind::Slower;
    /// device time per step, mean over ranks and steps; null: does not occur
    std::optional<double> baseNs, nowNs;
    std::optional<double> baseCount, nowCount; ///< per step and rank
    [[nodiscard]] double differenceNs() const { return nowNs.value_or(0) - baseNs.value_or(0); }
};

struct Comparison {
    double tolerance = 0;
    /// the first one is the step time; includes metrics that one of the runs lacks
    std::vector<Metric> metrics;
    /// Largest difference first. Slower or faster ones differ by more than the noise of the runs' own steps.
    std::vector<Item> kernels;
    std::vector<Item> collectives;
    std::vector<std::string> newFindings, goneFindings; ///< rules that fire in only one of the runs
    std::vector<HeldPrediction> predictions;            ///< that the user asked to hold against the new run
    std::vector<std::string> remarks;                   ///< why the runs may not be comparable
    /// Of the median step. A few long steps do not move it, and lengthen the job all the same: if the mean
    /// step got slower, so did the run.
    [[nodiscard]] Verdict verdict() const
    {
        return slowerInTheMean() != nullptr ? Verdict::Worse : metrics.front().verdict;
    }
    /// Returns the metric of the mean step if it got slower, and the median step did not; else null.
    [[nodiscard]] const Metric* slowerInTheMean() const;
};

inline constexpr double kUsualTolerance = 0.02;

/// Changes of at most `tolerance` (share of a step) count as equal.
[[nodiscard]] Comparison compareRuns(const report::Report& base, const report::Report& now, double tolerance);

[[nodiscard]] std::string_view verdictName(Verdict verdict); ///< "better"
[[nodiscard]] std::string_view kindName(Kind kind);          ///< "added"

/// Returns for example "Worse: the step takes ...".
[[nodiscard]] std::string sentenceOf(const Comparison& comparison);
/// What the figures of metricTable mean.
inline constexpr const char* kMetricTitle =
    "Medians over steps, with their median absolute deviation, and the mean step; times change in % of the "
    "base's step";
[[nodiscard]] document::Table metricTable(const Comparison& comparison);
struct ItemLimits {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    std::size_t name = std::numeric_limits<std::size_t>::max(); ///< bytes; longer names end in "..."
};
[[nodiscard]] document::Table itemTable(const std::vector<Item>& items, const ItemLimits& limits = {});

[[nodiscard]] std::string textOf(const Comparison& comparison, bool markdown, std::size_t width);
/// Returns ringside-diff/1 (ringside-diff-1.schema.json).
[[nodiscard]] std::string jsonOf(const Comparison& comparison);

} // namespace ringside::compare
