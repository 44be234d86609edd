// SPDX-License-Identifier: Apache-2.0
// A Parquet file (github.com/apache/parquet-format): one table of 64-bit integers, 64-bit reals and texts. It
// is a writer of our own, since Debian has none and Arrow's C++ library would have to be in every package.
// Pages are compressed by zstd; each text is stored once in a group of rows, in a dictionary of its column.
#pragma once
#include "export/table_rows.h"
#include "output/output_file.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::exporting {

class ParquetFile final {
public:
    /// Throws Error (Io), as all of its functions.
    ParquetFile(const std::filesystem::path& path, std::span<const ColumnType> columns);
    /// Texts must stay valid until close().
    void row(std::span<const Cell> cells);
    void close();

private:
    struct Column {
        std::string name;
        ColumnKind kind = ColumnKind::Integer;
        bool nullable = false;
        // Of the page that is being filled.
        std::vector<std::uint32_t> known; ///< 1 for each value, 0 for each null; if nullable
        std::vector<std::uint32_t> texts; ///< places in the dictionary
        std::string values;               ///< of numbers
        // Of the group of rows.
        std::vector<std::string_view> dictionary;
        std::unordered_map<std::string_view, std::uint32_t> places;
        std::size_t dictionaryBytes = 0;
        std::string pages; ///< headers and compressed contents
        std::size_t plainBytes = 0;
    };

    static void append(Column& column, const Cell& cell);
    void endPage();
    static void addPage(Column& column, bool isDictionary, std::size_t values, const std::string& contents);
    void writeDictionary(Column& column);
    [[nodiscard]] std::string endColumn(Column& column);
    void endGroup();
    void write(std::string_view bytes);

    output::OutputFile m_file;
    std::vector<Column> m_columns;
    std::size_t m_pageRows = 0, m_groupRows = 0, m_rows = 0;
    std::size_t m_groupPlainBytes = 0; ///< of the columns of the group that were written, before compression
    std::size_t m_written = 0;
    std::vector<std::string> m_groups; ///< their descriptions, for the footer
};

} // namespace ringside::exporting
