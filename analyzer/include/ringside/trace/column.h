// SPDX-License-Identifier: Apache-2.0
// The array that holds one column of a table. Each block of values stores only the distances from its
// smallest value, in as few bytes as the largest distance needs. A hundred million events fit into about a
// gigabyte, and each value can still be read by its row. Values are appended; changing a value packs its
// block again.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside::trace {

/// Larger blocks need wider distances, smaller ones more blocks
inline constexpr std::size_t kBlockValues = 1024;

/// kBlockValues integers that do not change. Copies share their memory.
template <class T>
class PackedBlock final {
public:
    explicit PackedBlock(std::span<const T, kBlockValues> values)
    {
        T least = values.front();
        T most = values.front();
        for (const T value : values) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
        m_base = widened(least);
        m_width = (static_cast<unsigned>(std::bit_width(widened(most) - m_base)) + 7) / 8;
        if (m_width == 0) {
            return;
        }
        m_mask = ~std::uint64_t{0} >> 8 * (kWord - m_width);
        auto bytes = std::make_shared_for_overwrite<std::byte[]>(kBlockValues * m_width + kWord);
        std::byte* to = bytes.get();
        for (const T value : values) { // bytes beyond a value are overwritten by the next one or never read
            const std::uint64_t distance = widened(value) - m_base;
            std::memcpy(to, &distance, kWord);
            to += m_width;
        }
        m_bytes = std::move(bytes);
        m_first = m_bytes.get();
    }
    [[nodiscard]] T operator[](std::size_t i) const
    {
        static_assert(std::endian::native == std::endian::little);
        std::uint64_t distance = 0;
        std::memcpy(&distance, m_first + i * m_width, kWord);
        return static_cast<T>(m_base + (distance & m_mask));
    }
    void shift(T by) { m_base += widened(by); }

private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t);
    /// Read by blocks in which all values are equal
    static constexpr std::array<std::byte, kWord> kNothing{};
    [[nodiscard]] static std::uint64_t widened(T value) { return static_cast<std::uint64_t>(value); }

    std::shared_ptr<const std::byte[]> m_bytes;
    const std::byte* m_first = kNothing.data();
    std::uint64_t m_base = 0; ///< computed modulo 2^64, like all arithmetic here
    std::uint64_t m_mask = 0;
    unsigned m_width = 0; ///< bytes per value
};

/// Reading is safe from several threads. A position behind the end is undefined, as for std::vector.
template <class T>
class Column final {
    static_assert(std::is_integral_v<T>);

public:
    /// Yields values, not references, because the values are not stored as such.
    class Iterator final {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = T;

        Iterator() = default;
        Iterator(const Column& column, std::size_t at) : m_column(&column), m_at(at) {}
        [[nodiscard]] T operator*() const { return (*m_column)[m_at]; }
        [[nodiscard]] T operator[](difference_type by) const { return *(*this + by); }
        Iterator& operator+=(difference_type by)
        {
            m_at += static_cast<std::size_t>(by);
            return *this;
        }
        Iterator& operator-=(difference_type by) { return *this += -by; }
        Iterator& operator++() { return *this += 1; }
        Iterator& operator--() { return *this += -1; }
        Iterator operator++(int) { return std::exchange(*this, *this + 1); }
        Iterator operator--(int) { return std::exchange(*this, *this - 1); }
        friend Iterator operator+(Iterator it, difference_type by) { return it += by; }
        friend Iterator operator+(difference_type by, Iterator it) { return it += by; }
        friend Iterator operator-(Iterator it, difference_type by) { return it -= by; }
        friend difference_type operator-(const Iterator& a, const Iterator& b)
        {
            return static_cast<difference_type>(a.m_at - b.m_at);
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.m_at == b.m_at; }
        friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.m_at <=> b.m_at; }

    private:
        const Column* m_column = nullptr;
        std::size_t m_at = 0;
    };
    using value_type = T;
    using const_iterator = Iterator;
    using iterator = Iterator;

    Column() = default;
    Column(std::initializer_list<T> values) { append(values); }

    [[nodiscard]] std::size_t size() const { return m_blocks.size() * kBlockValues + m_tail.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] T operator[](std::size_t i) const
    {
        const std::size_t block = i / kBlockValues;
        return block < m_blocks.size() ? m_blocks[block][i % kBlockValues] : m_tail[i % kBlockValues];
    }
    /// Throws std::out_of_range.
    [[nodiscard]] T at(std::size_t i) const
    {
        return i < size() ? (*this)[i] : throw std::out_of_range("a row behind the column's last");
    }
    [[nodiscard]] T front() const { return (*this)[0]; }
    [[nodiscard]] T back() const { return (*this)[size() - 1]; }
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }
    friend bool operator==(const Column& a, const Column& b) { return std::ranges::equal(a, b); }

    void push_back(T value) // NOLINT(readability-identifier-naming): the name that containers use
    {
        m_tail.push_back(value);
        packFullTail();
    }
    void append(std::span<const T> values)
    {
        while (!values.empty()) {
            if (m_tail.empty() && values.size() >= kBlockValues) {
                m_blocks.emplace_back(values.template first<kBlockValues>());
                values = values.subspan(kBlockValues);
                continue;
            }
            const auto part = values.first(std::min(values.size(), kBlockValues - m_tail.size()));
            m_tail.insert(m_tail.end(), part.begin(), part.end());
            packFullTail();
            values = values.subspan(part.size());
        }
    }
    void append(std::initializer_list<T> values) { append(std::span(values.begin(), values.size())); }
    /// Appends `count` copies of a value.
    void append(std::size_t count, T value)
    {
        std::array<T, kBlockValues> equal; // NOLINT(*-member-init): filled in the next line
        equal.fill(value);
        const std::size_t first = std::min(count, m_tail.empty() ? 0 : kBlockValues - m_tail.size());
        append(std::span<const T>(equal).first(first));
        if (count - first >= kBlockValues) {
            m_blocks.insert(m_blocks.end(), (count - first) / kBlockValues, PackedBlock<T>(equal));
        }
        append(std::span<const T>(equal).first((count - first) % kBlockValues));
    }
    void append(Column&& other)
    {
        if (m_tail.empty()) {
            m_blocks.insert(m_blocks.end(), other.m_blocks.begin(), other.m_blocks.end());
            m_tail = std::move(other.m_tail);
        } else {
            for (const PackedBlock<T>& block : other.m_blocks) {
                append(unpacked(block));
            }
            append(other.m_tail);
        }
        other = Column();
    }
    /// Keeps the first `size` values and drops the rest.
    void truncate(std::size_t size)
    {
        if (size / kBlockValues < m_blocks.size()) {
            const auto values = unpacked(m_blocks[size / kBlockValues]);
            m_tail.assign(values.begin(), values.end());
            m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(size / kBlockValues),
                           m_blocks.end());
        }
        m_tail.erase(m_tail.begin() + static_cast<std::ptrdiff_t>(size % kBlockValues), m_tail.end());
    }

    void set(std::size_t i, T value)
    {
        const std::size_t block = i / kBlockValues;
        if (block >= m_blocks.size()) {
            m_tail[i % kBlockValues] = value;
            return;
        }
        auto values = unpacked(m_blocks[block]);
        values[i % kBlockValues] = value;
        m_blocks[block] = PackedBlock<T>(values);
    }
    /// Replaces every value by `map(value)`.
    template <class Map>
    void transform(const Map& map)
    {
        for (PackedBlock<T>& block : m_blocks) {
            auto values = unpacked(block);
            std::ranges::transform(values, values.begin(), map);
            block = PackedBlock<T>(values);
        }
        std::ranges::transform(m_tail, m_tail.begin(), map);
    }
    /// Adds an amount to every value. The sums must not overflow.
    void shift(T by)
    {
        std::ranges::for_each(m_blocks, [by](PackedBlock<T>& block) { block.shift(by); });
        std::ranges::for_each(m_tail, [by](T& value) { value += by; });
    }

private:
    static std::array<T, kBlockValues> unpacked(const PackedBlock<T>& block)
    {
        std::array<T, kBlockValues> values; // NOLINT(*-member-init): filled in the next line
        for (std::size_t i = 0; i < kBlockValues; ++i) {
            values[i] = block[i];
        }
        return values;
    }
    void packFullTail()
    {
        if (m_tail.size() == kBlockValues) {
            m_blocks.emplace_back(std::span<const T, kBlockValues>(m_tail));
            m_tail.clear();
        }
    }

    std::vector<PackedBlock<T>> m_blocks;
    std::vector<T> m_tail; ///< fewer than kBlockValues values
};

} // namespace ringside::trace
