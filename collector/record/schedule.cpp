// SPDX-License-Identifier: Apache-2.0
#include "record/schedule.h"

#include "trace/vocabulary/level.h"

namespace ringside::collector {
namespace {

constexpr const char* kAutoWindow = "the first 60 steps, or 60 s of steady work";
static_assert(AutoWindow::kWarmUpSteps == 9 && AutoWindow::kLastStep == 60); // as the words say
static_assert(AutoWindow::kSteadyNs == 60'000'000'000);

Wanted autoBySteps(std::uint64_t steps)
{
    if (steps > AutoWindow::kLastStep) {
        return {Level::Light, Reason::OutsideWindow};
    }
    return {Level::Standard, steps <= AutoWindow::kWarmUpSteps ? Reason::AutoWarmUp : Reason::AutoBySteps};
}

Wanted autoAt(const Moment& moment)
{
    if (moment.steps != 0) {
        return autoBySteps(moment.steps);
    }
    if (moment.steadySinceNs) {
        const bool inside = moment.sinceStartNs - *moment.steadySinceNs < AutoWindow::kSteadyNs;
        return inside ? Wanted{Level::Standard, Reason::AutoBySteadyPeriod}
                      : Wanted{Level::Light, Reason::OutsideWindow};
    }
    return moment.sinceStartNs < AutoWindow::kWarmUpNs ? Wanted{Level::Standard, Reason::AutoWarmUp}
                                                       : Wanted{Level::Light, Reason::OutsideWindow};
}

bool isInside(const trace::RecordingWindows& windows, const Moment& moment)
{
    if (windows.firstStep != 0) {
        const auto first = static_cast<std::uint64_t>(windows.firstStep);
        const auto steps = static_cast<std::uint64_t>(windows.steps);
        return moment.steps >= first && (steps == 0 || moment.steps - first < steps);
    }
    return moment.sinceStartNs % (windows.onNs + windows.offNs) < windows.onNs;
}

std::string duration(std::int64_t ns)
{
    for (auto unit = trace::kDurationUnits.rbegin(); unit != trace::kDurationUnits.rend(); ++unit) {
        if (ns % unit->factor == 0) {
            return std::to_string(ns / unit->factor) + " " + std::string(unit->name);
        }
    }
    return std::to_string(ns) + " ns";
}

std::string windowInWords(const Plan& plan)
{
    const trace::RecordingWindows& windows = plan.windows;
    if (windows.onNs != 0) {
        return duration(windows.onNs) + " of every " + duration(windows.onNs + windows.offNs);
    }
    if (windows.firstStep != 0) {
        const auto first = static_cast<std::uint64_t>(windows.firstStep);
        const std::uint64_t last = first + static_cast<std::uint64_t>(windows.steps) - 1;
        return "steps " + std::to_string(first) + " to " +
               (windows.steps == 0 ? "the end" : std::to_string(last));
    }
    return kAutoWindow;
}

/// As if no other client held CUPTI.
Wanted wantedOfDevice(const Plan& plan, const Moment& moment)
{
    if (moment.ordered) {
        return {*moment.ordered, Reason::Control};
    }
    if (!plan.windows.none()) {
        return isInside(plan.windows, moment) ? Wanted{plan.fullLevel(), Reason::InsideWindow}
                                              : Wanted{plan.restLevel(), Reason::OutsideWindow};
    }
    return plan.profile == Profile::Auto ? autoAt(moment) : Wanted{plan.fullLevel(), Reason::Profile};
}

} // namespace

Level Plan::fullLevel() const
{
    switch (profile) {
    case Profile::Auto:
    case Profile::Standard:
        return Level::Standard;
    case Profile::Deep:
        return Level::Deep;
    default:
        return Level::Light;
    }
}

Level Plan::restLevel() const
{
    return profile == Profile::Light ? Level::Paused : Level::Light;
}

Wanted wantedAt(const Plan& plan, const Moment& moment)
{
    if (moment.full) {
        return {Level::Paused, Reason::Full};
    }
    if (moment.pausedByProgram) {
        return {Level::Paused, Reason::Program};
    }
    Wanted wanted = wantedOfDevice(plan, moment);
    if (moment.deviceTaken && wanted.level >= Level::Standard) {
        wanted.reason = Reason::DeviceTaken; // NCCL's own times go on at level deep
    }
    return wanted;
}

std::optional<std::int64_t> nextTimedChange(const Plan& plan, const Moment& moment)
{
    if (moment.full || moment.pausedByProgram || moment.ordered) {
        return std::nullopt;
    }
    const std::int64_t now = moment.sinceStartNs;
    if (const std::int64_t period = plan.windows.onNs + plan.windows.offNs; period != 0) {
        const std::int64_t begin = now - now % period;
        return now - begin < plan.windows.onNs ? begin + plan.windows.onNs : begin + period;
    }
    if (plan.profile != Profile::Auto || !plan.windows.none() || moment.steps != 0) {
        return std::nullopt;
    }
    const std::int64_t edge =
        moment.steadySinceNs ? *moment.steadySinceNs + AutoWindow::kSteadyNs : AutoWindow::kWarmUpNs;
    return now < edge ? std::optional(edge) : std::nullopt;
}

const char* nameOf(Level level)
{
    return trace::kLevels[static_cast<std::size_t>(level)].text.data();
}

std::optional<Level> levelNamed(std::string_view name)
{
    for (std::size_t level = 0; level < trace::kLevels.size(); ++level) {
        if (name == trace::kLevels[level].text) {
            return static_cast<Level>(level);
        }
    }
    return std::nullopt;
}

std::string inWords(const Plan& plan, Reason reason)
{
    switch (reason) {
    case Reason::AutoWarmUp:
        return std::string(trace::kWarmUp) + ": steps 1 to 9, or no steady period yet (auto)";
    case Reason::AutoBySteps:
        return "steps 10 to 60 (profile auto)";
    case Reason::AutoBySteadyPeriod:
        return "60 s from when a steady period was seen (profile auto)";
    case Reason::InsideWindow:
        return windowInWords(plan);
    case Reason::OutsideWindow:
        return "outside of " + windowInWords(plan);
    case Reason::Control:
        return "asked for while it ran";
    case Reason::Program:
        return "the program called ringside_pause()";
    case Reason::DeviceTaken:
        return std::string(trace::kHandedOver) + ": the device tier stands back";
    case Reason::Full:
        return "the trace has reached its size limit";
    default:
        return {};
    }
}

std::string whenDevice(const Plan& plan)
{
    if (plan.profile == Profile::Light) {
        return "not asked for: profile light";
    }
    return "its window was not reached: " + windowInWords(plan);
}

} // namespace ringside::collector
