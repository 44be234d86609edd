// SPDX-License-Identifier: Apache-2.0
#include "learning_rate.h"

#include <gtest/gtest.h>

using namespace ringside::trainer;

namespace {

Options with(unsigned batch, bool scaleLr)
{
    Options options;
    options.lr = 0.1F;
    options.batch = batch;
    options.samples = 16384;
    options.scaleLr = scaleLr;
    return options;
}

} // namespace

TEST(LearningRate, staysAsGivenUnlessScaled)
{
    const LearningRate rate(with(2048, false));
    EXPECT_EQ(rate.at(0), 0.1F);
    EXPECT_EQ(rate.at(1000), 0.1F);
}

TEST(LearningRate, growsToTheBatchsOverFiveEpochs)
{
    const LearningRate rate(with(2048, true)); // 8 times 256; 40 steps are 5 epochs
    EXPECT_FLOAT_EQ(rate.at(0), 0.1F);
    EXPECT_FLOAT_EQ(rate.at(20), 0.45F);
    EXPECT_FLOAT_EQ(rate.at(40), 0.8F);
    EXPECT_FLOAT_EQ(rate.at(1000), 0.8F);
}

TEST(LearningRate, isSmallerAtOnceForASmallerBatch)
{
    const LearningRate rate(with(64, true));
    EXPECT_FLOAT_EQ(rate.at(0), 0.025F);
    EXPECT_FLOAT_EQ(rate.at(1000), 0.025F);
}

TEST(LearningRate, isTheGivenOneForTheBaseBatch)
{
    EXPECT_FLOAT_EQ(LearningRate(with(256, true)).at(0), 0.1F);
}
