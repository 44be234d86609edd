// SPDX-License-Identifier: Apache-2.0
// Two runs of the same job side by side: what got faster or slower, by how much, and whether that is more
// than the runs' own noise. Stands on the reports' metrics; computes no figure of its own but differences.
#pragma once
#include "compare/statistics.h"
#include "report/report.h"
#include "report/table.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ringside::compare {

using values::Unit;

/// One metric, a value a step (mean over ranks).
struct Metric {
    std::string name; ///< as in the JSON report, or "step_ns"
    Unit unit = Unit::Ns;
    bool smallerIsBetter = true;
    Summary base, now;
    std::optional<Change>
        change; ///< of times: in parts of the base's step; else as they are. Null: not measured
    Verdict verdict = Verdict::Inconclusive;
    std::optional<std::size_t> stepsNeeded = std::nullopt; ///< of each run to be conclusive, where it is not
};

enum class Kind : std::uint8_t { Added, Removed, Slower, Faster };

/// A kernel, or a collective of one kind, size and number of ranks, whose time a step changed.
struct Item {
    std::string name;
    Kind kind = Kind::Slower;
    std::optional<double> baseNs, nowNs; ///< device time a step, mean over ranks and steps; null: not there
    std::optional<double> baseCount, nowCount; ///< a step and rank
    [[nodiscard]] double differenceNs() const { return nowNs.value_or(0) - baseNs.value_or(0); }
};

struct Comparison {
    double tolerance = 0;
    std::vector<Metric> metrics; ///< the first is the step's time; those that either run lacks are there too
    std::vector<Item> kernels;   ///< biggest difference first
    std::vector<Item> collectives;
    std::vector<std::string> newFindings, goneFindings; ///< rules that fire in only one of them
    std::vector<std::string> remarks;                   ///< why the two may not be comparable
    [[nodiscard]] Verdict verdict() const { return metrics.front().verdict; }
};

inline constexpr double kUsualTolerance = 0.02;

/// `tolerance` is the part of a step that nobody minds.
[[nodiscard]] Comparison compareRuns(const report::Report& base, const report::Report& now, double tolerance);

[[nodiscard]] std::string_view verdictName(Verdict verdict); ///< "better"
[[nodiscard]] std::string_view kindName(Kind kind);          ///< "added"

/// "Worse: the step takes ..."
[[nodiscard]] std::string sentenceOf(const Comparison& comparison);
[[nodiscard]] report::Table metricTable(const Comparison& comparison);
struct ItemLimits {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    std::size_t name = std::numeric_limits<std::size_t>::max(); ///< bytes; longer ones end in "..."
};
[[nodiscard]] report::Table itemTable(const std::vector<Item>& items, const ItemLimits& limits = {});

[[nodiscard]] std::string textOf(const Comparison& comparison, bool markdown, std::size_t width);
/// The contract ringside-diff/1 (ringside-diff-1.schema.json).
[[nodiscard]] std::string jsonOf(const Comparison& comparison);

} // namespace ringside::compare
