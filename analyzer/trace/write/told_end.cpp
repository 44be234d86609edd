// SPDX-License-Identifier: Apache-2.0
#include "trace/write/told_end.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/ring.h>

#include <string>

namespace ringside::trace {

std::vector<SettingRow> toldEndSettings(std::uint32_t toldEnd)
{
    if ((toldEnd & kToldExec) != 0) {
        return {{told_end::kSource, std::string(told_end::kBecame), "another program"}};
    }
    if ((toldEnd & kToldExit) != 0) {
        return {{told_end::kSource, std::string(told_end::kExitCode), std::to_string(toldEnd & ~kToldExit)}};
    }
    return {};
}

} // namespace ringside::trace
