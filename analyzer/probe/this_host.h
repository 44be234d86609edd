// SPDX-License-Identifier: Apache-2.0
// What a process of the probe asks of the host that it runs on.
#pragma once
#include <string>

namespace ringside::probe {

/// As gethostname() says it; empty: it does not.
[[nodiscard]] std::string hostName();

/// The value of an environment variable; empty where it is not set.
[[nodiscard]] std::string environmentValue(const char* name);

} // namespace ringside::probe
