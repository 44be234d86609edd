// SPDX-License-Identifier: Apache-2.0
#include "cli/sql_query.h"

#include "cli/run_input.h"
#include "import/open_run.h"
#include "import/write_run.h"

#include <ringside/error.h>
#include <ringside/trace/merge.h>
#include <ringside/trace/virtual_tables.h>

#include <sqlite3.h>

#include <fmt/format.h>

#include <cstdlib>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// A folder that only we can read, gone when this is.
class TemporaryFolder final {
public:
    TemporaryFolder()
    {
        std::string name = (fs::temp_directory_path() / "ringside-query-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw Error(
                ErrorCode::Io,
                fmt::format("cannot make a temporary folder in {}", fs::temp_directory_path().string()),
                "Set TMPDIR to a folder with space, or merge the run first.");
        }
        m_path = name;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

Database openFile(const fs::path& file)
{
    sqlite3* raw = nullptr;
    const int result = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
    Database database(raw);
    if (result != SQLITE_OK || trace::registerVirtualTables(raw) != SQLITE_OK) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("cannot open {}: {}", file.string(), sqlite3_errmsg(raw)));
    }
    return database;
}

nlohmann::json valueOf(sqlite3_stmt* statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return nullptr;
    case SQLITE_INTEGER:
        return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
    case SQLITE_BLOB:
        return fmt::format("<{} bytes>", sqlite3_column_bytes(statement, column));
    default:
        return reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    }
}

QueryResult execute(sqlite3* database, const std::string& sql)
{
    sqlite3_stmt* raw = nullptr;
    const int prepared = sqlite3_prepare_v2(database, sql.c_str(), -1, &raw, nullptr);
    const Statement statement(raw);
    if (prepared != SQLITE_OK || raw == nullptr) {
        throw Error(ErrorCode::Usage,
                    fmt::format("the SQL is wrong: {}",
                                prepared == SQLITE_OK ? "it is empty" : sqlite3_errmsg(database)),
                    "analyzer/trace/FORMAT.md lists tables and columns; SELECT name FROM sqlite_schema shows "
                    "them too.");
    }
    QueryResult result;
    for (int column = 0; column < sqlite3_column_count(raw); ++column) {
        result.columns.emplace_back(sqlite3_column_name(raw, column));
    }
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(raw)) == SQLITE_ROW) {
        std::vector<nlohmann::json>& row = result.rows.emplace_back();
        for (int column = 0; column < sqlite3_column_count(raw); ++column) {
            row.push_back(valueOf(raw, column));
        }
    }
    if (step != SQLITE_DONE) {
        throw Error(ErrorCode::Unusable, fmt::format("the query stopped: {}", sqlite3_errmsg(database)));
    }
    return result;
}

/// The only database file of a native run, empty if there are several.
fs::path onlyFile(const fs::path& run)
{
    if (!importers::isNative({run})) {
        return {};
    }
    if (!fs::is_directory(run)) {
        return run;
    }
    fs::path found;
    for (const auto& entry : fs::directory_iterator(run)) {
        if (entry.path().extension() == ".db") {
            if (!found.empty()) {
                return {};
            }
            found = entry.path();
        }
    }
    return found;
}

} // namespace

QueryResult queryRun(const fs::path& run, const std::string& sql)
{
    if (!fs::exists(run)) {
        throw Error(ErrorCode::Unusable, fmt::format("{} does not exist", run.string()),
                    "Name a run directory that `ringside record` made, or one of its files.");
    }
    if (const fs::path file = onlyFile(run); !file.empty()) {
        return execute(openFile(file).get(), sql);
    }
    const TemporaryFolder folder;
    const fs::path merged = folder.path() / "merged.db";
    if (importers::isNative({run})) {
        trace::merge(run, merged);
    } else {
        const fs::path imported = folder.path() / "imported.ringside";
        fs::create_directory(imported);
        importers::writeRun(openRun({run}), imported);
        trace::merge(imported, merged);
    }
    return execute(openFile(merged).get(), sql);
}

} // namespace ringside::cli
