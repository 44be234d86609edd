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

/// Nobody recorded who sends to whom, but the groups have names.
TEST(ParallelLayout, HasTheStagesThatNamesOfGroupsTell)
{
    for (const char* const name : {"PIPELINE_MODEL_PARALLEL_GROUP", "pp0", "pp_dp1", "mesh-pp-tp"}) {
        const ParallelShape shape{.stages = 4, .replicas = 2, .steps = 5};
        TraceBuilder trace = playParallelJob(shape);
        for (int rank = 0; rank < shape.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            for (trace::CollectiveCallRow& call : process.collectiveCalls) {
                for (trace::CommunicatorRow& row : process.communicators) {
                    const bool pipeline = call.peer && call.communicator == row.id;
                    row.name = pipeline ? trace.text(rank, name) : row.name;
                }
                call.peer.reset();
            }
        }
        const model::Model model = model::buildModel(trace.run());
        EXPECT_EQ(model.layout.nameOf(3), "stage 2 of 4, replica 2 of 2") << name;
        EXPECT_EQ(model.layout.nameOf(6), "stage 4 of 4, replica 1 of 2") << name;
    }
}

TEST(ParallelLayout, IsNotTheNameOfAGroupThatReduces)
{
    TraceBuilder trace(4);
    trace.steps(4, [](StepBuilder& step) { step.allReduce(4_MiB); });
    for (int rank = 0; rank < 4; ++rank) {
        for (trace::CommunicatorRow& row : trace.process(rank).communicators) {
            row.name = trace.text(rank, "tp-pp");
        }
    }
    EXPECT_FALSE(model::buildModel(trace.run()).layout.isKnown());
}

/// The user's sizes are those that were found: each rank keeps its place, however ranks are numbered. Sizes
/// that the user does not give are those that were found.
TEST(ParallelLayout, OfTheUserIsNotWorseThanTheOneFound)
{
    const ParallelShape shape{.stages = 4, .replicas = 2, .tensor = 2, .steps = 5};
    trace::RunTrace run = playParallelJob(shape).run();
    const model::Model found = model::buildModel(run);
    ASSERT_TRUE(found.layout.isKnown());
    for (const char* const given : {"pp=4", "tp=2", "dp=2", "tp=2,pp=4"}) {
        const model::Model told = buildGiven(run, given);
        EXPECT_TRUE(told.layout.given);
        for (std::size_t rank = 0; rank < run.processes.size(); ++rank) {
            EXPECT_EQ(told.layout.nameOf(rank), found.layout.nameOf(rank)) << given << " " << rank;
        }
    }
    EXPECT_EQ(buildGiven(run, "pp=2").layout.nameOf(0), "stage 1 of 2, replica 1 of 4, tensor 1 of 2");
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
