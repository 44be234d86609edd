// SPDX-License-Identifier: Apache-2.0
// Sends and the receives that take them; and sends that are part of an all-to-all.
#include "model/build_model.h"
#include "model/model.h"
#include "support/parallel_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace ringside;
using namespace ringside::test;

constexpr ParallelShape kThreeStages{.stages = 3, .microBatches = 4, .steps = 6};

/// Each end saw the other while it lasted.
bool allOverlap(const model::Model& model)
{
    return std::ranges::all_of(model.messages, [&](const model::Message& message) {
        return model::overlapLength(*message.sender.device, *message.receiver.device) > 0;
    });
}

TEST(MessageMatch, JoinsEverySendWithItsReceive)
{
    for (const bool pairs : {false, true}) {
        ParallelShape shape = kThreeStages;
        shape.pairGroups = pairs;
        const model::Model model = model::buildModel(playParallelJob(shape).run());
        constexpr std::size_t kMessages = 2 * 2 * 4 * 6; // both ways, two borders, micro-batches, steps
        ASSERT_EQ(model.messages.size(), kMessages);
        EXPECT_TRUE(allOverlap(model));
        EXPECT_TRUE(std::ranges::all_of(model.messages, [](const model::Message& message) {
            return message.sender.whole && message.receiver.whole && message.bytes == 8_MiB;
        }));
    }
}

/// One rank's recording begins later and ends earlier than its neighbours'.
TEST(MessageMatch, LaysRecordingsOfDifferentLengthOntoEachOther)
{
    TraceBuilder trace = playParallelJob(kThreeStages);
    auto& calls = trace.process(1).collectiveCalls;
    calls.erase(calls.begin(), calls.begin() + 11);
    calls.erase(calls.end() - 7, calls.end());
    const model::Model model = model::buildModel(trace.run());
    EXPECT_GT(model.messages.size(), 70U);
    EXPECT_TRUE(allOverlap(model));
}

TEST(MessageMatch, TakesSendsToAllMembersForAnAllToAll)
{
    const ParallelShape shape{.replicas = 4, .microBatches = 2, .steps = 6, .experts = true};
    const model::Model model = model::buildModel(playParallelJob(shape).run());
    EXPECT_TRUE(model.messages.empty());
    const auto exchanges = std::ranges::count_if(model.operations, [](const model::Operation& operation) {
        return operation.kind == model::CollectiveKind::AllToAll && operation.measured();
    });
    EXPECT_EQ(exchanges, 6 * 2 * 2 * 4); // steps, batches, passes, before and after the experts of two layers
}

/// Hosts in a row, of which only neighbours meet, by swapping messages.
TEST(MessageMatch, TiesTheClocksOfHostsThatOnlyExchangeMessages)
{
    constexpr std::int64_t kAheadNs = 3'000'000;
    trace::RunTrace run = playParallelJob({.stages = 3, .hostPerStage = true}).run();
    for (trace::ProcessTrace& process : run.processes) {
        std::erase_if(process.collectiveCalls, [](const auto& call) { return call.communicator == 1; });
    }
    for (auto* const column : {&run.processes[2].kernels.startNs, &run.processes[2].kernels.endNs}) {
        column->transform([](std::int64_t time) { return time + kAheadNs; });
    }
    const model::Model model = model::buildModel(run);
    ASSERT_EQ(model.hosts.size(), 3U);
    EXPECT_TRUE(model.ranks[2].clockAligned);
    EXPECT_NEAR(static_cast<double>(model.hosts[2].offsetNs), static_cast<double>(kAheadNs), 200e3);
    ASSERT_TRUE(model.hosts[2].boundNs);
    EXPECT_GE(*model.hosts[2].boundNs, std::abs(model.hosts[2].offsetNs - kAheadNs));
}

} // namespace
