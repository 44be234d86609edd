// SPDX-License-Identifier: Apache-2.0
// Operators made by the program: sums of inputs multiplied by each rank's own scalar.
#include "reference.h"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

template <class T>
ncclRedOp_t makeOperator(const Rank& self, ncclDataType_t type, T* scalar, ncclScalarResidence_t residence)
{
    ncclRedOp_t op = ncclSum;
    succeed(ncclRedOpCreatePreMulSum(&op, scalar, type, residence, self.comm), "ncclRedOpCreatePreMulSum");
    check(op >= ncclNumOps, "the operator looks like a built-in one");
    return op;
}

/// Rank r's scalar is r + 1.
template <class T>
void expectMultipliedSum(Rank& self, ncclDataType_t type)
{
    T scalar = narrow<T>(self.rank + 1);
    const ncclRedOp_t op = makeOperator(self, type, &scalar, ncclScalarHostImmediate);
    scalar = narrow<T>(0); // it was copied
    const std::vector<T> in(1000, narrow<T>(1));
    std::vector<T> out(1000);
    succeed(ncclAllReduce(in.data(), out.data(), 1000, type, op, self.comm, self.stream), "ncclAllReduce");
    succeed(ncclRedOpDestroy(op, self.comm), "ncclRedOpDestroy"); // what is queued keeps it
    self.synchronise();
    const double expected = self.size * (self.size + 1) / 2.0;
    for (const T value : out)
        check(wide(value) == expected, "the sum is " + std::to_string(wide(value)));
}

TEST(PreMulSum, multipliesByEachRanksScalarInEveryType)
{
    for (const int ranks : {1, 2, 3})
        EXPECT_TRUE(ranksEndWell(ranks, [](Rank& self) {
            expectMultipliedSum<float>(self, ncclFloat32);
            expectMultipliedSum<double>(self, ncclFloat64);
            expectMultipliedSum<std::int8_t>(self, ncclInt8);
            expectMultipliedSum<std::uint64_t>(self, ncclUint64);
            expectMultipliedSum<platform::Half>(self, ncclFloat16);
            expectMultipliedSum<platform::Bfloat16>(self, ncclBfloat16);
            expectMultipliedSum<platform::Float8E4m3>(self, ncclFloat8e4m3);
            expectMultipliedSum<platform::Float8E5m2>(self, ncclFloat8e5m2);
        }));
}

TEST(PreMulSum, readsAScalarOnTheDeviceWhenTheKernelRuns)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        float* scalar = nullptr;
        check(cudaMalloc(reinterpret_cast<void**>(&scalar), sizeof *scalar) == cudaSuccess,
              "cudaMalloc failed");
        const ncclRedOp_t op = makeOperator(self, ncclFloat32, scalar, ncclScalarDevice);
        const float value = 3;
        check(cudaMemcpyAsync(scalar, &value, sizeof value, cudaMemcpyHostToDevice, self.stream) ==
                  cudaSuccess,
              "cudaMemcpyAsync failed");
        const std::vector<float> in = {2, 2};
        float data = 0;
        succeed(ncclReduceScatter(in.data(), &data, 1, ncclFloat32, op, self.comm, self.stream),
                "ncclReduceScatter");
        self.synchronise();
        check(data == 12, "the sum is " + std::to_string(data));
    }));
}

TEST(PreMulSum, refusesWhatDoesNotFit)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        float scalar = 1;
        float data = 1;
        ncclRedOp_t op = makeOperator(self, ncclFloat32, &scalar, ncclScalarHostImmediate);
        const auto reduce = [&](ncclDataType_t type) {
            return ncclAllReduce(&data, &data, 1, type, op, self.comm, self.stream);
        };
        check(reduce(ncclInt32) == ncclInvalidArgument, "another data type was accepted");
        succeed(ncclRedOpDestroy(op, self.comm), "ncclRedOpDestroy");
        check(reduce(ncclFloat32) == ncclInvalidArgument, "a destroyed operator was accepted");
        check(ncclRedOpDestroy(op, self.comm) == ncclInvalidArgument, "it was destroyed twice");
        check(ncclRedOpDestroy(ncclSum, self.comm) == ncclInvalidArgument, "the sum was destroyed");
        check(ncclRedOpCreatePreMulSum(&op, nullptr, ncclFloat32, ncclScalarHostImmediate, self.comm) ==
                  ncclInvalidArgument,
              "a null scalar was accepted");
        check(ncclRedOpCreatePreMulSum(&op, &scalar, ncclNumTypes, ncclScalarHostImmediate, self.comm) ==
                  ncclInvalidArgument,
              "an unknown type was accepted");
    }));
}

} // namespace
} // namespace ringside::test
