// SPDX-License-Identifier: Apache-2.0
#include "report/dropped_records.h"
#include "report/per_second.h"
#include "report/replayed_costs.h"
#include "report/report.h"
#include "report/watched_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <limits>
#include <set>
#include <tuple>

namespace ringside::report {
namespace {

constexpr std::string_view kTiers[] = {"host", "nvtx", "nccl", "device", "sampled"};
constexpr std::string_view kEvents = "events"; ///< on demand only: not there where nobody asked

/// Who recorded with another tool cannot use options of ours, unless he records again, with us.
void sayWithRingside(std::string& text)
{
    constexpr std::string_view kOurs[] = {"--profile", "--steps`",        "--start-step",
                                          "--window",  "ringside record", "RINGSIDE_",
                                          "ringside_", "device tier",     "LD_PRELOAD"};
    if (std::ranges::any_of(kOurs,
                            [&](std::string_view ours) { return text.find(ours) != std::string::npos; })) {
        text += " (recorded with Ringside instead)";
    }
}

/// What a comparison of a few of many ranks is worth; nothing where all were measured.
std::string comparedRanks(const Report& report)
{
    const auto measured = std::ssize(report.metrics.ranks);
    return measured > 0 && measured < report.model.worldSize
               ? fmt::format(" ({} of {} ranks compared)", measured, report.model.worldSize)
               : std::string();
}

/// A rule is not asked about what a run of this kind cannot have.
rules::Outcome outcomeOf(const rules::Rule& rule, const rules::Context& context)
{
    if (rule.ofTraining && context.inference()) {
        return rules::NotApplicable{"about training: this is a trace of inference, which has no gradients"};
    }
    if (rule.ofSteps && context.run.recordingIsStep()) {
        return rules::NotApplicable{"needs steps, and none was found"};
    }
    return rule.run(context);
}

void runRule(const rules::Rule& rule, Report& report, const rules::OptionValues& options)
{
    const rules::Context context(rule, report.model, report.metrics, options);
    rules::Outcome outcome = outcomeOf(rule, context);
    if (auto* missing = std::get_if<rules::NotApplicable>(&outcome)) {
        if (report.model.imported) {
            sayWithRingside(missing->reason);
        }
        report.notApplicable.push_back({std::string(rule.id), missing->reason, missing->inconclusive});
        return;
    }
    for (rules::Finding& finding : std::get<std::vector<rules::Finding>>(outcome)) {
        finding.rule = rule.id;
        if (context.inference() && !rule.inferenceAdvice.empty()) {
            finding.advice = rule.inferenceAdvice;
            finding.settings.clear();
        }
        if (report.model.imported) {
            sayWithRingside(finding.advice);
        }
        if (rule.comparesRanks) {
            finding.title += comparedRanks(report);
        }
        if (report.model.recordingIsStep()) {
            sayPerSecond(finding);
        }
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

using Parts = std::vector<std::vector<std::string_view>>; ///< of each finding

/// Of the rules that a finding may be part of, only one that fired and costs as much stays.
Parts resolvedParts(const std::vector<rules::Finding>& findings)
{
    Parts parts;
    for (const rules::Finding& finding : findings) {
        const auto holds = [&](std::string_view rule) {
            return std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& other) {
                return other.rule == rule && finding.costNsPerStep &&
                       other.costNsPerStep >= finding.costNsPerStep;
            });
        };
        const auto kept = std::find_if(finding.partOf.begin(), finding.partOf.end(), holds);
        parts.push_back(kept == finding.partOf.end() ? std::vector<std::string_view>() : std::vector{*kept});
    }
    return parts;
}

/// Either may name the other as what holds it.
bool related(const rules::Finding& a, const rules::Finding& b)
{
    const auto names = [](const rules::Finding& one, const rules::Finding& other) {
        return std::find(one.partOf.begin(), one.partOf.end(), other.rule) != one.partOf.end();
    };
    return names(a, b) || names(b, a);
}

/// Whether a cause explains (a part of) a symptom, or of another one that holds it.
bool explains(const rules::Finding& cause, const rules::Finding& symptom,
              const std::vector<rules::Finding>& findings)
{
    if (!cause.cause || cause.broken) {
        return false;
    }
    return related(cause, symptom) ||
           std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& other) {
               return !other.cause && related(other, symptom) && related(cause, other);
           });
}

/// What a symptom costs beyond the causes that explain it; of a cause, its cost. Where they explain a good
/// part of it (as in the verdict), a symptom comes behind the biggest of them. -1: not estimated.
std::int64_t ownCost(const std::vector<rules::Finding>& findings, const rules::Finding& finding)
{
    constexpr std::int64_t kGoodPart = 4; // a quarter
    const std::int64_t whole = finding.costNsPerStep.value_or(-1);
    std::int64_t explained = 0;
    std::int64_t biggest = 0;
    for (const rules::Finding& cause : findings) {
        if (!finding.cause && explains(cause, finding, findings)) {
            explained = model::addCapped(explained, cause.costNsPerStep.value_or(0));
            biggest = std::max(biggest, cause.costNsPerStep.value_or(0));
        }
    }
    const std::int64_t own = whole > 0 ? std::max<std::int64_t>(0, whole - explained) : whole;
    return biggest > 0 && biggest >= whole / kGoodPart ? std::min(own, biggest - 1) : own;
}

/// A smaller part of what holds it has a remedy of its own: 16 bits a gradient save transfer, whoever is
/// late.
bool isNearlyAllOf(const rules::Finding& part, std::string_view holder,
                   const std::vector<rules::Finding>& findings)
{
    const auto whole = std::ranges::find(findings, holder, &rules::Finding::rule);
    return whole != findings.end() && *part.costNsPerStep >= whole->costNsPerStep.value_or(0) / 4 * 3;
}

/// For each symptom that says again what another finding says, which one. `parts` are its resolved holders.
void findRestatements(std::vector<rules::Finding>& findings, const Parts& parts)
{
    for (std::size_t i = 0; i < findings.size(); ++i) {
        rules::Finding& finding = findings[i];
        if (finding.cause || !finding.costNsPerStep) {
            continue;
        }
        std::int64_t explained = 0;
        const rules::Finding* biggest = nullptr;
        for (const rules::Finding& cause : findings) {
            if (cause.cause && !cause.broken && cause.costNsPerStep && related(cause, finding)) {
                explained = model::addCapped(explained, *cause.costNsPerStep);
                biggest =
                    biggest == nullptr || *cause.costNsPerStep > *biggest->costNsPerStep ? &cause : biggest;
            }
        }
        if (biggest != nullptr && explained >= *finding.costNsPerStep / 2) {
            finding.restates = biggest->rule;
        } else if (!parts[i].empty() && isNearlyAllOf(finding, parts[i].front(), findings)) {
            finding.restates = parts[i].front();
        }
    }
}

/// What is the same loss seen twice, on the same ranks, costs no more than the finding that holds it and is
/// no worse.
void clipToHolders(std::vector<rules::Finding>& findings)
{
    for (rules::Finding& finding : findings) {
        for (const rules::Finding& holder : findings) {
            const bool same =
                !finding.ranks.empty() && finding.ranks == holder.ranks &&
                std::find(finding.partOf.begin(), finding.partOf.end(), holder.rule) != finding.partOf.end();
            if (same && finding.costNsPerStep && holder.costNsPerStep &&
                *finding.costNsPerStep > *holder.costNsPerStep) {
                finding.costNsPerStep = holder.costNsPerStep;
                finding.severity = std::min(finding.severity, holder.severity);
            }
        }
    }
}

/// What is broken first, then by cost. A symptom counts with what no cause explains, so that nobody reads the
/// effect before its reason; of equal cost the one that holds the others comes first. Of what a finding may
/// be part of, `parts` stays.
void sortFindings(std::vector<rules::Finding>& findings, const Parts& parts)
{
    using Key = std::tuple<bool, std::int64_t, bool, std::int64_t, std::size_t>;
    std::vector<std::pair<Key, rules::Finding>> keyed;
    for (const rules::Finding& finding : findings) {
        keyed.emplace_back(Key(!finding.broken, -ownCost(findings, finding), !finding.cause,
                               -finding.costNsPerStep.value_or(-1), finding.partOf.size()),
                           finding);
    }
    for (std::size_t i = 0; i < findings.size(); ++i) {
        keyed[i].second.partOf = parts[i];
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i] = std::move(keyed[i].second);
    }
}

/// A rank may have several, which its recorder joined by "; "; ranks share some of them.
void addReasons(std::string_view joined, std::set<std::string>& reasons)
{
    constexpr std::string_view kJoint = "; ";
    while (!joined.empty()) {
        const std::string_view reason = joined.substr(0, joined.find(kJoint));
        joined.remove_prefix(std::min(joined.size(), reason.size() + kJoint.size()));
        if (!reason.empty()) {
            reasons.emplace(reason);
        }
    }
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
            addReasons(row.reason, reasons);
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

Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                   const model::ModelOptions& modelOptions)
{
    return buildReport(std::move(run), options, modelOptions, [] {});
}

Report buildReport(trace::RunTrace run, const rules::OptionValues& options,
                   const model::ModelOptions& modelOptions, const Checkpoint& checkpoint)
{
    Report report;
    checkpoint();
    report.model = model::buildModel(std::move(run), modelOptions);
    checkpoint();
    report.metrics = metrics::computeMetrics(report.model);
    report.issues = report.model.issues;
    addCoverage(report);
    runRules(report, options, checkpoint);
    clipToHolders(report.findings);
    checkpoint();
    const auto parts = resolvedParts(report.findings); // by the rules' estimates: those are of one kind
    useReplayedCosts(report, options);
    clipToHolders(report.findings); // a replay may take more away than what holds it loses
    findRestatements(report.findings, parts);
    sortFindings(report.findings, parts);
    report.verdict = judge(report);
    return report;
}

} // namespace ringside::report
