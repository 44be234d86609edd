// SPDX-License-Identifier: Apache-2.0
// Launches of CUDA graphs stand for the NCCL calls that were captured: matching, arrivals and steps.
#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "model/model.h"
#include "report/report.h"
#include "report/sentences.h"
#include "stretches/long_report.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <unordered_map>

namespace ringside::model {
namespace {

using namespace test;

constexpr std::uint32_t kGraph = 7;
constexpr std::uint32_t kFirstCorrelation = 100'000;
constexpr std::uint64_t kFirstLaunch = 2000;
constexpr std::size_t kCalls = 2; ///< a step
constexpr std::size_t kTrainedSteps = 6;

void addLaunch(trace::ProcessTrace& process, std::size_t step, const trace::CollectiveCallRow& call)
{
    trace::GraphLaunchColumns& launches = process.graphLaunches;
    launches.startNs.push_back(call.startNs);
    launches.endNs.push_back(call.endNs);
    launches.launch.push_back(kFirstLaunch + step);
    launches.graph.push_back(kGraph);
    launches.communicator.push_back(static_cast<std::uint32_t>(call.communicator));
    launches.sequence.push_back(kCalls + kCalls * step);
    launches.calls.push_back(kCalls);
    launches.stream.push_back(1);
    launches.thread.push_back(1);
    launches.result.push_back(0);
    const auto correlation = kFirstCorrelation + static_cast<std::uint32_t>(step);
    process.callCorrelations.correlation.push_back(correlation);
    process.callCorrelations.call.push_back(kFirstLaunch + step);
    process.launches.startNs.push_back(call.startNs);
    process.launches.endNs.push_back(call.endNs);
    process.launches.api.push_back(call.api);
    process.launches.tid.push_back(process.launches.tid.front());
    process.launches.correlation.push_back(correlation);
}

/// The same work, done by launches of one graph: the first step's calls were its capture.
void useGraph(trace::ProcessTrace& process, std::size_t steps)
{
    std::unordered_map<std::uint64_t, std::size_t> placeOf; // of a call id
    for (std::size_t i = 0; i < process.collectiveCalls.size(); ++i) {
        placeOf[static_cast<std::uint64_t>(process.collectiveCalls[i].id)] = i;
    }
    std::unordered_map<std::uint32_t, std::size_t> placeOfCorrelation;
    for (std::size_t i = 0; i < process.callCorrelations.size(); ++i) {
        placeOfCorrelation[process.callCorrelations.correlation[i]] =
            placeOf.at(process.callCorrelations.call[i]);
    }
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        if (const auto place = placeOfCorrelation.find(process.kernels.correlation[i]);
            place != placeOfCorrelation.end()) {
            process.kernels.correlation.set(i, kFirstCorrelation +
                                                   static_cast<std::uint32_t>(place->second / kCalls));
            process.kernels.graphNode.set(i, 50 + place->second % kCalls);
        }
    }
    process.callCorrelations = {};
    for (std::size_t step = 0; step < steps; ++step) {
        addLaunch(process, step, process.collectiveCalls[kCalls * step]);
    }
    process.collectiveCalls.resize(kCalls);
    for (trace::CollectiveCallRow& call : process.collectiveCalls) {
        call.graph = kGraph;
    }
}

TraceBuilder training(std::size_t steps = kTrainedSteps)
{
    TraceBuilder trace(2);
    trace.steps(static_cast<int>(steps), [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(1).compute(2ms);
        step.allReduce(1_MiB);
        step.allGather(64_KiB);
    });
    return trace;
}

TraceBuilder withGraphs(std::size_t steps = kTrainedSteps)
{
    TraceBuilder trace = training(steps);
    for (int rank = 0; rank < 2; ++rank) {
        useGraph(trace.process(rank), steps);
    }
    return trace;
}

std::int64_t unknownCalls(const Model& model)
{
    for (const trace::IssueRow& row : model.issues) {
        if (row.id == "graph_calls_unknown") {
            return row.count;
        }
    }
    return 0;
}

TEST(GraphLaunches, AreTheCollectivesThatTheyRun)
{
    const Model plain = buildModel(training().run());
    const Model model = buildModel(withGraphs().run());
    ASSERT_EQ(model.operations.size(), kCalls * kTrainedSteps);
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
        const Operation& operation = model.operations[i];
        EXPECT_TRUE(operation.measured()) << i;
        EXPECT_EQ(operation.kind, plain.operations[i].kind) << i;
        EXPECT_EQ(operation.bytes, plain.operations[i].bytes) << i;
        EXPECT_EQ(operation.order, static_cast<std::int64_t>(kCalls + i));
        ASSERT_EQ(operation.participants.size(), 2U);
        EXPECT_EQ(operation.participants[0].device->start, plain.operations[i].participants[0].device->start);
        EXPECT_EQ(operation.participants[1].device->end, plain.operations[i].participants[1].device->end);
    }
    EXPECT_EQ(model.graphLaunches, 2 * kTrainedSteps);
    EXPECT_EQ(unknownCalls(model), 0);
}

TEST(GraphLaunches, GiveWaitingTimesAsCallsDo)
{
    const metrics::RunMetrics plain = metrics::computeMetrics(buildModel(training().run()));
    const metrics::RunMetrics graphs = metrics::computeMetrics(buildModel(withGraphs().run()));
    EXPECT_GT(plain.total().waitNs, 0);
    EXPECT_EQ(graphs.total().waitNs, plain.total().waitNs);
    EXPECT_EQ(graphs.total().transferNs, plain.total().transferNs);
    EXPECT_EQ(graphs.arrivalShare(), plain.arrivalShare());
    ASSERT_EQ(graphs.collectives.size(), plain.collectives.size());
    EXPECT_EQ(graphs.collectives[0].count, plain.collectives[0].count);
    EXPECT_EQ(graphs.collectives[0].transferBusGBs, plain.collectives[0].transferBusGBs);
}

TEST(GraphLaunches, AreStepsIfNothingMarksThem)
{
    TraceBuilder trace = withGraphs();
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).steps.clear();
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Period);
    EXPECT_EQ(model.ranks[0].steps.size(), kTrainedSteps);
}

TEST(GraphLaunches, AreNotGuessedAtWhenAKernelIsMissing)
{
    TraceBuilder trace = withGraphs();
    trace::KernelColumns& kernels = trace.process(0).kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (kernels.correlation[i] == kFirstCorrelation + 2 && kernels.graphNode[i] == 50) {
            kernels.correlation.set(i, 0); // CUPTI had no room for it, say
        }
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(unknownCalls(model), 1);
    ASSERT_EQ(model.operations.size(), kCalls * kTrainedSteps);
    EXPECT_FALSE(model.operations[4].measured());
    EXPECT_FALSE(model.operations[5].measured()) << "which of the two it was, nobody knows";
    EXPECT_TRUE(model.operations[6].measured());
}

TEST(GraphLaunches, MeanNothingWithoutTheirCapture)
{
    TraceBuilder trace = withGraphs();
    trace.process(1).collectiveCalls.pop_back();
    const Model model = buildModel(trace.run());
    EXPECT_EQ(unknownCalls(model), static_cast<std::int64_t>(kTrainedSteps));
    for (const Operation& operation : model.operations) {
        EXPECT_FALSE(operation.complete());
    }
}

TEST(GraphLaunches, AreNamedInTheReport)
{
    const auto text = [](const TraceBuilder& trace) {
        std::string all;
        const report::Report report = report::buildReport(trace.run(), {});
        for (const std::string& line : report::coverageLines(report)) {
            all += line;
        }
        return all;
    };
    EXPECT_NE(text(withGraphs()).find("CUDA graphs were launched 12 times"), std::string::npos);
    EXPECT_EQ(text(training()).find("CUDA graphs"), std::string::npos);
}

/// The calls of the capture are in the first stretch only; each launch refers to them.
TEST(GraphLaunch, IsTheSameInStretches)
{
    constexpr std::size_t kManySteps = 60;
    const TemporaryDirectory folder;
    const std::filesystem::path path = folder.path() / "graphs.ringside";
    withGraphs(kManySteps).write(path);
    const report::Report whole = report::buildReport(trace::openRun(path), {});
    const auto cut = stretches::buildLongReport({path, {}, {}, 1});
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->stretches, 3U);
    EXPECT_EQ(cut->model.graphLaunches, 2 * kManySteps);
    EXPECT_EQ(cut->metrics.stepCount(), whole.metrics.stepCount());
    EXPECT_EQ(cut->metrics.total().waitNs, whole.metrics.total().waitNs);
    EXPECT_EQ(cut->metrics.total().transferNs, whole.metrics.total().transferNs);
    EXPECT_EQ(cut->metrics.arrivalShare(), whole.metrics.arrivalShare());
    ASSERT_EQ(cut->metrics.collectives.size(), whole.metrics.collectives.size());
    for (std::size_t i = 0; i < whole.metrics.collectives.size(); ++i) {
        EXPECT_EQ(cut->metrics.collectives[i].count, whole.metrics.collectives[i].count);
        EXPECT_EQ(cut->metrics.collectives[i].transferNs, whole.metrics.collectives[i].transferNs);
    }
    EXPECT_EQ(unknownCalls(cut->model), unknownCalls(whole.model));
}

} // namespace
} // namespace ringside::model
