// SPDX-License-Identifier: Apache-2.0
// Steps of jobs that mark none, over what frameworks issue.
#include "model/build_model.h"
#include "step_patterns.h"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

/// Shapes and seeds that were not looked at while the search was written.
const Draws kHeldOut{{10, 14, 20, 28, 36, 40, 44, 56, 60, 72, 80}, {6, 12, 20, 32, 48}, {3, 5, 6}, 770'000};

struct Outcome {
    Found found = Found::Right;
    std::string description; ///< for whom it fails
};

Outcome outcomeOf(const DrawnJob& drawn)
{
    const FrameworkJob job = playJob(*drawn.pattern, drawn.shape, drawn.trouble, drawn.steps, drawn.seed);
    const model::Model model = model::buildModel(job.trace.run());
    const JobShape& shape = drawn.shape;
    return {judge(model, job.truth, drawn.trouble),
            std::string(drawn.pattern->name) + ", seed " + std::to_string(drawn.seed) + ", layers " +
                std::to_string(shape.layers) + ", micro-batches " + std::to_string(shape.microBatches) +
                ", stages " + std::to_string(shape.stages) + ", calls a step " +
                std::to_string(job.truth.stepCalls) + (drawn.trouble.kernels ? ", optimizer seen" : "") +
                ": " + std::to_string(job.truth.steps) + " steps, found " +
                std::to_string(model.ranks[0].steps.size()) + " and " +
                std::to_string(model.ranks[1].steps.size())};
}

TEST(StepPatterns, OfFrameworksAreFound)
{
    constexpr std::uint64_t kJobs = 200;
    constexpr int kLeastRight = 196;
    int right = 0;
    for (std::uint64_t draw = 0; draw < kJobs; ++draw) {
        const Outcome outcome = outcomeOf(drawJob(frameworkPatterns(), kHeldOut, draw));
        right += outcome.found == Found::Right ? 1 : 0;
        EXPECT_NE(outcome.found, Found::Wrong) << outcome.description;
    }
    EXPECT_GE(right, kLeastRight);
}

TEST(StepPatterns, ThatOtherJobsShareAreNotGuessed)
{
    constexpr std::uint64_t kJobs = 30;
    int right = 0;
    for (std::uint64_t draw = 0; draw < kJobs; ++draw) {
        DrawnJob drawn = drawJob(ambiguousPatterns(), kHeldOut, draw);
        drawn.trouble.kernels = false;
        const Outcome blind = outcomeOf(drawn);
        EXPECT_NE(blind.found, Found::Wrong) << blind.description;
        drawn.trouble.kernels = true;
        const Outcome seen = outcomeOf(drawn);
        EXPECT_EQ(seen.found, Found::Right) << seen.description;
        right += blind.found == Found::Right ? 1 : 0;
    }
    EXPECT_LT(right, static_cast<int>(kJobs)) << "they are not ambiguous";
}

} // namespace
} // namespace ringside::test
