// SPDX-License-Identifier: Apache-2.0
// A window that moves forward over a file. It keeps what the scanner has not consumed, and appends more
// bytes.
#pragma once
#include "import/bytes.h"
#include "import/kineto/json_cursor.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::importers::kineto {

class Window final {
public:
    /// Keeps a reference to `bytes`. `offset` is their position in the (inflated) file.
    Window(Bytes& bytes, std::uint64_t offset) : m_bytes(bytes), m_offset(offset) {}

    /// Returns the text that was read and not consumed. It is followed by kPadding readable bytes.
    [[nodiscard]] std::string_view text() const
    {
        return {m_buffer.data() + m_consumed, m_filled - m_consumed};
    }
    [[nodiscard]] JsonCursor cursor() const { return JsonCursor(text()); }
    /// Returns the offset in the file of a position in text().
    [[nodiscard]] std::uint64_t offsetOf(const char* at) const
    {
        return m_offset + static_cast<std::uint64_t>(at - m_buffer.data());
    }
    /// Returns the offset in the file of text().
    [[nodiscard]] std::uint64_t offset() const { return m_offset + m_consumed; }
    /// Consumes text() up to `at`.
    void consumeUntil(const char* at) { m_consumed = static_cast<std::size_t>(at - m_buffer.data()); }
    /// Appends more of the file to text(), which moves in memory. Returns false at the end of the file, or if
    /// the unconsumed text has 64 MiB, more than any value of a trace.
    bool more();
    /// Whether more() failed because of the size.
    [[nodiscard]] bool tooLarge() const { return m_tooLarge; }

private:
    Bytes& m_bytes;
    std::uint64_t m_offset; ///< offset in the file of the buffer's beginning
    std::vector<char> m_buffer = std::vector<char>(kPadding);
    std::size_t m_consumed = 0;
    std::size_t m_filled = 0;
    bool m_tooLarge = false;
};

} // namespace ringside::importers::kineto
