// SPDX-License-Identifier: Apache-2.0
// Reads the wire format of protocol buffers: keys, numbers and lengths, all bounds-checked. It is a reader of
// our own, because the library holds a whole message of up to 2 GiB in memory, stops at the first damage, and
// would have to be linked into every package. Source: https://protobuf.dev/programming-guides/encoding
#pragma once
#include "import/bytes.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::importers::xplane {

/// One field of a message.
struct Field {
    std::uint32_t number = 0;
    bool isBytes = false;    ///< a text, bytes or a message; else a number
    std::uint64_t value = 0; ///< the number, or the count of bytes
    std::string_view bytes;  ///< only of fields that Message returns
};

/// Thrown at bytes that are no valid field, or at the end of a file inside a message.
struct Damage {
    std::uint64_t offset = 0; ///< in the contents of the file
    const char* what = "";
};

/// Reads the key of a field and its number or length. Returns how many bytes that took; 0 if they are no
/// field.
std::size_t readHead(std::string_view bytes, Field& field);

/// The fields of a message in memory.
class Message final {
public:
    explicit Message(std::string_view bytes) : m_rest(bytes) {}
    /// Reads the next field. Returns false at the end and at damage.
    bool next(Field& field);
    [[nodiscard]] bool isDamaged() const { return m_damaged; }

private:
    std::string_view m_rest;
    bool m_damaged = false;
};

/// The messages of a file. Only a window of it is in memory.
class Wire final {
public:
    static constexpr std::uint64_t kEndOfFile = std::numeric_limits<std::uint64_t>::max();
    /// Keeps a reference to `bytes`.
    explicit Wire(Bytes& bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::uint64_t offset() const { return m_offset; }
    /// Reads key and number or length of the next field of a message that ends at `end`. Returns false at its
    /// end. Throws Damage.
    bool next(std::uint64_t end, Field& field);
    /// Returns the bytes behind a field's length; they are valid until the next call. Null if they are more
    /// than any message that is read as a whole has; they are skipped. Throws Damage.
    [[nodiscard]] std::optional<std::string_view> take(const Field& field);
    /// Skips the bytes behind a field's length; a number has none. Throws Damage.
    void skip(const Field& field);

private:
    std::string_view ahead(std::size_t bytes);
    void consume(std::size_t bytes);

    Bytes& m_bytes;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0, m_end = 0; ///< what of the buffer was read, but not consumed
    std::uint64_t m_offset = 0;
};

} // namespace ringside::importers::xplane
