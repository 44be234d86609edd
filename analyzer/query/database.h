// SPDX-License-Identifier: Apache-2.0
// SQL over a run. Column chunks appear as ordinary tables. No statement can change a run. A run of several
// files is first merged into a private temporary file, so that one statement sees all ranks. Files of other
// tools are imported into it.
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

/// Limits of a statement; without values, there is no limit.
struct Limits {
    std::optional<std::size_t> rows;
    std::optional<std::chrono::milliseconds> time;
    std::stop_token stop;                  ///< stops it within milliseconds
    std::optional<std::size_t> bytes = {}; ///< of the values of all rows; ends the rows as `rows` does
};

struct TableNames {
    std::string name;
    std::vector<std::string> columns; ///< names contain the units
};

class Database final {
public:
    /// `run` has the form that importers::openRun accepts. Throws ringside::Error: Unusable or Newer if the
    /// run cannot be read, Io if no temporary file can be created.
    Database(const std::vector<std::filesystem::path>& run, importers::Progress& progress);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Runs one statement that only reads. Only one thread may call it at a time. Throws Error (Unusable) if
    /// the file becomes unreadable meanwhile.
    [[nodiscard]] Answer ask(const std::string& sql, const Limits& limits = {});
    /// Returns the tables by name, without those that store column chunks: their rows appear in other tables.
    [[nodiscard]] std::vector<TableNames> tables() const;

private:
    struct Open;
    std::unique_ptr<Open> m_open;
};

} // namespace ringside::query
