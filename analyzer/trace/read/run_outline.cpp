// SPDX-License-Identifier: Apache-2.0
#include "trace/read/run_outline.h"

#include "trace/read/parallel.h"
#include "trace/read/plausible.h"
#include "trace/read/read_part.h"
#include "trace/read/run_files.h"
#include "trace/read/trace_file.h"
#include "trace/tables.h"
#include "trace/write/schema.h"

#include <ringside/error.h>
#include <ringside/trace/step_name.h>

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ringside::trace {
namespace {

using Outlines = std::map<std::int64_t, ProcessOutline>; ///< by process_id

/// Calls `visit(process, statement)` for each row of the query whose first column is the id of a known
/// process.
template <class Visit>
void forEachRow(const TraceFile& file, const std::string& table, const std::string& sql, Outlines& processes,
                const Visit& visit)
{
    if (!file.hasTable(table)) {
        return;
    }
    Statement statement(file.database(), sql);
    while (statement.step()) {
        const auto found = processes.find(statement.column<std::int64_t>(0));
        if (found != processes.end()) {
            visit(found->second, statement);
        }
    }
}

template <class Row>
void countPlain(const TraceFile& file, Outlines& processes)
{
    const std::string table = TableOf<Row>::kName;
    forEachRow(file, table, "SELECT process_id, count(*) FROM " + table + " GROUP BY process_id", processes,
               [](ProcessOutline& process, const Statement& row) {
                   const auto rows = static_cast<std::uint64_t>(row.column<std::int64_t>(1));
                   (std::is_same_v<Row, CollectiveCallRow> ? process.collectives : process.otherRows) += rows;
               });
}

/// A chunk has kChunkRows rows at most, whatever its count says.
template <class Row>
void countChunks(const TraceFile& file, Outlines& processes)
{
    const std::string table = chunkTableName<Row>();
    forEachRow(file, table,
               "SELECT process_id, sum(min(max(count, 0), " + std::to_string(kChunkRows) + ")) FROM " +
                   table + " GROUP BY process_id",
               processes, [](ProcessOutline& process, const Statement& row) {
                   const auto rows = static_cast<std::uint64_t>(row.column<std::int64_t>(1));
                   process.packedRows += rows;
                   process.deviceRows += std::is_same_v<Row, KernelRow> ? rows : 0;
               });
}

void readMarks(const TraceFile& file, Outlines& processes)
{
    forEachRow(file, "step_mark",
               "SELECT process_id, number, start_ns, end_ns FROM step_mark ORDER BY start_ns, rowid",
               processes, [](ProcessOutline& process, const Statement& row) {
                   StepRow step;
                   step.number = row.column<std::int64_t>(1);
                   step.startNs = row.column<std::int64_t>(2);
                   step.endNs = row.column<std::int64_t>(3);
                   if (isPlausibleTime(step.startNs) && isPlausibleTime(step.endNs)) {
                       process.marks.steps.push_back(step);
                   }
               });
}

void readRanges(const TraceFile& file, Outlines& processes)
{
    forEachRow(file, "string", "SELECT process_id, id, text FROM string", processes,
               [](ProcessOutline& process, const Statement& row) {
                   if (auto text = row.column<std::string>(2); parseStepName(text)) {
                       process.marks.strings.emplace(row.column<StringId>(1), std::move(text));
                   }
               });
    forEachRow(file, "user_range",
               "SELECT process_id, name_id, start_ns, end_ns FROM user_range ORDER BY start_ns, rowid",
               processes, [](ProcessOutline& process, const Statement& row) {
                   RangeRow range;
                   range.name = row.column<StringId>(1);
                   range.startNs = row.column<std::int64_t>(2);
                   range.endNs = row.column<std::int64_t>(3);
                   if (process.marks.strings.contains(range.name) && isPlausibleTime(range.startNs) &&
                       isPlausibleTime(range.endNs)) {
                       process.marks.ranges.push_back(range);
                   }
               });
}

void readWindows(const TraceFile& file, Outlines& processes)
{
    forEachRow(file, "window", "SELECT process_id, level, start_ns, end_ns FROM window ORDER BY start_ns",
               processes, [](ProcessOutline& process, const Statement& row) {
                   WindowRow window;
                   window.level = row.column<LevelName>(1);
                   window.startNs = row.column<std::int64_t>(2);
                   window.endNs = row.column<std::optional<std::int64_t>>(3);
                   if (isPlausibleTime(window.startNs) && isPlausibleTime(window.endNs.value_or(0))) {
                       process.marks.windows.push_back(window);
                   }
               });
}

std::vector<ProcessOutline> outlineOfFile(const std::filesystem::path& path)
{
    const TraceFile file(path);
    Outlines processes;
    if (file.hasTable("process")) {
        Statement ids(file.database(), "SELECT process_id, end_ns FROM process");
        while (ids.step()) {
            const auto id = ids.column<std::int64_t>(0);
            ProcessOutline& process = processes[id];
            process.processId = id;
            process.file = file.database().path();
            process.marks.process.endNs = ids.column<std::optional<std::int64_t>>(1);
        }
    }
    forEachRow(file, "rank", "SELECT process_id, attempt FROM rank", processes,
               [](ProcessOutline& process, const Statement& row) {
                   process.hasRank = true;
                   process.restarted = process.restarted || row.column<std::int64_t>(1) > 0;
               });
    readMarks(file, processes);
    readRanges(file, processes);
    readWindows(file, processes);
    forEachPlainTable([&]<class Row>(TableOf<Row>) {
        if constexpr (kOfAMoment<Row> && !std::is_same_v<Row, StepRow>) {
            countPlain<Row>(file, processes);
        }
    });
    forEachChunkTable([&]<class Row>(TableOf<Row>) {
        if constexpr (kCutByTime<Row>) {
            countChunks<Row>(file, processes);
        }
    });
    std::vector<ProcessOutline> result;
    for (auto& [id, process] : processes) {
        result.push_back(std::move(process));
    }
    return result;
}

} // namespace

std::vector<ProcessOutline> outlineOf(const std::filesystem::path& run)
{
    const auto files = traceFilesOf(run);
    std::vector<std::vector<ProcessOutline>> found(files.size());
    parallelFor(files.size(), coreCount(), [&](std::size_t i) {
        try {
            found[i] = outlineOfFile(files[i]);
        } catch (const Error&) { // whoever reads the run reports it
            return;
        }
    });
    std::vector<ProcessOutline> result;
    for (auto& processes : found) {
        std::move(processes.begin(), processes.end(), std::back_inserter(result));
    }
    return result;
}

std::uintmax_t fileBytesOf(const std::filesystem::path& run)
{
    std::uintmax_t bytes = 0;
    for (const std::filesystem::path& file : traceFilesOf(run)) {
        std::error_code ignored;
        const std::uintmax_t size = std::filesystem::file_size(file, ignored);
        bytes += ignored ? 0 : size;
    }
    return bytes;
}

} // namespace ringside::trace
