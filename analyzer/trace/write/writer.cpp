// SPDX-License-Identifier: Apache-2.0
#include "trace/write/writer_impl.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>

namespace ringside::trace {

Writer::Writer(const std::filesystem::path& path, Mode mode) : m_impl(std::make_unique<Impl>(path, mode)) {}

Writer::~Writer() = default;

void Writer::setObserver(RowObserver* observer)
{
    m_impl->observer = observer;
}

void Writer::defineString(StringId id, std::string_view text)
{
    m_impl->writeString(id, text);
}

StringId Writer::intern(std::string_view text)
{
    if (text.empty()) {
        return 0;
    }
    const std::string key(cutText(text));
    const auto known = m_impl->interned.find(key);
    if (known != m_impl->interned.end()) {
        return known->second;
    }
    const StringId id = m_impl->nextInternedId++;
    m_impl->writeString(id, text);
    m_impl->interned.emplace(key, id);
    return id;
}

void Writer::setProcess(const ProcessRow& row)
{
    m_impl->insert(row);
}
void Writer::setRanks(const std::vector<RankRow>& rows)
{
    m_impl->begin();
    m_impl->connection.database.execute("DELETE FROM rank");
    for (const RankRow& row : rows) {
        m_impl->insert(row);
    }
}
void Writer::add(const DeviceRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const LaunchConfigurationRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const CommunicatorRow& row)
{
    m_impl->tell(row);
    m_impl->insert(row);
}
void Writer::add(const StreamRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const ThreadRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const ClockSampleRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const CollectiveCallRow& row)
{
    m_impl->tell(row);
    m_impl->insert(row);
}
void Writer::add(const GroupRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const NcclOperationRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const StepRow& row)
{
    m_impl->tell(row);
    m_impl->insert(row);
}
void Writer::add(const RangeRow& row)
{
    m_impl->tell(row);
    m_impl->insert(row);
}
void Writer::add(const NcclDetailRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const CallConfigRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const StepSummaryRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const StepTrafficRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const CategoryRow& row)
{
    m_impl->insert(row);
}
bool Writer::nameThread(std::int64_t tid, std::string_view name)
{
    m_impl->begin();
    m_impl->nameThread.bind(1, tid);
    m_impl->nameThread.bind(2, cutText(name));
    m_impl->nameThread.run();
    return sqlite3_changes(m_impl->connection.database.handle()) > 0;
}
void Writer::setTier(const TierRow& row)
{
    m_impl->insert(row);
}
void Writer::setWindow(const WindowRow& row)
{
    m_impl->insert(row);
}
void Writer::beginWindow(WindowRow row)
{
    m_impl->begin();
    Database& database = m_impl->connection.database;
    Statement open(database, "SELECT level, why, start_ns FROM window WHERE end_ns IS NULL"
                             " ORDER BY start_ns DESC");
    if (open.step()) {
        if (open.column<LevelName>(0) == row.level && open.column<std::string>(1) == row.why) {
            return;
        }
        const auto before = open.column<std::int64_t>(2);
        constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
        // the start is the key of the row
        row.startNs = std::max(row.startNs, before < kLast ? before + 1 : kLast);
        open.reset();
        endWindow(row.startNs);
    }
    setWindow(row);
}
void Writer::endWindow(std::int64_t ns)
{
    m_impl->begin();
    Statement end(m_impl->connection.database,
                  "UPDATE window SET end_ns = max(start_ns, ?) WHERE end_ns IS NULL");
    end.bind(1, ns);
    end.run();
}
void Writer::add(const SettingRow& row)
{
    m_impl->insert(row);
}
void Writer::setDropped(const DropRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const IssueRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const InFlightRow& row)
{
    m_impl->insert(row);
}
void Writer::setHang(const HangRow& row)
{
    m_impl->tell(row);
    m_impl->insert(row);
}
void Writer::add(const StackRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const MemoryStateRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const MemoryHolderRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const SeriesRow& row)
{
    m_impl->tell(row);
    m_impl->insert(row);
}
void Writer::add(const KernelRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}
void Writer::add(const CopyRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}
void Writer::add(const ApiCallRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}
void Writer::add(const LaunchRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}
void Writer::add(const CallCorrelationRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}
void Writer::add(const ChannelTimeRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const KernelPhaseRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const EventTimeRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const ProxyStepRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const PythonCallRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const OperatorRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const GraphLaunchRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}
void Writer::add(const SampleRow& row)
{
    m_impl->tell(row);
    m_impl->buffer(row);
}

void Writer::setMeta(std::string_view key, std::string_view value)
{
    m_impl->begin();
    m_impl->insertMeta.bind(1, key);
    m_impl->insertMeta.bind(2, value);
    m_impl->insertMeta.run();
}

void Writer::setRingProgress(std::uint32_t ringId, std::uint64_t committedSlots)
{
    m_impl->begin();
    m_impl->insertProgress.bind(1, ringId);
    m_impl->insertProgress.bind(2, committedSlots);
    m_impl->insertProgress.run();
    m_impl->ringProgress[ringId] = committedSlots;
}

std::uint64_t Writer::ringProgress(std::uint32_t ringId) const
{
    const auto known = m_impl->ringProgress.find(ringId);
    return known != m_impl->ringProgress.end() ? known->second : 0;
}

void Writer::limitSize(const SizeLimit& limit)
{
    m_impl->size.set(limit);
}
bool Writer::isFull() const
{
    return m_impl->full;
}
std::int64_t Writer::refusedRows() const
{
    return m_impl->refused;
}
std::int64_t Writer::deletedRows() const
{
    return m_impl->deleted;
}
void Writer::dropBefore(std::int64_t ns)
{
    m_impl->dropBefore(ns);
}
std::optional<std::int64_t> Writer::completeFromNs() const
{
    return m_impl->completeFromNs;
}

void Writer::copyTo(const std::filesystem::path& path) const
{
    std::error_code inTheWay; // a file that cannot be removed is reported by name
    std::filesystem::remove(path, inTheWay);
    makePrivateDatabase(path);
    Database copy(path, SQLITE_OPEN_READWRITE);
    copy.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
    sqlite3_backup* const backup =
        sqlite3_backup_init(copy.handle(), "main", m_impl->connection.database.handle(), "main");
    constexpr int kAllPages = -1;
    if (backup != nullptr) {
        sqlite3_backup_step(backup, kAllPages);
    }
    if (sqlite3_backup_finish(backup) != SQLITE_OK) {
        copy.fail("copying");
    }
}

void Writer::pauseWindowsBefore(std::int64_t ns, std::string_view why)
{
    m_impl->begin();
    Database& database = m_impl->connection.database;
    const auto first = database.queryInteger("SELECT min(start_ns) FROM window");
    const std::string moment = std::to_string(ns);
    database.execute("DELETE FROM window WHERE end_ns <= " + moment +
                     "; UPDATE OR REPLACE window SET step = NULL, start_ns = " + moment +
                     " WHERE start_ns < " + moment);
    if (first && *first < ns) {
        setWindow({"paused", *first, ns, std::string(why)});
    }
}

void Writer::commit()
{
    m_impl->commit();
}

void Writer::close()
{
    m_impl->close();
}

} // namespace ringside::trace
