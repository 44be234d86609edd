// SPDX-License-Identifier: Apache-2.0
// Which environment variables a shared library reads: their names are stored as texts in its read-only data.
// Only that section is read, because such a library also contains hundreds of MiB of GPU code.
#pragma once
#include <optional>
#include <set>
#include <string>

namespace ringside::trace {

/// Returns those of `names` that the library does not contain as zero-terminated texts. Returns null if the
/// file is no 64-bit ELF file of this machine, has no read-only data, or cannot be read.
[[nodiscard]] std::optional<std::set<std::string>> namesMissingIn(const std::string& library,
                                                                  const std::set<std::string>& names);

} // namespace ringside::trace
