// SPDX-License-Identifier: Apache-2.0
// Prepares events as HTA does after reading: links launches with kernels, aligns ranks, and leaves out the
// last profiler step with all that it launched.
#include "report/hta/joined.h"
#include "report/hta/read.h"
#include "trace/read/parallel.h"

#include <cctype>
#include <limits>
#include <set>

namespace ringside::report::hta {
namespace {

bool isStep(std::string_view name)
{
    constexpr std::string_view kStep = "ProfilerStep#";
    return name.starts_with(kStep) && name.size() > kStep.size() &&
           std::isdigit(static_cast<unsigned char>(name[kStep.size()])) != 0;
}

/// HTA keeps the last of several candidates.
void linkLaunches(Frame& frame)
{
    const auto linked = [](bool device) {
        return [device](const Event& event) { return event.correlation != -1 && event.isDevice == device; };
    };
    const ByCorrelation calls(frame.events, linked(false));
    const ByCorrelation kernels(frame.events, linked(true));
    for (Event& event : frame.events) {
        event.partner = std::min<std::int64_t>(event.correlation, 0);
        if (event.correlation != -1) {
            const auto others = (event.isDevice ? calls : kernels).of(event.correlation);
            event.partner = others.empty() ? event.partner : frame.events[others.back()].index;
        }
    }
}

void align(std::vector<Frame>& frames)
{
    double first = std::numeric_limits<double>::infinity();
    for (const Frame& frame : frames) {
        for (const Event& event : frame.events) {
            first = std::min(first, event.ts);
        }
    }
    for (Frame& frame : frames) {
        for (Event& event : frame.events) {
            event.ts -= first;
        }
    }
}

/// Returns the start of the last step. Without steps it is the start of the first host event, so that no call
/// is kept.
double lastStepStart(const Frame& frame)
{
    double first = std::numeric_limits<double>::infinity();
    double lastStep = -first;
    for (const Event& event : frame.events) {
        if (!event.isDevice) {
            first = std::min(first, event.ts);
            lastStep = isStep(frame.names[event.name]) ? std::max(lastStep, event.ts) : lastStep;
        }
    }
    return std::isinf(lastStep) ? first : lastStep;
}

/// Device events come first, once for every call of their correlation.
void dropLastStep(Frame& frame)
{
    const double end = lastStepStart(frame);
    const auto isKeptCall = [end](const Event& event) { return !event.isDevice && event.ts < end; };
    if (std::isinf(end)) {
        return;
    }
    JoinBudget budget(frame);
    const ByCorrelation calls(frame.events, isKeptCall);
    std::vector<Event> kept;
    for (const Event& event : frame.events) {
        if (event.isDevice) {
            const std::size_t times = calls.of(event.correlation).size();
            budget.take(times);
            kept.insert(kept.end(), times, event);
        }
    }
    std::ranges::copy_if(frame.events, std::back_inserter(kept), isKeptCall);
    frame.events = std::move(kept);
}

bool hasSeveralSteps(const std::vector<Frame>& frames)
{
    std::set<std::string_view> steps;
    for (const Frame& frame : frames) {
        std::ranges::copy_if(frame.names, std::inserter(steps, steps.end()), isStep);
    }
    return steps.size() > 1;
}

} // namespace

std::vector<Frame> loadFrames(const Report& report)
{
    const auto& ranks = report.model.ranks;
    std::vector<Frame> frames(ranks.size());
    trace::parallelFor(ranks.size(), trace::coreCount(), [&](std::size_t i) {
        const std::filesystem::path& path = report.model.processOf(ranks[i]).path;
        frames[i] = isKineto(path) ? readKineto(path) : readRows(report.model, ranks[i]);
        frames[i].rank = ranks[i].rank;
        std::ranges::transform(frames[i].names, std::back_inserter(frames[i].types), kernelTypeOf);
        linkLaunches(frames[i]);
    });
    std::erase_if(frames, [](const Frame& frame) { return frame.events.empty(); });
    align(frames);
    if (hasSeveralSteps(frames)) {
        std::ranges::for_each(frames, dropLastStep);
    }
    return frames;
}

} // namespace ringside::report::hta
