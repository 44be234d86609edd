// SPDX-License-Identifier: Apache-2.0
// Implementation of the writer. Only writer.cpp includes it.
#pragma once
#include "trace/write/chunk_buffer.h"
#include "trace/write/connection.h"
#include "trace/write/plain_insert.h"
#include "trace/write/size_limit.h"

#include <ringside/trace/writer.h>

#include <string>
#include <unordered_map>
#include <utility>

namespace ringside::trace {

inline constexpr StringId kFirstInternedId = 0x80000000;

/// What a writer keeps between two calls: statements, incomplete chunks, the transaction.
struct Writer::Impl {
    Impl(const std::filesystem::path& path, Mode mode) : connection(path, mode)
    {
        if (mode == Mode::Append) {
            loadState();
        }
    }

    void loadState()
    {
        Statement progress(connection.database, "SELECT ring_id, committed_slots FROM ring_progress");
        while (progress.step()) {
            ringProgress[progress.column<std::uint32_t>(0)] = progress.column<std::uint64_t>(1);
        }
        Statement strings(connection.database,
                          "SELECT id, text FROM string WHERE id >= " + std::to_string(kFirstInternedId));
        while (strings.step()) {
            const auto id = strings.column<StringId>(0);
            interned.emplace(strings.column<std::string>(1), id);
            nextInternedId = std::max(nextInternedId, id + 1);
        }
    }

    void begin()
    {
        if (!inTransaction) {
            beginStatement.run();
            inTransaction = true;
        }
    }

    template <class Row>
    void insert(const Row& row)
    {
        if constexpr (*timeColumn<Row>() != '\0') {
            if (isRefused()) {
                return;
            }
        }
        begin();
        reportCut(insertOf(row).run(row));
        if constexpr (*timeColumn<Row>() != '\0') {
            constexpr int kRowsBetweenLooks = 1024;
            if (++rowsSinceLook >= kRowsBetweenLooks) {
                keepSize();
            }
        }
    }

    bool isRefused()
    {
        refused += full || logHeld ? 1 : 0;
        return full || logHeld;
    }

    void keepSize()
    {
        rowsSinceLook = 0;
        if (logHeld || !size.isReached()) {
            return;
        }
        if (size.whenFull() == WhenFull::Stop) {
            full = true;
            return;
        }
        while (const auto moment = size.nextToDrop()) {
            dropBefore(*moment);
        }
    }

    // rows since the last full chunk become one chunk here, otherwise they would be written again with it
    void dropBefore(std::int64_t ns)
    {
        begin();
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    member.writeMerged(encoder);                                                                             \
    deleted += (member).forgetBefore(ns);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
        deleted += size.dropBefore(ns);
        completeFromNs = std::max(completeFromNs.value_or(ns), ns);
    }

    void reportCut(int texts)
    {
        if (texts > 0) {
            issues.run({Issue::TextCut, texts, "texts longer than 4096 bytes were cut"});
        }
    }

    template <class Row>
    void buffer(const Row& row)
    {
        if (isRefused()) {
            return;
        }
        auto& chunks = bufferOf(row);
        chunks.add(row);
        if (chunks.isFull()) {
            begin();
            chunks.writeMerged(encoder);
            keepSize();
        }
    }

    template <class Row>
    void tell(const Row& row)
    {
        if (observer != nullptr) {
            observer->see(row);
        }
    }

    void writeString(StringId id, std::string_view text)
    {
        begin();
        const std::string_view cut = cutText(text);
        if (observer != nullptr) {
            observer->defineString(id, cut);
        }
        insertString.bind(1, id);
        insertString.bind(2, cut);
        insertString.run();
        reportCut(cut.size() < text.size() ? 1 : 0);
    }

    template <class Buffer>
    void writeNew(Buffer& chunks)
    {
        if (chunks.hasUnwritten()) {
            begin();
            chunks.writeNew(encoder);
        }
    }

    void commit()
    {
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName) writeNew(member);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
        keepSize();
        if (inTransaction) {
            commitStatement.run();
            inTransaction = false;
        }
        logHeld = size.isLogHeld();
    }

    void close()
    {
        begin();
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName) member.writeMerged(encoder);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
        commit();
        // a reader that has the file open keeps it in WAL mode; this is harmless, so a refusal is ignored
        sqlite3_exec(connection.database.handle(),
                     "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE", nullptr, nullptr,
                     nullptr);
    }

    Connection connection;
    Statement beginStatement{connection.database, "BEGIN IMMEDIATE"};
    Statement commitStatement{connection.database, "COMMIT"};
    Statement insertString{connection.database, "INSERT OR REPLACE INTO string VALUES (" +
                                                    std::to_string(kOnlyProcess) + ", ?1, ?2)"};
    Statement insertProgress{connection.database, "INSERT OR REPLACE INTO ring_progress VALUES (" +
                                                      std::to_string(kOnlyProcess) + ", ?1, ?2)"};
    Statement nameThread{connection.database, "UPDATE thread SET name = ?2 WHERE id = (SELECT max(id) FROM "
                                              "thread WHERE tid = ?1)"};
    Statement insertMeta{connection.database,
                         "INSERT OR REPLACE INTO meta VALUES (" + std::to_string(kOnlyProcess) + ", ?1, ?2)"};
    RowObserver* observer = nullptr;
    ColumnEncoder encoder;
    SizeLimiter size{connection.database};
    int rowsSinceLook = 0;
    bool full = false;
    bool logHeld = false;
    std::int64_t refused = 0;
    std::int64_t deleted = 0;
    std::optional<std::int64_t> completeFromNs;
    bool inTransaction = false;
    std::unordered_map<std::uint32_t, std::uint64_t> ringProgress;
    std::unordered_map<std::string, StringId> interned;
    StringId nextInternedId = kFirstInternedId;

// NOLINTBEGIN(bugprone-macro-parentheses): `member` is declared here.
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    PlainInsert<RowType> member{connection.database};                                                        \
    PlainInsert<RowType>& insertOf(const RowType&)                                                           \
    {                                                                                                        \
        return member;                                                                                       \
    }
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"

#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    ChunkBuffer<RowType> member{connection.database};                                                        \
    ChunkBuffer<RowType>& bufferOf(const RowType&)                                                           \
    {                                                                                                        \
        return member;                                                                                       \
    }
// NOLINTEND(bugprone-macro-parentheses)
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
};

} // namespace ringside::trace
