// SPDX-License-Identifier: Apache-2.0
#include "metrics/compute_metrics.h"
#include "model/build_model.h"
#include "model/time.h"
#include "report/cost_attribution.h"
#include "report/replayed_costs.h"
#include "report/report.h"
#include "report/shared_place.h"
#include "report/watched_report.h"
#include "rules/shared/support.h"
#include "words/applicability.h"
#include "words/shared_place.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/tier_reason.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace ringside::report {
namespace {

std::string whose(const trace::ProcessTrace& process, const trace::DropRow& row)
{
    if (row.thread == 0) {
        return fmt::format("{} {}", row.records, row.what);
    }
    const auto thread = std::ranges::find(process.threads, row.thread, &trace::ThreadRow::id);
    const std::string name = thread != process.threads.end()
                                 ? fmt::format("{} (tid {})", thread->name, thread->tid)
                                 : fmt::format("{}", row.thread);
    return fmt::format("{} {} of thread {}", row.records, row.what, name);
}

/// Returns an issue that states how many records of which threads and tiers are missing; null if none are.
std::optional<trace::IssueRow> describeDrops(const trace::ProcessTrace& process)
{
    constexpr std::size_t kMostNamed = 5;
    std::vector<trace::DropRow> rows = process.drops;
    std::erase_if(rows, [](const trace::DropRow& row) { return row.records <= 0; });
    if (rows.empty()) {
        return std::nullopt;
    }
    std::ranges::stable_sort(rows, std::greater<>{}, &trace::DropRow::records);
    std::int64_t total = 0;
    std::string parts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        total = model::addCapped(total, rows[i].records);
        if (i < kMostNamed) {
            parts += (parts.empty() ? "" : ", ") + whose(process, rows[i]);
        }
    }
    if (rows.size() > kMostNamed) {
        parts += fmt::format(" and {} more", rows.size() - kMostNamed);
    }
    return trace::IssueRow{trace::Issue::DroppedRecords, total,
                           fmt::format("{} on {} lost records because rings were full: {}; "
                                       "RINGSIDE_RING_BYTES sets a larger ring for each thread",
                                       process.process.pid, process.process.host, parts)};
}

const std::array<trace::TierName, 5> kTiers{"host", "nvtx", "nccl", "device", "sampled"};
const trace::TierName kEvents("events"); ///< recorded on demand only; left out if it was not requested

/// Returns a remark if only some of the ranks were compared; empty if all were measured.
words::Text comparedRanks(const Report& report)
{
    const auto measured = std::ssize(report.metrics.ranks);
    return measured > 0 && measured < report.model.worldSize
               ? words::say(words::applicability::compared,
                            {{"measured", measured}, {"ranks", report.model.worldSize}})
               : words::Text();
}

/// Says what the finding's ranks have in common, such as a host, if it is more than chance.
void nameSharedPlace(rules::Finding& finding, const model::Model& model)
{
    if (const auto place = sharedPlace(model, finding.ranks)) {
        finding.title += words::say(words::shared_place::in_brackets, {{"place", place->text}});
        if (finding.limit == rules::Limit::LateRank || finding.limit == rules::Limit::Link) {
            finding.advice = words::say(words::shared_place::advice_first,
                                        {{"place", place->advice}, {"advice", finding.advice}});
        }
    }
}

/// Runs a rule unless the run is of a kind that it does not apply to.
rules::Outcome outcomeOf(const rules::Rule& rule, const rules::Context& context)
{
    if (rule.ofTraining && context.inference()) {
        return rules::NotApplicable{words::applicability::training_only};
    }
    if (rule.ofSteps && context.run.recordingIsStep()) {
        return rules::NotApplicable{words::applicability::needs_steps};
    }
    if (rule.needsDevice && context.figures.ranks.empty()) {
        return rules::kNeedsDevice;
    }
    return rule.run(context);
}

void runRule(const rules::Rule& rule, Report& report, const rules::OptionValues& options)
{
    const rules::Context context(rule, report.model, report.metrics, options);
    rules::Outcome outcome = outcomeOf(rule, context);
    if (auto* missing = std::get_if<rules::NotApplicable>(&outcome)) {
        report.notApplicable.push_back({std::string(rule.id), missing->reason, missing->inconclusive});
        return;
    }
    for (rules::Finding& finding : std::get<std::vector<rules::Finding>>(outcome)) {
        finding.rule = rule.id;
        if (finding.partOf.empty()) {
            finding.partOf = rule.partOf;
        }
        if (context.inference() && !rule.inferenceAdvice.empty()) {
            finding.advice = rule.inferenceAdvice;
            finding.settings.clear();
        }
        nameSharedPlace(finding, report.model);
        if (rule.comparesRanks) {
            finding.title += comparedRanks(report);
        }
        finding.perSecond = report.model.recordingIsStep();
        report.findings.push_back(std::move(finding));
    }
}

void runRules(Report& report, const rules::OptionValues& options, const Checkpoint& checkpoint)
{
    for (const rules::Rule* rule : rules::all()) {
        checkpoint();
        try {
            runRule(*rule, report, options);
        } catch (const std::exception& error) {
            report.issues.push_back(
                {trace::Issue::RuleFailed, 1, fmt::format("rule {} failed: {}", rule->id, error.what())});
        }
    }
}

/// Returns true if the file of this process is in the run.
bool isInRun(const model::Model& model, std::string_view sampler)
{
    return std::ranges::any_of(model.trace.processes, [&](const trace::ProcessTrace& process) {
        return process.path.stem().string() == sampler || // else a file of several processes
               fmt::format("{}-{}", process.process.host, process.process.pid) == sampler;
    });
}

Tier tierOf(const model::Model& model, const trace::TierName& name)
{
    Tier tier{name, {}, {}};
    std::set<std::string_view> reasons; // ranks may share them
    for (const model::Rank& rank : model.ranks) {
        for (const trace::TierRow& row : model.processOf(rank).tiers) {
            if (row.tier != name) {
                continue;
            }
            if (row.active) {
                tier.ranks.push_back(rank.rank);
            }
            for (const auto& [text, sampler] : trace::readReasons(row.reason)) {
                if (sampler.empty() || !isInRun(model, sampler)) {
                    reasons.insert(text);
                }
            }
        }
    }
    tier.reasons.assign(reasons.begin(), reasons.end());
    return tier;
}

void addCoverage(Report& report)
{
    for (const trace::ProcessTrace& process : report.model.trace.processes) {
        report.recoveredRecords = model::addCapped(report.recoveredRecords, process.recoveredRecords);
        for (const trace::DropRow& row : process.drops) {
            report.droppedRecords = model::addCapped(report.droppedRecords, row.records);
        }
        if (auto issue = describeDrops(process)) {
            report.issues.push_back(std::move(*issue));
        }
    }
    for (const trace::TierName& name : kTiers) {
        report.tiers.push_back(tierOf(report.model, name));
    }
    if (Tier events = tierOf(report.model, kEvents); !events.ranks.empty() || !events.reasons.empty()) {
        report.tiers.push_back(std::move(events));
    }
    if (const auto& started = report.model.startedRealtimeNs) {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const std::int64_t rest = (*started % kSecond + kSecond) % kSecond; // also correct before 1970
        report.startedAt =
            fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z",
                        fmt::gmtime(static_cast<std::time_t>((*started - rest) / kSecond)), rest);
    }
}

} // namespace

Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                   const model::ModelOptions& modelOptions)
{
    return buildReport(std::move(run), options, modelOptions, [] {});
}

Draft draftReport(trace::RunTrace run, const rules::OptionValues& options,
                  const model::ModelOptions& modelOptions, const Checkpoint& checkpoint)
{
    Draft draft;
    Report& report = draft.report;
    checkpoint();
    report.model = model::buildModel(std::move(run), modelOptions);
    checkpoint();
    report.metrics = metrics::computeMetrics(report.model);
    report.flops = metrics::achievedFlopsOf(report.model, report.metrics);
    report.issues = report.model.issues;
    report.messages = messageGroups(report.model);
    report.alarms = live::readAlarmLog(report.model.trace.path);
    addCoverage(report);
    runRules(report, options, checkpoint);
    clipToHolders(report.findings);
    checkpoint();
    for (const rules::Finding& finding : report.findings) {
        draft.estimates.push_back(finding.costNsPerStep);
    }
    useReplayedCosts(report, options);
    report.allSteps = allStepsOf(report.model);
    if (report.allSteps && report.allSteps->medianNs) {
        report.metrics.stepMedianNs = report.allSteps->medianNs;
        report.metrics.stepP99Ns = report.allSteps->p99Ns;
    }
    return draft;
}

Report finishReport(Draft draft)
{
    Report& report = draft.report;
    std::vector<rules::Finding> estimated = report.findings;
    for (std::size_t i = 0; i < estimated.size(); ++i) {
        estimated[i].costNsPerStep = draft.estimates[i];
    }
    const HolderNames holders = holdersOf(estimated);
    clipToHolders(report.findings); // a replay may cost more than the finding that includes it
    findRestatements(report.findings, holders);
    sortFindings(report.findings, holders);
    report.verdict = computeVerdict(report);
    return std::move(report);
}

Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                   const model::ModelOptions& modelOptions, const Checkpoint& checkpoint)
{
    return finishReport(draftReport(std::move(run), options, modelOptions, checkpoint));
}

} // namespace ringside::report
