// SPDX-License-Identifier: Apache-2.0
// Reports on runs of any size, for commands that need the report and not the rows.
#pragma once
#include "cli/run_input.h"
#include "report/report.h"
#include "stretches/long_report.h"

#include <cstdint>
#include <optional>

namespace ringside::cli {

struct ReportRequest {
    RunPaths run;
    rules::OptionValues values;
    model::ModelOptions modelOptions;
    std::uint64_t rowBytes = stretches::kDefaultRowBytes;
};

/// Adds --memory, which sets `rowBytes`.
void addMemoryOption(CLI::App& app, std::uint64_t& rowBytes);

/// Builds the report; in stretches if the run does not fit into `rowBytes`, and then its model is that of one
/// stretch. The processes of team() share the stretches: those that only helped get null. All of them must
/// call it for the same runs in the same order. Throws Error as openRun does.
[[nodiscard]] std::optional<report::Report> reportOn(const ReportRequest& request);

} // namespace ringside::cli
