// SPDX-License-Identifier: Apache-2.0
// Keeps a trace that is being written within a size. Definitions, ranks and settings always stay; what grows
// with the run is refused from then on, or its oldest chunks and rows make room: their pages are used again,
// so the file never shrinks and never grows further. No VACUUM: it would write the file anew inside
// somebody's job.
#pragma once
#include "trace/write/database.h"
#include "trace/write/schema.h"

#include <ringside/trace/writer.h>

#include <cstdint>

namespace ringside::trace {

/// The time by which rows of a plain table grow old; empty: it does not grow with the run.
template <class Row>
constexpr const char* timeColumn()
{
    if constexpr (*TableOf<Row>::kKey != '\0' || std::is_same_v<Row, InFlightRow>) {
        return "";
    } else if constexpr (requires(Row row) { row.startNs; }) {
        return "start_ns";
    } else if constexpr (requires(Row row) { row.timeNs; }) {
        return "time_ns";
    } else if constexpr (requires(Row row) { row.monotonicNs; }) {
        return "monotonic_ns";
    } else {
        return "";
    }
}

class SizeLimiter final {
public:
    explicit SizeLimiter(Database& database)
        : m_database(database)
        , m_pages(database, "PRAGMA page_count")
        , m_freePages(database, "PRAGMA freelist_count")
    {}

    void set(const SizeLimit& limit);
    [[nodiscard]] bool isSet() const { return m_limit.bytes != 0; }
    [[nodiscard]] WhenFull whenFull() const { return m_limit.whenFull; }
    [[nodiscard]] bool isReached();
    /// Between transactions: whether the write-ahead log has outgrown its share and stays so, because a
    /// reader does not let go of the state it sees. Deleting would only make it longer.
    [[nodiscard]] bool isLogHeld() const;

    /// A moment before which so much lies that, without it, an eighth of the limit is free again; the caller
    /// deletes and asks again. Nothing when that much is free.
    [[nodiscard]] std::optional<std::int64_t> nextToDrop();
    /// Deletes the chunks that end, and the rows that begin, before it. Returns how many rows that were.
    std::int64_t dropBefore(std::int64_t ns);

private:
    [[nodiscard]] std::int64_t usedBytes();
    [[nodiscard]] std::optional<std::int64_t> oldestNs(); ///< of what dropBefore() deletes first

    Database& m_database;
    Statement m_pages;
    Statement m_freePages;
    SizeLimit m_limit;
    std::int64_t m_logBytes = 0;
    std::int64_t m_dataBytes = 0; ///< of the limit, what the write-ahead log leaves for the database itself
};

} // namespace ringside::trace
