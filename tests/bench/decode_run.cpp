// SPDX-License-Identifier: Apache-2.0
// What every reader of a run has to do at least: decodes all column chunks of a run directory into one buffer
// and forgets them, on all cores. Prints how many rows there were. What a report costs more is its own. With
// --keep it reads the run as every command does: all of it stays in memory.
//   decode_run [--keep] NAME.ringside
#include "trace/read/parallel.h"
#include "trace/read/run_files.h"
#include "trace/read/trace_file.h"
#include "trace/tables.h"
#include "trace/write/schema.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <type_traits>

namespace {

namespace trace = ringside::trace;

/// Decodes the column as what the trace's reader makes of it: values of its type.
template <class T>
void decodeColumn(trace::ColumnDecoder& decoder, std::span<const std::byte> blob, std::size_t count,
                  std::vector<std::int64_t>& starts, bool first)
{
    static thread_local std::vector<T> values;
    values.resize(trace::kChunkRows);
    const auto used = std::span(values).first(count);
    if (!decoder.decode(blob, used,
                        first ? std::span<const std::int64_t>() : std::span(starts).first(count))) {
        throw ringside::Error(ringside::ErrorCode::Unusable, "a chunk does not decode");
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
        if (first) {
            starts.swap(values);
        }
    }
}

template <class Row>
std::uint64_t decodeTable(trace::TraceFile& file)
{
    const std::string columns = file.columnsOf(trace::chunkTableName<Row>(), trace::columnNames<Row>());
    trace::Statement statement(file.database(),
                               "SELECT count, " + columns + " FROM " + trace::chunkTableName<Row>());
    trace::ColumnDecoder decoder;
    std::vector<std::int64_t> starts(trace::kChunkRows);
    std::uint64_t rows = 0;
    while (statement.step()) {
        const auto count = static_cast<std::size_t>(statement.column<std::int64_t>(0));
        int column = 0;
        trace::TableOf<Row>::forEachColumn([&](const char*, trace::Encoding, auto from, auto) {
            using Value = std::remove_cvref_t<decltype(std::declval<Row>().*from)>;
            decodeColumn<Value>(decoder, statement.blob(column + 1), count, starts, column == 0);
            ++column;
        });
        rows += count;
    }
    return rows;
}

std::uint64_t decodeFile(const std::filesystem::path& path)
{
    trace::TraceFile file(path);
    std::uint64_t rows = 0;
    trace::forEachChunkTable([&](auto table) { rows += decodeTable<typename decltype(table)::Row>(file); });
    return rows;
}

std::uint64_t keep(const std::filesystem::path& path)
{
    const trace::RunTrace run = trace::openRun(path);
    std::uint64_t rows = 0;
    for (const trace::ProcessTrace& process : run.processes) {
        rows += process.kernels.size() + process.copies.size() + process.apiCalls.size() +
                process.launches.size();
    }
    return rows;
}

} // namespace

int main(int count, char** arguments)
{
    const bool keeps = count == 3 && std::string_view(arguments[1]) == "--keep";
    if (count != 2 && !keeps) {
        std::fprintf(stderr, "usage: decode_run [--keep] NAME.ringside\n");
        return 2;
    }
    try {
        if (keeps) {
            std::printf("%llu\n", static_cast<unsigned long long>(keep(arguments[2])));
            return 0;
        }
        const auto files = trace::traceFilesOf(arguments[1]);
        std::atomic<std::uint64_t> rows = 0;
        trace::parallelFor(files.size(), trace::coreCount(),
                           [&](std::size_t i) { rows += decodeFile(files[i]); });
        std::printf("%llu\n", static_cast<unsigned long long>(rows.load()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "decode_run: %s\n", error.what());
        return 1;
    }
    return 0;
}
