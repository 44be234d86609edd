// SPDX-License-Identifier: Apache-2.0
// Where this program's own file is.
#pragma once
#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace ringside::trace {

/// Where nobody mounted /proc: by the name that it was started under. Empty: that does not lead to it either.
[[nodiscard]] inline std::filesystem::path ownProgram()
{
    std::error_code error;
    const std::filesystem::path linked = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        return linked;
    }
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    return started != nullptr ? std::filesystem::canonical(started, error) : std::filesystem::path();
}

} // namespace ringside::trace
