// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/gone.h>
#include <ringside/trace/ring.h>

#include <string>

namespace ringside::trace {

std::vector<SettingRow> ownEndSettings(std::uint32_t ownEnd)
{
    if ((ownEnd & kOwnExec) != 0) {
        return {settingRow({"process", "became"}, "another program")};
    }
    if ((ownEnd & kOwnExit) != 0) {
        return {settingRow({"process", "exit_code"}, std::to_string(ownEnd & ~kOwnExit))};
    }
    return {};
}

} // namespace ringside::trace
