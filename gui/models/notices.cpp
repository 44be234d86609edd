// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/notices.h"

#include "base/text.h"
#include "report/sentences.h"

#include <ringside/trace/recover.h>

#include <algorithm>
#include <array>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

/// Returns the ranks of the world that the run does not hold.
std::vector<std::int64_t> missingRanks(const model::Model& model)
{
    constexpr std::int64_t kListed = 4096; ///< limit: a damaged file may claim any world size
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
        return; // an unreadable folder must not hide the rest
    }
    const auto dead = std::ranges::count(leftovers, false, &trace::LeftoverRings::running);
    if (dead > 0) {
        notices.push_back(
            {u"This run is incomplete: %1 processes died before their last records were written to it."_s.arg(
                 dead),
             u"Run `ringside recover %1` on their host, then press F5."_s.arg(
                 toQt(session.paths.front().string()))});
    }
}

/// Whether the issue says that a part of the files could not be read. The figures then lack that part.
bool isDamage(const trace::IssueRow& issue)
{
    using trace::Issue;
    constexpr std::array kDamage{Issue::UnreadableFile, Issue::DamagedTable, Issue::DamagedChunk,
                                 Issue::DamagedMember,  Issue::DamagedEvent, Issue::DamagedExport,
                                 Issue::DamagedLine,    Issue::DamagedEntry, Issue::RingDamaged};
    return std::ranges::any_of(kDamage, [&](Issue each) { return issue.is(each); });
}

/// Messages of a process do not name its file; those of the run name theirs.
QString damageText(const trace::IssueRow& issue, const std::filesystem::path& file)
{
    const QString name = toQt(file.filename().string());
    const QString message = toQt(issue.message);
    return name.isEmpty() ? message : QString(name + u": "_s + message);
}

/// Damage is of one file each; the report's list has the problems.
void addIssues(const report::Report& report, std::vector<Notice>& notices)
{
    const auto addDamage = [&](const std::vector<trace::IssueRow>& issues,
                               const std::filesystem::path& file) {
        for (const trace::IssueRow& issue : issues) {
            if (isDamage(issue)) {
                notices.push_back({damageText(issue, file), u"What it lacks is missing in all figures."_s});
            }
        }
    };
    addDamage(report.model.trace.issues, {});
    for (const trace::ProcessTrace& process : report.model.trace.processes) {
        addDamage(process.issues, process.path);
    }
    for (const trace::IssueRow& issue : report.issues) {
        if (issue.severity == trace::Severity::Problem && !isDamage(issue)) {
            notices.push_back({toQt(issue.message), {}});
        }
    }
}

} // namespace

std::vector<Notice> noticesOf(const Session& session)
{
    std::vector<Notice> notices;
    addLeftovers(session, notices);
    if (session.programs.size() > 1 && session.paths != session.recording) {
        notices.push_back(
            {u"This recording holds %1 programs. All views show the first one, %2, but view Roles, which "
             u"compares them."_s.arg(session.programs.size())
                 .arg(toQt(session.programs.front())),
             {}});
    }
    const report::Report& report = *session.report;
    if (const auto missing = missingRanks(report.model); !missing.empty()) {
        notices.push_back(
            {u"%1 of %2 ranks are here; not here: %3 %4."_s.arg(report.model.ranks.size())
                 .arg(report.model.worldSize)
                 .arg(missing.size() == 1 ? u"rank"_s : u"ranks"_s, toQt(report::rankList(missing))),
             u"If their files are on other hosts, copy them into the run directory, then press "
             u"F5."_s});
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
