// SPDX-License-Identifier: Apache-2.0
#include "trace/write/own_end.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/ring.h>

#include <string>

namespace ringside::trace {

std::vector<SettingRow> ownEndSettings(std::uint32_t ownEnd)
{
    if ((ownEnd & kOwnExec) != 0) {
        return {{own_end::kSource, std::string(own_end::kBecame), "another program"}};
    }
    if ((ownEnd & kOwnExit) != 0) {
        return {{own_end::kSource, std::string(own_end::kExitCode), std::to_string(ownEnd & ~kOwnExit)}};
    }
    return {};
}

} // namespace ringside::trace
