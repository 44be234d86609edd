// SPDX-License-Identifier: Apache-2.0
// Names of C++ functions as people write them. CUPTI gives kernels' names as the compiler made them, and a
// trace keeps them so.
#pragma once
#include <string>

namespace ringside::trace {

/// What a mangled name means; any other text as it is. So is a name that cannot be taken apart (the C++
/// library reads no more than 1,024 characters), or of which references to its own parts may make too much.
[[nodiscard]] std::string demangled(std::string name);

} // namespace ringside::trace
