// SPDX-License-Identifier: Apache-2.0
// Writes one process's trace. Used by the collector's drain thread, by recovery, by importers and the tests'
// trace builder. Not thread-safe: one writer, one thread. Throws ringside::Error; the collector catches it on
// its drain thread.
#pragma once
#include <ringside/trace/rows.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::trace {

/// For a process whose SQLite is linked privately (the collector), before the first Writer: no allocation
/// statistics, whose lock every allocation would take. Changes the SQLite of the whole process otherwise.
void configurePrivateSqlite();

enum class WhenFull : std::uint8_t {
    Stop,  ///< what grows with the run is refused from then on
    Oldest ///< the oldest of it is deleted
};
struct SizeLimit {
    std::int64_t bytes = 0; ///< of the file with its write-ahead log, give or take one chunk; 0: none
    WhenFull whenFull = WhenFull::Stop;
};

/// An empty trace with its definitions takes most of a megabyte.
inline constexpr std::int64_t kSmallestTraceBytes = std::int64_t{4} << 20;

/// Is told of rows as they are added, also of those that a size limit refuses. The functions are called on
/// the writer's thread, once a row: they must be cheap and must not use the writer.
class RowObserver {
public:
    virtual ~RowObserver() = default;
    virtual void defineString(StringId id, std::string_view text) = 0;
    virtual void see(const CommunicatorRow& row) = 0;
    virtual void see(const CollectiveCallRow& row) = 0;
    virtual void see(const GraphLaunchRow& row) = 0;
    virtual void see(const StepRow& row) = 0;
    virtual void see(const RangeRow& row) = 0;
    virtual void see(const ApiCallRow& row) = 0;
    virtual void see(const LaunchRow& row) = 0;
    virtual void see(const CallCorrelationRow& row) = 0;
    virtual void see(const KernelRow& row) = 0;
    virtual void see(const CopyRow& row) = 0;
    virtual void see(const SeriesRow& row) = 0;
    virtual void see(const SampleRow& row) = 0;
    virtual void see(const HangRow& row) = 0;
};

class Writer final {
public:
    enum class Mode { Create, Append }; ///< Create refuses an existing file; Append continues one (recovery)
    /// Opens PATH and creates schema version kSchemaVersion. Journal: WAL, synchronous off (a killed process
    /// loses nothing; power loss is out of scope).
    Writer(const std::filesystem::path& path, Mode mode);
    ~Writer(); ///< closes without committing what was not committed; call close() to finish
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Null: nobody. The observer must live until it is replaced or the writer ends.
    void setObserver(RowObserver* observer);

    /// Defines a string under the producer's id, or interns one and returns its id (ids from 0x80000000
    /// upwards, so that they never meet a producer's).
    void defineString(StringId id, std::string_view text);
    StringId intern(std::string_view text);

    void setProcess(const ProcessRow&);         ///< replaces the row
    void setRanks(const std::vector<RankRow>&); ///< replaces all rows; one a (rank, attempt)
    void add(const DeviceRow&);                 ///< one row an ordinal; a repeated one replaces
    void add(const LaunchConfigurationRow&);    ///< a repeated id replaces
    void add(const CommunicatorRow&);
    void add(const StreamRow&);
    void add(const ThreadRow&);
    void add(const ClockSampleRow&);
    void add(const CollectiveCallRow&);
    void add(const GroupRow&);
    void add(const NcclOperationRow&);
    void add(const NcclDetailRow&);
    void add(const CallConfigRow&);
    void add(const StepRow&);
    void add(const RangeRow&);
    void add(const StepSummaryRow&);
    void add(const StepTrafficRow&);
    void add(const CategoryRow&); ///< a repeated one replaces
    /// Names the latest thread of this kernel thread id; false when none has a row yet.
    bool nameThread(std::int64_t tid, std::string_view name);
    void setTier(const TierRow&);     ///< one row a tier; a repeated one replaces
    void setWindow(const WindowRow&); ///< one row a start; a repeated one replaces
    /// Ends the open window and opens another one; one that says the same goes on. Windows never overlap,
    /// whatever the times say.
    void beginWindow(WindowRow row);
    void endWindow(std::int64_t ns); ///< the open one
    void add(const SettingRow&);
    void setDropped(const DropRow&); ///< one row a (what, ring, thread); a repeated one replaces
    void add(const IssueRow&);       ///< a repeated id adds up counts
    void add(const InFlightRow&);
    void setHang(const HangRow&); ///< one row an id; a repeated one replaces
    void add(const StackRow&);
    void add(const MemoryStateRow&);
    void add(const MemoryHolderRow&);
    void add(const SeriesRow&); ///< a repeated id replaces
    // Column chunks: buffered; 64 Ki rows are written as one compressed chunk, commit() writes fewer as a
    // small one.
    void add(const KernelRow&);
    void add(const CopyRow&);
    void add(const ApiCallRow&);
    void add(const LaunchRow&);
    void add(const CallCorrelationRow&);
    void add(const ChannelTimeRow&);
    void add(const KernelPhaseRow&);
    void add(const EventTimeRow&);
    void add(const ProxyStepRow&);
    void add(const PythonCallRow&);
    void add(const OperatorRow&);
    void add(const GraphLaunchRow&);
    void add(const SampleRow&);

    /// A (key, value) of table meta; a repeated key replaces. Keys in use: FORMAT.md.
    void setMeta(std::string_view key, std::string_view value);

    /// How far a ring is in the database; stored in the same transaction as the rows, so recovery never
    /// doubles one.
    void setRingProgress(std::uint32_t ringId, std::uint64_t committedSlots);
    [[nodiscard]] std::uint64_t ringProgress(std::uint32_t ringId) const;

    void limitSize(const SizeLimit& limit);
    /// The limit was reached under WhenFull::Stop: rows that grow with the run are counted and refused.
    [[nodiscard]] bool isFull() const;
    /// Also those refused under either policy while a reader kept the log from being used again.
    [[nodiscard]] std::int64_t refusedRows() const;
    [[nodiscard]] std::int64_t deletedRows() const; ///< that made room, or were too old
    /// Deletes the chunks that end, and the rows that begin, before a moment (CLOCK_MONOTONIC, of this host);
    /// definitions stay.
    void dropBefore(std::int64_t ns);
    /// From when on everything is there, once something was deleted.
    [[nodiscard]] std::optional<std::int64_t> completeFromNs() const;

    /// A consistent copy of what is committed, in place of what is at `path`. Open it with Mode::Append.
    void copyTo(const std::filesystem::path& path) const;
    /// Of table window: what lies before a moment becomes one pause, because it was deleted.
    void pauseWindowsBefore(std::int64_t ns, std::string_view why);

    /// Makes everything added so far durable against the death of the process, buffered chunks included.
    void commit();
    /// Commits, merges small chunks into full ones, checkpoints the WAL and switches the journal off, so that
    /// one file remains.
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace ringside::trace
