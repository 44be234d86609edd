// SPDX-License-Identifier: Apache-2.0
#include "export/table_rows.h"

#include "trace/tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace ringside::exporting {
namespace {

using trace::TableOf;

template <class T>
Cell cellOf(const T& value)
{
    if constexpr (trace::IsOptional<T>::value) {
        return value ? cellOf(*value) : Cell();
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<std::int64_t>(value); // 64 bits of any sign, as SQLite stores them
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, trace::Severity>) {
        return trace::severityName(value);
    } else if constexpr (trace::kIsWord<T>) {
        return value.text();
    } else {
        return std::string_view(value);
    }
}

/// Returns the name of the column with the texts of an id of table string, "name" of "name_id"; empty: the
/// column holds something else. tests/e2e/export_test.py holds the list against the columns that FORMAT.md
/// joins with `string`.
std::string_view textColumn(std::string_view column)
{
    constexpr std::array kIds{std::string_view("name_id"),     std::string_view("api_id"),
                              std::string_view("function_id"), std::string_view("algorithm_id"),
                              std::string_view("protocol_id"), std::string_view("domain_id"),
                              std::string_view("reason_id")};
    return std::ranges::find(kIds, column) == kIds.end()
               ? std::string_view()
               : column.substr(0, column.size() - std::string_view("_id").size());
}

template <class Row>
std::span<const Row> rowsOf(const std::vector<Row>& rows)
{
    return rows;
}
std::span<const trace::ProcessRow> rowsOf(const trace::ProcessRow& row)
{
    return {&row, 1};
}

/// Passes on each table; the .def files name the members of ProcessTrace.
class Visitor final {
public:
    /// Visits only table number `only`, unless that is null.
    Visitor(const trace::RunTrace& run, TableSink& sink, std::optional<std::size_t> only)
        : m_run(run), m_sink(sink), m_only(only)
    {}

    [[nodiscard]] std::size_t tables() const { return m_next; }

    template <class Row, class MemberOf>
    void plain(const MemberOf& memberOf)
    {
        if (!begin()) {
            return;
        }
        TableOf<Row>::forEachColumn([&](const char* name, auto member) {
            using Value = std::decay_t<decltype(std::declval<Row>().*member)>;
            addColumn(name, trace::sqlType<Value>());
        });
        addTextColumns();
        m_sink.table(TableOf<Row>::kName, m_columns);
        forEachProcess([&](const trace::ProcessTrace& process) {
            for (const Row& row : rowsOf(memberOf(process))) {
                TableOf<Row>::forEachColumn([&](const char* name, auto member) {
                    m_cells.push_back(cellOf(row.*member));
                    addText(process, name, row.*member);
                });
                end();
            }
        });
    }

    template <class Row, class MemberOf>
    void chunked(const MemberOf& memberOf)
    {
        if (!begin()) {
            return;
        }
        TableOf<Row>::forEachColumn(
            [&](const char* name, trace::Encoding, auto, auto) { addColumn(name, "INTEGER NOT NULL"); });
        addTextColumns();
        m_sink.table(TableOf<Row>::kName, m_columns);
        for (std::size_t i = 0; i < m_run.processes.size(); ++i) {
            const trace::ProcessTrace& process = m_run.processes[i];
            const auto& columns = memberOf(process);
            for (std::size_t first = 0; first < columns.size(); first += kBlockRows) {
                m_block.process = &process;
                m_block.rows = std::min(kBlockRows, columns.size() - first);
                m_block.idsOf.clear();
                m_filled = 0;
                nextColumn().assign(m_block.rows, static_cast<std::int64_t>(i + 1));
                TableOf<Row>::forEachColumn([&](const char* name, trace::Encoding, auto, auto member) {
                    fill(name, columns.*member, first);
                });
                m_block.numbers.resize(m_filled);
                m_sink.block(m_block);
            }
        }
    }

    void strings()
    {
        if (!begin()) {
            return;
        }
        m_columns.push_back({"id", "INTEGER NOT NULL"});
        m_columns.push_back({"text", "TEXT NOT NULL"});
        m_sink.table("string", m_columns);
        forEachProcess([&](const trace::ProcessTrace& process) {
            std::vector<std::pair<trace::StringId, std::string_view>> texts(process.strings.begin(),
                                                                            process.strings.end());
            std::sort(texts.begin(), texts.end());
            for (const auto& [id, text] : texts) {
                m_cells.insert(m_cells.end(), {cellOf(id), cellOf(text)});
                end();
            }
        });
    }

private:
    /// Returns the block's next column, whose memory is that of an earlier block.
    std::vector<std::int64_t>& nextColumn()
    {
        if (m_filled == m_block.numbers.size()) {
            m_block.numbers.emplace_back();
        }
        return m_block.numbers[m_filled++];
    }

    /// Adds one column, and its texts if it holds ids of them.
    template <class Value>
    void fill(const char* name, const trace::Column<Value>& column, std::size_t first)
    {
        std::vector<std::int64_t>& numbers = nextColumn();
        numbers.resize(m_block.rows);
        for (std::size_t i = 0; i < m_block.rows; ++i) {
            numbers[i] = static_cast<std::int64_t>(column[first + i]);
        }
        if (std::is_same_v<Value, trace::StringId> && !textColumn(name).empty()) {
            m_block.idsOf.push_back(m_filled - 1);
        }
    }

    /// Returns false if this table is not to be visited.
    bool begin()
    {
        m_columns.assign(1, {"process_id", "INTEGER NOT NULL"});
        const std::size_t table = m_next++;
        return !m_only || *m_only == table;
    }

    void addColumn(const char* name, const char* sqlType)
    {
        m_columns.push_back({name, sqlType});
        if (const std::string_view text = textColumn(name); !text.empty()) {
            m_textColumns.push_back({std::string(text), "TEXT NOT NULL"});
        }
    }
    void addTextColumns()
    {
        m_columns.insert(m_columns.end(), m_textColumns.begin(), m_textColumns.end());
        m_textColumns.clear();
    }
    template <class Value>
    void addText(const trace::ProcessTrace& process, const char* name, const Value& id)
    {
        if constexpr (std::is_same_v<Value, trace::StringId>) {
            if (!textColumn(name).empty()) {
                m_texts.push_back(cellOf(process.text(id)));
            }
        }
    }

    template <class Visit>
    void forEachProcess(const Visit& visit)
    {
        for (std::size_t i = 0; i < m_run.processes.size(); ++i) {
            m_cells.assign(1, Cell(static_cast<std::int64_t>(i + 1)));
            visit(m_run.processes[i]);
        }
    }

    void end()
    {
        m_cells.insert(m_cells.end(), m_texts.begin(), m_texts.end());
        m_texts.clear();
        m_sink.row(m_cells);
        m_cells.resize(1);
    }

    const trace::RunTrace& m_run;
    TableSink& m_sink;
    std::optional<std::size_t> m_only;
    std::size_t m_next = 0; ///< number of the next table
    Block m_block;
    std::size_t m_filled = 0; ///< columns of m_block
    std::vector<ColumnType> m_columns;
    std::vector<ColumnType> m_textColumns;
    std::vector<Cell> m_cells; ///< the first one is the process
    std::vector<Cell> m_texts; ///< of the row's ids
};

/// Returns how many tables there are.
std::size_t visitWith(Visitor&& visitor)
{
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    visitor.plain<trace::RowType>(                                                                           \
        [](const trace::ProcessTrace& process) -> const auto& { return process.member; });
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
    visitor.strings();
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    visitor.chunked<trace::RowType>(                                                                         \
        [](const trace::ProcessTrace& process) -> const auto& { return process.member; });
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
    return visitor.tables();
}

} // namespace

void TableSink::block(const Block& block)
{
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < block.rows; ++i) {
        cells.clear();
        for (const auto& column : block.numbers) {
            cells.emplace_back(column[i]);
        }
        for (const std::size_t ids : block.idsOf) {
            cells.emplace_back(block.process->text(static_cast<trace::StringId>(block.numbers[ids][i])));
        }
        row(cells);
    }
}

void visitTables(const trace::RunTrace& run, TableSink& sink)
{
    visitWith(Visitor(run, sink, std::nullopt));
}

void visitTable(const trace::RunTrace& run, std::size_t table, TableSink& sink)
{
    visitWith(Visitor(run, sink, table));
}

std::size_t tableCount()
{
    struct Nowhere final : TableSink {
        void table(const char*, std::span<const ColumnType>) override {}
        void row(std::span<const Cell>) override {}
    } nowhere;
    const trace::RunTrace none;
    return visitWith(Visitor(none, nowhere, std::nullopt));
}

} // namespace ringside::exporting
