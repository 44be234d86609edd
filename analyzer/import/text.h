// SPDX-License-Identifier: Apache-2.0
// Cleans, hashes and stores text of imported files.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringside::importers {

/// Appends the character at offset `at`, or '?' for a control character or invalid UTF-8. Returns the offset
/// after it.
std::size_t appendCharacter(std::string& text, std::string_view raw, std::size_t at);

/// Replaces control characters and invalid UTF-8 by '?', and cuts the text to the length of a trace's string.
[[nodiscard]] std::string cleanText(std::string_view raw);

/// Returns the FNV-1a hash of a text, or 1 if it is 0. It is the same on every machine, so that ranks with
/// the same text get the same number.
[[nodiscard]] std::uint64_t textHash(std::string_view text);

/// Adds texts to a process's string table, each once. Keeps a reference to the process.
class StringTable final {
public:
    explicit StringTable(trace::ProcessTrace& process) : m_process(process) {}
    /// Returns the id of a text, and adds the text if it is new. 0 for the empty text.
    trace::StringId idOf(std::string_view text)
    {
        if (text.empty()) {
            return 0;
        }
        const auto [entry, fresh] = m_ids.try_emplace(std::string(text), 0);
        if (fresh) {
            auto id = static_cast<trace::StringId>(m_process.strings.size()) + 1;
            while (m_process.strings.contains(id)) {
                ++id;
            }
            m_process.strings.emplace(id, text);
            entry->second = id;
        }
        return entry->second;
    }

private:
    trace::ProcessTrace& m_process;
    std::unordered_map<std::string, trace::StringId> m_ids;
};

} // namespace ringside::importers
