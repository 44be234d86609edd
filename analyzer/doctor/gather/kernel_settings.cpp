// SPDX-License-Identifier: Apache-2.0
// Settings of the kernel that training over sockets meets.
#include "doctor/gatherer.h"
#include "trace/ports/network_facts.h"

namespace {

using ringside::doctor::Facts;
using ringside::doctor::Root;

void gather(const Root& root, Facts& facts)
{
    for (const auto& [name, value] : ringside::ports::kernelFacts(root.path("/proc"))) {
        facts.set("sysctl." + name, value);
    }
}

} // namespace

RINGSIDE_GATHERER(kernel_settings, gather);
