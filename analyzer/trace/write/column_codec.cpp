// SPDX-License-Identifier: Apache-2.0
#include "trace/write/column_codec.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace ringside::trace {
namespace {

static_assert(std::endian::native == std::endian::little, "column blobs are little endian");

constexpr int kZstdLevel = 1;

/// Converts `elements` to the differences that the encoding requires. All arithmetic is modulo 2^64, so every
/// value can be restored.
void differences(Encoding encoding, std::span<const std::uint64_t> values,
                 std::span<const std::uint64_t> starts, std::vector<std::uint64_t>& elements)
{
    elements.assign(values.begin(), values.end());
    if (encoding == Encoding::Durations) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            elements[i] -= starts[i];
        }
    } else if (encoding == Encoding::Deltas) {
        for (std::size_t i = 1; i < values.size(); ++i) {
            elements[i] = values[i] - values[i - 1];
        }
        // the header contains the first value; here it must not widen the others
        elements[0] = values.size() > 1 ? elements[1] : 0;
    }
}

/// Subtracts the smallest (signed) element from all elements, and returns it with the largest remainder.
std::pair<std::uint64_t, std::uint64_t> subtractMinimum(std::vector<std::uint64_t>& elements)
{
    auto smallest = static_cast<std::int64_t>(elements.front());
    for (const std::uint64_t element : elements) {
        smallest = std::min(smallest, static_cast<std::int64_t>(element));
    }
    std::uint64_t largest = 0;
    for (std::uint64_t& element : elements) {
        element -= static_cast<std::uint64_t>(smallest);
        largest = std::max(largest, element);
    }
    return {static_cast<std::uint64_t>(smallest), largest};
}

bool isConstant(std::span<const std::uint64_t> values)
{
    return !values.empty() &&
           std::memcmp(values.data(), values.data() + 1, (values.size() - 1) * sizeof(std::uint64_t)) == 0;
}

void shuffle(std::span<const std::uint64_t> elements, unsigned width, std::byte* planes)
{
    for (unsigned plane = 0; plane < width; ++plane) {
        std::byte* const out = planes + plane * elements.size();
        const unsigned shift = plane * 8;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            out[i] = static_cast<std::byte>(elements[i] >> shift);
        }
    }
}

template <unsigned Width>
inline std::uint64_t elementAt(const std::uint8_t* planes, std::size_t count, std::size_t i)
{
    std::uint64_t element = 0;
    for (unsigned plane = 0; plane < Width; ++plane) {
        element |= static_cast<std::uint64_t>(planes[plane * count + i]) << (plane * 8);
    }
    return element;
}

template <unsigned Width, class T>
void fill(const ColumnHeader& header, const std::uint8_t* planes, std::span<T> values,
          std::span<const std::int64_t> starts)
{
    const std::size_t count = values.size();
    T* const out = values.data();
    const std::uint64_t base = header.base;
    if (header.encoding == static_cast<std::uint8_t>(Encoding::Deltas)) {
        // two loops over a block that stays in the cache: the first is vectorised, the running sum cannot be
        constexpr std::size_t kBlock = 512;
        std::array<std::uint64_t, kBlock> block; // NOLINT(*-member-init): each round fills what it reads
        std::uint64_t sum = 0;
        for (std::size_t begin = 0; begin < count; begin += kBlock) {
            const std::size_t size = std::min(kBlock, count - begin);
            for (std::size_t i = 0; i < size; ++i) {
                block[i] = base + elementAt<Width>(planes, count, begin + i);
            }
            if (begin == 0) {
                block[0] = header.first;
            }
            for (std::size_t i = 0; i < size; ++i) {
                sum += block[i];
                out[begin + i] = static_cast<T>(sum);
            }
        }
    } else if (header.encoding == static_cast<std::uint8_t>(Encoding::Durations)) {
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<T>(static_cast<std::uint64_t>(starts[i]) + base +
                                    elementAt<Width>(planes, count, i));
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<T>(base + elementAt<Width>(planes, count, i));
        }
    }
}

template <class T, std::size_t... Widths>
void fillAny(std::index_sequence<Widths...>, const ColumnHeader& header, const std::uint8_t* planes,
             std::span<T> values, std::span<const std::int64_t> starts)
{
    static constexpr auto kFill = std::array{&fill<static_cast<unsigned>(Widths), T>...};
    kFill[header.width](header, planes, values, starts);
}

bool isSane(const ColumnHeader& header, std::size_t count, std::size_t starts)
{
    const bool durations = header.encoding == static_cast<std::uint8_t>(Encoding::Durations);
    return header.encoding >= static_cast<std::uint8_t>(Encoding::Values) &&
           header.encoding <= static_cast<std::uint8_t>(Encoding::Durations) && header.width <= 8 &&
           header.count == count && count <= kChunkRows && (!durations || starts == count);
}

} // namespace

struct ColumnEncoder::Context {
    Context() : zstd(ZSTD_createCCtx())
    {
        if (zstd == nullptr) {
            throw std::bad_alloc();
        }
    }
    ~Context() { ZSTD_freeCCtx(zstd); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ZSTD_CCtx* zstd;
};

struct ColumnDecoder::Context {
    Context() : zstd(ZSTD_createDCtx())
    {
        if (zstd == nullptr) {
            throw std::bad_alloc();
        }
    }
    ~Context() { ZSTD_freeDCtx(zstd); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ZSTD_DCtx* zstd;
};

ColumnEncoder::ColumnEncoder() : m_context(std::make_unique<Context>()) {}
ColumnEncoder::~ColumnEncoder() = default;

std::span<const std::byte> ColumnEncoder::encode(Encoding encoding, std::span<const std::uint64_t> values,
                                                 std::span<const std::uint64_t> starts,
                                                 Compression compression)
{
    ColumnHeader header{};
    header.encoding = static_cast<std::uint8_t>(encoding);
    header.count = static_cast<std::uint32_t>(values.size());
    std::size_t payload = 0;
    if (encoding == Encoding::Values && isConstant(values)) { // typical for columns that few rows use
        header.first = header.base = values.front();
    } else if (!values.empty()) {
        differences(encoding, values, starts, m_elements);
        const auto [base, largest] = subtractMinimum(m_elements);
        header.first = values.front();
        header.base = base;
        header.width = static_cast<std::uint8_t>((std::bit_width(largest) + 7) / 8);
        payload = header.width * values.size();
        m_planes.resize(payload);
        shuffle(m_elements, header.width, m_planes.data());
    }
    m_blob.resize(sizeof header + payload);
    bool compressed = false;
    if (compression == Compression::Zstd && payload > 0) {
        const std::size_t size = ZSTD_compressCCtx(m_context->zstd, m_blob.data() + sizeof header, payload,
                                                   m_planes.data(), payload, kZstdLevel);
        // does not fit, so it is incompressible and stored unchanged
        compressed = ZSTD_isError(size) == 0;
        if (compressed) {
            m_blob.resize(sizeof header + size);
        }
    }
    header.compression = static_cast<std::uint8_t>(compressed ? Compression::Zstd : Compression::None);
    std::memcpy(m_blob.data(), &header, sizeof header);
    if (!compressed && payload > 0) {
        std::memcpy(m_blob.data() + sizeof header, m_planes.data(), payload);
    }
    return m_blob;
}

bool holdsOnlyZeros(std::span<const std::byte> blob, std::size_t count)
{
    ColumnHeader header{};
    if (blob.size() != sizeof header) {
        return false;
    }
    std::memcpy(&header, blob.data(), sizeof header);
    return isSane(header, count, 0) && header.encoding == static_cast<std::uint8_t>(Encoding::Values) &&
           header.width == 0 && header.base == 0;
}

ColumnDecoder::ColumnDecoder() : m_context(std::make_unique<Context>()) {}
ColumnDecoder::~ColumnDecoder() = default;

const std::byte* ColumnDecoder::planesOf(std::span<const std::byte> blob, const ColumnHeader& header)
{
    const std::size_t size = std::size_t{header.width} * header.count;
    const auto payload = blob.subspan(sizeof header);
    if (header.compression == static_cast<std::uint8_t>(Compression::None)) {
        return payload.size() == size ? payload.data() : nullptr;
    }
    if (header.compression != static_cast<std::uint8_t>(Compression::Zstd)) {
        return nullptr;
    }
    m_planes.resize(size);
    const std::size_t written =
        ZSTD_decompressDCtx(m_context->zstd, m_planes.data(), size, payload.data(), payload.size());
    return written == size ? m_planes.data() : nullptr;
}

template <class T>
bool ColumnDecoder::decode(std::span<const std::byte> blob, std::span<T> values,
                           std::span<const std::int64_t> starts)
{
    ColumnHeader header{};
    if (blob.size() < sizeof header) {
        return false;
    }
    std::memcpy(&header, blob.data(), sizeof header);
    if (!isSane(header, values.size(), starts.size())) {
        return false;
    }
    if (values.empty()) {
        return true;
    }
    const std::byte* const planes = planesOf(blob, header);
    if (planes == nullptr) {
        return false;
    }
    fillAny(std::make_index_sequence<9>{}, header, reinterpret_cast<const std::uint8_t*>(planes), values,
            starts);
    return true;
}

template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::int64_t>,
                                    std::span<const std::int64_t>);
template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::uint64_t>,
                                    std::span<const std::int64_t>);
template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::int32_t>,
                                    std::span<const std::int64_t>);
template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::uint32_t>,
                                    std::span<const std::int64_t>);

} // namespace ringside::trace
