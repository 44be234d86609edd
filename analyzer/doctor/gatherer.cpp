// SPDX-License-Identifier: Apache-2.0
#include "doctor/gatherer.h"

namespace ringside::doctor {

Host gather(const Root& root)
{
    Host host;
    for (const Gatherer* gatherer : allGatherers()) {
        gatherer->gather(root, host.facts);
    }
    const std::string* name = host.facts.find("host.name");
    host.name = name != nullptr ? *name : "unknown";
    return host;
}

} // namespace ringside::doctor
