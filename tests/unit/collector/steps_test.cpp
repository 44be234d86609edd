// SPDX-License-Identifier: Apache-2.0
#include "record/steps.h"

#include <gtest/gtest.h>

using namespace ringside::collector;

TEST(Steps, rangesNamedAsStepsAreSourcesInTheirOrder)
{
    EXPECT_EQ(stepSourceOf("ProfilerStep#7"), StepSource{1});
    EXPECT_EQ(stepSourceOf("Iteration 12"), StepSource{2});
    EXPECT_EQ(stepSourceOf("STEP 9"), StepSource{7});
    for (const std::string_view other :
         {"step 9 forward", "stepping", "optimizer step", "forward", "", "p"}) {
        EXPECT_EQ(stepSourceOf(other), std::nullopt) << other;
    }
}

TEST(Steps, theBestSourceCountsAndTheOthersDoNot)
{
    StepCounts first{};
    StepCounts second{};
    EXPECT_EQ(stepsNoted(), 0U);
    noteStep(first, 7);
    noteStep(first, 7);
    noteStep(first, 2);
    EXPECT_EQ(stepsNoted(), 1U);
    for (int step = 0; step < 5; ++step) {
        noteStep(first, kMarkedSteps);
        noteStep(first, 2);
        noteStep(second, kMarkedSteps); // another rank of the same process
    }
    EXPECT_EQ(stepsNoted(), 5U);
}
