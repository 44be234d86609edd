// SPDX-License-Identifier: Apache-2.0
#include "doctor/gatherer.h"

namespace ringside::doctor {

Host gather(const Root& root)
{
    Host host;
    for (const Gatherer* gatherer : allGatherers()) {
        gatherer->gather(root, host.facts);
    }
    host.name = host.facts.text("host.name");
    return host;
}

} // namespace ringside::doctor
