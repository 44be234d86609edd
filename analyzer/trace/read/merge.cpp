// SPDX-License-Identifier: Apache-2.0
#include "trace/read/run_files.h"
#include "trace/read/trace_file.h"
#include "trace/read/unfinished.h"
#include "trace/write/schema.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/merge.h>
#include <ringside/trace/private_file.h>
#include <ringside/trace/stacks.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace ringside::trace {
namespace {

/// Returns the INSERT of all rows of `table` of the attached file, with each process_id increased by the
/// parameter.
void copyTable(Database& output, const TraceFile& source, const std::string& table,
               const std::vector<std::string>& columns, const std::vector<std::string>& optional,
               std::int64_t offset)
{
    if (!source.hasTable(table)) {
        return;
    }
    std::string names;
    for (const std::string& column : columns) {
        names += ", " + column;
    }
    Statement copy(output, "INSERT OR REPLACE INTO main." + table + " (process_id" + names +
                               ") SELECT process_id + ?1, " + source.columnsOf(table, columns, optional) +
                               " FROM source." + table);
    copy.bind(1, offset);
    copy.run();
}

void copyTables(Database& output, const TraceFile& source, std::int64_t offset)
{
    copyTable(output, source, "meta", {"key", "value"}, {}, offset);
    copyTable(output, source, "string", {"id", "text"}, {}, offset);
    copyTable(output, source, "ring_progress", {"ring_id", "committed_slots"}, {}, offset);
    forEachPlainTable([&]<class Row>(TableOf<Row>) {
        copyTable(output, source, TableOf<Row>::kName, columnNames<Row>(), optionalColumns<Row>(), offset);
    });
    forEachChunkTable([&]<class Row>(TableOf<Row>) {
        std::vector<std::string> columns = columnNames<Row>();
        columns.insert(columns.begin(), {"count", "first_ns", "last_ns"});
        copyTable(output, source, chunkTableName<Row>(), columns, {}, offset);
    });
}

void copyStacks(Database& output, const std::filesystem::path& file, std::int64_t process)
{
    Statement insert(output, "INSERT INTO main.stack (process_id, " + columnList<StackRow>() +
                                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    for (const StackRow& row : readStacks(file)) {
        int index = 1;
        insert.bind(index++, process);
        TableOf<StackRow>::forEachColumn(
            [&](const char*, auto member) { insert.bind(index++, row.*member); });
        insert.run();
    }
}

void copyGone(Database& output, const std::filesystem::path& file, std::int64_t process)
{
    Statement insert(output, "INSERT INTO main.setting (process_id, " + columnList<SettingRow>() +
                                 ") SELECT process_id, ?2, ?3, ?4 FROM main.process"
                                 " WHERE process_id = ?1 AND end_ns IS NULL");
    const auto end = readGone(file);
    for (const SettingRow& row : end ? goneSettings(*end) : std::vector<SettingRow>()) {
        int index = 1;
        insert.bind(index++, process);
        TableOf<SettingRow>::forEachColumn(
            [&](const char*, auto member) { insert.bind(index++, row.*member); });
        insert.run();
    }
}

void copyFile(Database& output, const std::filesystem::path& path)
{
    const TraceFile source(path); // refuses files that are no traces, or newer
    const std::int64_t offset = output.queryInteger("SELECT max(process_id) FROM process").value_or(0);
    Statement attach(output, "ATTACH ?1 AS source");
    const std::string uri = sqliteUri(path, "mode=ro");
    attach.bind(1, uri);
    attach.run();
    output.execute("BEGIN");
    try {
        copyTables(output, source, offset);
    } catch (const Error& error) {
        if (error.code != ErrorCode::Unusable) { // an error of the output
            throw;
        }
        throw Error(ErrorCode::Unusable, path.string() + " is damaged, and cannot be copied whole",
                    "`ringside report` reads what is left of it.");
    }
    // rows of a process that was killed before it wrote its own row
    if (output.queryInteger("SELECT count(*) FROM process WHERE process_id > " + std::to_string(offset))
            .value_or(0) == 0) {
        output.execute("INSERT INTO process (process_id, host, boot_id, pid, start_ns, command, "
                       "collector_version, emulated)"
                       " VALUES (" +
                       std::to_string(offset + kOnlyProcess) + ", '', '', 0, 0, '', '', 0)");
    }
    copyStacks(output, stackFileOf(path), offset + kOnlyProcess);
    copyGone(output, goneFileOf(path), offset + kOnlyProcess);
    output.execute("COMMIT");
    output.execute("DETACH source");
}

int mergeInto(const std::filesystem::path& output, const std::vector<std::filesystem::path>& files)
{
    Database database(output, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI); // sources are attached by URI
    database.execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"); // a failed merge removes the file
    database.execute(schemaSql());
    for (const auto& file : files) {
        copyFile(database, file);
    }
    return static_cast<int>(database.queryInteger("SELECT count(*) FROM process").value_or(0));
}

} // namespace

int merge(const std::filesystem::path& run, const std::filesystem::path& output)
{
    return merge(traceFilesOf(run), output);
}

int merge(const std::vector<std::filesystem::path>& files, const std::filesystem::path& output)
{
    Unfinished made(output, [&] { return makePrivateFile(output); });
    if (made.path().empty()) {
        if (errno == EEXIST) {
            throw Error(ErrorCode::Usage, output.string() + " exists already",
                        "Choose another name for the merged file.");
        }
        throw Error(ErrorCode::Io, "cannot make " + output.string() + ": " + std::strerror(errno),
                    "Is the folder there and writable?");
    }
    const int processes = mergeInto(output, files);
    made.keep();
    return processes;
}

} // namespace ringside::trace
