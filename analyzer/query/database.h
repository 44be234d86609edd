// SPDX-License-Identifier: Apache-2.0
// SQL over a run: its column chunks are ordinary tables here. Nothing that is asked can change a run. A run
// of several files is merged into a private temporary one first, so that one statement sees all ranks, and
// files of other tools are imported into it.
#pragma once
#include "import/progress.h"
#include "query/answer.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ringside::query {

/// What a statement may take; without values, as much as it wants.
struct Limits {
    std::optional<std::size_t> rows;
    std::optional<std::chrono::milliseconds> time;
    std::stop_token stop; ///< ends it within milliseconds
};

struct TableNames {
    std::string name;
    std::vector<std::string> columns; ///< units stand in their names
};

class Database final {
public:
    /// `run` as importers::openRun takes it. Throws ringside::Error: Unusable or Newer for a run that cannot
    /// be read, Io where no temporary file can be made.
    Database(const std::vector<std::filesystem::path>& run, importers::Progress& progress);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Runs one statement, if it only reads. By one thread at a time. Throws Error (Unusable) when the file
    /// breaks meanwhile.
    [[nodiscard]] Answer ask(const std::string& sql, const Limits& limits = {});
    /// By name; those that hold column chunks are left out: their rows are other tables here.
    [[nodiscard]] std::vector<TableNames> tables() const;

private:
    struct Open;
    std::unique_ptr<Open> m_open;
};

} // namespace ringside::query
