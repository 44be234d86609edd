// SPDX-License-Identifier: Apache-2.0
#include "stretches/long_report.h"

#include "model/build_model.h"
#include "model/launch_index.h"
#include "model/model.h"
#include "stretches/fold.h"
#include "stretches/plan.h"
#include "trace/read/parallel.h"
#include "trace/read/process_reader.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ringside::stretches {
namespace {

constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kMore = 2;

/// Returns up to kMostRanks processes that are ranks, spread over all, as indices.
std::vector<std::size_t> someProcesses(const Plan& plan)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        if (!plan.steps.ofProcess[i].empty()) {
            all.push_back(i);
        }
    }
    std::vector<std::size_t> some;
    const std::size_t count = std::min(kMostRanks, all.size());
    for (std::size_t i = 0; i < count; ++i) {
        some.push_back(all[all.size() * i / count]);
    }
    return some;
}

/// Returns what to read of one process; nothing of others in the same file.
trace::ReadPart onlyOf(const Plan& plan, std::size_t process, const trace::ReadPart& rows)
{
    const std::pair key(plan.processes[process].file, plan.processes[process].processId);
    trace::ReadPart only;
    for (const trace::ProcessOutline& other : plan.processes) {
        if (other.file == key.first) {
            only[{other.file, other.processId}] = {};
        }
    }
    only[key] = rows.at(key);
    return only;
}

/// Returns how many steps the host has begun, beyond the step itself, before the device is through with it.
std::size_t farthestAhead(const std::vector<model::Step>& steps)
{
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].device || steps[i].boundary) {
            continue;
        }
        const auto later = std::ranges::upper_bound(steps, steps[i].device->end, {},
                                                    [](const model::Step& step) { return step.host.start; });
        const auto begun = static_cast<std::size_t>(later - steps.begin());
        farthest = std::max(farthest, begun > i + 1 ? begun - i - 1 : 0);
    }
    return farthest;
}

std::size_t aheadOf(const Plan& plan, std::size_t index, const Part& part)
{
    std::size_t farthest = 0;
    const trace::ProcessOutline& outline = plan.processes[index];
    for (const trace::ProcessTrace& process :
         trace::readFile(outline.file, 1, {}, onlyOf(plan, index, part.rows))) {
        std::vector<model::Step> steps = part.steps.steps[index];
        model::findDeviceSteps(steps, process, model::LaunchIndex(process.launches), std::nullopt,
                               model::Extent::Part);
        farthest = std::max(farthest, farthestAhead(steps));
    }
    return farthest;
}

/// Returns how many steps to read before and behind each stretch, so that its own steps are whole: as far as
/// the host runs ahead of the device in the middle of the run, on up to 16 ranks, and two more. Between
/// kLookAhead and kFarthestLookAhead.
std::size_t measureLookAhead(const Plan& plan)
{
    const std::size_t middle = plan.steps.numbers.size() / 2;
    const Part part = partOf(plan, {middle, middle}, kFarthestLookAhead);
    const std::vector<std::size_t> some = someProcesses(plan);
    std::vector<std::size_t> ahead(some.size());
    trace::parallelFor(some.size(), trace::coreCount(), [&](std::size_t i) {
        try {
            ahead[i] = aheadOf(plan, some[i], part);
        } catch (const Error&) { // whoever reads the run reports it
            return;
        }
    });
    return std::clamp(*std::ranges::max_element(ahead) + kMore, kLookAhead, kFarthestLookAhead);
}
/// Returns whether the first or last step of the stretch is incomplete on a rank, though the one next to it
/// within the stretch is complete and the run goes on on its other side.

bool isCutOff(const model::Model& model)
{
    const model::StepStretch& stretch = *model.stretch;
    const auto isWhole = [](const model::Step& step) { return step.device && !step.boundary; };
    return std::ranges::any_of(model.ranks, [&](const model::Rank& rank) {
        for (std::size_t i = 1; i < rank.steps.size(); ++i) {
            const model::Step& before = rank.steps[i - 1];
            const model::Step& after = rank.steps[i];
            const bool first = !stretch.beginsRun && before.number == stretch.first;
            const bool last = !stretch.endsRun && after.number == stretch.last;
            if ((first && !isWhole(before) && isWhole(after)) ||
                (last && isWhole(before) && !isWhole(after))) {
                return true;
            }
        }
        return false;
    });
}

/// The rows of a run need about this many times the bytes of its files at most, so that small runs need no
/// plan.
constexpr std::uint64_t kMostUnpacking = 8;
/// First byte of what is sent to process 0: a record follows, or the reason why there is none.
constexpr char kRecord = 'r';
constexpr char kFailure = 'f';

Plan planOf(const LongRun& run)
{
    const bool small = trace::fileBytesOf(run.path) * kMostUnpacking < run.rowBytes;
    if (run.modelOptions.stepsBy.isGiven() || small) {
        return {};
    }
    std::vector<trace::ProcessOutline> processes = trace::outlineOf(run.path);
    // of summaries, all sums of steps are needed at once, and their rows do not grow with the run
    const bool summarized = std::ranges::any_of(
        processes, [](const trace::ProcessOutline& process) { return !process.marks.summaryOf.empty(); });
    return summarized ? Plan() : planStretches(std::move(processes), run.rowBytes);
}

/// Analyzes stretches of a run, each by itself.
class StretchAnalyzer final {
public:
    StretchAnalyzer(const LongRun& run, const Plan& plan)
        : m_run(run), m_plan(plan), m_options(run.modelOptions), m_lookAhead(measureLookAhead(plan))
    {
        m_options.clocks = fitClocks();
    }

    /// Where the edges of the stretch turn out to be incomplete, it is read again with more steps around it.
    [[nodiscard]] report::Draft draft(std::size_t stretch) const
    {
        model::ModelOptions options = m_options;
        for (std::size_t lookAhead = m_lookAhead;; lookAhead *= 2) {
            Part part = partOf(m_plan, m_plan.stretches[stretch], lookAhead);
            options.stretch = std::move(part.steps);
            report::Draft draft = report::draftReport(read(part.rows), m_run.options, options);
            if (lookAhead >= kFarthestLookAhead || !isCutOff(draft.report.model)) {
                return draft;
            }
        }
    }

private:
    /// Throws Error (Io) if files came or went since the run was planned.
    [[nodiscard]] trace::RunTrace read(const trace::ReadPart& rows) const
    {
        trace::RunTrace trace = trace::openPart(m_run.path, rows);
        if (trace.processes.size() != m_plan.processes.size()) {
            throw Error(ErrorCode::Io,
                        fmt::format("{} has changed while it was read: {} processes, {} before",
                                    m_run.path.string(), trace.processes.size(), m_plan.processes.size()),
                        "Report on it again when nothing is written to it any more.");
        }
        return trace;
    }

    /// Returns the clocks of all hosts, fitted to a sample of the whole run. Returns none for a single host,
    /// and if the sample does not tie all hosts together, because device work was recorded at other times:
    /// then each stretch fits its own.
    [[nodiscard]] std::vector<model::HostClock> fitClocks() const
    {
        Part sample = clockSampleOf(m_plan);
        model::ModelOptions options = m_options;
        options.stretch = std::move(sample.steps);
        const model::Model model = model::buildModel(read(sample.rows), options);
        std::vector<model::HostClock> clocks;
        for (std::size_t i = 0; i < model.hosts.size() && model.hosts.size() > 1; ++i) {
            const model::Host& host = model.hosts[i];
            const auto rank = std::ranges::find(model.ranks, i, &model::Rank::host);
            clocks.push_back({host.name, host.bootId, host.offsetNs, host.drift, host.residualNs,
                              host.boundNs, rank->clock});
        }
        const bool tied =
            std::ranges::all_of(clocks, [](const auto& each) { return each.boundNs.has_value(); });
        return tied ? clocks : std::vector<model::HostClock>();
    }

    const LongRun& m_run;
    const Plan& m_plan;
    model::ModelOptions m_options;
    std::size_t m_lookAhead;
};

/// Returns which process of a team analyzes a stretch. The last one is process 0's, whose report mostly keeps
/// its rows.
std::size_t ownerOf(std::size_t stretch, std::size_t stretches, const Team* team)
{
    return team == nullptr || stretch + 1 == stretches ? 0 : stretch % team->size();
}

/// Tells the team how many stretches there are, also if the run cannot even be planned.
Plan planFor(const LongRun& run, Team* team)
{
    std::uint64_t stretches = 0;
    const auto tell = [&] { static_cast<void>(team != nullptr ? team->agree(stretches) : 0); };
    try {
        Plan plan = planOf(run);
        stretches = plan.stretches.size();
        tell();
        return plan;
    } catch (...) {
        stretches = 0;
        tell();
        throw;
    }
}

/// Returns what a process sends of a stretch.
std::string messageOf(const std::function<StretchRecord()>& analyze)
{
    try {
        return kRecord + pack(analyze());
    } catch (const std::exception& error) { // process 0 tries by itself
        return kFailure + std::string(error.what());
    }
}

/// Returns the record of a stretch from the process that analyzes it, or null if it has none.
std::optional<StretchRecord> receiveRecord(std::size_t stretch, std::size_t count, Team* team)
{
    const std::size_t owner = ownerOf(stretch, count, team);
    const std::string message = owner != 0 ? team->receive(owner) : std::string();
    const bool sent = !message.empty() && message.front() == kRecord;
    return sent ? std::optional(unpack(std::string_view(message).substr(1))) : std::nullopt;
}

/// Returns null if fewer steps are analyzed than the model takes without its warm-up (model/run_steps.cpp):
/// so few are better judged with all that there is.
std::optional<report::Report> foldStretches(const StretchAnalyzer& analyzer, std::size_t count,
                                            const StretchWatch& watch, Team* team)
{
    constexpr std::size_t kFewestAnalyzed = 10;
    Fold fold;
    std::size_t shown = count - 1; // the last one with analyzed steps
    std::optional<report::Draft> last;
    for (std::size_t i = 0; i < count; ++i) {
        if (watch) {
            watch(i, count);
        }
        std::optional<StretchRecord> record = receiveRecord(i, count, team);
        if (!record) {
            report::Draft draft = analyzer.draft(i);
            record = recordOf(draft);
            if (i + 1 == count) {
                last = std::move(draft);
            }
        }
        shown = record->ranks.empty() ? shown : i;
        fold.add(*record);
    }
    if (fold.analyzed() < kFewestAnalyzed) {
        return std::nullopt;
    }
    if (shown + 1 < count) {
        last.reset(); // lets its rows go
        last = analyzer.draft(shown);
    }
    return fold.finish(std::move(*last));
}

} // namespace

std::optional<report::Report> buildLongReport(const LongRun& run, const StretchWatch& watch, Team* team)
{
    const Plan plan = planFor(run, team);
    if (plan.stretches.empty()) {
        return std::nullopt;
    }
    try {
        return foldStretches(StretchAnalyzer(run, plan), plan.stretches.size(), watch, team);
    } catch (...) {
        if (team != nullptr) {
            team->abandon();
        }
        throw;
    }
}

void helpWithReport(const LongRun& run, Team& team)
{
    const std::uint64_t count = team.agree(0);
    std::optional<Plan> plan;
    std::optional<StretchAnalyzer> analyzer;
    for (std::size_t i = 0; i < count; ++i) {
        if (ownerOf(i, count, &team) != team.rank()) {
            continue;
        }
        team.send(messageOf([&] {
            if (!plan) {
                plan = planOf(run);
            }
            if (plan->stretches.size() != count) {
                throw Error(ErrorCode::Unusable, "this process sees another run than process 0");
            }
            if (!analyzer) {
                analyzer.emplace(run, *plan);
            }
            return recordOf(analyzer->draft(i));
        }));
    }
}

} // namespace ringside::stretches
