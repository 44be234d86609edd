// SPDX-License-Identifier: Apache-2.0
#include "trace/write/size_limit.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>

namespace ringside::trace {
namespace {

constexpr std::int64_t kPageBytes = 16384;

std::int64_t value(Statement& statement)
{
    statement.reset();
    const std::int64_t result = statement.step() ? statement.column<std::int64_t>(0) : 0;
    statement.reset();
    return result;
}

} // namespace

void SizeLimiter::set(const SizeLimit& limit)
{
    constexpr std::int64_t kLogShare = 8;
    constexpr std::int64_t kMostLogPages = 1000; // SQLite's own default
    m_limit = limit;
    const std::int64_t logPages =
        std::clamp(limit.bytes / kLogShare / kPageBytes, std::int64_t{8}, kMostLogPages);
    m_logBytes = logPages * kPageBytes;
    m_dataBytes = limit.bytes - m_logBytes;
    m_database.execute("PRAGMA wal_autocheckpoint = " + std::to_string(logPages) +
                       "; PRAGMA journal_size_limit = " + std::to_string(m_logBytes));
}

bool SizeLimiter::isReached()
{
    return isSet() && usedBytes() >= m_dataBytes;
}

bool SizeLimiter::isLogHeld() const
{
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(m_database.path().string() + "-wal", absent);
    if (!isSet() || absent || static_cast<std::int64_t>(bytes) <= m_logBytes) {
        return false;
    }
    int frames = 0;
    int copied = 0;
    sqlite3_wal_checkpoint_v2(m_database.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
    return copied < frames;
}

std::int64_t SizeLimiter::usedBytes()
{
    return (value(m_pages) - value(m_freePages)) * kPageBytes;
}

std::optional<std::int64_t> SizeLimiter::oldestNs()
{
    std::optional<std::int64_t> oldest;
    const auto consider = [&](const std::string& column, const std::string& table) {
        const auto first = m_database.queryInteger("SELECT min(" + column + ") FROM " + table);
        oldest = first ? std::min(oldest.value_or(*first), *first) : oldest;
    };
    forEachChunkTable([&]<class Row>(TableOf<Row>) { consider("last_ns", chunkTableName<Row>()); });
    forEachPlainTable([&]<class Row>(TableOf<Row>) {
        if constexpr (*timeColumn<Row>() != '\0') {
            consider(timeColumn<Row>(), TableOf<Row>::kName);
        }
    });
    return oldest;
}

std::optional<std::int64_t> SizeLimiter::nextToDrop()
{
    constexpr std::int64_t kShare = 8;
    if (usedBytes() < m_dataBytes - m_dataBytes / kShare) {
        return std::nullopt;
    }
    const auto oldest = oldestNs();
    if (!oldest) {
        return std::nullopt; // the definitions alone fill it
    }
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
    return *oldest + std::max<std::int64_t>(1, (now - *oldest) / kShare);
}

std::int64_t SizeLimiter::dropBefore(std::int64_t ns)
{
    const std::string before = " < " + std::to_string(ns);
    std::int64_t rows = 0;
    forEachChunkTable([&]<class Row>(TableOf<Row>) {
        const std::string old = " FROM " + chunkTableName<Row>() + " WHERE last_ns" + before;
        rows += m_database.queryInteger("SELECT sum(count)" + old).value_or(0);
        m_database.execute("DELETE" + old);
    });
    forEachPlainTable([&]<class Row>(TableOf<Row>) {
        if constexpr (*timeColumn<Row>() != '\0') {
            m_database.execute(std::string("DELETE FROM ") + TableOf<Row>::kName + " WHERE " +
                               timeColumn<Row>() + before);
            rows += sqlite3_changes(m_database.handle());
        }
    });
    return rows;
}

} // namespace ringside::trace
