// SPDX-License-Identifier: Apache-2.0
// The virtual tables, written against SQLite's C interface, which exceptions must not cross. Compiled twice:
// into the analyzer, and with RINGSIDE_SQLITE_EXTENSION into the loadable extension, where every sqlite3_*
// call uses the loader's table.
//
// A cursor reads the chunk table with an inner statement, which skips chunks whose times cannot satisfy the
// query's constraints. A column is decoded when it is first requested, so count(*) decodes nothing.
#include "trace/extension/functions.h"
#include "trace/extension/sqlite_api.h"
#include "trace/extension/views.h"
#include "trace/tables.h"

#include <ringside/trace/virtual_tables.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ringside::trace {
namespace {

/// Description of one chunked table for the generic code. Passed to SQLite as the module's client data.
struct Description {
    std::string name;
    int timeColumns = 0;
    std::vector<std::string> columns;
};

template <class Row>
const Description& descriptionOf()
{
    static const Description description = [] {
        Description made{TableOf<Row>::kName, kTimeColumns<Row>, {}};
        TableOf<Row>::forEachColumn(
            [&](const char* name, Encoding, auto, auto) { made.columns.emplace_back(name); });
        return made;
    }();
    return description;
}

// Columns as SQLite sees them: process_id, then the columns of the description. The inner statement has two
// more before the blobs.
constexpr int kProcessColumn = 0;
constexpr int kFirstTimeColumn = 1;
constexpr int kCountOfInner = 1;
constexpr int kFirstBlobOfInner = 2;
enum Bound : int { NoBound = 0, LowerTime = 1, UpperTime = 2, Process = 4 };

struct Table : sqlite3_vtab {
    sqlite3* database = nullptr;
    const Description* description = nullptr;
};

class Cursor final : public sqlite3_vtab_cursor {
public:
    explicit Cursor(Table& table)
        : sqlite3_vtab_cursor{}
        , m_table(table)
        , m_columns(table.description->columns.size())
        , m_decoded(m_columns.size())
    {}
    ~Cursor() { sqlite3_finalize(m_statement); }
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    int filter(int bounds, sqlite3_value** arguments);
    int next();
    [[nodiscard]] bool atEnd() const { return m_atEnd; }
    int column(sqlite3_context* context, int index);
    [[nodiscard]] sqlite3_int64 rowId() const { return m_rowId; }

private:
    int nextChunk();
    int decode(std::size_t column);
    int fail(const char* why);

    Table& m_table;
    sqlite3_stmt* m_statement = nullptr;
    ColumnDecoder m_decoder;
    std::vector<std::vector<std::int64_t>> m_columns;
    std::vector<char> m_decoded;
    std::size_t m_count = 0;
    std::size_t m_row = 0;
    sqlite3_int64 m_rowId = 0;
    bool m_atEnd = true;
};

/// Columns of the chunks that exist in the main database. A trace of an older schema may lack some of them,
/// or the table.
std::set<std::string> presentColumns(sqlite3* database, const Description& description)
{
    std::set<std::string> present;
    const std::string sql = "SELECT name FROM pragma_table_info('" + description.name + "_chunk', 'main')";
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            present.insert(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
        }
    }
    sqlite3_finalize(statement);
    return present;
}

bool isOlderTrace(sqlite3* database)
{
    const auto pragma = [database](const char* sql) {
        sqlite3_stmt* statement = nullptr;
        const bool found = sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) == SQLITE_OK &&
                           sqlite3_step(statement) == SQLITE_ROW;
        const int value = found ? sqlite3_column_int(statement, 0) : 0;
        sqlite3_finalize(statement);
        return value;
    };
    return pragma("PRAGMA main.application_id") == kApplicationId &&
           pragma("PRAGMA main.user_version") < kSchemaVersion;
}

std::string innerSql(const Description& description, const std::set<std::string>& present, int bounds)
{
    std::string sql = "SELECT process_id, count";
    for (const std::string& column : description.columns) {
        sql += present.contains(column) ? ", " + column : ", NULL";
    }
    sql += " FROM main." + description.name + "_chunk WHERE 1";
    // a chunk without times is never skipped
    sql += (bounds & LowerTime) != 0 ? " AND ifnull(last_ns >= ?1, 1)" : "";
    sql += (bounds & UpperTime) != 0 ? " AND ifnull(first_ns <= ?2, 1)" : "";
    sql += (bounds & Process) != 0 ? " AND process_id = ?3" : "";
    return sql + " ORDER BY id";
}

/// A constraint that is no integer does not exclude chunks; SQLite checks every row again.
void tighten(sqlite3_value* value, bool lower, sqlite3_int64& bound)
{
    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
        const sqlite3_int64 number = sqlite3_value_int64(value);
        bound = lower ? std::max(bound, number) : std::min(bound, number);
    }
}

int Cursor::fail(const char* why)
{
    sqlite3_free(m_table.zErrMsg);
    m_table.zErrMsg = sqlite3_mprintf("%s: %s", m_table.description->name.c_str(), why);
    return SQLITE_CORRUPT_VTAB;
}

/// `bounds` tells which arguments are given; they have the order of the bounds.
int Cursor::filter(int bounds, sqlite3_value** arguments)
{
    sqlite3_finalize(m_statement);
    m_statement = nullptr;
    sqlite3_int64 lower = std::numeric_limits<sqlite3_int64>::min();
    sqlite3_int64 upper = std::numeric_limits<sqlite3_int64>::max();
    int argument = 0;
    if ((bounds & LowerTime) != 0) {
        tighten(arguments[argument++], true, lower);
    }
    if ((bounds & UpperTime) != 0) {
        tighten(arguments[argument++], false, upper);
    }
    const std::set<std::string> present = presentColumns(m_table.database, *m_table.description);
    m_atEnd = present.empty() && isOlderTrace(m_table.database);
    if (m_atEnd) {
        return SQLITE_OK; // a table of a newer schema has no rows here
    }
    const std::string sql = innerSql(*m_table.description, present, bounds);
    const int code = sqlite3_prepare_v2(m_table.database, sql.c_str(), -1, &m_statement, nullptr);
    if (code != SQLITE_OK) {
        sqlite3_free(m_table.zErrMsg);
        m_table.zErrMsg =
            sqlite3_mprintf("%s: the main database is not a Ringside trace (%s)",
                            m_table.description->name.c_str(), sqlite3_errmsg(m_table.database));
        return SQLITE_ERROR;
    }
    if ((bounds & LowerTime) != 0) {
        sqlite3_bind_int64(m_statement, 1, lower);
    }
    if ((bounds & UpperTime) != 0) {
        sqlite3_bind_int64(m_statement, 2, upper);
    }
    if ((bounds & Process) != 0) {
        sqlite3_bind_value(m_statement, 3, arguments[argument]);
    }
    m_atEnd = false;
    m_rowId = 0;
    return nextChunk();
}

int Cursor::nextChunk()
{
    m_row = 0;
    std::fill(m_decoded.begin(), m_decoded.end(), char{0});
    const int code = sqlite3_step(m_statement);
    m_atEnd = code != SQLITE_ROW;
    if (m_atEnd) {
        return code == SQLITE_DONE ? SQLITE_OK : code;
    }
    const sqlite3_int64 count = sqlite3_column_int64(m_statement, kCountOfInner);
    if (count < 1 || count > static_cast<sqlite3_int64>(kChunkRows)) {
        return fail("a chunk has an impossible count");
    }
    m_count = static_cast<std::size_t>(count);
    return SQLITE_OK;
}

int Cursor::next()
{
    ++m_rowId;
    return ++m_row < m_count ? SQLITE_OK : nextChunk();
}

int Cursor::decode(std::size_t column)
{
    if (m_decoded[column] != 0) {
        return SQLITE_OK;
    }
    std::span<const std::int64_t> starts;
    if (column > 0 && m_table.description->timeColumns > 0) {
        if (const int code = decode(0); code != SQLITE_OK) {
            return code;
        }
        starts = m_columns[0];
    }
    const int index = kFirstBlobOfInner + static_cast<int>(column);
    const auto* const bytes = static_cast<const std::byte*>(sqlite3_column_blob(m_statement, index));
    const auto size = static_cast<std::size_t>(std::max(0, sqlite3_column_bytes(m_statement, index)));
    m_columns[column].resize(m_count);
    if (size == 0) { // the column is newer than the chunk
        std::fill(m_columns[column].begin(), m_columns[column].end(), 0);
    } else if (!m_decoder.decode(std::span(bytes, size), std::span(m_columns[column]), starts)) {
        return fail("a chunk is damaged");
    }
    m_decoded[column] = 1;
    return SQLITE_OK;
}

int Cursor::column(sqlite3_context* context, int index)
{
    if (index == kProcessColumn) {
        sqlite3_result_int64(context, sqlite3_column_int64(m_statement, 0));
        return SQLITE_OK;
    }
    const auto column = static_cast<std::size_t>(index - 1);
    const int code = decode(column);
    if (code == SQLITE_OK) {
        sqlite3_result_int64(context, m_columns[column][m_row]);
    }
    return code;
}

/// Runs `work` and converts exceptions (only allocation can fail) to a result code.
template <class Work>
int shielded(const Work& work) noexcept
{
    try {
        return work();
    } catch (const std::exception&) {
        return SQLITE_NOMEM;
    }
}

int connect(sqlite3* database, void* client, int, const char* const*, sqlite3_vtab** table, char**)
{
    return shielded([&] {
        const auto& description = *static_cast<const Description*>(client);
        std::string sql = "CREATE TABLE x(process_id INTEGER";
        for (const std::string& column : description.columns) {
            sql += ", " + column + " INTEGER";
        }
        const int code = sqlite3_declare_vtab(database, (sql + ")").c_str());
        if (code == SQLITE_OK) {
            auto made = std::make_unique<Table>();
            made->database = database;
            made->description = &description;
            *table = made.release();
        }
        return code;
    });
}

int disconnect(sqlite3_vtab* table)
{
    delete static_cast<Table*>(table);
    return SQLITE_OK;
}

/// Returns the bound on the times of a chunk that a constraint on a column implies. first_ns and last_ns
/// enclose all starts and ends.
Bound boundOf(const Description& description, int column, unsigned char operation)
{
    if (column == kProcessColumn) {
        return operation == SQLITE_INDEX_CONSTRAINT_EQ ? Process : NoBound;
    }
    if (column < kFirstTimeColumn || column >= kFirstTimeColumn + description.timeColumns) {
        return NoBound;
    }
    if (operation == SQLITE_INDEX_CONSTRAINT_GT || operation == SQLITE_INDEX_CONSTRAINT_GE) {
        return LowerTime;
    }
    const bool below = operation == SQLITE_INDEX_CONSTRAINT_LT || operation == SQLITE_INDEX_CONSTRAINT_LE;
    return below ? UpperTime : NoBound;
}

/// Uses at most one constraint per bound. SQLite checks all of them again, so any choice is correct.
int bestIndex(sqlite3_vtab* table, sqlite3_index_info* info)
{
    constexpr double kAllRows = 1e7;
    constexpr double kPrunes = 0.1;
    const auto& description = *static_cast<const Table*>(table)->description;
    std::array<int, 3> taken{-1, -1, -1}; // indices of the constraints for LowerTime, UpperTime and Process
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const Bound bound =
            constraint.usable != 0 ? boundOf(description, constraint.iColumn, constraint.op) : NoBound;
        if (bound != NoBound) {
            taken[static_cast<std::size_t>(bound) / 2] = i;
        }
    }
    info->estimatedCost = kAllRows;
    int argument = 0;
    for (std::size_t slot = 0; slot < taken.size(); ++slot) {
        if (taken[slot] >= 0) {
            info->aConstraintUsage[taken[slot]].argvIndex = ++argument;
            info->idxNum |= 1 << slot;
            info->estimatedCost *= kPrunes;
        }
    }
    info->estimatedRows = static_cast<sqlite3_int64>(info->estimatedCost);
    return SQLITE_OK;
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor)
{
    return shielded([&] {
        *cursor = std::make_unique<Cursor>(*static_cast<Table*>(table)).release();
        return SQLITE_OK;
    });
}

int close(sqlite3_vtab_cursor* cursor)
{
    delete static_cast<Cursor*>(cursor);
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int bounds, const char*, int, sqlite3_value** arguments)
{
    return shielded([&] { return static_cast<Cursor*>(cursor)->filter(bounds, arguments); });
}

int next(sqlite3_vtab_cursor* cursor)
{
    return shielded([&] { return static_cast<Cursor*>(cursor)->next(); });
}

int eof(sqlite3_vtab_cursor* cursor)
{
    return static_cast<const Cursor*>(cursor)->atEnd() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index)
{
    return shielded([&] { return static_cast<Cursor*>(cursor)->column(context, index); });
}

int rowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* id)
{
    *id = static_cast<const Cursor*>(cursor)->rowId();
    return SQLITE_OK;
}

/// There is no xCreate: the tables exist under their names once the module is registered, and cannot be
/// created in another way.
sqlite3_module makeModule()
{
    sqlite3_module module{};
    module.xConnect = connect;
    module.xDisconnect = disconnect;
    module.xBestIndex = bestIndex;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = eof;
    module.xColumn = column;
    module.xRowid = rowId;
    return module;
}

} // namespace

int registerVirtualTables(sqlite3* database)
{
    static const sqlite3_module module = makeModule();
    int code = SQLITE_OK;
    forEachChunkTable([&]<class Row>(TableOf<Row>) {
        const Description& description = descriptionOf<Row>();
        if (code == SQLITE_OK) {
            code = sqlite3_create_module_v2(database, description.name.c_str(), &module,
                                            const_cast<Description*>(&description), nullptr);
        }
    });
    code = code == SQLITE_OK ? registerFunctions(database) : code;
    return code == SQLITE_OK ? createViews(database) : code;
}

} // namespace ringside::trace
