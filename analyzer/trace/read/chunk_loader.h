// SPDX-License-Identifier: Apache-2.0
// Loads one chunked table: the blobs are fetched on one thread and decoded on several, straight into their
// place. A damaged chunk (or one with times that no clock shows) is left out and counted; counts are believed
// only as far as the blobs and the row budget bear them out.
#pragma once
#include "trace/read/huge_pages.h"
#include "trace/read/parallel.h"
#include "trace/read/plausible.h"
#include "trace/read/trace_file.h"
#include "trace/write/schema.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace ringside::trace {

/// Rows a file may hold in chunks. A column of equal values takes no bytes a row, so a few bytes could ask
/// for any amount of memory: allowed is what real traces stay far below.
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
    std::int64_t damaged = 0;    ///< chunks whose blobs do not decode
    std::int64_t overBudget = 0; ///< chunks beyond the row budget
};

template <class Row>
class ChunkLoader final {
public:
    using Columns = typename TableOf<Row>::Columns;

    /// Gets all processes' chunks from the file. Throws Error where SQLite meets damage; what came before it
    /// is kept.
    void fetch(TraceFile& file, RowBudget& budget)
    {
        const std::string columns = file.columnsOf(chunkTableName<Row>(), columnNames<Row>());
        Statement statement(file.database(), "SELECT process_id, count, " + columns + " FROM " +
                                                 chunkTableName<Row>() + " ORDER BY id");
        while (statement.step()) {
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

    /// Decodes the chunks of one process into `columns`.
    void decode(std::int64_t processId, Columns& columns, unsigned threads)
    {
        const auto found = m_chunks.find(processId);
        if (found == m_chunks.end()) {
            return;
        }
        std::vector<Chunk>& chunks = found->second;
        std::size_t rows = 0;
        for (Chunk& chunk : chunks) {
            chunk.offset = rows;
            rows += chunk.count;
        }
        TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto member) {
            (columns.*member).reserve(rows);
            adviseHugePages((columns.*member).data(), rows * sizeof(*(columns.*member).data()));
            (columns.*member).resize(rows);
        });
        const unsigned workers = std::min<unsigned>(threads, static_cast<unsigned>(chunks.size()));
        const std::size_t share = workers > 0 ? (chunks.size() + workers - 1) / workers : 0;
        parallelFor(workers, workers, [&](std::size_t worker) {
            ColumnDecoder decoder;
            const std::size_t end = std::min(chunks.size(), (worker + 1) * share);
            for (std::size_t i = worker * share; i < end; ++i) {
                chunks[i].good = decodeChunk(decoder, chunks[i], columns);
            }
        });
        removeDamaged(chunks, columns);
        m_chunks.erase(found);
    }

private:
    struct Chunk {
        std::size_t count = 0;
        std::size_t offset = 0;
        std::vector<std::byte> bytes;   ///< all columns' blobs, one after the other
        std::vector<std::size_t> sizes; ///< of each blob
        bool good = false;
    };

    void keep(const Statement& statement, std::size_t count)
    {
        constexpr int kFirstBlob = 2;
        Chunk chunk;
        chunk.count = count;
        int index = kFirstBlob;
        TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto) {
            const auto blob = statement.blob(index++);
            chunk.bytes.insert(chunk.bytes.end(), blob.begin(), blob.end());
            chunk.sizes.push_back(blob.size());
        });
        m_chunks[statement.column<std::int64_t>(0)].push_back(std::move(chunk));
    }

    static bool decodeChunk(ColumnDecoder& decoder, const Chunk& chunk, Columns& columns)
    {
        bool good = true;
        std::size_t column = 0;
        std::span<const std::byte> rest(chunk.bytes);
        std::span<const std::int64_t> starts;
        TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto member) {
            const auto values = std::span(columns.*member).subspan(chunk.offset, chunk.count);
            const auto blob = rest.first(chunk.sizes[column]);
            rest = rest.subspan(chunk.sizes[column]);
            const bool absent = blob.empty();                                // came with a later schema
            const bool isZero = absent || holdsOnlyZeros(blob, chunk.count); // as the column was made
            good = good && (isZero || decoder.decode(blob, values, starts));
            if constexpr (kHasTimes<Row>) {
                starts = std::span<const std::int64_t>(startOf(columns)).subspan(chunk.offset, chunk.count);
            }
            ++column;
        });
        if constexpr (kHasTimes<Row>) {
            const auto times = [&](const auto& values) {
                return std::span<const std::int64_t>(values).subspan(chunk.offset, chunk.count);
            };
            good = good && arePlausibleTimes(times(startOf(columns))) &&
                   arePlausibleTimes(times(endOf(columns)));
        }
        return good;
    }

    void removeDamaged(const std::vector<Chunk>& chunks, Columns& columns)
    {
        for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) {
            if (chunk->good) {
                continue;
            }
            ++m_problems.damaged;
            TableOf<Row>::forEachColumn([&](const char*, Encoding, auto, auto member) {
                const auto begin = (columns.*member).begin() + static_cast<std::ptrdiff_t>(chunk->offset);
                (columns.*member).erase(begin, begin + static_cast<std::ptrdiff_t>(chunk->count));
            });
        }
    }

    std::map<std::int64_t, std::vector<Chunk>> m_chunks; ///< by process_id
    ChunkProblems m_problems;
};

} // namespace ringside::trace
