// SPDX-License-Identifier: Apache-2.0
// Structs in Thrift's compact protocol, in which Parquet describes its files
// (github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). Fields are added in the order
// of their numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::exporting {

/// Appends a number in groups of seven bits, the lowest first.
void appendVarint(std::string& out, std::uint64_t number);

class Thrift final {
public:
    Thrift& number32(int field, std::int32_t value);
    Thrift& number64(int field, std::int64_t value);
    Thrift& text(int field, std::string_view value);
    Thrift& child(int field, const Thrift& value);
    Thrift& numbers32(int field, const std::vector<std::int32_t>& values);
    Thrift& texts(int field, const std::vector<std::string>& values);
    /// Of structs that bytes() returned.
    Thrift& children(int field, const std::vector<std::string>& values);
    [[nodiscard]] std::string bytes() const { return m_bytes + '\0'; }

private:
    void begin(int field, unsigned type);
    void list(int field, unsigned type, std::size_t count);

    std::string m_bytes;
    int m_last = 0; ///< number of the field before
};

} // namespace ringside::exporting
