// SPDX-License-Identifier: Apache-2.0
#include "stretches/look_ahead.h"

#include "model/launch_index.h"
#include "model/model.h"
#include "trace/read/parallel.h"
#include "trace/read/process_reader.h"

#include <ringside/error.h>

#include <algorithm>

namespace ringside::stretches {
namespace {

constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kMore = 2;

/// Returns up to kMostRanks processes that are ranks, spread over all, as indices.
std::vector<std::size_t> someProcesses(const Plan& plan)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        if (!plan.steps.ofProcess[i].empty()) {
            all.push_back(i);
        }
    }
    std::vector<std::size_t> some;
    const std::size_t count = std::min(kMostRanks, all.size());
    for (std::size_t i = 0; i < count; ++i) {
        some.push_back(all[all.size() * i / count]);
    }
    return some;
}

/// Returns what to read of one process; nothing of others in the same file.
trace::ReadPart onlyOf(const Plan& plan, std::size_t process, const trace::ReadPart& rows)
{
    const std::pair key(plan.processes[process].file, plan.processes[process].processId);
    trace::ReadPart only;
    for (const trace::ProcessOutline& other : plan.processes) {
        if (other.file == key.first) {
            only[{other.file, other.processId}] = {};
        }
    }
    only[key] = rows.at(key);
    return only;
}

/// Returns how many steps the host has begun, beyond the step itself, before the device is through with it.
std::size_t farthestAhead(const std::vector<model::Step>& steps)
{
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].device || steps[i].boundary) {
            continue;
        }
        const auto later = std::ranges::upper_bound(steps, steps[i].device->end, {},
                                                    [](const model::Step& step) { return step.host.start; });
        const auto begun = static_cast<std::size_t>(later - steps.begin());
        farthest = std::max(farthest, begun > i + 1 ? begun - i - 1 : 0);
    }
    return farthest;
}

std::size_t aheadOf(const Plan& plan, std::size_t index, const Part& part)
{
    std::size_t farthest = 0;
    const trace::ProcessOutline& outline = plan.processes[index];
    for (const trace::ProcessTrace& process :
         trace::readFile(outline.file, 1, {}, onlyOf(plan, index, part.rows))) {
        std::vector<model::Step> steps = part.steps.steps[index];
        model::findDeviceSteps(steps, process, model::LaunchIndex(process.launches), std::nullopt,
                               model::Extent::Part);
        farthest = std::max(farthest, farthestAhead(steps));
    }
    return farthest;
}

} // namespace

std::size_t measureLookAhead(const Plan& plan)
{
    const std::size_t middle = plan.steps.numbers.size() / 2;
    const Part part = partOf(plan, {middle, middle}, kFarthestLookAhead);
    const std::vector<std::size_t> some = someProcesses(plan);
    std::vector<std::size_t> ahead(some.size());
    trace::parallelFor(some.size(), trace::coreCount(), [&](std::size_t i) {
        try {
            ahead[i] = aheadOf(plan, some[i], part);
        } catch (const Error&) { // whoever reads the run reports it
            return;
        }
    });
    return std::clamp(*std::ranges::max_element(ahead) + kMore, kLookAhead, kFarthestLookAhead);
}

bool isCutOff(const model::Model& model)
{
    const model::StepStretch& stretch = *model.stretch;
    const auto isWhole = [](const model::Step& step) { return step.device && !step.boundary; };
    return std::ranges::any_of(model.ranks, [&](const model::Rank& rank) {
        for (std::size_t i = 1; i < rank.steps.size(); ++i) {
            const model::Step& before = rank.steps[i - 1];
            const model::Step& after = rank.steps[i];
            const bool first = !stretch.beginsRun && before.number == stretch.first;
            const bool last = !stretch.endsRun && after.number == stretch.last;
            if ((first && !isWhole(before) && isWhole(after)) ||
                (last && isWhole(before) && !isWhole(after))) {
                return true;
            }
        }
        return false;
    });
}

} // namespace ringside::stretches
