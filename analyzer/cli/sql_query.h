// SPDX-License-Identifier: Apache-2.0
// SQL over a run: its column chunks are ordinary tables here. Read-only; a run of several files is merged
// into a private temporary one first, so that one statement sees all ranks, and files of other tools are
// imported into it.
#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ringside::cli {

struct QueryResult {
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::json>> rows; ///< null, integers, floats, texts; blobs as "<N bytes>"
};

/// Throws ringside::Error: Usage for SQL that is wrong, Unusable for a run that cannot be read.
[[nodiscard]] QueryResult queryRun(const std::filesystem::path& run, const std::string& sql);

} // namespace ringside::cli
