// SPDX-License-Identifier: Apache-2.0
// Facts about the host of this process.
#pragma once
#include <string>

namespace ringside::probe {

/// Returns the result of gethostname(); empty: it failed.
[[nodiscard]] std::string hostName();

/// Returns the value of an environment variable; empty if it is not set.
[[nodiscard]] std::string environmentValue(const char* name);

} // namespace ringside::probe
