// SPDX-License-Identifier: Apache-2.0
#include "report/dropped_records.h"
#include "report/replayed_costs.h"
#include "report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <limits>
#include <set>

namespace ringside::report {
namespace {

constexpr std::string_view kTiers[] = {"host", "nvtx", "nccl", "device", "sampled"};
constexpr std::string_view kEvents = "events"; ///< on demand only: not there where nobody asked

void runRule(const rules::Rule& rule, Report& report, const rules::OptionValues& options)
{
    const rules::Context context(rule, report.model, report.metrics, options);
    rules::Outcome outcome = rule.run(context);
    if (const auto* missing = std::get_if<rules::NotApplicable>(&outcome)) {
        report.notApplicable.push_back({std::string(rule.id), missing->reason, missing->inconclusive});
        return;
    }
    for (rules::Finding& finding : std::get<std::vector<rules::Finding>>(outcome)) {
        finding.rule = rule.id;
        report.findings.push_back(std::move(finding));
    }
}

void runRules(Report& report, const rules::OptionValues& options)
{
    for (const rules::Rule* rule : rules::all()) {
        try {
            runRule(*rule, report, options);
        } catch (const std::exception& error) {
            report.issues.push_back(
                {"rule_failed", "error", 1, fmt::format("rule {} failed: {}", rule->id, error.what())});
        }
    }
}

/// Of the rules that a finding may be part of, only one that fired and costs as much stays.
void resolveParts(std::vector<rules::Finding>& findings)
{
    for (rules::Finding& finding : findings) {
        const auto holds = [&](std::string_view rule) {
            return std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& other) {
                return other.rule == rule && finding.costNsPerStep &&
                       other.costNsPerStep >= finding.costNsPerStep;
            });
        };
        const auto kept = std::find_if(finding.partOf.begin(), finding.partOf.end(), holds);
        finding.partOf = kept == finding.partOf.end() ? std::vector<std::string_view>() : std::vector{*kept};
    }
}

/// Costliest first; of equal cost first the one that holds the others.
void sortFindings(std::vector<rules::Finding>& findings)
{
    const auto key = [](const rules::Finding& finding) {
        return std::pair(-finding.costNsPerStep.value_or(-1), finding.partOf.size());
    };
    std::stable_sort(findings.begin(), findings.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

Tier tierOf(const model::Model& model, std::string_view name)
{
    Tier tier{std::string(name), {}, {}};
    std::set<std::string> reasons;
    for (const model::Rank& rank : model.ranks) {
        for (const trace::TierRow& row : model.processOf(rank).tiers) {
            if (row.tier != name) {
                continue;
            }
            if (row.active) {
                tier.ranks.push_back(rank.rank);
            }
            if (!row.reason.empty()) {
                reasons.insert(row.reason);
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
    for (const std::string_view name : kTiers) {
        report.tiers.push_back(tierOf(report.model, name));
    }
    if (Tier events = tierOf(report.model, kEvents); !events.ranks.empty() || !events.reasons.empty()) {
        report.tiers.push_back(std::move(events));
    }
    if (const auto& started = report.model.startedRealtimeNs) {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const std::int64_t rest = (*started % kSecond + kSecond) % kSecond; // also before 1970
        report.startedAt =
            fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z",
                        fmt::gmtime(static_cast<std::time_t>((*started - rest) / kSecond)), rest);
    }
}

} // namespace

std::string_view confidenceName(Confidence confidence)
{
    constexpr std::string_view kNames[] = {"high", "medium", "low", "inconclusive"};
    return kNames[static_cast<std::size_t>(confidence)];
}

Report buildReport(trace::RunTrace run, const rules::OptionValues& options)
{
    Report report;
    report.model = model::buildModel(std::move(run));
    report.metrics = metrics::computeMetrics(report.model);
    report.issues = report.model.issues;
    addCoverage(report);
    runRules(report, options);
    resolveParts(report.findings); // by the rules' estimates: those are of one kind
    useReplayedCosts(report, options);
    sortFindings(report.findings);
    report.verdict = judge(report);
    return report;
}

} // namespace ringside::report
