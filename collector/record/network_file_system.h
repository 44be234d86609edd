// SPDX-License-Identifier: Apache-2.0
// Which directories are shared by hosts: what is mapped there or locked there works differently, and may
// wait.
#pragma once
#include <string>

namespace ringside::collector {

/// A parameter where it is asked, so that tests need no such file system.
using IsNetworkDirectory = bool (*)(const std::string& directory);
[[nodiscard]] bool isNetworkDirectory(const std::string& directory);

} // namespace ringside::collector
