// SPDX-License-Identifier: Apache-2.0
#include "export/arrow_file.h"

#include "export/flat_buffer.h"
#include "trace/utf8.h"

#include <algorithm>
#include <bit>

namespace ringside::exporting {
namespace {

// Numbers of Arrow's Schema.fbs, Message.fbs and File.fbs.
constexpr std::int64_t kVersion5 = 4;
constexpr unsigned kSchemaHeader = 1;
constexpr unsigned kDictionaryHeader = 2;
constexpr unsigned kBatchHeader = 3;
constexpr std::int64_t kIntType = 2;
constexpr std::int64_t kRealType = 3;
constexpr std::int64_t kTextType = 5;
constexpr std::int64_t kDouble = 2;

constexpr std::string_view kMagic("ARROW1");
constexpr std::size_t kAlign = 64; // Arrow's advice for buffers that are mapped
constexpr std::size_t kBlockBytes = 24;

Flat integerType(int bits)
{
    return Flat::table().number(0, 4, bits).number(1, 1, 1);
}

template <class T>
std::string_view bytesOf(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::size_t paddingOf(std::size_t bytes)
{
    return (kAlign - bytes % kAlign) % kAlign;
}

} // namespace

ArrowFile::ArrowFile(const std::filesystem::path& path, std::span<const ColumnType> columns) : m_file(path)
{
    for (const ColumnType& type : columns) {
        Column& column = m_columns.emplace_back();
        column.name = type.name;
        column.kind = type.kind();
        column.nullable = type.isNullable();
    }
    write(std::string(kMagic) + std::string(2, '\0'));
    writeMessage(kSchemaHeader, schema(), Body(), nullptr);
}

void ArrowFile::write(std::string_view bytes)
{
    m_file.write(bytes);
    m_written += bytes.size();
}

Flat ArrowFile::schema() const
{
    std::vector<Flat> fields;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const Column& column = m_columns[i];
        const std::int64_t type = column.kind == ColumnKind::Text   ? kTextType
                                  : column.kind == ColumnKind::Real ? kRealType
                                                                    : kIntType;
        Flat field = Flat::table();
        field.child(0, Flat::text(column.name)).number(1, 1, column.nullable ? 1 : 0).number(2, 1, type);
        field.child(3, column.kind == ColumnKind::Integer ? integerType(64)
                       : column.kind == ColumnKind::Real  ? std::move(Flat::table().number(0, 2, kDouble))
                                                          : Flat::table());
        if (column.kind == ColumnKind::Text) {
            field.child(
                4, std::move(
                       Flat::table().number(0, 8, static_cast<std::int64_t>(i)).child(1, integerType(32))));
        }
        field.child(5, Flat::tables({}));
        fields.push_back(std::move(field));
    }
    return std::move(Flat::table().number(0, 2, 0).child(1, Flat::tables(std::move(fields))));
}

/// A message is its length, its description and its body. `blocks`: where the footer lists it.
void ArrowFile::writeMessage(unsigned type, Flat header, const Body& body, std::string* blocks)
{
    const std::string description = std::move(Flat::table()
                                                  .number(3, 8, static_cast<std::int64_t>(body.bytes))
                                                  .number(0, 2, kVersion5)
                                                  .number(1, 1, type)
                                                  .child(2, std::move(header)))
                                        .bytes();
    constexpr std::size_t kPrefix = 8;
    const std::size_t before = paddingOf(m_written + kPrefix + description.size());
    std::string prefix;
    appendLittle(prefix, -1, 4);
    appendLittle(prefix, static_cast<std::int64_t>(description.size() + before), 4);
    if (blocks != nullptr) {
        appendLittle(*blocks, static_cast<std::int64_t>(m_written), 8);
        appendLittle(*blocks, static_cast<std::int64_t>(kPrefix + description.size() + before),
                     8); // 4 of padding
        appendLittle(*blocks, static_cast<std::int64_t>(body.bytes), 8);
    }
    write(prefix + description + std::string(before, '\0'));
    for (const std::string_view part : body.parts) {
        write(part);
        write(std::string(paddingOf(part.size()), '\0'));
    }
}

std::int32_t ArrowFile::placeOf(Column& column, std::string_view text)
{
    const auto [place, fresh] =
        column.places.try_emplace(text, static_cast<std::int32_t>(column.dictionary.size()));
    if (fresh) {
        column.dictionary.push_back(text);
    }
    return place->second;
}

/// Fills in the places of the texts of a block.
void ArrowFile::findPlaces(Column& column, const trace::ProcessTrace& process,
                           std::span<const std::int64_t> ids)
{
    if (column.process != &process) {
        column.process = &process;
        column.recent.assign(kRecentIds, {});
    }
    column.texts.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        Recent& recent = column.recent[static_cast<std::size_t>(ids[i]) % kRecentIds];
        if (recent.id != ids[i]) {
            recent = {ids[i], placeOf(column, process.text(static_cast<trace::StringId>(ids[i])))};
        }
        column.texts[i] = recent.place;
    }
}

void ArrowFile::append(Column& column, const Cell& cell) const
{
    const bool isNull = std::holds_alternative<std::monostate>(cell);
    if (column.nullable) {
        column.validity.append(m_rows % 8 == 0 ? 1 : 0, '\0');
        column.nulls += isNull ? 1 : 0;
        column.validity.back() = static_cast<char>(column.validity.back() | (isNull ? 0 : 1 << (m_rows % 8)));
    }
    if (column.kind == ColumnKind::Text) {
        column.texts.push_back(
            placeOf(column, isNull ? std::string_view() : std::get<std::string_view>(cell)));
    } else if (const auto* const real = std::get_if<double>(&cell)) {
        column.numbers.push_back(std::bit_cast<std::int64_t>(*real));
    } else {
        column.numbers.push_back(isNull ? 0 : std::get<std::int64_t>(cell));
    }
}

void ArrowFile::row(std::span<const Cell> cells)
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        append(m_columns[i], cells[i]);
    }
    if (++m_rows == kBlockRows) {
        writeBatch(nullptr);
    }
}

void ArrowFile::block(const Block& block)
{
    for (std::size_t i = 0; i < block.idsOf.size(); ++i) {
        findPlaces(m_columns[block.numbers.size() + i], *block.process, block.numbers[block.idsOf[i]]);
    }
    m_rows = block.rows;
    writeBatch(&block);
}

void ArrowFile::addBuffer(Body& body, std::string_view bytes)
{
    appendLittle(body.buffers, static_cast<std::int64_t>(body.bytes), 8);
    appendLittle(body.buffers, static_cast<std::int64_t>(bytes.size()), 8);
    body.bytes += bytes.size() + paddingOf(bytes.size());
    body.parts.push_back(bytes);
}

Flat ArrowFile::batchOf(const Body& body, std::size_t rows)
{
    return std::move(Flat::table()
                         .number(0, 8, static_cast<std::int64_t>(rows))
                         .child(1, Flat::structs(body.columns, body.nodes))
                         .child(2, Flat::structs(body.parts.size(), body.buffers)));
}

/// Writes the rows that were added, or those of a block, whose numbers are in it.
void ArrowFile::writeBatch(const Block* block)
{
    Body body;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const Column& column = m_columns[i];
        appendLittle(body.nodes, static_cast<std::int64_t>(m_rows), 8);
        appendLittle(body.nodes, column.nulls, 8);
        ++body.columns;
        addBuffer(body, column.nulls > 0 ? std::string_view(column.validity) : std::string_view());
        addBuffer(body, column.kind == ColumnKind::Text ? bytesOf(column.texts)
                        : block != nullptr              ? bytesOf(block->numbers[i])
                                                        : bytesOf(column.numbers));
    }
    writeMessage(kBatchHeader, batchOf(body, m_rows), body, &m_batches);
    for (Column& column : m_columns) {
        column.numbers.clear();
        column.texts.clear();
        column.validity.clear();
        column.nulls = 0;
    }
    m_rows = 0;
}

void ArrowFile::writeDictionary(std::size_t index)
{
    const std::vector<std::string_view>& texts = m_columns[index].dictionary;
    std::string offsets(4, '\0');
    std::string bytes;
    for (const std::string_view text : texts) {
        trace::appendValid(bytes, text);
        appendLittle(offsets, static_cast<std::int64_t>(bytes.size()), 4);
    }
    Body body;
    appendLittle(body.nodes, static_cast<std::int64_t>(texts.size()), 8);
    appendLittle(body.nodes, 0, 8);
    body.columns = 1;
    addBuffer(body, {});
    addBuffer(body, offsets);
    addBuffer(body, bytes);
    Flat dictionary = Flat::table();
    dictionary.number(0, 8, static_cast<std::int64_t>(index)).child(1, batchOf(body, texts.size()));
    writeMessage(kDictionaryHeader, std::move(dictionary), body, &m_dictionaries);
}

void ArrowFile::close()
{
    if (m_rows > 0) {
        writeBatch(nullptr);
    }
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i].kind ==
            ColumnKind::Text) { // a file's dictionaries may follow the rows; the footer names them
            writeDictionary(i);
        }
    }
    std::string end;
    appendLittle(end, -1, 4);
    appendLittle(end, 0, 4);
    const std::string footer =
        std::move(Flat::table()
                      .number(0, 2, kVersion5)
                      .child(1, schema())
                      .child(2, Flat::structs(m_dictionaries.size() / kBlockBytes, m_dictionaries))
                      .child(3, Flat::structs(m_batches.size() / kBlockBytes, m_batches)))
            .bytes();
    end += footer;
    appendLittle(end, static_cast<std::int64_t>(footer.size()), 4);
    end += kMagic;
    write(end);
    m_file.close();
}

} // namespace ringside::exporting
