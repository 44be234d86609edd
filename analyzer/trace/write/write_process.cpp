// SPDX-License-Identifier: Apache-2.0
#include "trace/tables.h"

#include <ringside/trace/write_process.h>
#include <ringside/trace/writer.h>

namespace ringside::trace {
namespace {

template <class Row, class Columns>
void writeColumns(Writer& writer, const Columns& columns)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        Row row;
        TableOf<Row>::forEachColumn(
            [&](const char*, Encoding, auto to, auto from) { row.*to = (columns.*from)[i]; });
        writer.add(row);
    }
}

void writeRow(Writer& writer, const TierRow& row)
{
    writer.setTier(row);
}
void writeRow(Writer& writer, const WindowRow& row)
{
    writer.setWindow(row);
}
void writeRow(Writer& writer, const DropRow& row)
{
    writer.setDropped(row);
}
void writeRow(Writer& writer, const HangRow& row)
{
    writer.setHang(row);
}
template <class Row>
void writeRow(Writer& writer, const Row& row)
{
    writer.add(row);
}

void writeRows(Writer& writer, const ProcessRow& row)
{
    writer.setProcess(row);
}
void writeRows(Writer& writer, const std::vector<RankRow>& rows)
{
    writer.setRanks(rows);
}
template <class Row>
void writeRows(Writer& writer, const std::vector<Row>& rows)
{
    for (const Row& row : rows) {
        writeRow(writer, row);
    }
}

} // namespace

void writeProcess(const ProcessTrace& process, const std::filesystem::path& file,
                  const std::vector<IssueRow>& issues)
{
    Writer writer(file, Writer::Mode::Create);
    for (const auto& [id, text] : process.strings) {
        writer.defineString(id, text);
    }
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    writeRows(writer, process.member);
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    writeColumns<RowType>(writer, process.member);
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
    writeRows(writer, issues);
    if (process.recoveredRecords > 0) {
        writer.setMeta("recovered_records", std::to_string(process.recoveredRecords));
    }
    if (!process.summaryOf.empty()) {
        writer.setMeta(kSummaryOfKey, process.summaryOf);
    }
    writer.close();
}

} // namespace ringside::trace
