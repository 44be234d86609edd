// SPDX-License-Identifier: Apache-2.0
// Loads one chunked table: one thread fetches the blobs, and several threads decode them. A damaged chunk (or
// one with implausible times) is skipped and counted. Counts are only trusted as far as the blobs and the row
// budget support them.
#pragma once
#include "trace/read/parallel.h"
#include "trace/read/plausible.h"
#include "trace/read/read_part.h"
#include "trace/read/trace_file.h"
#include "trace/read/watched_run.h"
#include "trace/write/schema.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ringside::trace {

/// Number of rows that a file may have in chunks. A column of equal values takes no bytes per row, so a few
/// bytes could request any amount of memory. The limit is far above real traces.
class RowBudget final {
public:
    explicit RowBudget(std::uintmax_t fileBytes) : m_left(kBase + fileBytes * kRowsPerByte) {}
    [[nodiscard]] bool take(std::size_t rows)
    {
        const bool granted = rows <= m_left;
        m_left -= granted ? rows : 0;
        return granted;
    }

private:
    static constexpr std::uintmax_t kBase = 16U << 20U;
    static constexpr std::uintmax_t kRowsPerByte = 16;
    std::uintmax_t m_left;
};

struct ChunkProblems {
    std::int64_t damaged = 0;    ///< chunks whose blobs cannot be decoded
    std::int64_t overBudget = 0; ///< chunks beyond the row budget
};

/// One chunk as stored in the file.
struct PackedChunk {
    std::size_t count = 0;
    std::vector<std::byte> bytes;   ///< blobs of all columns, one after the other
    std::vector<std::size_t> sizes; ///< of each blob
};

/// Decodes chunks one after the other and reuses its buffers. Not thread-safe.
template <class Row>
class ChunkDecoder final {
public:
    using Columns = typename TableOf<Row>::Columns;

    /// Only rows that begin within `times` are appended; all rows if it is null or the table has no start.
    explicit ChunkDecoder(const TimeRanges* times = nullptr) : m_times(kCutByTime<Row> ? times : nullptr) {}

    /// Appends the rows of a chunk. Returns false, without appending any, if the chunk is damaged.
    [[nodiscard]] bool append(const PackedChunk& chunk, Columns& columns)
    {
        const std::size_t before = columns.size();
        std::span<const std::byte> rest(chunk.bytes);
        std::size_t column = 0;
        bool good = true;
        m_starts = {};
        TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto member) {
            const auto blob = rest.first(chunk.sizes[column]);
            rest = rest.subspan(blob.size());
            good = good && appendColumn(blob, chunk.count, column, columns.*member);
            ++column;
        });
        if (!good) {
            TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto member) {
                (columns.*member).truncate(std::min(before, (columns.*member).size()));
            });
        }
        return good;
    }

private:
    template <class T>
    bool appendColumn(std::span<const std::byte> blob, std::size_t count, std::size_t column, Column<T>& to)
    {
        const bool isTime = column < kTimeColumns<Row>;
        const bool absent = blob.empty(); // the column is newer than the file's schema
        if (!isTime && (absent || holdsOnlyZeros(blob, count))) {
            to.append(m_times != nullptr ? m_kept.size() : count, T{});
            return true;
        }
        auto& buffer = std::get<std::vector<T>>(m_values);
        if (buffer.size() < count) { // most chunks of a large job are small: no more is cleared than is read
            buffer.resize(count);
        }
        const auto values = std::span(buffer).first(count);
        if (absent) {
            std::ranges::fill(values, T{});
        } else if (!m_decoder.decode(blob, values, m_starts)) {
            return false;
        }
        if constexpr (std::is_same_v<T, std::int64_t>) {
            if (column == 0) {
                findKept(values);
            }
        }
        appendKept<T>(values, to);
        if constexpr (std::is_same_v<T, std::int64_t>) {
            if (isTime && column == 0) {
                m_startValues.swap(buffer);
                m_starts = values;
            }
            return !isTime || arePlausibleTimes(values);
        }
        return true;
    }

    void findKept(std::span<const std::int64_t> starts)
    {
        m_kept.clear();
        for (std::size_t i = 0; m_times != nullptr && i < starts.size(); ++i) {
            if (m_times->holds(starts[i])) {
                m_kept.push_back(i);
            }
        }
    }

    template <class T>
    void appendKept(std::span<const T> values, Column<T>& to) const
    {
        if (m_times == nullptr || m_kept.size() == values.size()) {
            to.append(values);
            return;
        }
        std::vector<T> kept;
        kept.reserve(m_kept.size());
        for (const std::size_t row : m_kept) {
            kept.push_back(values[row]);
        }
        to.append(std::span<const T>(kept));
    }

    const TimeRanges* m_times;
    std::vector<std::size_t> m_kept; ///< rows of the chunk that are appended, unless m_times is null
    ColumnDecoder m_decoder;
    std::vector<std::int64_t> m_startValues;
    std::span<const std::int64_t> m_starts; ///< starts of this chunk, to which its durations refer
    std::tuple<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<std::int32_t>,
               std::vector<std::uint32_t>>
        m_values;
};

template <class Row>
class ChunkLoader final {
public:
    using Columns = typename TableOf<Row>::Columns;

    /// Fetches the chunks of all processes from the file that may have rows within `span` (null: all chunks).
    /// Throws Error if SQLite finds damage; chunks fetched before that are kept.
    void fetch(TraceFile& file, RowBudget& budget, const std::optional<TimeRange>& span,
               const ReadWatch& watch)
    {
        const std::string columns = file.columnsOf(chunkTableName<Row>(), columnNames<Row>());
        Statement statement(file.database(), "SELECT process_id, count, " + columns + " FROM " +
                                                 chunkTableName<Row>() + whereIn(span) + " ORDER BY id");
        while (statement.step()) {
            tell(watch, 0);
            const auto count = statement.column<std::int64_t>(1);
            if (count < 1 || count > static_cast<std::int64_t>(kChunkRows)) {
                ++m_problems.damaged;
            } else if (!budget.take(static_cast<std::size_t>(count))) {
                ++m_problems.overBudget;
            } else {
                keep(statement, static_cast<std::size_t>(count));
            }
        }
    }

    [[nodiscard]] const ChunkProblems& problems() const { return m_problems; }

    /// Decodes the chunks of one process into `columns`; of tables that are cut by time only the rows that
    /// begin within `times`, unless that is null.
    void decode(std::int64_t processId, Columns& columns, const TimeRanges* times, unsigned threads,
                const ReadWatch& watch)
    {
        const auto found = m_chunks.find(processId);
        if (found == m_chunks.end()) {
            return;
        }
        std::vector<PackedChunk>& chunks = found->second;
        const unsigned workers = std::min<unsigned>(threads, static_cast<unsigned>(chunks.size()));
        const std::size_t share = workers > 0 ? (chunks.size() + workers - 1) / workers : 0;
        std::vector<Part> parts(workers);
        parallelFor(workers, workers, [&](std::size_t worker) {
            ChunkDecoder<Row> decoder(times);
            const std::size_t end = std::min(chunks.size(), (worker + 1) * share);
            for (std::size_t i = worker * share; i < end; ++i) {
                tell(watch, chunks[i].bytes.size());
                parts[worker].damaged += decoder.append(chunks[i], parts[worker].columns) ? 0 : 1;
                chunks[i] = {}; // frees memory for the columns
            }
        });
        m_chunks.erase(found);
        for (Part& part : parts) {
            m_problems.damaged += part.damaged;
            appendColumns<Row>(columns, std::move(part.columns));
        }
    }

private:
    /// Results of one thread.
    struct Part {
        Columns columns;
        std::int64_t damaged = 0;
    };

    static std::string whereIn(const std::optional<TimeRange>& span)
    {
        return kCutByTime<Row> && span
                   ? " WHERE ifnull(last_ns >= " + std::to_string(span->beginNs) +
                         ", 1) AND ifnull(first_ns < " + std::to_string(span->endNs) + ", 1)"
                   : std::string();
    }

    static void tell(const ReadWatch& watch, std::uint64_t bytes)
    {
        if (watch) {
            watch(bytes);
        }
    }

    void keep(const Statement& statement, std::size_t count)
    {
        constexpr int kFirstBlob = 2;
        PackedChunk chunk;
        chunk.count = count;
        int index = kFirstBlob;
        TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto) {
            const auto blob = statement.blob(index++);
            chunk.bytes.insert(chunk.bytes.end(), blob.begin(), blob.end());
            chunk.sizes.push_back(blob.size());
        });
        m_chunks[statement.column<std::int64_t>(0)].push_back(std::move(chunk));
    }

    std::map<std::int64_t, std::vector<PackedChunk>> m_chunks; ///< by process_id
    ChunkProblems m_problems;
};

} // namespace ringside::trace
