// SPDX-License-Identifier: Apache-2.0
// CPUs: how many this job may use, how they are clocked, what its cgroup allows, and how long others wait for
// them.
#include "doctor/gatherer.h"
#include "host/process.h"

namespace ringside::doctor::gatherer_cpus {
namespace {

void setLine(const Root& root, Facts& facts, const char* fact, std::string_view file)
{
    if (const auto value = root.line(file)) {
        facts.set(fact, *value);
    }
}

/// "some avg10=0.00 avg60=...": the share of the last ten seconds in which something waited.
void pressure(const Root& root, Facts& facts, const std::string& what)
{
    const std::string line = root.line("/proc/pressure/" + what).value_or("");
    const std::size_t at = line.find("avg10=");
    if (at != std::string::npos) {
        facts.set("pressure." + what + "_some_percent", line.substr(at + 6, line.find(' ', at) - at - 6));
    }
}

void gather(const Root& root, Facts& facts)
{
    setLine(root, facts, "cpu.online", "/sys/devices/system/cpu/online");
    setLine(root, facts, "cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    setLine(root, facts, "cpu.quota", "/sys/fs/cgroup/cpu.max"); // cgroup v2: "max 100000" or "50000 100000"
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
