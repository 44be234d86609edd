// SPDX-License-Identifier: Apache-2.0
// Limits the size of a trace while it is written. Definitions, ranks and settings are always kept. Data that
// grows with the run is refused from then on, or its oldest chunks and rows are deleted and their pages
// reused, so that the file neither shrinks nor grows. VACUUM is not used, because it would rewrite the file
// inside the job.
#pragma once
#include "trace/write/database.h"
#include "trace/write/schema.h"

#include <ringside/trace/writer.h>

#include <cstdint>

namespace ringside::trace {

/// The time by which rows of a plain table are deleted; empty if the table does not grow with the run.
template <class Row>
constexpr const char* timeColumn()
{
    constexpr bool kGrows = *TableOf<Row>::kKey == '\0' && !std::is_same_v<Row, InFlightRow>;
    if constexpr (kGrows && requires(Row row) { row.startNs; }) {
        return "start_ns";
    } else if constexpr (kGrows && requires(Row row) { row.timeNs; }) {
        return "time_ns";
    } else if constexpr (kGrows && requires(Row row) { row.monotonicNs; }) {
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
    /// Returns, between transactions, whether the write-ahead log has outgrown its share and cannot shrink
    /// because a reader keeps its snapshot. Deleting rows would only make the log longer.
    [[nodiscard]] bool isLogHeld() const;

    /// Returns a moment before which enough data lies to free an eighth of the limit. The caller deletes that
    /// data and calls again. Returns null if enough is free.
    [[nodiscard]] std::optional<std::int64_t> nextToDrop();
    /// Deletes the chunks that end and the rows that begin before a moment. Returns the number of rows
    /// deleted.
    std::int64_t dropBefore(std::int64_t ns);

private:
    [[nodiscard]] std::int64_t usedBytes();
    [[nodiscard]] std::optional<std::int64_t> oldestNs(); ///< earliest time that dropBefore() would delete

    Database& m_database;
    Statement m_pages;
    Statement m_freePages;
    SizeLimit m_limit;
    std::int64_t m_logBytes = 0;
    std::int64_t m_dataBytes = 0; ///< the part of the limit that the write-ahead log leaves for the database
};

} // namespace ringside::trace
