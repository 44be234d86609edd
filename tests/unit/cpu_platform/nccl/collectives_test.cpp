// SPDX-License-Identifier: Apache-2.0
// Every collective against a naive reference, over types, operators, sizes around the ring's borders, and
// ranks.
#include "reference.h"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

constexpr std::size_t kChunkBytes = 512U << 10U; ///< as in the library's ring.h
constexpr int kSmallCounts[] = {0, 1, 2, 3, 5, 127, 1000};
constexpr ncclRedOp_t kOperators[] = {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg};

template <class T>
void allReduces(Rank& self, ncclDataType_t type, ncclRedOp_t op, std::size_t count)
{
    std::vector<T> in = inputs<T>(self.rank, count);
    std::vector<T> out(count);
    succeed(ncclAllReduce(in.data(), out.data(), count, type, op, self.comm, self.stream), "ncclAllReduce");
    self.synchronise();
    expectCombined(out, 0, op, self.size, "all-reduce");
    check(same(in, inputs<T>(self.rank, count)), "all-reduce changed its input");
    succeed(ncclAllReduce(in.data(), in.data(), count, type, op, self.comm, self.stream),
            "ncclAllReduce in place");
    self.synchronise();
    expectCombined(in, 0, op, self.size, "all-reduce in place");
}

template <class T>
void reduces(Rank& self, ncclDataType_t type, ncclRedOp_t op, std::size_t count)
{
    const int root = static_cast<int>(count) % self.size;
    const std::vector<T> in = inputs<T>(self.rank, count);
    std::vector<T> out(count);
    succeed(ncclReduce(in.data(), self.rank == root ? out.data() : nullptr, count, type, op, root, self.comm,
                       self.stream),
            "ncclReduce");
    self.synchronise();
    if (self.rank == root)
        expectCombined(out, 0, op, self.size, "reduce");
}

template <class T>
void reduceScatters(Rank& self, ncclDataType_t type, ncclRedOp_t op, std::size_t count)
{
    const auto ranks = static_cast<std::size_t>(self.size);
    const std::vector<T> in = inputs<T>(self.rank, count * ranks);
    std::vector<T> out(count);
    succeed(ncclReduceScatter(in.data(), out.data(), count, type, op, self.comm, self.stream),
            "ncclReduceScatter");
    self.synchronise();
    expectCombined(out, count * static_cast<std::size_t>(self.rank), op, self.size, "reduce-scatter");
    check(same(in, inputs<T>(self.rank, count * ranks)), "reduce-scatter changed its input");
}

template <class T>
void allGathers(Rank& self, ncclDataType_t type, std::size_t count)
{
    const std::vector<T> in = inputs<T>(self.rank, count);
    std::vector<T> out(count * static_cast<std::size_t>(self.size));
    succeed(ncclAllGather(in.data(), out.data(), count, type, self.comm, self.stream), "ncclAllGather");
    self.synchronise();
    for (std::size_t i = 0; i < out.size(); ++i)
        if (wide(out[i]) != wide(input<T>(static_cast<int>(i / count), i % count)))
            check(false, "all-gather: wrong value");
}

template <class T>
void broadcasts(Rank& self, ncclDataType_t type, std::size_t count)
{
    const int root = static_cast<int>(count) % self.size;
    std::vector<T> values = inputs<T>(self.rank, count);
    std::vector<T> out(count);
    succeed(ncclBroadcast(self.rank == root ? values.data() : nullptr, out.data(), count, type, root,
                          self.comm, self.stream),
            "ncclBroadcast");
    succeed(ncclBcast(values.data(), count, type, root, self.comm, self.stream), "ncclBcast");
    self.synchronise();
    check(same(out, inputs<T>(root, count)), "broadcast: wrong values");
    check(same(values, out), "bcast: wrong values");
}

template <class T>
void everyCollective(Rank& self, ncclDataType_t type, std::size_t count)
{
    for (const ncclRedOp_t op : kOperators) {
        allReduces<T>(self, type, op, count);
        reduces<T>(self, type, op, count);
        reduceScatters<T>(self, type, op, count);
    }
    allGathers<T>(self, type, count);
    broadcasts<T>(self, type, count);
}

class Collectives : public ::testing::TestWithParam<int> {};

TEST_P(Collectives, matchTheReferenceForEveryTypeAndOperator)
{
    EXPECT_TRUE(ranksEndWell(GetParam(), [](Rank& self) {
        for (const int number : kSmallCounts) {
            if (self.size > 4 && number > 5)
                continue; // eight processes on a small machine
            const auto count = static_cast<std::size_t>(number);
            everyCollective<float>(self, ncclFloat32, count);
            everyCollective<double>(self, ncclFloat64, count);
            everyCollective<std::int8_t>(self, ncclInt8, count);
            everyCollective<std::uint8_t>(self, ncclUint8, count);
            everyCollective<std::int32_t>(self, ncclInt32, count);
            everyCollective<std::uint32_t>(self, ncclUint32, count);
            everyCollective<std::int64_t>(self, ncclInt64, count);
            everyCollective<std::uint64_t>(self, ncclUint64, count);
            everyCollective<platform::Half>(self, ncclFloat16, count);
            everyCollective<platform::Bfloat16>(self, ncclBfloat16, count);
            everyCollective<platform::Float8E4m3>(self, ncclFloat8e4m3, count);
            everyCollective<platform::Float8E5m2>(self, ncclFloat8e5m2, count);
        }
    }));
}

TEST_P(Collectives, matchTheReferenceAroundChunkBorders)
{
    EXPECT_TRUE(ranksEndWell(GetParam(), [](Rank& self) {
        const std::size_t chunk = kChunkBytes / sizeof(float);
        const std::size_t perRing = chunk * static_cast<std::size_t>(self.size);
        std::vector<std::size_t> counts = {3 * perRing + 1}; // more chunks than the scratch memory holds
        for (const std::size_t border : {std::size_t(1024), chunk, perRing})
            counts.insert(counts.end(), {border - 1, border, border + 1});
        for (const std::size_t count : counts) {
            allReduces<float>(self, ncclFloat32, ncclSum, count);
            reduces<float>(self, ncclFloat32, ncclMax, count);
            broadcasts<float>(self, ncclFloat32, count);
        }
        for (const std::size_t count : {chunk - 1, chunk, chunk + 1, 2 * chunk + 1}) {
            reduceScatters<float>(self, ncclFloat32, ncclAvg, count);
            allGathers<float>(self, ncclFloat32, count);
        }
    }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, ::testing::Values(1, 2, 3, 4, 8));

TEST(Communicators, tellTheirPlace)
{
    EXPECT_TRUE(ranksEndWell(3, [](Rank& self) {
        int value = -1;
        succeed(ncclCommCount(self.comm, &value), "ncclCommCount");
        check(value == 3, "wrong count");
        succeed(ncclCommUserRank(self.comm, &value), "ncclCommUserRank");
        check(value == self.rank, "wrong rank");
        succeed(ncclCommCuDevice(self.comm, &value), "ncclCommCuDevice");
        check(value == 0, "wrong device");
    }));
}

TEST(Communicators, workConcurrentlyAndSeveralAProcess)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        // The second communicator's id travels by the first one.
        ncclUniqueId id{};
        if (self.rank == 0)
            succeed(ncclGetUniqueId(&id), "ncclGetUniqueId");
        succeed(ncclBcast(&id, sizeof id, ncclUint8, 0, self.comm, self.stream), "ncclBcast");
        self.synchronise();
        Rank other = self;
        succeed(ncclCommInitRank(&other.comm, self.size, id, self.rank), "second ncclCommInitRank");
        check(cudaStreamCreate(&other.stream) == cudaSuccess, "cudaStreamCreate failed");
        std::vector<float> first(100'000);
        std::vector<float> second(70'001);
        for (int round = 0; round < 30; ++round) {
            first = inputs<float>(self.rank, first.size());
            second = inputs<float>(self.rank, second.size());
            // Opposite orders on the two ranks: only independent communicators survive that.
            for (const bool own : {self.rank == 0, self.rank != 0}) {
                std::vector<float>& data = own ? first : second;
                const Rank& place = own ? self : other;
                succeed(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclSum, place.comm,
                                      place.stream),
                        "ncclAllReduce");
            }
            self.synchronise();
            other.synchronise();
            expectCombined(first, 0, ncclSum, self.size, "first communicator");
            expectCombined(second, 0, ncclSum, self.size, "second communicator");
        }
        succeed(ncclCommDestroy(other.comm), "ncclCommDestroy");
    }));
}

} // namespace
} // namespace ringside::test
