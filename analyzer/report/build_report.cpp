// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <limits>
#include <set>

namespace ringside::report {
namespace {

constexpr std::string_view kTiers[] = {"host", "nvtx", "nccl", "device", "sampled"};

void runRule(const rules::Rule& rule, Report& report, const rules::OptionValues& options)
{
    const rules::Context context(rule, report.model, report.metrics, options);
    rules::Outcome outcome = rule.run(context);
    if (const auto* missing = std::get_if<rules::NotApplicable>(&outcome)) {
        report.notApplicable.push_back({std::string(rule.id), missing->reason});
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
    const auto cost = [](const rules::Finding& finding) { return finding.costNsPerStep.value_or(-1); };
    std::stable_sort(report.findings.begin(), report.findings.end(),
                     [&](const auto& a, const auto& b) { return cost(a) > cost(b); });
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
        report.recoveredRecords += process.recoveredRecords;
        for (const trace::DropRow& row : process.drops) {
            report.droppedRecords += row.records;
        }
    }
    for (const std::string_view name : kTiers) {
        report.tiers.push_back(tierOf(report.model, name));
    }
    if (const auto& started = report.model.startedRealtimeNs) {
        constexpr std::int64_t kSecond = 1'000'000'000;
        report.startedAt =
            fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z",
                        fmt::gmtime(static_cast<std::time_t>(*started / kSecond)), *started % kSecond);
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
    report.verdict = judge(report);
    return report;
}

} // namespace ringside::report
