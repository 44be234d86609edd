// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/notices.h"

#include "app/text.h"
#include "report/sentences.h"

#include <ringside/trace/recover.h>

#include <algorithm>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

/// Ranks of the world that the run does not hold.
std::vector<std::int64_t> missingRanks(const model::Model& model)
{
    constexpr std::int64_t kListed = 4096; ///< a file may claim any size of the world
    std::vector<std::int64_t> missing;
    for (std::int64_t rank = 0; rank < std::min(model.worldSize, kListed); ++rank) {
        if (std::ranges::find(model.ranks, rank, &model::Rank::rank) == model.ranks.end()) {
            missing.push_back(rank);
        }
    }
    return missing;
}

void addLeftovers(const Session& session, std::vector<Notice>& notices)
{
    std::error_code ignored;
    if (session.paths.size() != 1 || !std::filesystem::is_directory(session.paths.front(), ignored)) {
        return;
    }
    std::vector<trace::LeftoverRings> leftovers;
    try {
        leftovers = trace::findLeftoverRings(session.paths.front());
    } catch (const std::exception&) {
        return; // what cannot be looked at is no reason not to show the rest
    }
    const auto running = std::ranges::count_if(leftovers, &trace::LeftoverRings::running);
    const auto dead = static_cast<std::ptrdiff_t>(leftovers.size()) - running;
    if (running > 0) {
        notices.push_back(
            {u"Still being recorded: %1 of its processes run. What was written so far is shown."_s.arg(
                 running),
             u"F5 reads it again."_s});
    }
    if (dead > 0) {
        notices.push_back(
            {u"Half recorded: %1 processes died, and their last records are not in the run."_s.arg(dead),
             u"`ringside recover %1` on their host brings them back; then F5."_s.arg(
                 toQt(session.paths.front().string()))});
    }
}

void addIssues(const report::Report& report, std::vector<Notice>& notices)
{
    for (const trace::IssueRow& issue : report.issues) {
        if (issue.severity == trace::Severity::Problem) {
            notices.push_back({toQt(issue.message), {}});
        }
    }
}

} // namespace

std::vector<Notice> noticesOf(const Session& session)
{
    std::vector<Notice> notices;
    addLeftovers(session, notices);
    const report::Report& report = *session.report;
    if (const auto missing = missingRanks(report.model); !missing.empty()) {
        notices.push_back({u"%1 of %2 ranks are here; missing: %3."_s.arg(report.model.ranks.size())
                               .arg(report.model.worldSize)
                               .arg(toQt(report::rankList(missing))),
                           u"Copy the files of the other hosts into the run directory; then F5."_s});
    }
    if (report.droppedRecords > 0) {
        notices.push_back({u"%1 records were dropped while recording, so figures may be too low."_s.arg(
                               report.droppedRecords),
                           u"Record again with larger rings (RINGSIDE_RING_BYTES) or fewer steps."_s});
    }
    addIssues(report, notices);
    return notices;
}

} // namespace ringside::gui
