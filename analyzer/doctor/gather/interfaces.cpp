// SPDX-License-Identifier: Apache-2.0
// Network interfaces as the kernel lists them, and which of them the default route takes.
#include "doctor/gatherer.h"

#include <sstream>

namespace {

using ringside::doctor::Facts;
using ringside::doctor::Root;

constexpr std::string_view kFiles[] = {"operstate", "speed", "duplex", "mtu", "carrier_changes"};

/// The interface of the route to 0.0.0.0.
std::string defaultRoute(const Root& root)
{
    for (const std::string& line : root.lines("/proc/net/route")) {
        std::istringstream words(line);
        std::string interface;
        std::string destination;
        if (words >> interface >> destination && destination == "00000000") {
            return interface;
        }
    }
    return {};
}

void gather(const Root& root, Facts& facts)
{
    for (const std::string& interface : root.entries("/sys/class/net")) {
        const std::string folder = "/sys/class/net/" + interface + "/";
        const std::string fact = "interface." + interface + ".";
        for (const std::string_view file : kFiles) {
            // Drivers without a speed say -1, or nothing where the link is down.
            const auto value = root.line(folder + std::string(file));
            if (value && *value != "-1") {
                facts.set(fact + std::string(file == "speed" ? "speed_mbps" : file), *value);
            }
        }
        facts.set(fact + "physical", std::filesystem::exists(root.path(folder + "device")) ? "yes" : "no");
    }
    if (const std::string interface = defaultRoute(root); !interface.empty()) {
        facts.set("interface." + interface + ".default_route", "yes");
    }
}

} // namespace

RINGSIDE_GATHERER(interfaces, gather);
