// SPDX-License-Identifier: Apache-2.0
#include "export/thrift.h"

#include <algorithm>

namespace ringside::exporting {
namespace {

// Types of the compact protocol.
constexpr unsigned kI32 = 5;
constexpr unsigned kI64 = 6;
constexpr unsigned kBinary = 8;
constexpr unsigned kList = 9;
constexpr unsigned kStruct = 12;

/// Small numbers of either sign become small numbers without one.
std::uint64_t zigzag(std::int64_t value)
{
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}

void appendText(std::string& out, std::string_view text)
{
    appendVarint(out, text.size());
    out += text;
}

} // namespace

void appendVarint(std::string& out, std::uint64_t number)
{
    constexpr std::uint64_t kMore = 0x80;
    for (; number >= kMore; number >>= 7U) {
        out += static_cast<char>(number | kMore);
    }
    out += static_cast<char>(number);
}

/// Fields are written as their distance to the one before, which is at most 15 in all structs of Parquet.
void Thrift::begin(int field, unsigned type)
{
    m_bytes += static_cast<char>(static_cast<unsigned>(field - m_last) << 4U | type);
    m_last = field;
}

void Thrift::list(int field, unsigned type, std::size_t count)
{
    constexpr std::size_t kShort = 15;
    begin(field, kList);
    m_bytes += static_cast<char>(std::min(count, kShort) << 4U | type);
    if (count >= kShort) {
        appendVarint(m_bytes, count);
    }
}

Thrift& Thrift::number32(int field, std::int32_t value)
{
    begin(field, kI32);
    appendVarint(m_bytes, zigzag(value));
    return *this;
}

Thrift& Thrift::number64(int field, std::int64_t value)
{
    begin(field, kI64);
    appendVarint(m_bytes, zigzag(value));
    return *this;
}

Thrift& Thrift::text(int field, std::string_view value)
{
    begin(field, kBinary);
    appendText(m_bytes, value);
    return *this;
}

Thrift& Thrift::child(int field, const Thrift& value)
{
    begin(field, kStruct);
    m_bytes += value.bytes();
    return *this;
}

Thrift& Thrift::numbers32(int field, const std::vector<std::int32_t>& values)
{
    list(field, kI32, values.size());
    for (const std::int32_t value : values) {
        appendVarint(m_bytes, zigzag(value));
    }
    return *this;
}

Thrift& Thrift::texts(int field, const std::vector<std::string>& values)
{
    list(field, kBinary, values.size());
    for (const std::string& value : values) {
        appendText(m_bytes, value);
    }
    return *this;
}

Thrift& Thrift::children(int field, const std::vector<std::string>& values)
{
    list(field, kStruct, values.size());
    for (const std::string& value : values) {
        m_bytes += value;
    }
    return *this;
}

} // namespace ringside::exporting
