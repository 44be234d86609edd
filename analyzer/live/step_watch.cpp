// SPDX-License-Identifier: Apache-2.0
#include "live/step_watch.h"

#include "values/quantile.h"
#include "values/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside::live {
namespace {

using Change = ShiftTest::Change;

/// Null: not measured of all.
std::optional<std::vector<double>> valuesOf(const std::vector<RankFigures>& step,
                                            std::optional<double> RankFigures::*member)
{
    std::vector<double> values;
    for (const RankFigures& rank : step) {
        if (!(rank.*member)) {
            return std::nullopt;
        }
        values.push_back(*(rank.*member));
    }
    return values;
}

void addChange(std::vector<AlarmChange>& changes, Change change, trace::AlarmKind kind,
               std::optional<std::int64_t> rank, std::string began, std::string ended)
{
    if (change != Change::None) {
        const bool isBegin = change == Change::Began;
        changes.push_back({std::move(kind), isBegin, rank, isBegin ? std::move(began) : std::move(ended)});
    }
}

} // namespace

std::vector<AlarmChange> StepWatch::add(const std::vector<RankFigures>& step)
{
    std::vector<AlarmChange> changes;
    if (step.empty()) {
        return changes;
    }
    if (step.size() != m_ranks) {
        *this = {};
        m_ranks = step.size();
    }
    std::vector<double> lengths;
    for (const RankFigures& rank : step) {
        lengths.push_back(rank.stepNs);
    }
    const double stepNs = values::median(std::move(lengths));
    if (stepNs <= 0) {
        return changes;
    }
    watchSpeed(stepNs, changes);
    watchLateness(step, stepNs, changes);
    watchSpread(step, changes);
    return changes;
}

void StepWatch::watchSpeed(double stepNs, std::vector<AlarmChange>& changes)
{
    const Change change = m_speed.add(std::log(stepNs));
    if (change != Change::None) {
        addChange(changes, change, "slower", std::nullopt,
                  fmt::format("a step takes {} instead of {}",
                              values::milliseconds(std::exp(m_speed.level())),
                              values::milliseconds(std::exp(m_speed.reference().value_or(0)))),
                  fmt::format("a step takes {} again", values::milliseconds(std::exp(m_speed.level()))));
    }
}

void StepWatch::watchLateness(const std::vector<RankFigures>& step, double stepNs,
                              std::vector<AlarmChange>& changes)
{
    Way way = Way::Device;
    auto values = valuesOf(step, &RankFigures::communicationNs);
    if (!values) {
        way = Way::Host;
        values = valuesOf(step, &RankFigures::blockingNs);
    }
    if (!values || values->size() < 2) {
        return;
    }
    Lateness& lateness = m_lateness[way];
    lateness.ranks.resize(step.size(), ShiftTest(kLate, 0.0));
    const std::vector<double> late = values::belowTheOthers(*values);
    for (std::size_t i = 0; i < late.size(); ++i) {
        ShiftTest& test = lateness.ranks[i];
        const Change change = test.add(late[i] / stepNs);
        addChange(changes, change, "straggler", step[i].rank,
                  fmt::format("rank {} holds the others up by {} of a step{}", step[i].rank,
                              values::percent(test.level()),
                              way == Way::Host ? ", as their hosts see it" : ""),
                  fmt::format("rank {} does not hold the others up any more", step[i].rank));
    }
    const auto latest = std::max_element(late.begin(), late.end());
    constexpr std::size_t kRemembered = 32;
    lateness.latest.push_back(static_cast<std::size_t>(latest - late.begin()));
    if (lateness.latest.size() > kRemembered) {
        lateness.latest.pop_front();
    }
    watchRotation(step, lateness, *latest / stepNs, changes);
}

/// One rank that is late in most steps is a straggler; a loss that no rank dominates rotates.
void StepWatch::watchRotation(const std::vector<RankFigures>& step, Lateness& lateness, double share,
                              std::vector<AlarmChange>& changes)
{
    lateness.lost.add(share);
    std::vector<std::size_t> times(step.size(), 0);
    for (const std::size_t rank : lateness.latest) {
        ++times[rank];
    }
    const auto most = std::max_element(times.begin(), times.end());
    const bool dominated = 2 * *most > lateness.latest.size();
    const bool straggles = std::any_of(lateness.ranks.begin(), lateness.ranks.end(),
                                       [](const ShiftTest& test) { return test.isShifted(); });
    const bool rotates =
        lateness.lost.isShifted() && !straggles && (lateness.rotates || !dominated) && step.size() > 2;
    if (rotates != lateness.rotates) {
        lateness.rotates = rotates;
        addChange(changes, rotates ? Change::Began : Change::Ended, "rotating_straggler", std::nullopt,
                  fmt::format("in each step another rank holds the others up, by {} of a step; most often "
                              "rank {}, in {} of {} steps",
                              values::percent(lateness.lost.level()),
                              step[static_cast<std::size_t>(most - times.begin())].rank, *most,
                              lateness.latest.size()),
                  "the ranks do not take turns in holding the others up any more");
    }
}

void StepWatch::watchSpread(const std::vector<RankFigures>& step, std::vector<AlarmChange>& changes)
{
    const auto busy = valuesOf(step, &RankFigures::busyShare);
    if (!busy || busy->size() < 2) {
        return;
    }
    const auto [least, most] = std::minmax_element(busy->begin(), busy->end());
    const Change change = m_spread.add(*most - *least);
    addChange(changes, change, "utilization_spread", std::nullopt,
              fmt::format("the GPUs are busy to degrees that differ by {} instead of {}",
                          values::points(m_spread.level()), values::points(m_spread.reference().value_or(0))),
              "the GPUs are busy to like degrees again");
}

} // namespace ringside::live
