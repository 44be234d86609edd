// SPDX-License-Identifier: Apache-2.0
// CPUs: the number that this job may use, their clocks, the limit of the cgroup, and how long tasks wait for
// them.
#include "doctor/gatherer.h"
#include "host/cgroup.h"
#include "host/process.h"

#include <fmt/format.h>

namespace ringside::doctor::gatherer_cpus {
namespace {

void setLine(const Root& root, Facts& facts, const char* fact, std::string_view file)
{
    if (const auto value = root.line(file)) {
        facts.set(fact, *value);
    }
}

/// Parses "some avg10=0.00 avg60=...": the share of the last ten seconds in which a task waited.
void pressure(const Root& root, Facts& facts, const std::string& what)
{
    const std::string line = root.line("/proc/pressure/" + what).value_or("");
    const std::size_t at = line.find("avg10=");
    if (at != std::string::npos) {
        facts.set("pressure." + what + "_some_percent", line.substr(at + 6, line.find(' ', at) - at - 6));
    }
}

double cpus(const ringside::host::CpuQuota& quota)
{
    return static_cast<double>(quota.us) / static_cast<double>(quota.periodUs);
}

/// The tightest one at or above the group of this process, in us of how many: "50000 100000"; "max": none.
void quota(const Root& root, Facts& facts)
{
    const std::string folder = root.live() ? "" : root.path("/").string();
    const auto own = ringside::host::cgroupPlace(folder);
    if (own) {
        facts.set("cpu.quota", "max");
    }
    // A copy may have no /proc/self.
    const auto place = own.value_or(ringside::host::CgroupPlace{true, folder + "/sys/fs/cgroup", ""});
    std::optional<ringside::host::CpuQuota> tightest;
    for (const std::string& group : ringside::host::cgroupFolders(place)) {
        const auto quota = ringside::host::cpuQuota(place, group);
        if (quota && (!tightest || cpus(*quota) < cpus(*tightest))) {
            tightest = quota;
            facts.set("cpu.quota", fmt::format("{} {}", quota->us, quota->periodUs));
        }
    }
}

void gather(const Root& root, Facts& facts)
{
    setLine(root, facts, "cpu.online", "/sys/devices/system/cpu/online");
    setLine(root, facts, "cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    quota(root, facts);
    int nodes = 0;
    for (const std::string& entry : root.entries("/sys/devices/system/node")) {
        nodes += entry.starts_with("node") && entry.find_first_not_of("0123456789", 4) == std::string::npos
                     ? 1
                     : 0;
    }
    if (nodes > 0) {
        facts.set("cpu.numa_nodes", std::to_string(nodes));
    }
    if (const std::string allowed = ringside::host::allowedCpus(root.path("/proc")); !allowed.empty()) {
        facts.set("cpu.allowed", allowed);
    }
    pressure(root, facts, "cpu");
    pressure(root, facts, "memory");
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_cpus
