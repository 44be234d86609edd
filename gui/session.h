// SPDX-License-Identifier: GPL-3.0-or-later
// What is open: results of the analyzer, never changed once they are here. Shared by all views.
#pragma once
#include "document/document.h"
#include "report/report.h"
#include "timeline/timeline.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ringside::gui {

using Paths = std::vector<std::filesystem::path>;

struct Session {
    Paths paths;
    std::shared_ptr<const report::Report> report;       ///< there before the timeline
    std::shared_ptr<const document::Document> document; ///< of the report: what all formats show
    std::shared_ptr<const timeline::Timeline> timeline; ///< null: still being built. Refers to report->model
    std::vector<std::string> programs = {}; ///< of the recording; several: they may be roles of one job
    /// What was opened. `paths` are the files of its first program where the report needs one.
    Paths recording = {};
    bool isRunning = false;  ///< the job ran when its reading began, so that there may be more to read
    bool isFollowed = false; ///< the run that is open, read again while it runs: what the user chose stays
};

} // namespace ringside::gui
