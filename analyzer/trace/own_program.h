// SPDX-License-Identifier: Apache-2.0
// Path of the file of this program.
#pragma once
#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace ringside::trace {

/// Used if /proc is not mounted: searches the name under which the program was started. Empty if that fails,
/// too.
[[nodiscard]] inline std::filesystem::path ownProgram()
{
    std::error_code error;
    std::filesystem::path linked = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        return linked;
    }
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    return started != nullptr ? std::filesystem::canonical(started, error) : std::filesystem::path();
}

} // namespace ringside::trace
