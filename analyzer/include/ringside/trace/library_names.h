// SPDX-License-Identifier: Apache-2.0
// Which names a shared library was built to look up: the variables that it reads from the environment stand
// in its read-only data as they are written. Reads that section only, for such a library has hundreds of MiB
// of GPU code.
#pragma once
#include <optional>
#include <set>
#include <string>

namespace ringside::trace {

/// Those of `names` that do not stand in the library, each with the zero that ends it. Nothing: the file is
/// no 64-bit ELF file of this machine, has no read-only data, or cannot be read.
[[nodiscard]] std::optional<std::set<std::string>> namesMissingIn(const std::string& library,
                                                                  const std::set<std::string>& names);

} // namespace ringside::trace
