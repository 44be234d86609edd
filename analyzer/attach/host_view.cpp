// SPDX-License-Identifier: Apache-2.0
#include "attach/host_view.h"

#include "host/other_process.h"
#include "host/proc_text.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <tuple>

namespace ringside::attach {
namespace {

std::optional<std::int64_t> kibibytesIn(const std::string& text, std::string_view key)
{
    const auto bytes = host::times(host::numberOf(text, key), 1024);
    return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

std::vector<pid_t> processesWithRank()
{
    std::vector<pid_t> found;
    for (const pid_t pid : host::allProcesses()) {
        if (host::rankIn(host::procFile(pid, "environ"))) {
            found.push_back(pid);
        }
    }
    return found;
}

} // namespace

std::vector<JobProcess> processesOfHost(const Gpus& gpus)
{
    std::vector<JobProcess> found = processesOfJob(processesWithRank());
    for (const Gpu& gpu : gpus.gpus) {
        for (const GpuProcess& user : gpu.processes.value_or(std::vector<GpuProcess>())) {
            const auto pid = static_cast<pid_t>(user.pid);
            const auto process = readProcess(pid);
            if (process && std::ranges::find(found, pid, &JobProcess::pid) == found.end()) {
                found.push_back(*process);
            }
        }
    }
    std::ranges::sort(found, {}, [](const JobProcess& each) { return std::tuple(each.rank, each.pid); });
    return found;
}

void readMachine(HostView& view)
{
    view.cpus = sysconf(_SC_NPROCESSORS_ONLN);
    std::array<double, 1> load{};
    view.load = getloadavg(load.data(), 1) == 1 ? std::optional(load.front()) : std::nullopt;
    std::ifstream file("/proc/meminfo");
    std::ostringstream text;
    text << file.rdbuf();
    view.memoryAvailableBytes = kibibytesIn(text.str(), "MemAvailable:");
    view.memoryTotalBytes = kibibytesIn(text.str(), "MemTotal:");
}

} // namespace ringside::attach
