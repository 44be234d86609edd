// SPDX-License-Identifier: Apache-2.0
#include "compare/goodput.h"

#include "model/build_model.h"
#include "values/quantile.h"

#include <ringside/error.h>
#include <ringside/trace/gone.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace ringside::compare {
namespace {

using values::Interval;

constexpr double kStall = 3; ///< median steps; as in alarms, where shorter ones are noise

std::int64_t& at(SpentNs& spent, Spent what)
{
    return spent[static_cast<std::size_t>(what)];
}

/// Whether a range writes a checkpoint of the model: "checkpoint", "save_checkpoint", "write ckpt". Ranges of
/// activation checkpointing, such as "CheckpointFunction", are none.
bool isCheckpointName(std::string_view name)
{
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
    return lower == "checkpoint" || lower == "ckpt" ||
           ((has("checkpoint") || has("ckpt")) && (has("save") || has("write") || has("saving")));
}

/// The checkpoints of a process that hold up its steps, in run time.
std::vector<Interval> checkpointsOf(const trace::ProcessTrace& process, const model::Rank& rank)
{
    std::set<std::int64_t> threads;
    for (const trace::StepRow& step : process.steps) {
        threads.insert(step.thread);
    }
    std::vector<Interval> found;
    for (const trace::RangeRow& range : process.ranges) {
        if ((threads.empty() || threads.contains(range.thread)) &&
            isCheckpointName(process.text(range.name))) {
            found.push_back({rank.clock.toRun(range.startNs), rank.clock.toRun(range.endNs)});
        }
    }
    return values::unite(std::move(found));
}

/// From the start of the first process to the last sign of one, in run time.
Interval spanOf(const model::Model& model)
{
    Interval span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const model::Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        const auto include = [&](std::int64_t localNs) {
            span.start = std::min(span.start, rank.clock.toRun(localNs));
            span.end = std::max(span.end, rank.clock.toRun(localNs));
        };
        include(process.process.startNs);
        include(process.process.endNs.value_or(process.process.startNs));
        if (!process.clockSamples.empty()) {
            include(process.clockSamples.back().monotonicNs);
        }
        if (const auto end = trace::seenEnd(process)) {
            include(end->goneNs);
        }
        if (!rank.steps.empty()) {
            include(rank.steps.front().host.start);
            include(rank.steps.back().host.end);
        }
    }
    return span;
}

std::int64_t attemptOf(const trace::ProcessTrace& process)
{
    std::int64_t attempt = 0;
    for (const trace::RankRow& rank : process.ranks) {
        attempt = std::max(attempt, rank.attempt);
    }
    return attempt;
}

/// The rank by which a job's time is told: the first one that has steps. Null if none has.
const model::Rank* rankWithSteps(const model::Model& model)
{
    const auto found =
        std::ranges::find_if(model.ranks, [](const model::Rank& rank) { return !rank.steps.empty(); });
    return found == model.ranks.end() || found->stepSource == model::StepSource::Recording ? nullptr
                                                                                           : &*found;
}

} // namespace

std::string_view spentName(Spent spent)
{
    constexpr std::string_view kNames[kSpent] = {"productive", "done_twice",    "checkpoints", "start",
                                                 "stalls",     "between_steps", "after_steps", "restart"};
    return kNames[static_cast<std::size_t>(spent)];
}

std::int64_t Goodput::totalNs(Spent spent) const
{
    return std::accumulate(lives.begin(), lives.end(), std::int64_t{0},
                           [&](std::int64_t sum, const Life& life) {
                               return values::addCapped(sum, life.spent[static_cast<std::size_t>(spent)]);
                           });
}

std::int64_t Goodput::wallNs() const
{
    return std::max<std::int64_t>(1, lives.back().span.end - lives.front().span.start);
}

double Goodput::share(Spent spent) const
{
    return static_cast<double>(totalNs(spent)) / static_cast<double>(wallNs());
}

std::size_t Goodput::checkpoints() const
{
    return std::accumulate(lives.begin(), lives.end(), std::size_t{0},
                           [](std::size_t sum, const Life& life) { return sum + life.checkpointNs.size(); });
}

std::optional<double> Goodput::checkpointNs() const
{
    const auto count = static_cast<double>(checkpoints());
    return count > 0 ? std::optional(static_cast<double>(totalNs(Spent::Checkpoints)) / count) : std::nullopt;
}

std::optional<double> Goodput::intervalNs() const
{
    const auto count = static_cast<double>(checkpoints());
    return count > 0 ? std::optional(static_cast<double>(totalNs(Spent::Productive) +
                                                         totalNs(Spent::DoneTwice) + totalNs(Spent::Stalls)) /
                                     count)
                     : std::nullopt;
}

std::optional<double> Goodput::interruptionNs() const
{
    const std::size_t interruptions = lives.size() - 1;
    return interruptions > 0 ? std::optional(static_cast<double>(wallNs() - totalNs(Spent::Restart)) /
                                             static_cast<double>(interruptions))
                             : std::nullopt;
}

std::optional<double> Goodput::bestIntervalNs() const
{
    const auto cost = checkpointNs();
    const auto mean = interruptionNs();
    if (!cost || !mean || *cost <= 0) {
        return std::nullopt;
    }
    if (*cost >= 2 * *mean) {
        return mean;
    }
    const double ratio = *cost / (2 * *mean); // Daly, 2006, equation 37; its first factor is Young's of 1974
    return std::sqrt(2 * *cost * *mean) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - *cost;
}

void GoodputBuilder::add(trace::RunTrace run)
{
    std::map<std::int64_t, trace::RunTrace> attempts;
    for (trace::ProcessTrace& process : run.processes) {
        trace::RunTrace& attempt = attempts[attemptOf(process)];
        attempt.path = run.path;
        attempt.processes.push_back(std::move(process));
    }
    const std::string name = run.path.filename().string();
    for (auto& [number, attempt] : attempts) {
        addAttempt(std::move(attempt),
                   attempts.size() > 1 ? fmt::format("{}, attempt {}", name, number) : name);
    }
}

void GoodputBuilder::addAttempt(trace::RunTrace run, std::string name)
{
    const model::Model model = model::buildModel(std::move(run), m_options);
    if (!model.startedRealtimeNs || model.ranks.empty()) {
        throw Error(ErrorCode::Unusable, fmt::format("{} does not tell when it began", name),
                    "Give runs that `ringside record` made, or imports with times of the wall clock.");
    }
    const Interval span = spanOf(model);
    Attempt& attempt = m_attempts.emplace_back();
    attempt.life.name = std::move(name);
    attempt.life.emulated = model.emulated;
    attempt.life.imported = model.imported;
    attempt.life.span = {values::addCapped(*model.startedRealtimeNs, span.start),
                         values::addCapped(*model.startedRealtimeNs, span.end)};
    if (const model::Rank* const rank = rankWithSteps(model)) {
        attempt.numbered =
            rank->stepSource == model::StepSource::Mark || rank->stepSource == model::StepSource::Range;
        countSteps(attempt, *rank, span, checkpointsOf(model.processOf(*rank), *rank));
    } else {
        at(attempt.life.spent, Spent::Start) = span.length();
    }
}

void GoodputBuilder::countSteps(Attempt& attempt, const model::Rank& rank, const Interval& span,
                                const std::vector<Interval>& checkpoints)
{
    Life& life = attempt.life;
    const auto without = [&](const Interval& time) {
        return time.length() - values::coveredWithin(checkpoints, time);
    };
    const std::int64_t first = rank.clock.toRun(rank.steps.front().host.start);
    std::int64_t end = first;
    std::vector<std::int64_t> lengths;
    for (const model::Step& step : rank.steps) {
        const Interval time{std::max(end, rank.clock.toRun(step.host.start)),
                            rank.clock.toRun(step.host.end)};
        end = std::max(end, time.end);
        lengths.push_back(without(time));
        attempt.works.push_back({step.number, lengths.back()});
    }
    life.firstStep = attempt.works.front().number;
    life.lastStep = attempt.works.back().number;
    life.steps = attempt.works.size();
    const std::int64_t inSteps = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    life.medianNs = values::median(lengths);
    for (Work& work : attempt.works) {
        if (static_cast<double>(work.ns) > kStall * static_cast<double>(life.medianNs)) {
            at(life.spent, Spent::Stalls) += work.ns - life.medianNs;
            work.ns = life.medianNs;
        }
        at(life.spent, Spent::Productive) += work.ns;
    }
    std::ranges::transform(checkpoints, std::back_inserter(life.checkpointNs), &Interval::length);
    at(life.spent, Spent::Checkpoints) = values::coveredWithin(checkpoints, span);
    at(life.spent, Spent::Start) = without({span.start, first});
    at(life.spent, Spent::BetweenSteps) = without({first, end}) - inSteps;
    at(life.spent, Spent::AfterSteps) = without({end, span.end});
}

/// Work that a later attempt did again, because it went on from a checkpoint before it.
void GoodputBuilder::countRepeats(Goodput& goodput)
{
    std::vector<std::int64_t> begun; // the least first step until each attempt
    for (const Attempt& attempt : m_attempts) {
        const std::int64_t least = begun.empty() ? std::numeric_limits<std::int64_t>::max() : begun.back();
        begun.push_back(std::min(least, attempt.life.firstStep.value_or(least)));
    }
    std::optional<std::int64_t> goneOn; // the first step of all later attempts
    bool numbered = true;               // of those
    for (std::size_t i = m_attempts.size(); i-- > 0;) {
        const Attempt& attempt = m_attempts[i];
        if (attempt.works.empty()) {
            continue;
        }
        numbered = numbered && attempt.numbered;
        if (goneOn && (!numbered || *goneOn <= begun[i])) {
            goodput.repeatsKnown = false;
        } else if (goneOn) {
            SpentNs& spent = goodput.lives[i].spent;
            for (const Work& work : attempt.works) {
                const std::int64_t ns = work.number >= *goneOn ? work.ns : 0;
                at(spent, Spent::Productive) -= ns;
                at(spent, Spent::DoneTwice) += ns;
            }
        }
        goneOn = std::min(goneOn.value_or(*attempt.life.firstStep), *attempt.life.firstStep);
    }
}

Goodput GoodputBuilder::finish()
{
    if (m_attempts.empty()) {
        throw Error(ErrorCode::Unusable, "there is no run of a job", "Name the runs, or the folder of them.");
    }
    std::ranges::stable_sort(m_attempts, {}, [](const Attempt& each) { return each.life.span.start; });
    Goodput goodput;
    for (Attempt& attempt : m_attempts) {
        Life& life = attempt.life;
        if (!goodput.lives.empty()) {
            const Life& before = goodput.lives.back();
            const std::int64_t gap = life.span.start - before.span.end;
            if (-gap > std::min(before.span.length(), life.span.length()) / 2) {
                throw Error(ErrorCode::Usage,
                            fmt::format("{} and {} ran at the same time", before.name, life.name),
                            "Give the runs of one job, each a restart of the one before.");
            }
            at(life.spent, Spent::Restart) = gap; // hosts' clocks may differ a little: then it is negative
        }
        goodput.lives.push_back(life);
    }
    countRepeats(goodput);
    return goodput;
}

} // namespace ringside::compare
