// SPDX-License-Identifier: Apache-2.0
// Text of foreign files: made fit to be shown and stored, compared, turned into ids.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringside::importers {

/// Appends what stands at `at`, or '?' for a control character or what is no UTF-8; the place after it.
std::size_t appendCharacter(std::string& text, std::string_view raw, std::size_t at);

/// Control characters and what is no UTF-8 replaced by '?'; cut to what a trace's string may hold.
[[nodiscard]] std::string cleanText(std::string_view raw);

/// The same on every machine (FNV-1a): ranks that say the same text get the same number. Never 0.
[[nodiscard]] std::uint64_t textHash(std::string_view text);

/// Texts of a process's string table by id, each once.
class StringTable final {
public:
    explicit StringTable(trace::ProcessTrace& process) : m_process(process) {}
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
