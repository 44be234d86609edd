// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_hang.h"

#include "attach/job_process.h"
#include "cli/left_files.h"
#include "cli/left_symptoms.h"
#include "cli/witnesses.h"
#include "hang/rank_report.h"
#include "hang/witness.h"
#include "host/monotonic.h"
#include "import/open_run.h"
#include "output/messages.h"
#include "stacks/collect.h"
#include "stacks/thread_snapshot.h"

#include <ringside/error.h>
#include <ringside/trace/live_run.h>
#include <ringside/trace/stacks.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace ringside::cli {
namespace {

bool has(const trace::ProcessTrace& process, trace::Issue issue)
{
    return std::any_of(process.issues.begin(), process.issues.end(),
                       [issue](const trace::IssueRow& row) { return row.is(issue); });
}

/// Returns the name of the program that a process runs; empty if it cannot be read.
std::string programOf(std::optional<std::uint32_t> pid)
{
    const auto process = pid ? attach::readProcess(static_cast<pid_t>(*pid)) : std::nullopt;
    return process ? process->program : std::string();
}

hang::ProcessNow stateOf(const trace::ProcessTrace& process, trace::Owner owner, bool callsKnown,
                         std::int64_t nowNs)
{
    hang::ProcessNow now;
    now.callsKnown = callsKnown || has(process, trace::Issue::ProcessKilled) || process.process.endNs ||
                     has(process, trace::Issue::DumpedWhileRunning);
    if (owner == trace::Owner::Running || owner == trace::Owner::Stopped || owner == trace::Owner::Replaced) {
        now.life = owner == trace::Owner::Running   ? hang::Life::Running
                   : owner == trace::Owner::Stopped ? hang::Life::Stopped
                                                    : hang::Life::Replaced;
        now.nowNs = nowNs;
    } else {
        now.life = hang::lifeInTrace(process);
        const bool leftRings = now.life == hang::Life::NotKnown && owner == trace::Owner::Gone;
        now.life = leftRings ? hang::Life::Gone : now.life;
    }
    return now;
}

/// Collects the stacks of the running processes of this host and stores them beside their traces.
void storeStacks(trace::LiveRun& live)
{
    int taken = 0;
    for (std::size_t i = 0; i < live.owners.size(); ++i) {
        if (!live.pids[i]) {
            continue;
        }
        trace::ProcessTrace& process = live.run.processes[i];
        stacks::CollectedStacks stacks =
            stacks::collectStacks(static_cast<pid_t>(*live.pids[i]), std::nullopt);
        trace::writeStacks(trace::stackFileOf(process.path), stacks.rows);
        process.stacks = std::move(stacks.rows);
        ++taken;
    }
    output::printNote("ringside: collected the stacks of {} process{} that run{} on this host\n", taken,
                      taken == 1 ? "" : "es", taken == 1 ? "s" : "");
}

hang::Report analyzeNative(const std::filesystem::path& run, const hang::Options& limits, bool takeStacks)
{
    trace::LiveRun live = trace::openLiveRun(run);
    if (takeStacks) {
        storeStacks(live);
    }
    const std::int64_t nowNs = host::monotonicNs();
    std::vector<hang::ProcessNow> now;
    for (std::size_t i = 0; i < live.owners.size(); ++i) {
        now.push_back(stateOf(live.run.processes[i], live.owners[i], live.callsKnown[i], nowNs));
        if (now.back().life == hang::Life::Replaced) {
            now.back().program = programOf(live.pids[i]);
        }
    }
    const std::vector<hang::RasMember> members = hang::rasMembers(live.run);
    hang::Report report = hang::analyze(std::move(live.run), now, limits);
    addWitnesses(report, run, limits, members);
    return report;
}

/// Dumps of other tools do not tell whether their processes run.
hang::Report analyzeForeign(trace::RunTrace run, const hang::Options& limits)
{
    std::vector<hang::ProcessNow> now;
    for (const trace::ProcessTrace& process : run.processes) {
        now.push_back(stateOf(process, trace::Owner::NotKnown, false, 0));
    }
    return hang::analyze(std::move(run), now, limits);
}

/// What one kind of files says, as the verdict or as a witness of it.
struct Statement {
    std::string source;
    std::string title;
    std::vector<std::string> notes;
    std::optional<hang::Report> report; ///< null: nothing could be read
};

hang::Witness witnessOf(Statement statement)
{
    hang::Witness witness;
    if (statement.report) {
        witness = hang::witnessOf(*statement.report, statement.source, statement.title);
        std::ranges::move(statement.notes, std::back_inserter(witness.details));
    } else {
        witness.source = statement.source;
        witness.title = statement.title;
        witness.notAvailable = fmt::format("it cannot be read: {}", fmt::join(statement.notes, "; "));
    }
    return witness;
}

std::vector<Statement> statementsOf(const RunPaths& paths, const hang::Options& limits)
{
    std::vector<Statement> statements;
    for (LeftFiles& left : openLeftFiles(paths)) {
        Statement statement{left.source, left.title, std::move(left.notes), std::nullopt};
        if (!left.run.processes.empty()) {
            statement.report = analyzeForeign(std::move(left.run), limits);
        }
        statements.push_back(std::move(statement));
    }
    return statements;
}

/// Of a job that left nothing else.
hang::Report reportOf(const hang::Witness& symptom, const RunPaths& paths)
{
    hang::Report report;
    report.path = importers::namedPath(paths.front());
    report.kind = symptom.kind;
    report.summary = symptom.summary;
    report.diedFirst = symptom.blamed.front();
    report.worldSize = *std::ranges::max_element(symptom.heard) + 1;
    return report;
}

/// The first kind of files that tells of a hang gives the verdict, and the others are its witnesses.
hang::Report analyzeFiles(const RunPaths& paths, const hang::Options& limits)
{
    std::vector<Statement> statements = statementsOf(paths, limits);
    std::optional<hang::Witness> symptom = firstSymptomOf(leftFilesOf(paths));
    const auto tells = [](const Statement& each) {
        return each.report && each.report->kind != hang::Kind::Nothing;
    };
    const auto reads = [](const Statement& each) { return each.report.has_value(); };
    auto first = std::ranges::find_if(statements, tells);
    first = first == statements.end() ? std::ranges::find_if(statements, reads) : first;
    if (first == statements.end()) {
        return symptom ? reportOf(*symptom, paths) : analyzeForeign(openRun(paths), limits);
    }
    hang::Report report = std::move(*first->report);
    report.path = importers::namedPath(paths.front());
    for (const std::string& note : first->notes) {
        output::printNote("ringside: {}\n", note);
    }
    statements.erase(first);
    for (Statement& statement : statements) {
        hang::hear(report, witnessOf(std::move(statement)));
    }
    if (symptom) {
        hang::hear(report, std::move(*symptom));
    }
    return report;
}

} // namespace

hang::Report judgeHang(const RunPaths& paths, const hang::Options& limits, bool takeStacks)
{
    if (paths.size() != 1 || !importers::isNative(paths)) {
        return analyzeFiles(paths, limits);
    }
    hang::Report report = analyzeNative(paths.front(), limits, takeStacks);
    for (Statement& statement : statementsOf(paths, limits)) {
        hang::hear(report, witnessOf(std::move(statement)));
    }
    if (std::optional<hang::Witness> symptom = firstSymptomOf(leftFilesOf(paths))) {
        hang::hear(report, std::move(*symptom));
    }
    return report;
}

} // namespace ringside::cli
