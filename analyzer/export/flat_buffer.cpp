// SPDX-License-Identifier: Apache-2.0
#include "export/flat_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ringside::exporting {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr unsigned kOffset = 4; // bytes of an offset, and of a length

/// Fills up so that what follows `before` further bytes is aligned.
void align(std::string& out, std::size_t to, std::size_t before = 0)
{
    while ((out.size() + before) % to != 0) {
        out += '\0';
    }
}

/// Writes into the field at `at` how far behind it `target` is.
void patch(std::string& out, std::size_t at, std::size_t target)
{
    const auto distance = static_cast<std::uint32_t>(target - at);
    std::memcpy(out.data() + at, &distance, kOffset);
}

} // namespace

void appendLittle(std::string& out, std::int64_t number, unsigned width)
{
    out.append(reinterpret_cast<const char*>(&number), width);
}

Flat Flat::text(std::string_view text)
{
    Flat flat(Kind::Text);
    flat.m_bytes = text;
    return flat;
}

Flat Flat::tables(std::vector<Flat> tables)
{
    Flat flat(Kind::Tables);
    flat.m_children = std::move(tables);
    return flat;
}

Flat Flat::structs(std::size_t count, std::string bytes)
{
    Flat flat(Kind::Structs);
    flat.m_count = count;
    flat.m_bytes = std::move(bytes);
    return flat;
}

Flat& Flat::number(std::uint16_t slot, unsigned width, std::int64_t value)
{
    m_fields.push_back({slot, width, value, kNone});
    return *this;
}

Flat& Flat::child(std::uint16_t slot, Flat value)
{
    m_fields.push_back({slot, kOffset, 0, m_children.size()});
    m_children.push_back(std::move(value));
    return *this;
}

std::string Flat::bytes() const
{
    std::string out(kOffset, '\0');
    const std::size_t root = write(out);
    patch(out, 0, root);
    align(out, 8);
    return out;
}

/// Returns where it begins. Offsets only point forward, so children follow.
std::size_t Flat::write(std::string& out) const
{
    switch (m_kind) {
    case Kind::Table:
        return writeTable(out);
    case Kind::Tables:
        return writeTables(out);
    case Kind::Text:
        align(out, kOffset);
        break;
    case Kind::Structs:
        align(out, 8, kOffset);
        break;
    }
    const std::size_t begin = out.size();
    const bool isText = m_kind == Kind::Text;
    appendLittle(out, static_cast<std::int64_t>(isText ? m_bytes.size() : m_count), kOffset);
    out += m_bytes;
    out.append(isText ? 1 : 0, '\0');
    return begin;
}

std::size_t Flat::writeTables(std::string& out) const
{
    align(out, kOffset);
    const std::size_t begin = out.size();
    appendLittle(out, static_cast<std::int64_t>(m_children.size()), kOffset);
    out.append(m_children.size() * kOffset, '\0');
    for (std::size_t i = 0; i < m_children.size(); ++i) {
        const std::size_t child = m_children[i].write(out);
        patch(out, begin + kOffset * (i + 1), child);
    }
    return begin;
}

/// A table of offsets of the fields, then the fields, each aligned to its width.
std::size_t Flat::writeTable(std::string& out) const
{
    std::size_t slots = 0;
    std::size_t size = kOffset;
    std::vector<std::size_t> places;
    for (const Field& field : m_fields) {
        slots = std::max<std::size_t>(slots, field.slot + 1U);
        size = (size + field.width - 1) / field.width * field.width;
        places.push_back(size);
        size += field.width;
    }
    std::vector<std::uint16_t> header(2 + slots, 0);
    header[0] = static_cast<std::uint16_t>(2 * header.size());
    header[1] = static_cast<std::uint16_t>(size);
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        header[2 + m_fields[i].slot] = static_cast<std::uint16_t>(places[i]);
    }
    align(out, 8, 2 * header.size());
    out.append(reinterpret_cast<const char*>(header.data()), 2 * header.size());
    const std::size_t begin = out.size();
    appendLittle(out, static_cast<std::int64_t>(2 * header.size()), kOffset);
    out.append(size - kOffset, '\0');
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        std::memcpy(out.data() + begin + places[i], &m_fields[i].number, m_fields[i].width);
    }
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        if (m_fields[i].child != kNone) {
            const std::size_t child = m_children[m_fields[i].child].write(out);
            patch(out, begin + places[i], child);
        }
    }
    return begin;
}

} // namespace ringside::exporting
