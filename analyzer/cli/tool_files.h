// SPDX-License-Identifier: Apache-2.0
// Files that other tools printed, as `ringside links --from` takes them.
#pragma once
#include "tool_output/reading.h"

#include <string>
#include <vector>

namespace ringside::cli {

/// Reads the files that `arguments` name: FILE, PORT=FILE, HOST/=FILE or HOST/PORT=FILE. A file whose whole
/// name exists is taken as such. Throws ringside::Error if one cannot be read.
[[nodiscard]] std::vector<tool_output::File> readToolFiles(const std::vector<std::string>& arguments);

} // namespace ringside::cli
