// SPDX-License-Identifier: Apache-2.0
// The words of a command line.
#pragma once
#include <string>
#include <vector>

namespace ringside::cli {

using Words = std::vector<std::string>;

} // namespace ringside::cli
