// SPDX-License-Identifier: Apache-2.0
// Rows of one chunked table before they are written into the database. The rows since the last full chunk
// stay in memory. A commit writes the new ones as a small, uncompressed chunk. When kChunkRows rows have been
// collected, one compressed chunk replaces the small ones.
#pragma once
#include "trace/write/database.h"
#include "trace/write/schema.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trace {

template <class Row>
class ChunkBuffer final {
public:
    explicit ChunkBuffer(const Database& database)
        : m_database(&database)
        , m_insert(database, insertSql())
        , m_delete(database, "DELETE FROM " + chunkTableName<Row>() + " WHERE id = ?1")
    {}

    [[nodiscard]] bool isFull() const { return m_rows.size() >= kChunkRows; }
    [[nodiscard]] bool hasUnwritten() const { return m_rows.size() > m_written; }
    void add(const Row& row) { m_rows.push_back(row); }

    /// Writes the rows that no chunk contains yet. The caller must have a transaction open.
    void writeNew(ColumnEncoder& encoder)
    {
        if (hasUnwritten()) {
            const auto rows = std::span<const Row>(m_rows).subspan(m_written);
            m_smallChunks.push_back(write(encoder, rows, Compression::None));
            m_written = m_rows.size();
        }
    }

    /// Writes all rows in memory as one compressed chunk that replaces their small ones, and removes them
    /// from memory.
    void writeMerged(ColumnEncoder& encoder)
    {
        for (const std::int64_t id : m_smallChunks) {
            m_delete.bind(1, id);
            m_delete.run();
        }
        if (!m_rows.empty()) {
            write(encoder, m_rows, Compression::Zstd);
        }
        m_smallChunks.clear();
        m_rows.clear();
        m_written = 0;
    }

    /// Deletes the chunks of rows without times that were written before a moment (CLOCK_MONOTONIC). Chunks
    /// with times are deleted by their times. Returns the number of rows deleted.
    std::int64_t forgetBefore(std::int64_t ns)
    {
        std::int64_t rows = 0;
        while (!m_timeless.empty() && m_timeless.front().writtenNs < ns) {
            m_delete.bind(1, m_timeless.front().id);
            m_delete.run();
            rows += m_timeless.front().rows;
            m_timeless.pop_front();
        }
        return rows;
    }

private:
    static std::string insertSql()
    {
        std::string sql = "INSERT INTO " + chunkTableName<Row>() +
                          " (process_id, count, first_ns, last_ns, " + columnList<Row>() + ") VALUES (" +
                          std::to_string(kOnlyProcess) + ", ?1, ?2, ?3";
        int index = kFirstBlob;
        TableOf<Row>::forEachColumn(
            [&](const char*, Encoding, auto, auto) { sql += ", ?" + std::to_string(index++); });
        return sql + ")";
    }

    void bindTimes(std::span<const Row> rows)
    {
        std::optional<std::int64_t> first;
        std::optional<std::int64_t> last;
        if constexpr (kHasTimes<Row>) {
            first = startOf(rows.front());
            last = endOf(rows.front());
            for (const Row& row : rows) {
                first = std::min({*first, startOf(row), endOf(row)});
                last = std::max({*last, startOf(row), endOf(row)});
            }
        }
        m_insert.bind(2, first);
        m_insert.bind(3, last);
    }

    std::int64_t write(ColumnEncoder& encoder, std::span<const Row> rows, Compression compression)
    {
        m_insert.bind(1, rows.size());
        bindTimes(rows);
        // The encoder's result is valid until its next call, and the binding until run(), so each blob needs
        // storage of its own.
        std::size_t column = 0;
        TableOf<Row>::forEachColumn([&](const char*, Encoding encoding, auto member, auto) {
            auto& values = column == 0 ? m_firstColumn : m_column;
            values.resize(rows.size());
            std::transform(rows.begin(), rows.end(), values.begin(),
                           [member](const Row& row) { return static_cast<std::uint64_t>(row.*member); });
            const auto blob = encoder.encode(encoding, values, m_firstColumn, compression);
            m_blobs.resize(std::max(m_blobs.size(), column + 1));
            m_blobs[column].assign(blob.begin(), blob.end());
            ++column;
        });
        for (std::size_t i = 0; i < column; ++i) {
            m_insert.bindBlob(kFirstBlob + static_cast<int>(i), m_blobs[i]);
        }
        m_insert.run();
        const std::int64_t id = sqlite3_last_insert_rowid(m_database->handle());
        if constexpr (!kHasTimes<Row>) {
            if (compression != Compression::None) {
                timespec now{};
                clock_gettime(CLOCK_MONOTONIC, &now);
                m_timeless.push_back(
                    {id, now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec, std::ssize(rows)});
            }
        }
        return id;
    }

    /// A full chunk whose rows have no times.
    struct Timeless {
        std::int64_t id;
        std::int64_t writtenNs;
        std::int64_t rows;
    };
    static constexpr int kFirstBlob = 4;
    const Database* m_database;
    Statement m_insert;
    Statement m_delete;
    std::vector<Row> m_rows;
    std::size_t m_written = 0; ///< number of rows in m_rows that small chunks contain
    std::vector<std::int64_t> m_smallChunks;
    std::deque<Timeless> m_timeless; ///< by time
    std::vector<std::uint64_t> m_firstColumn;
    std::vector<std::uint64_t> m_column;
    std::vector<std::vector<std::byte>> m_blobs;
};

} // namespace ringside::trace
