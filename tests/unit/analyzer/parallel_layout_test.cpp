// SPDX-License-Identifier: Apache-2.0
// Stages, replicas and tensor places, found from the groups of a job or given by the user.
#include "model/build_model.h"
#include "model/model.h"
#include "support/parallel_job.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace {

using namespace ringside;
using namespace ringside::test;

model::Model buildGiven(trace::RunTrace run, const char* parallel)
{
    model::ModelOptions options;
    options.parallel = model::parseParallel(parallel);
    return model::buildModel(std::move(run), options);
}

TEST(ParallelLayout, IsFoundFromTheCommunicationBetweenRanks)
{
    for (const int stages : {1, 2, 3, 4, 8}) {
        for (const int replicas : {1, 2, 4}) {
            for (const int tensor : {1, 2}) {
                ParallelShape shape{.stages = stages, .replicas = replicas, .tensor = tensor, .steps = 5};
                shape.pairGroups = replicas == 2;
                const model::Model model = model::buildModel(playParallelJob(shape).run());
                const bool plain = stages == 1 && (tensor == 1 || replicas == 1);
                ASSERT_EQ(model.layout.isKnown(), !plain) << stages << replicas << tensor;
                for (int rank = 0; model.layout.isKnown() && rank < shape.ranks(); ++rank) {
                    const model::ParallelPlace& place = model.layout.places[static_cast<std::size_t>(rank)];
                    EXPECT_EQ(place.stage.value_or(1), shape.stageOf(rank) + 1);
                    EXPECT_EQ(place.replica.value_or(1), shape.replicaOf(rank) + 1);
                    EXPECT_EQ(place.tensor.value_or(1), rank % tensor + 1);
                }
            }
        }
    }
}

/// In an interleaved schedule the stages form a ring, and in a zero-bubble schedule nothing changes hands.
TEST(ParallelLayout, IsFoundInOtherSchedules)
{
    for (const int stages : {2, 3, 4}) {
        for (const int chunks : {1, 2}) {
            ParallelShape shape{
                .stages = stages, .replicas = 2, .microBatches = 12, .chunks = chunks, .steps = 5};
            shape.zeroBubble = chunks == 1;
            const model::Model model = model::buildModel(playParallelJob(shape).run());
            ASSERT_TRUE(model.layout.isKnown()) << stages << chunks;
            EXPECT_EQ(model.layout.sizes.pipeline, stages) << chunks;
            EXPECT_EQ(model.layout.sizes.context, 1) << chunks;
            for (int rank = 0; rank < shape.ranks(); ++rank) {
                EXPECT_EQ(model.layout.places[static_cast<std::size_t>(rank)].stage, shape.stageOf(rank) + 1);
            }
        }
    }
}

TEST(ParallelLayout, HasThePartsOfSequencesThatGoRound)
{
    struct Sizes {
        int stages, replicas, context, tensor;
    };
    for (const Sizes& each : {Sizes{1, 2, 4, 1}, Sizes{1, 2, 3, 2}, Sizes{2, 1, 4, 1}, Sizes{3, 2, 3, 2}}) {
        ParallelShape shape{.stages = each.stages, .replicas = each.replicas, .context = each.context};
        shape.tensor = each.tensor;
        shape.steps = 5;
        const model::Model model = model::buildModel(playParallelJob(shape).run());
        ASSERT_TRUE(model.layout.isKnown()) << each.stages << each.replicas << each.context << each.tensor;
        EXPECT_EQ(model.layout.sizes.context, each.context);
        EXPECT_EQ(model.layout.sizes.data, each.replicas);
        for (int rank = 0; rank < shape.ranks(); ++rank) {
            const model::ParallelPlace& place = model.layout.places[static_cast<std::size_t>(rank)];
            EXPECT_EQ(place.context, shape.partOf(rank) + 1);
            EXPECT_EQ(place.replica.value_or(1), shape.replicaOf(rank) + 1);
            EXPECT_EQ(place.stage.value_or(1), shape.stageOf(rank) + 1);
            EXPECT_EQ(place.tensor.value_or(1), rank % each.tensor + 1);
        }
    }
}

/// A ring of all ranks may be anything.
TEST(ParallelLayout, IsNotWhatARingOfAllRanksShows)
{
    const ParallelShape shape{.context = 4, .steps = 5};
    EXPECT_FALSE(model::buildModel(playParallelJob(shape).run()).layout.isKnown());
}

/// Recommenders exchange their embeddings so.
TEST(ParallelLayout, IsNotWhatAnAllToAllOfAllRanksShows)
{
    const auto layoutOf = [](int stages) {
        const ParallelShape shape{.stages = stages, .replicas = 8 / stages, .steps = 5, .experts = true};
        return model::buildModel(playParallelJob(shape).run()).layout;
    };
    EXPECT_FALSE(layoutOf(1).isKnown());
    ASSERT_TRUE(layoutOf(2).isKnown());
    EXPECT_EQ(layoutOf(2).sizes.expert, 4);
}

TEST(ParallelLayout, IsTakenFromTheUser)
{
    TraceBuilder trace(16);
    trace.steps(4, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.allReduce(4_MiB);
    });
    const model::Model model = buildGiven(trace.run(), "tp=2,pp=4");
    EXPECT_TRUE(model.layout.given);
    EXPECT_EQ(model.layout.nameOf(0), "stage 1 of 4, replica 1 of 2, tensor 1 of 2");
    EXPECT_EQ(model.layout.nameOf(11), "stage 3 of 4, replica 2 of 2, tensor 2 of 2");
    EXPECT_TRUE(model.layout.arePeers(8, 11));
    EXPECT_FALSE(model.layout.arePeers(8, 12));
    EXPECT_THROW(static_cast<void>(buildGiven(trace.run(), "tp=3")), Error);
    for (const char* const wrong : {"", "tp", "tp=", "tp=0", "tp=2,", "tp=2x", "xp=2", "tp=-1"}) {
        EXPECT_THROW(static_cast<void>(model::parseParallel(wrong)), Error) << wrong;
    }
}

/// What the recordings of a few ranks cannot show.
TEST(ParallelLayout, CanBeGivenForRanksThatWereRecordedAlone)
{
    trace::RunTrace run = playParallelJob({.stages = 4, .replicas = 2, .steps = 5}).run();
    run.processes.resize(3);
    EXPECT_FALSE(model::buildModel(run).layout.isKnown());
    const model::Model told = buildGiven(run, "pp=4");
    EXPECT_EQ(told.layout.nameOf(2), "stage 2 of 4, replica 1 of 2");
}

} // namespace
