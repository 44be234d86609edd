// SPDX-License-Identifier: Apache-2.0
// A piece of a file that moves forward over it: what a scanner has not taken yet stays, more comes behind it.
#pragma once
#include "import/bytes.h"
#include "import/kineto/json_cursor.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::importers::kineto {

class Window final {
public:
    /// `offset`: where `bytes` are in the (inflated) file.
    Window(Bytes& bytes, std::uint64_t offset) : m_bytes(bytes), m_offset(offset) {}

    /// What was read and not taken.
    [[nodiscard]] std::string_view text() const { return {m_buffer.data() + m_taken, m_filled - m_taken}; }
    [[nodiscard]] JsonCursor cursor() const { return JsonCursor(text()); }
    /// Where in the file a place of text() is.
    [[nodiscard]] std::uint64_t offsetOf(const char* at) const
    {
        return m_offset + static_cast<std::uint64_t>(at - m_buffer.data());
    }
    [[nodiscard]] std::uint64_t offset() const { return m_offset + m_taken; }
    void takeUntil(const char* at) { m_taken = static_cast<std::size_t>(at - m_buffer.data()); }
    /// Reads more behind text(), whose place in memory changes. False: the file ends, or one value would be
    /// larger than anything a trace holds.
    bool more();
    [[nodiscard]] bool tooLarge() const { return m_tooLarge; }

private:
    Bytes& m_bytes;
    std::uint64_t m_offset; ///< of m_buffer's begin
    std::vector<char> m_buffer = std::vector<char>(kPadding);
    std::size_t m_taken = 0;
    std::size_t m_filled = 0;
    bool m_tooLarge = false;
};

} // namespace ringside::importers::kineto
