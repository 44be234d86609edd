// SPDX-License-Identifier: Apache-2.0
// CUDA graphs end to end: NCCL calls that are captured once and launched often, on the CPU platform under the
// preloaded collector with a CUPTI of every generation, and the analysis of the trace.
#include "model/build_model.h"
#include "model/model.h"
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

constexpr std::size_t kLaunches = 5;
constexpr std::size_t kRanks = 2;

struct GraphRun {
    explicit GraphRun(const std::string& cupti)
        : run({"recorded_graphs", std::to_string(kLaunches)}, RecordedRun::Collector::Preloaded,
              {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=standard",
               "RINGSIDE_PLATFORM_CUPTI=" + cupti})
        , trace(trace::openRun(run.directory()))
    {}
    [[nodiscard]] const trace::ProcessTrace& process() const { return trace.processes.at(0); }

    RecordedRun run;
    trace::RunTrace trace;
};

void expectCalls(const trace::ProcessTrace& process)
{
    std::set<std::int64_t> graphs;
    std::size_t ran = 0;
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        ran += call.graph ? 0U : 1U;
        if (call.graph)
            graphs.insert(*call.graph);
    }
    EXPECT_EQ(ran, 2 * kRanks);
    EXPECT_EQ(process.collectiveCalls.size(), (2 + 3) * kRanks);
    EXPECT_EQ(graphs.size(), kRanks) << "every stream is captured into a graph of its own";
    const trace::GraphLaunchColumns& launches = process.graphLaunches;
    ASSERT_EQ(launches.size(), kLaunches * kRanks);
    for (std::size_t i = 0; i < launches.size(); ++i) {
        EXPECT_TRUE(graphs.contains(launches.graph[i]));
        EXPECT_EQ(launches.calls[i], 3U);
        // One ran before the three were captured, and three run in each launch.
        EXPECT_EQ(launches.sequence[i], 4 + 3 * (i / kRanks)) << i;
        EXPECT_NE(launches.stream[i], 0U);
    }
}

void expectKernels(const trace::ProcessTrace& process, bool withGraphId)
{
    std::size_t ofGraphs = 0;
    const trace::KernelColumns& kernels = process.kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        ofGraphs += kernels.graphNode[i] != 0 ? 1U : 0U;
        EXPECT_EQ(kernels.graph[i] != 0, withGraphId && kernels.graphNode[i] != 0);
    }
    EXPECT_EQ(ofGraphs, 3 * kLaunches * kRanks);
    EXPECT_EQ(kernels.size(), ofGraphs + 2 * kRanks);
}

void expectOperations(const model::Model& model)
{
    ASSERT_EQ(model.ranks.size(), kRanks);
    ASSERT_EQ(model.operations.size(), 1U + 2 * kLaunches + 1U) << "a group is one operation";
    for (const model::Operation& operation : model.operations)
        EXPECT_TRUE(operation.measured()) << operation.order;
    std::int64_t before = 0;
    for (const model::Operation& operation : model.operations) { // each in its own turn
        const std::int64_t start = operation.participants[0].device->start;
        EXPECT_GE(start, before) << operation.order;
        before = operation.participants[0].device->end;
    }
    EXPECT_EQ(model.operations[1].calls, 1U);
    EXPECT_EQ(model.operations[2].calls, 2U);
    EXPECT_EQ(model.operations[2].bytes, 30 * sizeof(float));
}

TEST(Graphs, runTheirCapturedCallsAtEveryLaunchWithEveryCuda)
{
    for (const char* cuda : {"11.0", "11.8", "12.0", "12.8", "13.0"}) {
        SCOPED_TRACE(cuda);
        const GraphRun recorded(std::string("cuda=") + cuda);
        EXPECT_EQ(recorded.run.waitStatus, 0);
        // 1, doubled; then halved and doubled by each launch; then doubled again.
        EXPECT_NE(recorded.run.output.find("reduced to 4 and 32, last error 0"), std::string::npos)
            << recorded.run.output;
        expectCalls(recorded.process());
        expectKernels(recorded.process(), std::string(cuda) != "11.0");
        const model::Model model = model::buildModel(recorded.trace);
        expectOperations(model);
        EXPECT_EQ(model.graphLaunches, kLaunches * kRanks);
        EXPECT_TRUE(std::ranges::none_of(
            model.issues, [](const trace::IssueRow& issue) { return issue.id == "graph_calls_unknown"; }));
    }
}

TEST(Graphs, areCountedWithoutTheDeviceTier)
{
    const GraphRun recorded("held");
    EXPECT_EQ(recorded.run.waitStatus, 0);
    expectCalls(recorded.process());
    const model::Model model = model::buildModel(recorded.trace);
    EXPECT_EQ(model.operations.size(), 1U + 2 * kLaunches + 1U);
}

} // namespace
