// SPDX-License-Identifier: Apache-2.0
#include "model/steps.h"
#include "record/steps.h"

#include <gtest/gtest.h>

using namespace ringside::collector;

TEST(Steps, theCollectorAndTheAnalyzerCallTheSameRangesSteps)
{
    for (const std::string_view name :
         {"ProfilerStep#7", "iteration", "Iteration 12", "train_step_3", "training_step", "trainstep",
          "iter:4", "step", "STEP 9", "step 9 forward", "stepping", "optimizer step", "iterations", "forward",
          "", "p", "i"}) {
        const auto ours = stepSourceOf(name);
        const auto theirs = ringside::model::parseStepName(name);
        ASSERT_EQ(ours.has_value(), theirs.has_value()) << name;
        if (ours.has_value()) {
            EXPECT_EQ(static_cast<int>(*ours), theirs->priority + 1) << name;
        }
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
