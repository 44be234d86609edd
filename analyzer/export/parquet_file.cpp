// SPDX-License-Identifier: Apache-2.0
#include "export/parquet_file.h"

#include "export/flat_buffer.h"
#include "export/thrift.h"
#include "trace/utf8.h"

#include <ringside/error.h>

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace ringside::exporting {
namespace {

// Numbers of parquet.thrift.
constexpr std::int32_t kDataPage = 0;
constexpr std::int32_t kDictionaryPage = 2;
constexpr std::int32_t kPlain = 0;
constexpr std::int32_t kRle = 3;
constexpr std::int32_t kRleDictionary = 8;
constexpr std::int32_t kUtf8 = 0;
constexpr std::int32_t kZstd = 6;

constexpr std::string_view kParquet("PAR1");
constexpr std::size_t kPageRows = 1 << 16;
constexpr std::size_t kGroupRows = 1 << 20;
constexpr std::size_t kGroupTextBytes = 64U << 20U; ///< of one column; a page may have 2 GiB at most

std::string compressed(const std::string& contents)
{
    std::string out(ZSTD_compressBound(contents.size()), '\0');
    const std::size_t size =
        ZSTD_compress(out.data(), out.size(), contents.data(), contents.size(), ZSTD_defaultCLevel());
    if (ZSTD_isError(size) != 0) {
        throw Error(ErrorCode::Io, "zstd could not compress a page", ZSTD_getErrorName(size));
    }
    out.resize(size);
    return out;
}

/// Appends numbers of `width` bits as one run of Parquet's hybrid of runs and packed bits. The last group of
/// eight is filled up with 0.
void appendPacked(std::string& out, const std::vector<std::uint32_t>& values, unsigned width)
{
    const std::size_t groups = (values.size() + 7) / 8;
    appendVarint(out, groups << 1U | 1U);
    std::uint64_t bits = 0;
    unsigned filled = 0;
    for (std::size_t i = 0; i < groups * 8; ++i) {
        bits |= static_cast<std::uint64_t>(i < values.size() ? values[i] : 0) << filled;
        for (filled += width; filled >= 8; filled -= 8, bits >>= 8U) {
            out += static_cast<char>(bits);
        }
    }
}

/// Returns Parquet's number of the type: INT64, DOUBLE or BYTE_ARRAY.
std::int32_t physicalType(ColumnKind kind)
{
    constexpr std::array<std::int32_t, 3> kTypes{2, 5, 6};
    return kTypes.at(static_cast<std::size_t>(kind));
}

/// Returns how many bits the places in a dictionary have: one at least, which all readers know.
unsigned widthOf(std::size_t places)
{
    return std::max(1U, static_cast<unsigned>(std::bit_width(places > 0 ? places - 1 : 0)));
}

} // namespace

ParquetFile::ParquetFile(const std::filesystem::path& path, std::span<const ColumnType> columns)
    : m_file(path)
{
    for (const ColumnType& type : columns) {
        Column& column = m_columns.emplace_back();
        column.name = type.name;
        column.kind = type.kind();
        column.nullable = type.isNullable();
    }
    write(kParquet);
}

void ParquetFile::write(std::string_view bytes)
{
    m_file.write(bytes);
    m_written += bytes.size();
}

void ParquetFile::append(Column& column, const Cell& cell)
{
    const bool isNull = std::holds_alternative<std::monostate>(cell);
    if (column.nullable) {
        column.known.push_back(isNull ? 0 : 1);
    }
    if (isNull) {
        return;
    }
    if (const auto* const text = std::get_if<std::string_view>(&cell)) {
        const auto [place, fresh] =
            column.places.try_emplace(*text, static_cast<std::uint32_t>(column.dictionary.size()));
        if (fresh) {
            column.dictionary.push_back(*text);
            column.dictionaryBytes += text->size();
        }
        column.texts.push_back(place->second);
    } else if (const auto* const real = std::get_if<double>(&cell)) {
        appendLittle(column.values, std::bit_cast<std::int64_t>(*real), sizeof *real);
    } else {
        appendLittle(column.values, std::get<std::int64_t>(cell), sizeof(std::int64_t));
    }
}

void ParquetFile::row(std::span<const Cell> cells)
{
    bool isFull = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        append(m_columns[i], cells[i]);
        isFull = isFull || m_columns[i].dictionaryBytes > kGroupTextBytes;
    }
    ++m_pageRows;
    if (isFull || m_groupRows + m_pageRows >= kGroupRows) {
        endGroup();
    } else if (m_pageRows >= kPageRows) {
        endPage();
    }
}

void ParquetFile::addPage(Column& column, bool isDictionary, std::size_t values, const std::string& contents)
{
    const std::string packed = compressed(contents);
    const auto count = static_cast<std::int32_t>(values);
    Thrift header;
    header.number32(1, isDictionary ? kDictionaryPage : kDataPage)
        .number32(2, static_cast<std::int32_t>(contents.size()))
        .number32(3, static_cast<std::int32_t>(packed.size()));
    if (isDictionary) {
        header.child(7, Thrift().number32(1, count).number32(2, kPlain));
    } else {
        header.child(5, Thrift()
                            .number32(1, count)
                            .number32(2, column.kind == ColumnKind::Text ? kRleDictionary : kPlain)
                            .number32(3, kRle)
                            .number32(4, kRle));
    }
    const std::string bytes = header.bytes();
    column.plainBytes += bytes.size() + contents.size();
    column.pages += bytes + packed;
}

void ParquetFile::endPage()
{
    for (Column& column : m_columns) {
        std::string contents;
        if (column.nullable) {
            std::string levels;
            appendPacked(levels, column.known, 1);
            appendLittle(contents, static_cast<std::int64_t>(levels.size()), 4);
            contents += levels;
        }
        if (column.kind == ColumnKind::Text) {
            const unsigned width = widthOf(column.dictionary.size());
            contents += static_cast<char>(width);
            appendPacked(contents, column.texts, width);
        }
        contents += column.values;
        addPage(column, false, m_pageRows, contents);
        column.known.clear();
        column.texts.clear();
        column.values.clear();
    }
    m_groupRows += m_pageRows;
    m_pageRows = 0;
}

/// Writes the dictionary of a column of texts, which must come before its pages.
void ParquetFile::writeDictionary(Column& column)
{
    std::string texts;
    for (const std::string_view text : column.dictionary) {
        std::string valid;
        trace::appendValid(valid, text);
        appendLittle(texts, static_cast<std::int64_t>(valid.size()), 4);
        texts += valid;
    }
    addPage(column, true, column.dictionary.size(), texts);
    write(column.pages);
}

/// Writes a column of the rows since the last group and empties it. Returns its description.
std::string ParquetFile::endColumn(Column& column)
{
    const bool isText = column.kind == ColumnKind::Text;
    const std::size_t begin = m_written;
    const std::string pages = std::exchange(column.pages, {});
    if (isText) {
        writeDictionary(column);
    }
    const std::size_t data = m_written;
    write(pages);
    Thrift meta;
    meta.number32(1, physicalType(column.kind))
        .numbers32(2, isText ? std::vector{kPlain, kRle, kRleDictionary} : std::vector{kPlain, kRle})
        .texts(3, {column.name})
        .number32(4, kZstd)
        .number64(5, static_cast<std::int64_t>(m_groupRows))
        .number64(6, static_cast<std::int64_t>(column.plainBytes))
        .number64(7, static_cast<std::int64_t>(m_written - begin))
        .number64(9, static_cast<std::int64_t>(data));
    if (isText) {
        meta.number64(11, static_cast<std::int64_t>(begin));
    }
    m_groupPlainBytes += column.plainBytes;
    Column next;
    next.name = std::move(column.name);
    next.kind = column.kind;
    next.nullable = column.nullable;
    column = std::move(next);
    return Thrift().number64(2, static_cast<std::int64_t>(begin)).child(3, meta).bytes();
}

/// Writes the rows since the last group.
void ParquetFile::endGroup()
{
    if (m_pageRows > 0) {
        endPage();
    }
    if (m_groupRows == 0) {
        return;
    }
    std::vector<std::string> chunks;
    for (Column& column : m_columns) {
        chunks.push_back(endColumn(column));
    }
    m_groups.push_back(Thrift()
                           .children(1, chunks)
                           .number64(2, static_cast<std::int64_t>(m_groupPlainBytes))
                           .number64(3, static_cast<std::int64_t>(m_groupRows))
                           .bytes());
    m_rows += m_groupRows;
    m_groupRows = 0;
    m_groupPlainBytes = 0;
}

void ParquetFile::close()
{
    endGroup();
    std::vector<std::string> schema{
        Thrift().text(4, "table").number32(5, static_cast<std::int32_t>(m_columns.size())).bytes()};
    for (const Column& column : m_columns) {
        Thrift element;
        element.number32(1, physicalType(column.kind))
            .number32(3, column.nullable ? 1 : 0)
            .text(4, column.name);
        if (column.kind == ColumnKind::Text) {
            element.number32(6, kUtf8);
        }
        schema.push_back(element.bytes());
    }
    std::string footer = Thrift()
                             .number32(1, 1)
                             .children(2, schema)
                             .number64(3, static_cast<std::int64_t>(m_rows))
                             .children(4, m_groups)
                             .text(6, "Ringside")
                             .bytes();
    appendLittle(footer, static_cast<std::int64_t>(footer.size()), 4);
    write(footer + std::string(kParquet));
    m_file.close();
}

} // namespace ringside::exporting
