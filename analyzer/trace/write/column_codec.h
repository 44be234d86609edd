// SPDX-License-Identifier: Apache-2.0
// Encodes one column of a chunk as a blob, and decodes it: differences or plain values, minus their minimum,
// cut to as few bytes as the largest needs, in separate byte planes, compressed with zstd level 1. FORMAT.md
// describes the layout. Decoding does not trust the blob.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ringside::trace {

inline constexpr std::size_t kChunkRows = 65536; ///< largest number of rows of a chunk

enum class Encoding : std::uint8_t {
    Values = 1,    ///< the value itself
    Deltas = 2,    ///< difference to the previous row
    Durations = 3, ///< difference to the first column of the table in the same row
};
enum class Compression : std::uint8_t { None = 0, Zstd = 1 };

/// First bytes of every column blob, little endian.
struct ColumnHeader {
    std::uint8_t encoding;
    std::uint8_t width;       ///< bytes per element, 0 to 8; with 0, every element equals `base`
    std::uint8_t compression; ///< of the payload: `width` planes of `count` bytes
    std::uint8_t reserved;
    std::uint32_t count;
    std::uint64_t first; ///< Deltas: the first value
    std::uint64_t base;  ///< smallest element (signed), added to each
};
static_assert(sizeof(ColumnHeader) == 24);

/// Reuses its buffers between calls. Not thread-safe.
class ColumnEncoder final {
public:
    ColumnEncoder();
    ~ColumnEncoder();
    ColumnEncoder(const ColumnEncoder&) = delete;
    ColumnEncoder& operator=(const ColumnEncoder&) = delete;
    /// Encodes `values` (at most kChunkRows; signed values as two's complement). `starts` is only read for
    /// Durations. The result is valid until the next call. Throws std::bad_alloc if memory is exhausted.
    std::span<const std::byte> encode(Encoding encoding, std::span<const std::uint64_t> values,
                                      std::span<const std::uint64_t> starts, Compression compression);

private:
    struct Context;
    std::unique_ptr<Context> m_context;
    std::vector<std::uint64_t> m_elements;
    std::vector<std::byte> m_planes;
    std::vector<std::byte> m_blob;
};

/// Returns whether a blob of `count` plain values is intact and contains only zeros.
[[nodiscard]] bool holdsOnlyZeros(std::span<const std::byte> blob, std::size_t count);

/// Reuses its buffers between calls. Not thread-safe.
class ColumnDecoder final {
public:
    ColumnDecoder();
    ~ColumnDecoder();
    ColumnDecoder(const ColumnDecoder&) = delete;
    ColumnDecoder& operator=(const ColumnDecoder&) = delete;
    /// Decodes into `values`, whose size must be the count of the chunk. Elements wider than T are truncated.
    /// `starts` (same size) is only read if the blob is encoded as Durations. Returns false if the blob is
    /// damaged; `values` is unspecified then.
    template <class T>
    [[nodiscard]] bool decode(std::span<const std::byte> blob, std::span<T> values,
                              std::span<const std::int64_t> starts);

private:
    struct Context;
    std::unique_ptr<Context> m_context;
    std::vector<std::byte> m_planes;
    const std::byte* planesOf(std::span<const std::byte> blob, const ColumnHeader& header);
};

extern template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::int64_t>,
                                           std::span<const std::int64_t>);
extern template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::uint64_t>,
                                           std::span<const std::int64_t>);
extern template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::int32_t>,
                                           std::span<const std::int64_t>);
extern template bool ColumnDecoder::decode(std::span<const std::byte>, std::span<std::uint32_t>,
                                           std::span<const std::int64_t>);

} // namespace ringside::trace
