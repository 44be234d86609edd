// SPDX-License-Identifier: Apache-2.0
// Tries to preload the collector before the command gets it: a preloaded library that needs a newer C library
// ends every process before main, with exit code 1.
#pragma once
#include <filesystem>
#include <string>

namespace ringside::cli {

/// Returns in a sentence why the collector cannot be preloaded in this environment; empty: it can, or there
/// is no /bin/true to try it with. Takes milliseconds, at most 10 s. Does not change the environment.
[[nodiscard]] std::string whyNotLoadable(const std::filesystem::path& collector);

} // namespace ringside::cli
