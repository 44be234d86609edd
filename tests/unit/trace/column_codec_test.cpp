// SPDX-License-Identifier: Apache-2.0
#include "trace/write/column_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

namespace ringside::trace {
namespace {

using Values = std::vector<std::uint64_t>;

std::vector<std::byte> encode(Encoding encoding, const Values& values, const Values& starts,
                              Compression compression)
{
    ColumnEncoder encoder;
    const auto blob = encoder.encode(encoding, values, starts, compression);
    return {blob.begin(), blob.end()};
}

void expectRoundTrip(const Values& values, const Values& starts)
{
    const std::vector<std::int64_t> signedStarts(starts.begin(), starts.end());
    ColumnDecoder decoder;
    for (const Encoding encoding : {Encoding::Values, Encoding::Deltas, Encoding::Durations}) {
        for (const Compression compression : {Compression::None, Compression::Zstd}) {
            const auto blob = encode(encoding, values, starts, compression);
            Values decoded(values.size());
            ASSERT_TRUE(decoder.decode(std::span(blob), std::span(decoded), signedStarts));
            EXPECT_EQ(decoded, values)
                << "encoding " << int(encoding) << ", compression " << int(compression);
        }
    }
}

TEST(ColumnCodec, RestoresRandomValuesOfEveryWidth)
{
    std::mt19937_64 random(1);
    for (unsigned bits = 1; bits <= 64; ++bits) {
        Values values(1000);
        Values starts(1000);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = random() >> (64 - bits);
            starts[i] = random() >> (64 - bits);
        }
        expectRoundTrip(values, starts);
    }
}

TEST(ColumnCodec, RestoresExtremes)
{
    constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
    constexpr std::uint64_t kMin64 = 1ULL << 63;
    expectRoundTrip({0, kMax, kMin64, kMin64 - 1, 0, 1}, {kMax, 0, kMin64 - 1, kMin64, 1, 0});
    expectRoundTrip({kMin64}, {kMin64 - 1});
    expectRoundTrip({}, {});
}

TEST(ColumnCodec, RestoresAFullChunkInEveryLengthAroundABlock)
{
    for (const std::size_t count : {std::size_t{511}, std::size_t{512}, std::size_t{513}, kChunkRows}) {
        Values values(count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = 1'700'000'000'000'000'000ULL + i * 8000 + (i * i) % 97;
        }
        expectRoundTrip(values, values);
    }
}

TEST(ColumnCodec, StoresEqualStepsInNoBytesARow)
{
    Values values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = 5'000'000'000 + i * 10;
    }
    EXPECT_EQ(encode(Encoding::Deltas, values, {}, Compression::None).size(), sizeof(ColumnHeader));
}

TEST(ColumnCodec, CutsToTheWidthOfTheColumn)
{
    const auto blob = encode(Encoding::Values, {static_cast<std::uint64_t>(-1), 7}, {}, Compression::None);
    ColumnDecoder decoder;
    std::vector<std::int32_t> decoded(2);
    ASSERT_TRUE(decoder.decode(std::span(blob), std::span(decoded), {}));
    EXPECT_EQ(decoded, (std::vector<std::int32_t>{-1, 7}));
}

TEST(ColumnCodec, RecognizesZerosWithoutDecoding)
{
    const auto zeros = encode(Encoding::Values, Values(100), {}, Compression::Zstd);
    EXPECT_TRUE(holdsOnlyZeros(zeros, 100));
    EXPECT_FALSE(holdsOnlyZeros(zeros, 99));
    EXPECT_FALSE(holdsOnlyZeros(std::span(zeros).first(zeros.size() - 1), 100));
    EXPECT_FALSE(holdsOnlyZeros(encode(Encoding::Values, Values(100, 1), {}, Compression::Zstd), 100));
    EXPECT_FALSE(holdsOnlyZeros(encode(Encoding::Deltas, Values(100), {}, Compression::Zstd), 100));
    Values last(100);
    last.back() = 1;
    EXPECT_FALSE(holdsOnlyZeros(encode(Encoding::Values, last, {}, Compression::Zstd), 100));
}

TEST(ColumnCodec, RefusesEveryTruncation)
{
    ColumnDecoder decoder;
    Values decoded(3);
    for (const Compression compression : {Compression::None, Compression::Zstd}) {
        const auto blob = encode(Encoding::Deltas, {1, 1000, 5}, {}, compression);
        for (std::size_t size = 0; size < blob.size(); ++size) {
            EXPECT_FALSE(decoder.decode(std::span(blob).first(size), std::span(decoded), {})) << size;
        }
    }
}

TEST(ColumnCodec, RefusesAHeaderThatDoesNotFit)
{
    const auto good = encode(Encoding::Values, {1, 2, 300}, {}, Compression::None);
    const auto refuses = [&](std::size_t at, std::byte value) {
        auto blob = good;
        blob[at] = value;
        ColumnDecoder decoder;
        Values decoded(3);
        return !decoder.decode(std::span(blob), std::span(decoded), {});
    };
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, encoding), std::byte{0}));
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, encoding), std::byte{4}));
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, encoding), std::byte{3})) << "durations without starts";
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, width), std::byte{9}));
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, width), std::byte{8}));
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, compression), std::byte{1}));
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, compression), std::byte{2}));
    EXPECT_TRUE(refuses(offsetof(ColumnHeader, count), std::byte{2}));
}

TEST(ColumnCodec, SurvivesEveryFlippedBit)
{
    const auto good = encode(Encoding::Deltas, {1, 1000, 5, 70000, 3}, {}, Compression::Zstd);
    ColumnDecoder decoder;
    Values decoded(5);
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        auto blob = good;
        blob[bit / 8] ^= std::byte{1} << (bit % 8);
        static_cast<void>(decoder.decode(std::span(blob), std::span(decoded), {}));
    }
}

} // namespace
} // namespace ringside::trace
