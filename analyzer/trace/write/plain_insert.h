// SPDX-License-Identifier: Apache-2.0
// The prepared INSERT of one plain table. Texts longer than kMaxTextBytes are truncated, which is reported to
// the caller.
#pragma once
#include "trace/write/database.h"
#include "trace/write/schema.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::trace {

inline constexpr std::size_t kMaxTextBytes = 4096;

/// Returns the longest prefix of at most kMaxTextBytes that does not end inside a UTF-8 sequence.
inline std::string_view cutText(std::string_view text)
{
    if (text.size() <= kMaxTextBytes) {
        return text;
    }
    std::size_t size = kMaxTextBytes;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) {
        --size;
    }
    return text.substr(0, size);
}

template <class Row>
class PlainInsert final {
public:
    explicit PlainInsert(const Database& database) : m_statement(database, sql()) {}

    /// Returns the number of truncated texts.
    int run(const Row& row)
    {
        int cut = 0;
        int index = 1;
        TableOf<Row>::forEachColumn([&](const char*, auto member) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(row.*member)>, std::string>) {
                const std::string_view text = cutText(row.*member);
                cut += text.size() < (row.*member).size() ? 1 : 0;
                m_statement.bind(index++, text);
            } else {
                m_statement.bind(index++, row.*member);
            }
        });
        m_statement.run();
        return cut;
    }

private:
    static std::string sql()
    {
        constexpr bool kHasKey = *TableOf<Row>::kKey != '\0';
        constexpr bool kAddsUp = std::is_same_v<Row, IssueRow>;
        std::string text = std::string(kHasKey && !kAddsUp ? "INSERT OR REPLACE INTO " : "INSERT INTO ") +
                           TableOf<Row>::kName + " (process_id, " + columnList<Row>() + ") VALUES (" +
                           std::to_string(kOnlyProcess);
        int index = 1;
        TableOf<Row>::forEachColumn([&](const char*, auto) { text += ", ?" + std::to_string(index++); });
        text += ")";
        if (kAddsUp) {
            text += " ON CONFLICT (process_id, id) DO UPDATE SET count = count + excluded.count,"
                    " severity = excluded.severity, message = excluded.message";
        }
        return text;
    }

    Statement m_statement;
};

} // namespace ringside::trace
