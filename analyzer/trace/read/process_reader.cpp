// SPDX-License-Identifier: Apache-2.0
#include "trace/read/process_reader.h"

#include "trace/read/chunk_loader.h"
#include "trace/read/plausible.h"
#include "trace/read/sort_columns.h"
#include "trace/read/trace_file.h"
#include "trace/vocabulary/demangle.h"
#include "trace/write/schema.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/stacks.h>
#include <ringside/trace/step_name.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ringside::trace {
namespace {

template <class Row>
void fillIn(Row&)
{}
/// Older files store 0 for an unknown size: where there are elements, or where their number is unknown.
void fillIn(CollectiveCallRow& row)
{
    if (row.bytes == 0U && row.count != 0U) {
        row.bytes.reset();
    }
}

constexpr std::size_t kMaxProcesses = 1U << 16U; ///< each takes one or two kilobytes before its first row

template <class Row>
void store(std::vector<Row>& rows, std::type_identity_t<Row>&& row)
{
    rows.push_back(std::move(row));
}

void store(ProcessRow& process, ProcessRow&& row)
{
    process = std::move(row);
}

/// Drops the correlations of calls that were not read. They have no times, but calls, groups and launches of
/// graphs share one counter.
void dropCorrelations(ProcessTrace& process)
{
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
    const auto add = [&](std::uint64_t id) {
        first = std::min(first, id);
        last = std::max(last, id);
    };
    std::ranges::for_each(process.collectiveCalls,
                          [&](const auto& row) { add(static_cast<std::uint64_t>(row.id)); });
    std::ranges::for_each(process.groups, [&](const auto& row) { add(static_cast<std::uint64_t>(row.id)); });
    std::ranges::for_each(process.graphLaunches.launch, add);
    CallCorrelationColumns kept;
    for (std::size_t i = 0; i < process.callCorrelations.size(); ++i) {
        const std::uint64_t call = process.callCorrelations.call[i];
        if (call >= first && call <= last) {
            kept.call.push_back(call);
            kept.correlation.push_back(process.callCorrelations.correlation[i]);
        }
    }
    process.callCorrelations = std::move(kept);
}

void keepStepRanges(ProcessTrace& process)
{
    std::erase_if(process.ranges,
                  [&process](const RangeRow& range) { return !parseStepName(process.text(range.name)); });
    process.ranges.shrink_to_fit();
}

/// Rows of a hostile file have no common key order, so every row is looked up in the process map.
class FileReader final {
public:
    FileReader(const std::filesystem::path& path, unsigned threads, const ReadWatch& watch,
               const ReadPart& part)
        : m_file(path), m_budget(m_file.bytes()), m_threads(threads), m_watch(watch), m_part(part)
    {}

    std::vector<ProcessTrace> read()
    {
        // reads a trace that is being written at one moment
        m_file.database().execute("BEGIN");
        listProcesses();
        findSpan();
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    readPlain<RowType>([](ProcessTrace & process) -> auto& { return process.member; });
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
        readStrings();
        readMeta();
        readProgress();
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    readChunks<RowType>([](ProcessTrace & process) -> auto& { return process.member; });
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
        for (auto& [id, process] : m_processes) {
            if (timesOf(id) != nullptr) {
                dropCorrelations(process);
            }
            sortAsRead(process);
        }
        return finish();
    }

    /// Reads the rows that mark steps, and counts the others.
    std::vector<ProcessOutline> outline(std::string_view host)
    {
        m_file.database().execute("BEGIN");
        listProcesses();
        readPlain<ProcessRow>([](ProcessTrace & process) -> auto& { return process.process; });
        std::map<std::int64_t, ProcessOutline> outlines;
        for (const auto& [id, process] : m_processes) {
            outlines[id].processId = id;
        }
        if (!host.empty() && std::ranges::none_of(m_processes, [&](const auto& each) {
                return each.second.process.host == host;
            })) {
            return withMarks(outlines);
        }
        readPlain<RankRow>([](ProcessTrace & process) -> auto& { return process.ranks; });
        readPlain<StepRow>([](ProcessTrace & process) -> auto& { return process.steps; });
        readPlain<RangeRow>([](ProcessTrace & process) -> auto& { return process.ranges; });
        readPlain<WindowRow>([](ProcessTrace & process) -> auto& { return process.windows; });
        readStrings();
        readMeta();
        forEachPlainTable([&]<class Row>(TableOf<Row>) { countPlain<Row>(outlines); });
        forEachChunkTable([&]<class Row>(TableOf<Row>) { countChunks<Row>(outlines); });
        const bool damaged =
            !m_missingTables.empty() || std::ranges::any_of(m_issues, [](const IssueRow& issue) {
                return issue.is(Issue::DamagedTable) || issue.is(Issue::TruncatedFile);
            });
        for (auto& [id, process] : m_processes) {
            keepStepRanges(process);
            outlines[id].damaged = damaged;
        }
        return withMarks(outlines);
    }

private:
    /// Moves what was read of each process into its outline.
    std::vector<ProcessOutline> withMarks(std::map<std::int64_t, ProcessOutline>& outlines)
    {
        std::vector<ProcessOutline> result;
        for (auto& [id, process] : m_processes) {
            ProcessOutline& outline = outlines[id];
            outline.file = m_file.database().path();
            outline.marks = std::move(process);
            result.push_back(std::move(outline));
        }
        return result;
    }

    template <class Row>
    void countPlain(std::map<std::int64_t, ProcessOutline>& outlines)
    {
        if constexpr (kOfAMoment<Row> && !std::is_same_v<Row, StepRow>) {
            count(TableOf<Row>::kName, "count(*)", outlines, [](ProcessOutline& outline, std::uint64_t rows) {
                (std::is_same_v<Row, CollectiveCallRow> ? outline.collectives : outline.otherRows) += rows;
            });
        }
    }

    /// A chunk has kChunkRows rows at most, whatever its count says.
    template <class Row>
    void countChunks(std::map<std::int64_t, ProcessOutline>& outlines)
    {
        if constexpr (kCutByTime<Row>) {
            count(chunkTableName<Row>(), "total(min(max(count, 0), " + std::to_string(kChunkRows) + "))",
                  outlines, [](ProcessOutline& outline, std::uint64_t rows) {
                      outline.packedRows += rows;
                      outline.kernels += std::is_same_v<Row, KernelRow> ? rows : 0;
                  });
        }
    }

    template <class Add>
    void count(const std::string& table, const std::string& what,
               std::map<std::int64_t, ProcessOutline>& outlines, const Add& add)
    {
        if (!has(table)) {
            return;
        }
        guarded(table.c_str(), [&] {
            Statement rows(m_file.database(), "SELECT process_id, CAST(" + what + " AS INTEGER) FROM " +
                                                  table + " GROUP BY process_id");
            while (rows.step()) {
                const auto outline = outlines.find(rows.column<std::int64_t>(0));
                if (outline != outlines.end()) {
                    add(outline->second, static_cast<std::uint64_t>(rows.column<std::int64_t>(1)));
                }
            }
        });
    }

    /// Runs `read`. Damage that SQLite finds becomes an issue, and rows read before it are kept.
    template <class Read>
    void guarded(const char* table, const Read& read)
    {
        try {
            read();
        } catch (const Error& error) {
            report(Issue::DamagedTable, std::string("table ") + table + " is incomplete: " + error.what());
        }
    }

    void report(Issue issue, const std::string& message, std::int64_t count = 1)
    {
        m_issues.push_back(IssueRow{issue, count, message});
    }

    bool has(const std::string& table)
    {
        const bool there = m_file.hasTable(table);
        if (!there && !m_file.isOlder()) {
            m_missingTables.push_back(table);
        }
        return there;
    }

    void listProcesses()
    {
        if (has("process")) {
            guarded("process", [&] {
                Statement ids(m_file.database(), "SELECT process_id FROM process");
                while (ids.step() && m_processes.size() < kMaxProcesses) {
                    m_processes[ids.column<std::int64_t>(0)];
                }
            });
        }
        if (m_processes.empty()) {
            m_processes[kOnlyProcess];
            report(Issue::NoProcessRow,
                   "the file does not identify its process, which ended before its first commit");
        }
        if (m_file.isTruncated()) {
            report(Issue::TruncatedFile, "the file is truncated, so its end is missing");
        }
    }

    /// Returns which times of a process are read; null: all.
    [[nodiscard]] const TimeRanges* timesOf(std::int64_t processId) const
    {
        const auto found = m_part.find({m_file.database().path(), processId});
        return found != m_part.end() ? &found->second : nullptr;
    }

    /// Finds the span that SQLite has to return of tables that are cut by time.
    void findSpan()
    {
        for (const auto& [id, process] : m_processes) {
            const TimeRanges* const times = timesOf(id);
            if (times == nullptr) {
                m_span.reset();
                return;
            }
            const TimeRange hull = times->hull();
            m_span = m_span ? TimeRange{std::min(m_span->beginNs, hull.beginNs),
                                        std::max(m_span->endNs, hull.endNs)}
                            : hull;
        }
    }

    template <class Row>
    [[nodiscard]] std::string whereInSpan() const
    {
        if (!kOfAMoment<Row> || !m_span) {
            return "";
        }
        const char* const last = std::is_same_v<Row, RangeRow> ? "end_ns" : "start_ns";
        const std::string captured = std::is_same_v<Row, CollectiveCallRow>
                                         ? m_file.columnsOf(TableOf<Row>::kName, {"graph_id"}, {"graph_id"})
                                         : "NULL";
        return std::string(" WHERE (") + last + " >= " + std::to_string(m_span->beginNs) +
               " AND start_ns < " + std::to_string(m_span->endNs) + ") OR " + captured + " IS NOT NULL";
    }

    template <class MemberOf, class Row>
    void storeRow(const MemberOf& memberOf, std::int64_t processId, Row&& row)
    {
        const auto process = m_processes.find(processId);
        if (process != m_processes.end()) {
            store(memberOf(process->second), std::forward<Row>(row));
        } else {
            ++m_orphans;
        }
    }

    template <class Row, class MemberOf>
    void readPlain(const MemberOf& memberOf)
    {
        const char* const table = TableOf<Row>::kName;
        if (!has(table)) {
            return;
        }
        guarded(table, [&] {
            const std::string columns = m_file.columnsOf(table, columnNames<Row>(), optionalColumns<Row>());
            Statement statement(m_file.database(), "SELECT process_id, " + columns + " FROM " + table +
                                                       whereInSpan<Row>() + " ORDER BY " +
                                                       TableOf<Row>::kOrder);
            while (statement.step()) {
                Row row;
                int index = 1;
                bool plausible = true;
                TableOf<Row>::forEachColumn([&](const char* column, auto member) {
                    row.*member = statement.column<std::remove_cvref_t<decltype(row.*member)>>(index++);
                    plausible = plausible && isPlausible(column, row.*member);
                });
                fillIn(row);
                const auto id = statement.column<std::int64_t>(0);
                const TimeRanges* const times = timesOf(id);
                if (plausible && times != nullptr && !isWithin(*times, row)) {
                    continue;
                }
                if (plausible) {
                    storeRow(memberOf, id, std::move(row));
                } else {
                    ++m_implausible;
                }
            }
        });
    }

    void readStrings()
    {
        if (!has("string")) {
            return;
        }
        guarded("string", [&] {
            Statement statement(m_file.database(), "SELECT process_id, id, text FROM string");
            while (statement.step()) {
                const auto process = m_processes.find(statement.column<std::int64_t>(0));
                if (process != m_processes.end()) {
                    process->second.strings.emplace(statement.column<StringId>(1),
                                                    demangled(statement.column<std::string>(2)));
                }
            }
        });
    }

    void readMeta()
    {
        if (!has("meta")) {
            return;
        }
        guarded("meta", [&] {
            Statement statement(m_file.database(),
                                "SELECT process_id, key, CAST(value AS INTEGER), value FROM meta WHERE key = "
                                "'recovered_records' OR key = '" +
                                    std::string(kSummaryOfKey) + "'");
            while (statement.step()) {
                const auto process = m_processes.find(statement.column<std::int64_t>(0));
                if (process == m_processes.end()) {
                    continue;
                }
                if (statement.column<std::string>(1) == kSummaryOfKey) {
                    process->second.summaryOf = statement.column<std::string>(3);
                } else {
                    process->second.recoveredRecords = statement.column<std::int64_t>(2);
                }
            }
        });
    }

    void readProgress()
    {
        if (!has("ring_progress")) {
            return;
        }
        guarded("ring_progress", [&] {
            Statement statement(m_file.database(),
                                "SELECT process_id, ring_id, committed_slots FROM ring_progress");
            while (statement.step()) {
                const auto process = m_processes.find(statement.column<std::int64_t>(0));
                if (process != m_processes.end()) {
                    process->second.ringProgress[statement.column<std::uint32_t>(1)] =
                        statement.column<std::uint64_t>(2);
                }
            }
        });
    }

    template <class Row, class MemberOf>
    void readChunks(const MemberOf& memberOf)
    {
        const std::string table = chunkTableName<Row>();
        if (!has(table)) {
            return;
        }
        ChunkLoader<Row> loader;
        guarded(table.c_str(), [&] { loader.fetch(m_file, m_budget, m_span, m_watch); });
        for (auto& [id, process] : m_processes) {
            loader.decode(id, memberOf(process), timesOf(id), m_threads, m_watch);
        }
        const ChunkProblems& problems = loader.problems();
        if (problems.damaged > 0) {
            report(Issue::DamagedChunk, "chunks of " + table + " cannot be decoded and were left out",
                   problems.damaged);
        }
        if (problems.overBudget > 0) {
            report(Issue::TooManyRows, "chunks of " + table + " claim more rows than the file can contain",
                   problems.overBudget);
        }
    }

    void reportMissingTables()
    {
        if (m_missingTables.empty()) {
            return;
        }
        std::string names;
        for (const std::string& table : m_missingTables) {
            names += (names.empty() ? "" : ", ") + table;
        }
        report(Issue::MissingTable, "missing tables were not read: " + names,
               static_cast<std::int64_t>(m_missingTables.size()));
    }

    std::vector<ProcessTrace> finish()
    {
        reportMissingTables();
        if (m_orphans > 0) {
            report(Issue::OrphanRows, "rows belong to no process of the file", m_orphans);
        }
        if (m_implausible > 0) {
            report(Issue::ImplausibleTime, "rows have impossible times and were left out", m_implausible);
        }
        std::vector<ProcessTrace> processes;
        for (auto& [id, process] : m_processes) {
            process.path = m_file.database().path();
            processes.push_back(std::move(process));
        }
        if (processes.size() == 1) {
            addFilesBeside(processes.front(), m_file.database().path());
        }
        auto& issues = processes.front().issues;
        issues.insert(issues.end(), m_issues.begin(), m_issues.end());
        return processes;
    }

    TraceFile m_file;
    RowBudget m_budget;
    unsigned m_threads;
    const ReadWatch& m_watch;
    const ReadPart& m_part;
    std::optional<TimeRange> m_span; ///< null: some process is read as a whole
    std::map<std::int64_t, ProcessTrace> m_processes;
    std::vector<IssueRow> m_issues;
    std::vector<std::string> m_missingTables;
    std::int64_t m_orphans = 0;
    std::int64_t m_implausible = 0;
};

} // namespace

void addFilesBeside(ProcessTrace& process, const std::filesystem::path& file)
{
    const std::vector<StackRow> stacks = readStacks(stackFileOf(file));
    process.stacks.insert(process.stacks.end(), stacks.begin(), stacks.end());
    if (const auto end = readGone(goneFileOf(file)); end && !process.process.endNs) {
        const std::vector<SettingRow> rows = goneSettings(*end);
        process.settings.insert(process.settings.end(), rows.begin(), rows.end());
    }
}

std::vector<ProcessOutline> outlineOfFile(const std::filesystem::path& path, std::string_view host)
{
    return FileReader(path, 1, {}, {}).outline(host);
}

std::vector<ProcessTrace> readFile(const std::filesystem::path& path, unsigned threads,
                                   const ReadWatch& watch, const ReadPart& part)
{
    return FileReader(path, threads, watch, part).read();
}

} // namespace ringside::trace
