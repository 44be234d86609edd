// SPDX-License-Identifier: Apache-2.0
#include "ras/place.h"

#include "host/other_process.h"

namespace ringside::ras {

RasPlace rasPlaceOf(const std::vector<pid_t>& roots)
{
    RasPlace place;
    for (const pid_t pid : host::withDescendants(roots)) {
        const std::string environment = host::procFile(pid, "environ");
        if (const auto address = host::valueIn(environment, "NCCL_RAS_ADDR")) {
            place.address = address;
        }
        place.isOff = place.isOff || host::valueIn(environment, "NCCL_RAS_ENABLE") == "0";
    }
    return place;
}

} // namespace ringside::ras
