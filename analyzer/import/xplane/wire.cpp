// SPDX-License-Identifier: Apache-2.0
#include "import/xplane/wire.h"

#include <algorithm>

namespace ringside::importers::xplane {
namespace {

constexpr std::size_t kLongestHead = 20; // two varints

/// Reads a varint and removes it from `bytes`. Null if it is cut off or longer than 64 bits.
std::optional<std::uint64_t> takeVarint(std::string_view& bytes)
{
    constexpr std::size_t kMost = 10;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < std::min(bytes.size(), kMost); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if (i + 1 == kMost && byte > 1) {
            return std::nullopt;
        }
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
        if (byte < 0x80U) {
            bytes.remove_prefix(i + 1);
            return value;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> takeFixed(std::string_view& bytes, std::size_t width)
{
    if (bytes.size() < width) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    bytes.remove_prefix(width);
    return value;
}

} // namespace

std::size_t readHead(std::string_view bytes, Field& field)
{
    constexpr std::uint64_t kMostNumber = (1U << 29U) - 1;
    std::string_view rest = bytes;
    const auto key = takeVarint(rest);
    if (!key || *key >> 3U == 0 || *key >> 3U > kMostNumber) {
        return 0;
    }
    // Groups (types 3 and 4) do not occur in proto3.
    const auto type = static_cast<unsigned>(*key & 7U);
    const auto value = type == 0 || type == 2 ? takeVarint(rest)
                       : type == 1            ? takeFixed(rest, 8)
                       : type == 5            ? takeFixed(rest, 4)
                                              : std::nullopt;
    field = {static_cast<std::uint32_t>(*key >> 3U), type == 2, value.value_or(0), {}};
    return value ? bytes.size() - rest.size() : 0;
}

bool Message::next(Field& field)
{
    if (m_rest.empty() || m_damaged) {
        return false;
    }
    const std::size_t head = readHead(m_rest.substr(0, kLongestHead), field);
    const std::string_view behind = m_rest.substr(head);
    const std::uint64_t length = field.isBytes ? field.value : 0;
    m_damaged = head == 0 || length > behind.size();
    if (!m_damaged) {
        field.bytes = behind.substr(0, length);
        m_rest = behind.substr(length);
    }
    return !m_damaged;
}

bool Wire::next(std::uint64_t end, Field& field)
{
    if (m_offset == end) {
        return false;
    }
    const std::string_view head = ahead(kLongestHead);
    if (head.empty() && end == kEndOfFile) {
        return false;
    }
    const std::size_t used =
        readHead(head.substr(0, std::min<std::uint64_t>(head.size(), end - m_offset)), field);
    if (used == 0) {
        throw Damage{m_offset,
                     head.size() < kLongestHead ? "the file breaks off" : "there is no valid field"};
    }
    consume(used);
    if (field.isBytes && field.value > end - m_offset) {
        throw Damage{m_offset, "a length is larger than the message around it"};
    }
    return true;
}

std::optional<std::string_view> Wire::take(const Field& field)
{
    constexpr std::size_t kLongest = 1U << 20U; // of an event, a name or a description
    if (field.value > kLongest) {
        skip(field);
        return std::nullopt;
    }
    const std::string_view bytes = ahead(field.value);
    if (bytes.size() < field.value) {
        throw Damage{m_offset + bytes.size(), "the file breaks off"};
    }
    consume(field.value);
    return bytes.substr(0, field.value);
}

void Wire::skip(const Field& field)
{
    for (std::uint64_t left = field.isBytes ? field.value : 0; left > 0;) {
        const std::size_t bytes = std::min<std::uint64_t>(ahead(1).size(), left);
        if (bytes == 0) {
            throw Damage{m_offset, "the file breaks off"};
        }
        consume(bytes);
        left -= bytes;
    }
}

/// Returns what was read ahead: at least so many bytes, unless the file ends.
std::string_view Wire::ahead(std::size_t bytes)
{
    constexpr std::size_t kWindow = 4U << 20U; // larger than any message that is taken
    if (m_end - m_begin < bytes) {
        m_buffer.resize(kWindow);
        std::copy(m_buffer.begin() + static_cast<std::ptrdiff_t>(m_begin),
                  m_buffer.begin() + static_cast<std::ptrdiff_t>(m_end), m_buffer.begin());
        m_end -= m_begin;
        m_begin = 0;
        m_end += m_bytes.read(std::span(m_buffer).subspan(m_end));
    }
    return {m_buffer.data() + m_begin, m_end - m_begin};
}

void Wire::consume(std::size_t bytes)
{
    m_begin += bytes;
    m_offset += bytes;
}

} // namespace ringside::importers::xplane
