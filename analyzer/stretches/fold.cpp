// SPDX-License-Identifier: Apache-2.0
#include "stretches/fold.h"

#include "metrics/compute_metrics.h"
#include "rules/rule.h"

#include <algorithm>

namespace ringside::stretches {
namespace {

constexpr std::size_t kMostTimes = 65'536; ///< values of a group that are kept

/// Grows by a quarter: doubling would take twice the memory of millions of steps.
template <class T>
void append(std::vector<T>& to, const std::vector<T>& from)
{
    constexpr std::size_t kPart = 4;
    if (to.size() + from.size() > to.capacity()) {
        to.reserve(to.size() + from.size() + to.size() / kPart);
    }
    to.insert(to.end(), from.begin(), from.end());
}

model::Interval longer(const model::Interval& a, const model::Interval& b)
{
    return b.length() > a.length() ? b : a;
}

void addIdle(metrics::IdleTimes& to, const metrics::IdleTimes& from)
{
    for (std::size_t i = 0; i < metrics::kIdleClasses; ++i) {
        to.ns[i] = model::addCapped(to.ns[i], from.ns[i]);
        to.longest[i] = longer(to.longest[i], from.longest[i]);
    }
}

void addBlocking(metrics::BlockingCalls& to, const metrics::BlockingCalls& from)
{
    to.count += from.count;
    to.ns = model::addCapped(to.ns, from.ns);
    to.longest = longer(to.longest, from.longest);
    to.overlapLostNs = model::addCapped(to.overlapLostNs, from.overlapLostNs);
}

void addRank(metrics::RankMetrics& to, const metrics::RankMetrics& from)
{
    append(to.windows, from.windows);
    append(to.steps, from.steps);
    append(to.stepLastArrivals, from.stepLastArrivals);
    to.periods += from.periods;
    to.total += from.total;
    addIdle(to.idle, from.idle);
    addBlocking(to.blocking, from.blocking);
    to.lastArrivals += from.lastArrivals;
    to.lostNs = model::addCapped(to.lostNs, from.lostNs);
    to.communicationNs += from.communicationNs;
    to.arrivedNs += from.arrivedNs;
}

/// Keeps every second value, and from then on takes every second of the new ones.
template <class T>
void thin(std::vector<T>& values)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); i += 2) {
        values[kept++] = values[i];
    }
    values.resize(kept);
}

void addEvery(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from, std::size_t every)
{
    for (std::size_t i = 0; i < from.size(); i += every) {
        to.push_back(from[i]);
    }
}

/// Returns whether each stretch counts only what belongs to it.
bool addsUp(const trace::IssueRow& issue)
{
    return issue.is(trace::Issue::CollectiveMismatch) || issue.is(trace::Issue::CollectiveIncomplete) ||
           issue.is(trace::Issue::CollectivesUnmatched) || issue.is(trace::Issue::DatatypeUnknown) ||
           issue.is(trace::Issue::GraphCallsUnknown);
}

std::optional<std::uint64_t> sumOf(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b)
{
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    return !a ? b : !b ? a : std::optional(*a > kMost - *b ? kMost : *a + *b);
}

} // namespace

void Fold::add(const StretchRecord& stretch)
{
    addSteps(stretch);
    addRanks(stretch);
    addCollectives(stretch);
    addMessages(stretch.messages);
    addIssues(stretch);
    addRules(stretch);
    addFindings(stretch);
    ++m_stretches;
    m_measured += stretch.ranks.empty() ? 0U : 1U;
}

void Fold::addSteps(const StretchRecord& stretch)
{
    append(m_analyzedSteps, stretch.analyzedSteps);
    m_coverage.found += stretch.coverage.found;
    m_coverage.withoutDevice += stretch.coverage.withoutDevice;
    m_coverage.notEverywhere += stretch.coverage.notEverywhere;
    m_coverage.boundary += stretch.coverage.boundary;
    m_coverage.warmUp += stretch.coverage.warmUp;
    m_graphLaunches += stretch.graphLaunches;
    m_arrived = m_arrived || stretch.arrived;
}

void Fold::addRanks(const StretchRecord& stretch)
{
    for (const RankRecord& each : stretch.ranks) {
        Rank& rank = m_ranks[each.rank];
        const metrics::BlockingCalls& blocking = each.metrics.blocking;
        if (blocking.count > rank.mostCalls) {
            rank.mostCalls = blocking.count;
            rank.sum.blocking.commonest = blocking.commonest;
        }
        if (blocking.overlapLostNs > rank.mostLostNs) {
            rank.mostLostNs = blocking.overlapLostNs;
            rank.sum.blocking.overlapLost = blocking.overlapLost;
        }
        addRank(rank.sum, each.metrics);
    }
}

void Fold::addCollectives(const StretchRecord& stretch)
{
    for (std::size_t i = 0; i < stretch.collectives.size(); ++i) {
        const metrics::CollectiveGroup& from = stretch.collectives[i];
        Group& to = m_groups[{from.communicator, from.kind, from.bytes}];
        const std::int64_t before = to.group.count;
        to.group = from;
        to.group.count += before;
        if (stretch.ranks.empty()) {
            continue; // no step of this stretch was analyzed, so that the times are those of any operation
        }
        addEvery(to.times.transfer, stretch.collectiveTimes[i].transfer, to.every);
        addEvery(to.times.kernel, stretch.collectiveTimes[i].kernel, to.every);
        while (std::max(to.times.transfer.size(), to.times.kernel.size()) > kMostTimes) {
            thin(to.times.transfer);
            thin(to.times.kernel);
            to.every *= 2;
        }
    }
}

void Fold::addMessages(const std::vector<report::MessageGroup>& groups)
{
    for (const report::MessageGroup& from : groups) {
        const auto [entry, fresh] = m_messages.try_emplace({from.kind, from.bytes}, from);
        report::MessageGroup& to = entry->second;
        if (!fresh) {
            to.ranks = std::max(to.ranks, from.ranks);
            to.pairs = std::max(to.pairs, from.pairs);
            to.calls += from.calls;
            to.totalBytes = sumOf(to.totalBytes, from.totalBytes);
        }
    }
}

/// Most issues are of the files, or of what their ranks are: every stretch has them. Those that count calls
/// or launches add up, and keep the text of the first stretch.
void Fold::addIssues(const StretchRecord& stretch)
{
    for (const trace::IssueRow& issue : stretch.issues) {
        const bool adds = addsUp(issue);
        const auto known = std::ranges::find_if(m_issues, [&](const trace::IssueRow& each) {
            return each.id == issue.id && (adds || each.message == issue.message);
        });
        if (known == m_issues.end()) {
            m_issues.push_back(issue);
        } else {
            known->count =
                adds ? model::addCapped(known->count, issue.count) : std::max(known->count, issue.count);
        }
    }
}

/// A rule is not applicable to the run if it is to no stretch.
void Fold::addRules(const StretchRecord& stretch)
{
    std::map<std::string, report::MissingRule, std::less<>> missing;
    for (const report::MissingRule& rule : stretch.notApplicable) {
        if (m_stretches == 0 || m_notApplicable.contains(rule.rule)) {
            missing.emplace(rule.rule, rule);
        }
    }
    m_notApplicable = std::move(missing);
}

void Fold::finishMetrics(report::Report& report)
{
    metrics::RunMetrics& run = report.metrics;
    run.ranks.clear();
    for (std::size_t i = 0; i < report.model.ranks.size(); ++i) {
        const auto found = m_ranks.find(report.model.ranks[i].rank);
        if (found != m_ranks.end()) {
            run.ranks.push_back(std::move(found->second.sum));
            run.ranks.back().rank = i;
            metrics::computeMedians(run.ranks.back());
        }
    }
    run.arrivedBefore = m_arrived;
    run.collectives.clear();
    run.collectiveTimes.clear();
    for (auto& [key, of] : m_groups) {
        metrics::computeBandwidths(of.group, of.times);
        run.collectives.push_back(of.group);
    }
    metrics::summarizeRanks(run);
}

report::Report Fold::finish(report::Draft shown)
{
    report::Report& report = shown.report;
    report.stepsWithRows = report.metrics.stepCount();
    finishMetrics(report);
    report.model.analyzedSteps = std::move(m_analyzedSteps);
    report.model.stepCoverage = m_coverage;
    report.model.graphLaunches = m_graphLaunches;
    report.issues = std::move(m_issues);
    report.messages.clear();
    for (auto& [key, group] : m_messages) {
        report.messages.push_back(group);
    }
    std::ranges::stable_sort(report.messages, report::isBefore);
    report.notApplicable.clear();
    for (auto& [name, rule] : m_notApplicable) {
        report.notApplicable.push_back(std::move(rule));
    }
    report.stretches = m_stretches;
    finishFindings(shown);
    return report::finishReport(std::move(shown));
}

} // namespace ringside::stretches
