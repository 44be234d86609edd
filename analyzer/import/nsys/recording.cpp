// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/recording.h"

#include "import/nsys/global_id.h"
#include "trace/read/plausible.h"

namespace ringside::importers::nsys {

std::uint32_t ProcessRows::configurationOf(trace::StringId name, trace::LaunchConfigurationRow row)
{
    row.name = name;
    const auto found = configurations.idOf(row);
    if (found.isFresh) {
        row.id = found.id;
        trace.launchConfigurations.push_back(row);
    }
    return found.id;
}

ProcessRows* Recording::processOf(std::int64_t globalId)
{
    constexpr std::size_t kMost = 4096; // a hostile file may name another process in each row
    const std::int64_t key = processKey(globalId);
    const auto known = processes.find(key);
    if (known != processes.end()) {
        return &known->second;
    }
    if (processes.size() >= kMost) {
        ++counts.tooMany;
        return nullptr;
    }
    return &processes[key];
}

trace::StringId Recording::nameOf(std::optional<std::int64_t> stringId)
{
    const auto found = stringId ? strings.find(*stringId) : strings.end();
    if (found == strings.end()) {
        ++counts.nameless;
        return 0;
    }
    return found->second;
}

bool Recording::readTimes(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                          std::int64_t& startNs, std::int64_t& endNs)
{
    // Half of the largest plausible time, so that the difference of any two times is plausible, too.
    constexpr std::int64_t kFarthest = trace::kFarthestTimeNs / 2;
    const std::int64_t base = metadata.normalized ? metadata.startedRealtimeNs.value_or(0) : 0;
    if (!start || !end || !trace::isPlausibleTime(*start, trace::kFarthestDateNs) ||
        !trace::isPlausibleTime(*end, trace::kFarthestDateNs) || *end < *start ||
        !trace::isPlausibleTime(*start - base, kFarthest) ||
        !trace::isPlausibleTime(*end - base, kFarthest)) {
        ++counts.implausible;
        return false;
    }
    startNs = *start - base;
    endNs = *end - base;
    return true;
}

} // namespace ringside::importers::nsys
