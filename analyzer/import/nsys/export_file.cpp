// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/export_file.h"

#include "trace/read/run_files.h"
#include "trace/read/sqlite_head.h"
#include "trace/tables.h"

#include <ringside/error.h>

#include <sqlite3.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::importers::nsys {
namespace {

constexpr const char* kExportAgain = "Export it again: nsys export --type sqlite REPORT.nsys-rep";

constexpr int kMaxRowBytes = 16 << 20;
constexpr int kOperationsAStep =
    1 << 16; ///< operations of SQLite's virtual machine between checks of the limit

/// A statement that is finalized at the end of its scope.
using StatementPointer = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

} // namespace

ExportFile::ExportFile(const std::filesystem::path& path) : m_path(path)
{
    checkHeader();
    try {
        open();
        listTables();
    } catch (...) {
        sqlite3_close_v2(m_database);
        throw;
    }
}

ExportFile::~ExportFile()
{
    sqlite3_close_v2(m_database);
}

void ExportFile::checkHeader()
{
    const trace::SqliteHead head = trace::readSqliteHead(m_path);
    if (head.zeros) {
        throw Error(ErrorCode::Unusable, m_path.string() + " begins with zeros: its export was interrupted",
                    kExportAgain);
    }
    if (!head.sqlite) {
        throw Error(ErrorCode::Unusable, m_path.string() + " is not a SQLite file", kExportAgain);
    }
    m_bytes = head.fileBytes;
    if (head.fileBytes < head.wantedBytes) {
        m_problems.push_back(
            fmt::format("the file is cut off: it has {} of {} bytes", head.fileBytes, head.wantedBytes));
    }
    std::error_code error;
    for (const char* const suffix : {"-wal", "-journal"}) {
        if (std::filesystem::exists(m_path.string() + suffix, error)) {
            m_problems.push_back(
                fmt::format("{}{} exists beside the file, so the export did not end; its rows "
                            "were not read",
                            m_path.filename().string(), suffix));
        }
    }
}

void ExportFile::open()
{
    // Each row needs some bytes of the file and some operations. Without these limits, damaged pages that
    // refer to each other in a cycle could give an endless number of rows.
    constexpr std::int64_t kOperationsAByte = 16;
    constexpr std::int64_t kOperationsForAny = 20'000'000;
    constexpr std::int64_t kBytesARow = 8;
    constexpr std::int64_t kRowsForAny = 1'000;
    const auto bytes = static_cast<std::int64_t>(m_bytes);
    m_operationsLeft = kOperationsForAny + bytes * kOperationsAByte;
    m_rowsLeft = kRowsForAny + bytes / kBytesARow;
    const std::string uri = trace::sqliteUri(m_path, "mode=ro&immutable=1");
    const int code = sqlite3_open_v2(uri.c_str(), &m_database,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK) {
        throw Error(ErrorCode::Io, fmt::format("cannot open {}: {}", m_path.string(), sqlite3_errstr(code)),
                    "Check that you may read it.");
    }
    trace::distrust(m_database, kMaxRowBytes);
    sqlite3_limit(m_database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(m_database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(m_database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    const auto spend = [](void* self) {
        std::int64_t& left = static_cast<ExportFile*>(self)->m_operationsLeft;
        left -= kOperationsAStep;
        return left < 0 ? 1 : 0;
    };
    sqlite3_progress_handler(m_database, kOperationsAStep, spend, this);
}

void ExportFile::listTables()
{
    const auto step = [this](const StatementPointer& statement) {
        const int code = statement ? sqlite3_step(statement.get()) : sqlite3_errcode(m_database);
        if (code != SQLITE_ROW && code != SQLITE_DONE) {
            throw Error(ErrorCode::Unusable,
                        fmt::format("{} is damaged: {}", m_path.string(),
                                    m_problems.empty() ? sqlite3_errmsg(m_database) : m_problems.front()),
                        kExportAgain);
        }
        return code == SQLITE_ROW;
    };
    const auto prepare = [this](const char* sql) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(m_database, sql, -1, &statement, nullptr);
        return StatementPointer(statement, &sqlite3_finalize);
    };
    const StatementPointer list =
        prepare(fmt::format("SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c"
                            " WHERE {}",
                            trace::kIsOrdinaryTable)
                    .c_str());
    while (step(list)) {
        const auto text = [&](int column) {
            const auto* const value = reinterpret_cast<const char*>(sqlite3_column_text(list.get(), column));
            return std::string(value != nullptr ? value : "");
        };
        m_columns[text(0)].insert(text(1));
    }
}

bool ExportFile::hasColumn(const std::string& table, std::string_view column) const
{
    const auto found = m_columns.find(table);
    return found != m_columns.end() && found->second.contains(column);
}

bool ExportFile::isExport() const
{
    return std::ranges::any_of(m_columns, [](const auto& entry) {
        constexpr std::array<std::string_view, 3> kTables{"NVTX_EVENTS", "META_DATA_EXPORT",
                                                          "EXPORT_META_DATA"};
        return entry.first.starts_with("CUPTI_ACTIVITY_KIND_") ||
               std::ranges::find(kTables, entry.first) != kTables.end();
    });
}

bool ExportFile::spendRow()
{
    return --m_rowsLeft >= 0;
}

bool isLikelyExport(std::string_view head, const std::filesystem::path& path)
{
    const std::string extension = path.extension().string();
    if (extension == ".nsys-rep" || extension == ".qdrep") {
        return true; // not an export, but the importer's error explains how to export it
    }
    const bool named = extension == ".sqlite";
    const trace::SqliteHead file = trace::parseSqliteHead(head);
    if (!file.sqlite) {
        return named && file.zeros;
    }
    if (file.applicationId == trace::kApplicationId) {
        return false;
    }
    try {
        return ExportFile(path).isExport();
    } catch (const Error&) {
        return named; // importing it reports the problem
    }
}

} // namespace ringside::importers::nsys
