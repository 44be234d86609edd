// SPDX-License-Identifier: Apache-2.0
// A file of Arrow's IPC format (arrow.apache.org/docs/format/Columnar.html): one table of 64-bit integers,
// 64-bit reals and texts. Each text is stored once, in a dictionary of its column.
#pragma once
#include "export/table_rows.h"
#include "output/output_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::exporting {

class Flat;

class ArrowFile final {
public:
    /// Throws Error (Io), as all of its functions.
    ArrowFile(const std::filesystem::path& path, std::span<const ColumnType> columns);
    /// Texts must stay valid until close().
    void row(std::span<const Cell> cells);
    /// Writes the block's columns as they lie in memory.
    void block(const Block& block);
    void close();

private:
    static constexpr std::size_t kRecentIds = 4096;
    struct Recent {
        std::int64_t id = -1;
        std::int32_t place = 0; ///< of its text in the dictionary
    };
    struct Column {
        std::string name;
        ColumnKind kind = ColumnKind::Integer;
        bool nullable = false;
        std::vector<std::int64_t> numbers; ///< of the rows that are not written yet; reals by their bits
        std::vector<std::int32_t> texts;   ///< of these rows: places in the dictionary
        std::string validity;              ///< one bit each, if nullable
        std::int64_t nulls = 0;
        std::vector<std::string_view> dictionary;
        std::unordered_map<std::string_view, std::int32_t> places; ///< in the dictionary
        std::vector<Recent> recent; ///< ids by their remainder, of the process whose rows came last
        const trace::ProcessTrace* process = nullptr; ///< that process
    };
    struct Body {
        std::vector<std::string_view> parts; ///< the buffers, each of which is padded
        std::string nodes, buffers;          ///< structs that describe them
        std::size_t columns = 0;
        std::size_t bytes = 0;
    };

    void append(Column& column, const Cell& cell) const;
    static std::int32_t placeOf(Column& column, std::string_view text);
    static void findPlaces(Column& column, const trace::ProcessTrace& process,
                           std::span<const std::int64_t> ids);
    void writeBatch(const Block* block);
    void writeDictionary(std::size_t column);
    void writeMessage(unsigned type, Flat header, const Body& body, std::string* blocks);
    [[nodiscard]] Flat schema() const;
    static void addBuffer(Body& body, std::string_view bytes);
    static Flat batchOf(const Body& body, std::size_t rows);
    void write(std::string_view bytes);

    output::OutputFile m_file;
    std::vector<Column> m_columns;
    std::size_t m_rows = 0; ///< that are not written yet
    std::size_t m_written = 0;
    std::string m_batches, m_dictionaries; ///< structs Block of the file's footer
};

} // namespace ringside::exporting
