// SPDX-License-Identifier: Apache-2.0
// Recognizes network file systems. Mappings and locks work differently there, and may block.
#pragma once
#include <string>

namespace ringside::collector {

/// Passed as a parameter, so that tests need no network file system.
using IsNetworkDirectory = bool (*)(const std::string& directory);
[[nodiscard]] bool isNetworkDirectory(const std::string& directory);

} // namespace ringside::collector
