// SPDX-License-Identifier: Apache-2.0
// The rules of torch.cuda.amp.GradScaler.
#include "loss_scale.h"

#include <gtest/gtest.h>

#include <limits>

using ringside::trainer::LossScale;

TEST(LossScale, halvesWhenGradientsOverflow)
{
    LossScale scale(65536, 2000);
    scale.update(true);
    scale.update(true);
    EXPECT_EQ(scale.value(), 16384);
    EXPECT_EQ(scale.skipped(), 2U);
}

TEST(LossScale, doublesAfterSoManyGoodStepsInARow)
{
    LossScale scale(8, 3);
    for (const bool overflowed : {false, false, true, false, false}) // 4, and two good ones
        scale.update(overflowed);
    EXPECT_EQ(scale.value(), 4);
    scale.update(false);
    EXPECT_EQ(scale.value(), 8);
    for (int step = 0; step < 3; ++step)
        scale.update(false);
    EXPECT_EQ(scale.value(), 16);
    EXPECT_EQ(scale.skipped(), 1U);
}

TEST(LossScale, staysANumber)
{
    LossScale scale(std::numeric_limits<float>::max(), 1);
    scale.update(false);
    EXPECT_EQ(scale.value(), std::numeric_limits<float>::max());
}
