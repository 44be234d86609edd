// SPDX-License-Identifier: Apache-2.0
#include "report/replayed_costs.h"

#include "rules/shared/support.h"
#include "whatif/whatif.h"
#include "words/replay.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <cmath>

namespace ringside::report {
namespace {

constexpr std::size_t kMostDeviceOperations = 1'000'000;

const rules::Rule& ruleOf(const rules::Finding& finding)
{
    return *rules::findRule(finding.rule);
}

/// Returns the changes, each of which removes the cause of a finding. Empty if there are none, or if it is a
/// symptom, which keeps its measured cost.
std::vector<whatif::Changes> curesOf(const rules::Finding& finding, const Report& report,
                                     const rules::OptionValues& options)
{
    const rules::Rule& rule = ruleOf(finding);
    return rule.cures != nullptr
               ? rule.cures(rules::Context(rule, report.model, report.metrics, options), finding)
               : std::vector<whatif::Changes>{};
}

bool quickEnough(const model::Model& model)
{
    std::size_t operations = 0;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        operations += process.kernels.size() + process.copies.size();
    }
    return operations <= kMostDeviceOperations;
}

constexpr double kWarning = 0.01; ///< share of a step, as in rules::severityByCost
constexpr double kProblem = 0.10;

rules::Severity highestFor(double share)
{
    return share >= kProblem   ? rules::Severity::Problem
           : share >= kWarning ? rules::Severity::Warning
                               : rules::Severity::Info;
}

/// What a replay saves, the error of the replay, and the measured step.
struct Saving {
    double ns = 0;
    double errorNs = 0;
    double stepNs = 0;
};
/// Returns null if the replay is not possible or has low confidence.
std::optional<Saving> savingOf(const whatif::WhatIf& replay, const whatif::Changes& cure)
{
    try {
        const whatif::Prediction prediction = replay.predict(cure);
        if (prediction.confidence == whatif::Confidence::Low) {
            return std::nullopt;
        }
        return Saving{std::clamp(*prediction.savingNs(), 0.0, prediction.measuredNs), prediction.errorNs(),
                      prediction.measuredNs};
    } catch (const Error&) { // not everything was recorded: the rule keeps its estimate
        return std::nullopt;
    }
}

/// Uses the saving as the cost. A saving within the replay's own error is none that anybody can claim: the
/// finding then has no cost.
void setCost(rules::Finding& finding, const Saving& saving)
{
    const double errorShare = saving.errorNs / saving.stepNs;
    const bool claimed = saving.ns > saving.errorNs;
    finding.severity = std::min(finding.severity, highestFor(saving.ns / saving.stepNs));
    finding.costNsPerStep = claimed ? std::optional(std::llround(saving.ns)) : std::nullopt;
    if (claimed) {
        finding.figures.push_back(
            {"replayed_saving_ns", rules::Unit::Ns, saving.ns, {}, rules::PerPeriod::Yes});
        finding.figures.push_back({kReplayError, rules::Unit::Ns, saving.errorNs, {}, rules::PerPeriod::Yes});
    }
    if (saving.ns < kWarning * saving.stepNs) {
        finding.advice = words::say(words::replay::below_share, {{"share", kWarning}}) + finding.advice;
    } else if (!claimed) {
        finding.advice = words::say(words::replay::below_error, {{"error", errorShare}}) + finding.advice;
    }
}

/// Uses the best of the changes that can be replayed.
void useReplay(rules::Finding& finding, const whatif::WhatIf& replay,
               const std::vector<whatif::Changes>& cures)
{
    std::optional<Saving> best;
    for (const whatif::Changes& cure : cures) {
        const auto saving = savingOf(replay, cure);
        best = saving && (!best || saving->ns > best->ns) ? saving : best;
    }
    if (best) {
        setCost(finding, *best);
    }
}

/// Returns true if a replay explains less than the measured waiting. A replay speeds up what a rank's
/// timeline shows. If the reason is not in the timeline (for example inside collectives), the replay saves
/// too little, and the waiting is the better measure.
bool explainsLessThanWaiting(const rules::Finding& finding, double replayedNs)
{
    return rules::figureOf(finding, "cause_excess_ns") <= 0 &&
           replayedNs < static_cast<double>(finding.costNsPerStep.value_or(0));
}

/// Returns true if a slow link makes collectives end later for one of the ranks, so that the link is the
/// cause.
bool isBehindSlowLink(const rules::Finding& late, const std::vector<rules::Finding>& findings)
{
    return std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& other) {
        return ruleOf(other).explainsLateRanks &&
               std::find_first_of(other.ranks.begin(), other.ranks.end(), late.ranks.begin(),
                                  late.ranks.end()) != other.ranks.end();
    });
}

/// `alone` is true if no costlier finding names any of its ranks, and no slow link does.
void setCostOfLateRank(rules::Finding& finding, const std::optional<Saving>& saving, bool alone)
{
    if (!saving) {
        finding.advice += words::replay::low_confidence;
    } else if (alone && explainsLessThanWaiting(finding, saving->ns)) {
        finding.advice += words::say(words::replay::saves_less, {{"saving", saving->ns}});
    } else {
        setCost(finding, *saving);
    }
}

/// Adds the ranks that are not in `ranks` yet. Returns false if some already were.
bool addRanks(std::vector<std::int64_t>& ranks, const rules::Finding& finding)
{
    bool alone = true;
    for (const std::int64_t rank : finding.ranks) {
        const bool there = std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
        alone = alone && !there;
        if (!there) {
            ranks.push_back(rank);
        }
    }
    return alone;
}

/// Groups of late ranks share members, so each costs what remains once costlier groups are not late.
void useReplayOfLateRanks(std::vector<rules::Finding>& findings, const whatif::WhatIf& replay)
{
    std::vector<rules::Finding*> late;
    for (rules::Finding& finding : findings) {
        if (ruleOf(finding).namesLateRanks) {
            late.push_back(&finding);
        }
    }
    std::stable_sort(late.begin(), late.end(), [](const rules::Finding* a, const rules::Finding* b) {
        return a->costNsPerStep > b->costNsPerStep;
    });
    whatif::Changes punctual;
    double before = 0;
    for (rules::Finding* const finding : late) {
        const bool own = addRanks(punctual.medianRanks, *finding);
        const bool alone = own && !isBehindSlowLink(*finding, findings);
        auto saving = savingOf(replay, punctual);
        const double all = saving ? saving->ns : 0.0;
        if (saving) {
            saving->ns = std::max(0.0, all - before);
        }
        setCostOfLateRank(*finding, saving, alone);
        before = std::max(before, all);
    }
}

} // namespace

void useReplayedCosts(Report& report, const rules::OptionValues& options)
{
    const bool any = std::any_of(report.findings.begin(), report.findings.end(), [&](const auto& finding) {
        return ruleOf(finding).namesLateRanks || !curesOf(finding, report, options).empty();
    });
    if (!any || report.model.recordingIsStep() ||
        !quickEnough(report.model)) { // without steps there is nothing to replay
        return;
    }
    try {
        const whatif::WhatIf replay(report.model);
        for (rules::Finding& finding : report.findings) {
            useReplay(finding, replay, curesOf(finding, report, options));
        }
        useReplayOfLateRanks(report.findings, replay);
    } catch (const Error&) { // no representative step: the rules keep their estimates
        return;
    }
}

} // namespace ringside::report
