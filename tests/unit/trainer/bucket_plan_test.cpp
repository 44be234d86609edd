// SPDX-License-Identifier: Apache-2.0
#include "bucket_plan.h"

#include <gtest/gtest.h>

using namespace ringside::trainer;

namespace {

std::vector<std::size_t> sizesOf(const std::vector<Bucket>& buckets)
{
    std::vector<std::size_t> sizes;
    for (const Bucket& bucket : buckets)
        sizes.push_back(bucket.bytes);
    return sizes;
}

} // namespace

TEST(BucketPlan, closesABucketWhenItsLimitIsReached)
{
    const std::vector<std::size_t> tensors = {40, 60, 70, 70, 70, 10};
    EXPECT_EQ(sizesOf(planBuckets(tensors, {.firstBytes = 100, .bytes = 200})),
              (std::vector<std::size_t>{100, 210, 10}));
}

TEST(BucketPlan, neverSplitsATensor)
{
    const std::vector<std::size_t> tensors = {1000, 1, 1000};
    EXPECT_EQ(sizesOf(planBuckets(tensors, {.firstBytes = 10, .bytes = 10})),
              (std::vector<std::size_t>{1000, 1001}));
}

TEST(BucketPlan, putsEveryTensorIntoExactlyOneBucket)
{
    const std::vector<std::size_t> tensors(37, 12);
    std::size_t expected = 0;
    for (const Bucket& bucket : planBuckets(tensors, {.firstBytes = 30, .bytes = 50})) {
        EXPECT_EQ(bucket.first, expected);
        EXPECT_EQ(bucket.bytes, 12 * (bucket.last - bucket.first));
        expected = bucket.last;
    }
    EXPECT_EQ(expected, tensors.size());
}

TEST(BucketPlan, hasNoBucketWithoutTensors)
{
    EXPECT_TRUE(planBuckets({}, {}).empty());
}

TEST(BucketPlan, startsWithAtMostOneMebibyte)
{
    EXPECT_EQ(limitsForCap(25).firstBytes, 1U << 20);
    EXPECT_EQ(limitsForCap(25).bytes, 25U << 20);
    EXPECT_EQ(limitsForCap(0.25).firstBytes, 1U << 18);
}
