// SPDX-License-Identifier: Apache-2.0
// Amounts of data between pairs of ranks: from network events if recorded, otherwise from calls.
#include "metrics/messages.h"
#include "model/build_model.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

TraceBuilder fourRanks()
{
    TraceBuilder trace(4);
    trace.steps(4, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.allReduce(1_MiB, {.takes = 1ms});
    });
    return trace;
}

void addSend(TraceBuilder& trace, int from, std::int64_t to, std::uint64_t bytes)
{
    trace::CollectiveCallRow call;
    call.id = 1000 + static_cast<std::int64_t>(trace.process(from).collectiveCalls.size());
    call.api = trace.text(from, "ncclSend");
    call.communicator = trace.process(from).communicators.front().id;
    call.bytes = bytes;
    call.peer = to;
    trace.process(from).collectiveCalls.push_back(call);
}

void addMessage(TraceBuilder& trace, int from, std::uint32_t to, std::uint64_t bytes, std::int64_t networkNs)
{
    trace::ProcessTrace& process = trace.process(from);
    if (process.ncclOperations.empty()) {
        trace::NcclOperationRow operation;
        operation.id = 1;
        operation.communicator = process.communicators.front().id;
        process.ncclOperations.push_back(operation);
    }
    trace::ProxyStepColumns& steps = process.proxySteps;
    steps.startNs.push_back(10);
    steps.endNs.push_back(10 + networkNs);
    steps.operation.push_back(1);
    steps.bytes.push_back(bytes);
    steps.channel.push_back(0);
    steps.peer.push_back(to);
    steps.step.push_back(0);
    steps.isSend.push_back(1);
    steps.gpuWaitNs.push_back(-1);
    steps.peerWaitNs.push_back(-1);
    steps.networkWaitNs.push_back(networkNs);
    steps.flushWaitNs.push_back(-1);
}

Traffic trafficIn(const TraceBuilder& trace)
{
    return trafficOf(model::buildModel(trace.run()));
}

TEST(Messages, CollectivesAloneDoNotTell)
{
    EXPECT_EQ(trafficIn(fourRanks()).source, Traffic::Source::None);
}

TEST(Messages, CallsAreSummedByPair)
{
    TraceBuilder trace = fourRanks();
    addSend(trace, 0, 3, 100);
    addSend(trace, 0, 3, 50);
    addSend(trace, 2, 1, 7);
    addSend(trace, 2, 9, 7); // nobody is member 9
    const Traffic traffic = trafficIn(trace);
    EXPECT_EQ(traffic.source, Traffic::Source::Calls);
    ASSERT_EQ(traffic.pairs.size(), 2U);
    EXPECT_EQ(traffic.pairs[0].receiver, 3);
    EXPECT_EQ(traffic.pairs[0].messages, 2);
    EXPECT_EQ(traffic.pairs[0].bytes, 150);
    EXPECT_FALSE(traffic.pairs[0].medianGBs);
    EXPECT_EQ(traffic.pairs[1].sender, 2);
}

TEST(Messages, TheNetworkTakesPrecedenceOverCalls)
{
    TraceBuilder trace = fourRanks();
    addSend(trace, 0, 3, 100);
    addMessage(trace, 1, 2, 4000, 1000);
    addMessage(trace, 1, 2, 4000, 2000);
    addMessage(trace, 1, 2, 4000, 4000);
    addMessage(trace, 1, 2, std::uint64_t(-1), 4000); // "not told"
    const Traffic traffic = trafficIn(trace);
    EXPECT_EQ(traffic.source, Traffic::Source::Network);
    ASSERT_EQ(traffic.pairs.size(), 1U);
    EXPECT_EQ(traffic.pairs[0].sender, 1);
    EXPECT_EQ(traffic.pairs[0].bytes, 12000);
    EXPECT_DOUBLE_EQ(traffic.pairs[0].medianGBs.value_or(0), 2.0);
}

TEST(Messages, OneCommunicatorsOnly)
{
    TraceBuilder trace = fourRanks();
    addSend(trace, 0, 3, 100);
    const model::Model model = model::buildModel(trace.run());
    const std::uint64_t hash = model.processOf(model.ranks.front()).communicators.front().hash;
    EXPECT_EQ(trafficOf(model, hash).pairs.size(), 1U);
    EXPECT_TRUE(trafficOf(model, hash + 1).pairs.empty());
}

} // namespace
} // namespace ringside::metrics
