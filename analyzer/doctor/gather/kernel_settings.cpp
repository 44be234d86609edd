// SPDX-License-Identifier: Apache-2.0
// Settings of the kernel that training over sockets meets.
#include "doctor/gatherer.h"

#include <algorithm>

namespace {

using ringside::doctor::Facts;
using ringside::doctor::Root;

constexpr std::string_view kNames[] = {
    "net.core.default_qdisc",  "net.core.netdev_max_backlog",
    "net.core.rmem_max",       "net.core.somaxconn",
    "net.core.wmem_max",       "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_rmem",       "net.ipv4.tcp_sack",
    "net.ipv4.tcp_timestamps", "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",       "kernel.numa_balancing",
    "vm.swappiness",
};

void gather(const Root& root, Facts& facts)
{
    for (const std::string_view name : kNames) {
        std::string path = "/proc/sys/" + std::string(name);
        std::replace(path.begin() + 10, path.end(), '.', '/');
        if (const auto value = root.line(path)) {
            std::string words = *value;
            std::ranges::replace(words, '\t', ' ');
            facts.set("sysctl." + std::string(name), words);
        }
    }
}

} // namespace

RINGSIDE_GATHERER(kernel_settings, gather);
