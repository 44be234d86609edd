// SPDX-License-Identifier: Apache-2.0
// Kernel settings that affect training over sockets.
#include "doctor/gatherer.h"
#include "host/network_facts.h"

namespace ringside::doctor::gatherer_kernel_settings {
namespace {

void gather(const Root& root, Facts& facts)
{
    for (const auto& [name, value] : ringside::host::kernelFacts(root.path("/proc"))) {
        facts.set("sysctl." + name, value);
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_kernel_settings
