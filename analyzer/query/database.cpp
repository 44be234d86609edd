// SPDX-License-Identifier: Apache-2.0
#include "query/database.h"

#include "import/open_run.h"
#include "import/write_run.h"
#include "trace/read/run_files.h"
#include "trace/read/trace_file.h"
#include "trace/read/unfinished.h"
#include "trace/tables.h"
#include "trace/write/schema.h"

#include <ringside/error.h>
#include <ringside/trace/merge.h>
#include <ringside/trace/virtual_tables.h>

#include <sqlite3.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringside::query {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

/// Returns one file that holds the whole run: the run's own file if it has only one, else a merged one in
/// `folder`.
fs::path oneFileOf(const Paths& run, const fs::path& folder, importers::Progress& progress)
{
    Paths files;
    if (importers::isNative(run)) {
        for (const fs::path& path : run) {
            std::ranges::move(trace::traceFilesOf(path), std::back_inserter(files));
        }
        if (files.size() == 1) {
            return files.front();
        }
    } else {
        const fs::path imported = folder / "run.ringside";
        fs::create_directory(imported);
        importers::writeRun(importers::openRun(run, progress), imported);
        files = trace::traceFilesOf(imported);
    }
    fs::path merged = folder / "merged.db";
    try {
        trace::merge(files, merged);
    } catch (const Error& error) {
        if (error.code != ErrorCode::Io) {
            throw;
        }
        throw Error(ErrorCode::Io, error.what(),
                    "Set TMPDIR to a folder with more room, or merge the run first.");
    }
    return merged;
}

Value valueOf(sqlite3_stmt* statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return {};
    case SQLITE_INTEGER:
        return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
    case SQLITE_BLOB:
        return fmt::format("<{} bytes>", sqlite3_column_bytes(statement, column));
    default:
        break;
    }
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

constexpr const char* kOnlyReads = "only statements that read are allowed: a run is never changed";

/// Refuses what SQLite calls reading although it changes the connection or reaches other files.
int authorize(void* /*unused*/, int action, const char* first, const char* second, const char* /*database*/,
              const char* /*trigger*/)
{
    if (action == SQLITE_PRAGMA) { // those with a value are settings, but for the catalogue
        const std::string_view name(first);
        return second == nullptr || name == "table_info" || name == "table_xinfo" || name == "index_list"
                   ? SQLITE_OK
                   : SQLITE_DENY;
    }
    const bool extension = action == SQLITE_FUNCTION && std::string_view(second) == "load_extension";
    return action == SQLITE_ATTACH || action == SQLITE_DETACH || extension ? SQLITE_DENY : SQLITE_OK;
}

struct Prepared {
    Statement statement;
    std::optional<Mistake> mistake;
    std::size_t end = 0; ///< offset of the statement's end in the SQL
};

Prepared prepare(sqlite3* database, const std::string& sql, std::size_t from)
{
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v2(database, sql.c_str() + from, static_cast<int>(sql.size() - from) + 1,
                                        &raw, &tail);
    Prepared result{Statement(raw), {}, static_cast<std::size_t>(tail - sql.c_str())};
    if (code == SQLITE_AUTH) {
        result.mistake = {kOnlyReads, from};
    } else if (code != SQLITE_OK) {
        const int offset = sqlite3_error_offset(database); // -1: no particular place
        result.mistake = {sqlite3_errmsg(database),
                          offset < 0 ? std::nullopt : std::optional(from + static_cast<std::size_t>(offset))};
    }
    return result;
}

/// Prepares one statement that only reads; only comments may follow it.
Prepared prepareOnly(sqlite3* database, const std::string& sql)
{
    constexpr std::size_t kLongest = 1'000'000; // longer than any real statement; SQLite counts in int
    if (sql.size() > kLongest) {
        return {{}, Mistake{"it is longer than 1 MB", {}}};
    }
    Prepared result = prepare(database, sql, 0);
    if (result.mistake) {
        return result;
    }
    if (!result.statement) {
        result.mistake = {"it is empty", {}};
    } else if (sqlite3_stmt_readonly(result.statement.get()) == 0) {
        result.mistake = {kOnlyReads, 0};
    } else if (const Prepared next = prepare(database, sql, result.end); next.statement || next.mistake) {
        result.mistake = {"only one statement is allowed: another one begins here",
                          std::min(sql.find_first_not_of(" \t\r\n", result.end), sql.size())};
    }
    return result;
}

/// Interrupts SQLite when the time is over or a stop is requested.
class Watch final {
public:
    Watch(sqlite3* database, const Limits& limits) : m_database(database), m_stop(limits.stop)
    {
        // virtual machine instructions between two checks: a fraction of a millisecond
        constexpr int kInstructions = 2000;
        if (limits.time) {
            m_deadline = std::chrono::steady_clock::now() + *limits.time;
        }
        sqlite3_progress_handler(
            database, kInstructions, [](void* self) { return static_cast<Watch*>(self)->isOver() ? 1 : 0; },
            this);
    }
    ~Watch() { sqlite3_progress_handler(m_database, 0, nullptr, nullptr); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    [[nodiscard]] bool isOver()
    {
        if (m_stop.stop_requested()) {
            m_end = End::Cancelled;
        } else if (m_deadline && std::chrono::steady_clock::now() >= *m_deadline) {
            m_end = End::TimeLimit;
        }
        return m_end != End::Complete;
    }
    [[nodiscard]] End end() const { return m_end; }

private:
    sqlite3* m_database;
    std::stop_token m_stop;
    std::optional<std::chrono::steady_clock::time_point> m_deadline;
    End m_end = End::Complete;
};

std::set<std::string> chunkTables()
{
    std::set<std::string> names;
    trace::forEachChunkTable(
        [&]<class Row>(trace::TableOf<Row>) { names.insert(trace::chunkTableName<Row>()); });
    return names;
}

} // namespace

struct Database::Open {
    Open(const Paths& run, importers::Progress& progress)
        : name(run.front().string()), file(oneFileOf(run, folder.path(), progress))
    {
        sqlite3* const handle = database();
        if (trace::registerVirtualTables(handle) != SQLITE_OK) {
            file.database().fail("cannot register the chunked tables");
        }
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0); // this also prevents VACUUM INTO from writing files
        sqlite3_set_authorizer(handle, authorize, nullptr);
    }
    [[nodiscard]] sqlite3* database() const { return file.database().handle(); }

    std::string name; ///< as the user named it
    trace::Unfinished folder = trace::makeTemporaryFolder();
    trace::TraceFile file; ///< closed before the folder is removed
};

Database::Database(const Paths& run, importers::Progress& progress)
    : m_open(std::make_unique<Open>(run, progress))
{}

Database::~Database() = default;

Answer Database::ask(const std::string& sql, const Limits& limits)
{
    sqlite3* const database = m_open->database();
    const Prepared prepared = prepareOnly(database, sql);
    Answer answer;
    answer.mistake = prepared.mistake;
    if (answer.mistake) {
        return answer;
    }
    sqlite3_stmt* const statement = prepared.statement.get();
    const int columns = sqlite3_column_count(statement);
    for (int column = 0; column < columns; ++column) {
        answer.columns.emplace_back(sqlite3_column_name(statement, column));
    }
    Watch watch(database, limits);
    int step = SQLITE_DONE;
    std::size_t bytes = 0;
    while (!watch.isOver() && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        if ((limits.rows && answer.rows.size() >= *limits.rows) || (limits.bytes && bytes >= *limits.bytes)) {
            answer.end = End::RowLimit;
            return answer;
        }
        std::vector<Value>& row = answer.rows.emplace_back();
        for (int column = 0; column < columns; ++column) {
            bytes += static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
            row.push_back(valueOf(statement, column));
        }
    }
    answer.end = watch.end();
    if (step != SQLITE_DONE && step != SQLITE_ROW && answer.end == End::Complete) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{}: the query stopped: {}", m_open->name, sqlite3_errmsg(database)),
                    "Check the trace: ringside report names what is damaged.");
    }
    return answer;
}

std::vector<TableNames> Database::tables() const
{
    static const std::set<std::string> kHidden = chunkTables();
    std::vector<TableNames> result;
    trace::forEachChunkTable([&]<class Row>(trace::TableOf<Row>) {
        TableNames& table = result.emplace_back(TableNames{trace::TableOf<Row>::kName, {"process_id"}});
        std::ranges::move(trace::columnNames<Row>(), std::back_inserter(table.columns));
    });
    trace::Statement rows(m_open->file.database(),
                          "SELECT s.name, c.name FROM (SELECT name FROM sqlite_schema WHERE type = 'table' "
                          "UNION ALL SELECT name FROM sqlite_temp_schema WHERE type = 'view') AS s, "
                          "pragma_table_info(s.name) AS c "
                          "WHERE s.name NOT LIKE 'sqlite_%' ORDER BY s.name, c.cid");
    while (rows.step()) {
        const auto name = rows.column<std::string>(0);
        if (kHidden.contains(name)) {
            continue;
        }
        if (result.empty() || result.back().name != name) {
            result.push_back({name, {}});
        }
        result.back().columns.push_back(rows.column<std::string>(1));
    }
    std::ranges::sort(result, {}, &TableNames::name);
    return result;
}

} // namespace ringside::query
