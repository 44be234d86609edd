// SPDX-License-Identifier: Apache-2.0
#include "trace/write/chunk_buffer.h"
#include "trace/write/database.h"
#include "trace/write/plain_insert.h"
#include "trace/write/schema.h"
#include "trace/write/size_limit.h"

#include <ringside/trace/private_file.h>
#include <ringside/trace/writer.h>

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace ringside::trace {
namespace {

constexpr StringId kFirstInternedId = 0x80000000;
constexpr int kBusyTimeoutMs = 2000; ///< a reader of a live trace holds locks only for moments

void refuseExisting(const std::filesystem::path& path)
{
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
        throw Error(ErrorCode::Io, path.string() + " exists already",
                    "Choose another run directory: a trace is never overwritten.");
    }
}

void refuseForeign(Database& database)
{
    const std::int64_t version = database.queryInteger("PRAGMA user_version").value_or(0);
    if (database.queryInteger("PRAGMA application_id").value_or(0) != kApplicationId || version < 1 ||
        version > kSchemaVersion) {
        throw Error(ErrorCode::Unusable, database.path().string() +
                                             " is not a Ringside trace of a schema version up to " +
                                             std::to_string(kSchemaVersion) + " and cannot be continued");
    }
}

/// Empty: a database for SQLite.
void makePrivateDatabase(const std::filesystem::path& path)
{
    if (!makePrivateFile(path)) {
        throw Error(ErrorCode::Io, "cannot make " + path.string() + ": " + std::strerror(errno),
                    "Check that its directory exists, that you may write there, and that there is room.");
    }
}

int openFlags(const std::filesystem::path& path, Writer::Mode mode)
{
    if (mode == Writer::Mode::Append) {
        return SQLITE_OPEN_READWRITE;
    }
    refuseExisting(path);
    makePrivateDatabase(path);
    return SQLITE_OPEN_READWRITE;
}

/// The connection with its schema. A member of its own, because the statements beside it need the tables.
struct Connection {
    Connection(const std::filesystem::path& path, Writer::Mode mode) : database(path, openFlags(path, mode))
    {
        sqlite3_busy_timeout(database.handle(), kBusyTimeoutMs);
        database.execute("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096");
        if (mode == Writer::Mode::Create) {
            // Made in rollback mode, then switched: the main file holds the whole schema from the start.
            database.execute(schemaSql());
        } else {
            refuseForeign(database);
            upgradeSchema(database);
        }
        database.execute("PRAGMA journal_mode = WAL");
    }
    Database database;
};

} // namespace

void configurePrivateSqlite()
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

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
        refused += full ? 1 : 0;
        return full;
    }

    void keepSize()
    {
        rowsSinceLook = 0;
        if (!size.isReached()) {
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

    // Rows since the last full chunk become one here: else they would be written again with it.
    void dropBefore(std::int64_t ns)
    {
        begin();
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    member.writeMerged(encoder);                                                                             \
    member.forgetBefore(ns);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
        size.dropBefore(ns);
        completeFromNs = std::max(completeFromNs.value_or(ns), ns);
    }

    void reportCut(int texts)
    {
        if (texts > 0) {
            issues.run({"text_cut", "info", texts, "texts longer than 4096 bytes were cut"});
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

    void writeString(StringId id, std::string_view text)
    {
        begin();
        const std::string_view cut = cutText(text);
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
    }

    void close()
    {
        begin();
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName) member.writeMerged(encoder);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
        commit();
        // A reader that has the file open keeps it in WAL mode: harmless, so nothing is made of a refusal.
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
    ColumnEncoder encoder;
    SizeLimiter size{connection.database};
    int rowsSinceLook = 0;
    bool full = false;
    std::int64_t refused = 0;
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

Writer::Writer(const std::filesystem::path& path, Mode mode) : m_impl(std::make_unique<Impl>(path, mode)) {}

Writer::~Writer() = default;

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
void Writer::add(const CommunicatorRow& row)
{
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
    m_impl->insert(row);
}
void Writer::add(const RangeRow& row)
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
    m_impl->insert(row);
}
void Writer::add(const StackRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const SeriesRow& row)
{
    m_impl->insert(row);
}
void Writer::add(const KernelRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const CopyRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const ApiCallRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const LaunchRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const CallCorrelationRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const ChannelTimeRow& row)
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
void Writer::add(const GraphLaunchRow& row)
{
    m_impl->buffer(row);
}
void Writer::add(const SampleRow& row)
{
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
    std::filesystem::remove(path);
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
                     "; UPDATE OR REPLACE window SET start_ns = " + moment + " WHERE start_ns < " + moment);
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
