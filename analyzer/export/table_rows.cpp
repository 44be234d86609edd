// SPDX-License-Identifier: Apache-2.0
#include "export/table_rows.h"

#include "trace/tables.h"

#include <algorithm>
#include <array>
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
    Visitor(const trace::RunTrace& run, TableSink& sink) : m_run(run), m_sink(sink) {}

    template <class Row, class MemberOf>
    void plain(const MemberOf& memberOf)
    {
        begin();
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
        begin();
        TableOf<Row>::forEachColumn(
            [&](const char* name, trace::Encoding, auto, auto) { addColumn(name, "INTEGER NOT NULL"); });
        addTextColumns();
        m_sink.table(TableOf<Row>::kName, m_columns);
        for (std::size_t i = 0; i < m_run.processes.size(); ++i) {
            const trace::ProcessTrace& process = m_run.processes[i];
            const auto& columns = memberOf(process);
            for (std::size_t first = 0; first < columns.size(); first += kBlockRows) {
                Block block;
                block.rows = std::min(kBlockRows, columns.size() - first);
                block.numbers.emplace_back(block.rows, static_cast<std::int64_t>(i + 1));
                TableOf<Row>::forEachColumn([&](const char* name, trace::Encoding, auto, auto member) {
                    fill(block, process, name, columns.*member, first);
                });
                m_sink.block(block);
            }
        }
    }

    void strings()
    {
        begin();
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
    static constexpr std::size_t kBlockRows = 1 << 14;

    /// Adds one column, and its texts if it holds ids of them.
    template <class Value>
    static void fill(Block& block, const trace::ProcessTrace& process, const char* name,
                     const trace::Column<Value>& column, std::size_t first)
    {
        std::vector<std::int64_t>& numbers = block.numbers.emplace_back(block.rows);
        for (std::size_t i = 0; i < block.rows; ++i) {
            numbers[i] = static_cast<std::int64_t>(column[first + i]);
        }
        if constexpr (std::is_same_v<Value, trace::StringId>) {
            if (!textColumn(name).empty()) {
                std::vector<std::string_view>& texts = block.texts.emplace_back(block.rows);
                for (std::size_t i = 0; i < block.rows; ++i) {
                    texts[i] = process.text(column[first + i]);
                }
            }
        }
    }

    void begin() { m_columns.assign(1, {"process_id", "INTEGER NOT NULL"}); }

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
    std::vector<ColumnType> m_columns;
    std::vector<ColumnType> m_textColumns;
    std::vector<Cell> m_cells; ///< the first one is the process
    std::vector<Cell> m_texts; ///< of the row's ids
};

} // namespace

void TableSink::block(const Block& block)
{
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < block.rows; ++i) {
        cells.clear();
        for (const auto& column : block.numbers) {
            cells.emplace_back(column[i]);
        }
        for (const auto& column : block.texts) {
            cells.emplace_back(column[i]);
        }
        row(cells);
    }
}

void visitTables(const trace::RunTrace& run, TableSink& sink)
{
    Visitor visitor(run, sink);
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
}

} // namespace ringside::exporting
