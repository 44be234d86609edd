// SPDX-License-Identifier: Apache-2.0
// Network interfaces, and the interface of the default route.
#include "doctor/gatherer.h"
#include "host/network_facts.h"

#include <fmt/format.h>

namespace ringside::doctor::gatherer_interfaces {
namespace {

void gather(const Root& root, Facts& facts)
{
    for (const auto& [interface, own] :
         ringside::host::interfaceFacts(root.path("/sys"), root.path("/proc"))) {
        for (const auto& [name, value] : own) {
            facts.set(fmt::format("interface.{}.{}", interface, name.text()), value);
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_interfaces
