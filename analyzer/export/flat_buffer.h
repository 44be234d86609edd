// SPDX-License-Identifier: Apache-2.0
// Writes FlatBuffers (flatbuffers.dev/internals), which describe the parts of an Arrow file. It has what
// these descriptions need and no more.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::exporting {

/// A table, a text, a vector of tables or a vector of structs. Slots are the fields' numbers in the schema.
class Flat final {
public:
    [[nodiscard]] static Flat table() { return Flat(Kind::Table); }
    [[nodiscard]] static Flat text(std::string_view text);
    [[nodiscard]] static Flat tables(std::vector<Flat> tables);
    /// `bytes` holds `count` structs whose largest member has 8 bytes.
    [[nodiscard]] static Flat structs(std::size_t count, std::string bytes);

    /// Sets a number of `width` bytes: 1, 2, 4 or 8.
    Flat& number(std::uint16_t slot, unsigned width, std::int64_t value);
    Flat& child(std::uint16_t slot, Flat value);

    /// Returns the whole buffer with this table as its root.
    [[nodiscard]] std::string bytes() const;

private:
    enum class Kind : std::uint8_t { Table, Text, Tables, Structs };
    struct Field {
        std::uint16_t slot;
        unsigned width;
        std::int64_t number;
        std::size_t child; ///< index into m_children, or kNone
    };
    static constexpr std::size_t kNone = SIZE_MAX;
    explicit Flat(Kind kind) : m_kind(kind) {}
    std::size_t write(std::string& out) const;
    std::size_t writeTable(std::string& out) const;
    std::size_t writeTables(std::string& out) const;

    Kind m_kind;
    std::vector<Field> m_fields;
    std::vector<Flat> m_children;
    std::string m_bytes;
    std::size_t m_count = 0;
};

/// Appends the lower `width` bytes of a number.
void appendLittle(std::string& out, std::int64_t number, unsigned width);

} // namespace ringside::exporting
