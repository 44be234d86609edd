// SPDX-License-Identifier: GPL-3.0-or-later
// What is open: results of the analyzer, never changed once they are here. Shared by all views.
#pragma once
#include "report/report.h"
#include "timeline/timeline.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace ringside::gui {

using Paths = std::vector<std::filesystem::path>;

struct Session {
    Paths paths;
    std::shared_ptr<const report::Report> report;       ///< there before the timeline
    std::shared_ptr<const timeline::Timeline> timeline; ///< null: still being built. Refers to report->model
};

} // namespace ringside::gui
