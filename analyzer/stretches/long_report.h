// SPDX-License-Identifier: Apache-2.0
// Reports on runs of any length. A run whose rows do not fit into memory is read in stretches of steps, over
// all ranks: each is analyzed by itself, its figures are added up, and its rows are let go. So memory does
// not grow with the steps but for 156 bytes a rank and step. A run that fits is one stretch.
#pragma once
#include "report/report.h"
#include "stretches/team.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace ringside::stretches {

/// Memory for the rows of a stretch. The peak of a report on 4,096 ranks x 1,000 steps is about twice this.
inline constexpr std::uint64_t kDefaultRowBytes = std::uint64_t{1} << 30U;

/// Called before each stretch with the number of stretches that are done, and of all.
using StretchWatch = std::function<void(std::size_t done, std::size_t all)>;

struct LongRun {
    std::filesystem::path path; ///< a native run
    rules::OptionValues options;
    model::ModelOptions modelOptions;
    std::uint64_t rowBytes = kDefaultRowBytes;
};

/// Builds the report. Returns null if the run is better read as a whole, because it fits into `rowBytes` or
/// cannot be cut (plan.h). Throws what buildReport and openRun throw. The processes of `team`, all of which
/// see the run, share the stretches; this one is process 0. The report does not depend on their number.
[[nodiscard]] std::optional<report::Report>
buildLongReport(const LongRun& run, const StretchWatch& watch = {}, Team* team = nullptr);

/// Analyzes the stretches of this process and sends them to process 0, which calls buildLongReport. Returns
/// at once if process 0 reads the run as a whole.
void helpWithReport(const LongRun& run, Team& team);

} // namespace ringside::stretches
