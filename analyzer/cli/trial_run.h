// SPDX-License-Identifier: Apache-2.0
// A preloaded library that needs a newer C library ends every process before main, with exit code 1. So the
// collector is tried before the command gets it.
#pragma once
#include <filesystem>
#include <string>

namespace ringside::cli {

/// Why the collector cannot be preloaded in this environment, in a sentence; empty: it can, or there is no
/// /bin/true to try it on. Takes milliseconds, at most 10 s; the environment stays as it is.
[[nodiscard]] std::string whyNotLoadable(const std::filesystem::path& collector);

} // namespace ringside::cli
