// SPDX-License-Identifier: Apache-2.0
// Graphs: captured or made node by node, launched again and again.
#include "gate.h"
#include "kernels.h"
#include "platform.h"

#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

using ringside::platform::WorkActivity;
using ringside::test::Gate;
using ringside::test::launchScale;

std::mutex reportedMutex;
std::vector<WorkActivity> reported;
std::vector<std::uint32_t> launchCorrelations;

const ringside::platform::ActivitySink kSink{
    [](const WorkActivity& activity) {
        const std::lock_guard lock(reportedMutex);
        reported.push_back(activity);
    },
    [](ringside::platform::ApiFunction function, std::uint32_t correlation) {
        constexpr std::uint32_t kGraphLaunch = 311; // as CUPTI numbers cudaGraphLaunch
        if (function.cbid == kGraphLaunch)
            launchCorrelations.push_back(correlation);
    },
    [](const ringside::platform::ApiActivity&) {},
};

struct GraphTest : testing::Test {
    GraphTest()
    {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaMallocHost(&values, kCount * sizeof(float));
        std::fill_n(values, kCount, 1.0F);
        cudaEventCreate(&event);
        cudaEventCreate(&joined);
    }
    ~GraphTest() override
    {
        cudaDeviceSynchronize();
        if (exec != nullptr)
            cudaGraphExecDestroy(exec);
        if (graph != nullptr)
            cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
        cudaStreamDestroy(other);
        cudaFreeHost(values);
        cudaEventDestroy(event);
        cudaEventDestroy(joined);
        cudaGetLastError();
    }
    template <class Body>
    void capture(Body&& body)
    {
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
        body();
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    }
    void launch(int times = 1)
    {
        for (int i = 0; i < times; ++i)
            EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    }

    static constexpr int kCount = 4;
    cudaStream_t stream = nullptr;
    cudaStream_t other = nullptr;
    cudaEvent_t event = nullptr;
    cudaEvent_t joined = nullptr;
    float* values = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
};

TEST_F(GraphTest, replaysKernelsWithTheArgumentsOfTheCapture)
{
    capture([&] {
        launchScale(values, 2, kCount, stream);
        launchScale(values, 3, kCount, stream);
    });
    EXPECT_EQ(values[0], 1);
    launch();
    EXPECT_EQ(values[kCount - 1], 6);
    launch(2);
    EXPECT_EQ(values[0], 216);
}

TEST_F(GraphTest, replaysCopiesSetsAndLibraries)
{
    float* matrix = nullptr;
    ASSERT_EQ(cudaMalloc(&matrix, kCount * sizeof(float)), cudaSuccess);
    cublasHandle_t handle = nullptr;
    ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cublasSetStream(handle, stream);
    std::vector<float> source(kCount, 5); // pageable: read at every launch
    std::vector<float> result(kCount);
    capture([&] {
        EXPECT_EQ(cudaMemsetAsync(matrix, 0xff, kCount * sizeof(float), stream), cudaSuccess);
        EXPECT_EQ(
            cudaMemcpyAsync(matrix, source.data(), kCount * sizeof(float), cudaMemcpyHostToDevice, stream),
            cudaSuccess);
        const float two = 2;
        EXPECT_EQ(cublasSscal(handle, kCount, &two, matrix, 1), CUBLAS_STATUS_SUCCESS);
        EXPECT_EQ(
            cudaMemcpyAsync(result.data(), matrix, kCount * sizeof(float), cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
    });
    launch();
    EXPECT_EQ(result, std::vector<float>(kCount, 10));
    source.assign(kCount, 7);
    launch();
    EXPECT_EQ(result, std::vector<float>(kCount, 14));
    cublasDestroy(handle);
    cudaFree(matrix);
}

TEST_F(GraphTest, branchesRunAtTheSameTimeAndJoin)
{
    std::latch both(2); // hangs unless each branch runs while the other does
    const auto meet = [](void* latch) { static_cast<std::latch*>(latch)->arrive_and_wait(); };
    capture([&] {
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(other, event, 0);
        cudaLaunchHostFunc(stream, meet, &both);
        cudaLaunchHostFunc(other, meet, &both);
        launchScale(values, 5, kCount, other);
        cudaEventRecord(joined, other);
        cudaStreamWaitEvent(stream, joined, 0);
        launchScale(values, 2, kCount, stream);
    });
    launch();
    EXPECT_EQ(values[0], 10);
}

TEST_F(GraphTest, takesItsPlaceInTheStream)
{
    capture([&] { launchScale(values, 2, kCount, stream); });
    Gate gate(stream);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    EXPECT_EQ(values[0], 1);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(values[0], 2);
}

TEST_F(GraphTest, launchesIntoTwoStreamsFollowEachOther)
{
    capture([&] { launchScale(values, 2, kCount, stream); });
    Gate gate(stream);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec, other), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(other), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    EXPECT_EQ(values[0], 4);
}

TEST_F(GraphTest, mayBeDestroyedWhileItRuns)
{
    capture([&] { launchScale(values, 2, kCount, stream); });
    Gate gate(stream);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    exec = nullptr;
    graph = nullptr;
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(values[0], 2);
}

TEST_F(GraphTest, everyNodeIsReportedUnderTheLaunch)
{
    capture([&] {
        launchScale(values, 2, kCount, stream);
        launchScale(values, 3, kCount, stream);
    });
    reported.clear();
    launchCorrelations.clear();
    ringside_platform_set_sink(&kSink);
    launch(2);
    ringside_platform_set_sink(nullptr);
    ASSERT_EQ(launchCorrelations.size(), 2U);
    ASSERT_EQ(reported.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(reported[i].correlation, launchCorrelations[i / 2]);
        EXPECT_NE(reported[i].graphId, 0U);
        EXPECT_EQ(reported[i].graphId, reported[0].graphId);
        EXPECT_EQ(reported[i].graphNodeId, reported[i % 2].graphNodeId);
    }
    EXPECT_NE(reported[0].graphNodeId, 0U);
    EXPECT_NE(reported[0].graphNodeId, reported[1].graphNodeId);
}

TEST_F(GraphTest, isMadeNodeByNode)
{
    float* onDevice = nullptr;
    ASSERT_EQ(cudaMalloc(&onDevice, kCount * sizeof(float)), cudaSuccess);
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    cudaGraphNode_t in = nullptr;
    cudaGraphNode_t kernel = nullptr;
    cudaGraphNode_t out = nullptr;
    cudaGraphNode_t host = nullptr;
    ASSERT_EQ(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, onDevice, values, kCount * sizeof(float),
                                       cudaMemcpyHostToDevice),
              cudaSuccess);
    float factor = 3;
    int count = kCount;
    void* arguments[] = {&onDevice, &factor, &count};
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(ringside::test::scaleKernel());
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(kCount);
    parameters.kernelParams = arguments;
    ASSERT_EQ(cudaGraphAddKernelNode(&kernel, graph, &in, 1, &parameters), cudaSuccess);
    ASSERT_EQ(cudaGraphAddMemcpyNode1D(&out, graph, nullptr, 0, values, onDevice, kCount * sizeof(float),
                                       cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(cudaGraphAddDependencies(graph, &kernel, &out, nullptr, 1), cudaSuccess);
    EXPECT_EQ(cudaGraphAddDependencies(graph, &kernel, &out, nullptr, 1), cudaErrorInvalidValue);
    float seen = 0;
    struct Look {
        float* from;
        float* to;
    } look{values, &seen};
    const cudaHostNodeParams hostParameters{[](void* argument) {
                                                const auto* looks = static_cast<Look*>(argument);
                                                *looks->to = *looks->from;
                                            },
                                            &look};
    ASSERT_EQ(cudaGraphAddHostNode(&host, graph, &out, 1, &hostParameters), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
    launch();
    EXPECT_EQ(seen, 3);

    factor = 10; // the executable graph takes the new argument, the graph keeps the old one
    EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, kernel, &parameters), cudaSuccess);
    EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, host, &parameters), cudaErrorInvalidValue);
    launch();
    EXPECT_EQ(seen, 30);
    cudaFree(onDevice);
}

TEST_F(GraphTest, setsElementsOfTwoAndFourBytesInRows)
{
    std::uint16_t* rows = nullptr;
    ASSERT_EQ(cudaMallocHost(&rows, 8 * sizeof *rows), cudaSuccess);
    std::fill_n(rows, 8, std::uint16_t{9});
    cudaMemsetParams parameters{};
    parameters.dst = rows;
    parameters.pitch = 4 * sizeof *rows;
    parameters.value = 0x1234;
    parameters.elementSize = sizeof *rows;
    parameters.width = 3;
    parameters.height = 2;
    cudaGraphNode_t node = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters), cudaSuccess);
    parameters.elementSize = 3;
    EXPECT_EQ(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters), cudaErrorInvalidValue);
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    launch();
    EXPECT_EQ(std::vector(rows, rows + 8),
              (std::vector<std::uint16_t>{0x1234, 0x1234, 0x1234, 9, 0x1234, 0x1234, 0x1234, 9}));
    cudaFreeHost(rows);
}

TEST_F(GraphTest, aCloneIsIndependentOfItsOriginal)
{
    int ran = 0;
    const cudaHostNodeParams parameters{[](void* count) { ++*static_cast<int*>(count); }, &ran};
    cudaGraphNode_t one = nullptr;
    cudaGraphNode_t two = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddHostNode(&one, graph, nullptr, 0, &parameters), cudaSuccess);
    ASSERT_EQ(cudaGraphAddHostNode(&two, graph, &one, 1, &parameters), cudaSuccess);
    cudaGraph_t clone = nullptr;
    cudaGraphNode_t twin = nullptr;
    ASSERT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
    ASSERT_EQ(cudaGraphNodeFindInClone(&twin, two, clone), cudaSuccess);
    EXPECT_NE(twin, two);
    EXPECT_EQ(cudaGraphNodeFindInClone(&twin, twin, graph), cudaErrorInvalidValue);
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphNodeGetDependencies(twin, nullptr, nullptr, &count), cudaSuccess);
    EXPECT_EQ(count, 1U);

    EXPECT_EQ(cudaGraphDestroyNode(two), cudaSuccess); // the clone keeps its own
    EXPECT_EQ(cudaGraphDestroyNode(two), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphNodeGetDependentNodes(one, nullptr, nullptr, &count), cudaSuccess);
    EXPECT_EQ(count, 0U);
    cudaGraphInstantiateParams wanted{};
    wanted.flags = cudaGraphInstantiateFlagUseNodePriority;
    ASSERT_EQ(cudaGraphInstantiateWithParams(&exec, clone, &wanted), cudaSuccess);
    EXPECT_EQ(wanted.result_out, cudaGraphInstantiateSuccess);
    unsigned long long flags = 0;
    EXPECT_EQ(cudaGraphExecGetFlags(exec, &flags), cudaSuccess);
    EXPECT_EQ(flags, wanted.flags);
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(cudaGraphDestroy(clone), cudaSuccess);
}

TEST_F(GraphTest, dependenciesCanBeTakenBack)
{
    cudaGraphNode_t one = nullptr;
    cudaGraphNode_t two = nullptr;
    std::size_t count = 0;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddEmptyNode(&one, graph, nullptr, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddEmptyNode(&two, graph, &one, 1), cudaSuccess);
    EXPECT_EQ(cudaGraphNodeGetDependentNodes(one, nullptr, nullptr, &count), cudaSuccess);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(cudaGraphRemoveDependencies(graph, &one, &two, nullptr, 1), cudaSuccess);
    EXPECT_EQ(cudaGraphRemoveDependencies(graph, &one, &two, nullptr, 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphNodeGetDependencies(two, nullptr, nullptr, &count), cudaSuccess);
    EXPECT_EQ(count, 0U);
}

TEST_F(GraphTest, aCycleCannotBeInstantiated)
{
    cudaGraphNode_t nodes[2] = {};
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddEmptyNode(&nodes[0], graph, nullptr, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddEmptyNode(&nodes[1], graph, nodes, 1), cudaSuccess);
    ASSERT_EQ(cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], nullptr, 1), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    EXPECT_EQ(exec, nullptr);
}

TEST_F(GraphTest, takesOverAnotherCaptureOfTheSameForm)
{
    capture([&] { launchScale(values, 2, kCount, stream); });
    cudaGraph_t longer = nullptr;
    cudaGraph_t again = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    launchScale(values, 7, kCount, stream);
    ASSERT_EQ(cudaStreamEndCapture(stream, &again), cudaSuccess);
    cudaGraphExecUpdateResultInfo result{};
    EXPECT_EQ(cudaGraphExecUpdate(exec, again, &result), cudaSuccess);
    launch();
    EXPECT_EQ(values[0], 7);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    launchScale(values, 7, kCount, stream);
    launchScale(values, 7, kCount, stream);
    ASSERT_EQ(cudaStreamEndCapture(stream, &longer), cudaSuccess);
    EXPECT_EQ(cudaGraphExecUpdate(exec, longer, &result), cudaErrorGraphExecUpdateFailure);
    EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
    cudaGraphDestroy(again);
    cudaGraphDestroy(longer);
}

TEST_F(GraphTest, recordsAnEventWithinWhereAsked)
{
    capture([&] {
        launchScale(values, 2, kCount, stream);
        EXPECT_EQ(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal), cudaSuccess);
    });
    EXPECT_EQ(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal), cudaErrorInvalidValue);
    launch();
    EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
    EXPECT_EQ(values[0], 2);
}

TEST_F(GraphTest, workIsClonedInOrderByTheLaunchingThreadAndFreedAtTheEnd)
{
    static std::vector<std::string> log;
    log.clear();
    const auto enqueue = [&](int id) {
        const ringside::platform::Work work{
            .name = "cloned",
            .run =
                [](void* argument, bool skip) {
                    const std::unique_ptr<int> number(static_cast<int*>(argument));
                    log.push_back((skip ? "freed " : "ran ") + std::to_string(*number));
                },
            .arg = new int(id),
            .clone = [](const void* argument) -> void* {
                const int number = *static_cast<const int*>(argument);
                log.push_back("cloned " + std::to_string(number));
                return new int(number);
            },
            .arithmetic = true};
        EXPECT_EQ(ringside_platform_enqueue(stream, &work), cudaSuccess);
    };
    capture([&] {
        enqueue(1);
        enqueue(2);
    });
    {
        Gate gate(stream);
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(log, (std::vector<std::string>{"cloned 1", "cloned 2"}));
        gate.open();
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    }
    EXPECT_EQ(log, (std::vector<std::string>{"cloned 1", "cloned 2", "ran 1", "ran 2"}));
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(log.size(), 4U); // the executable graph has its share in the work
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(std::set(log.begin() + 4, log.end()), (std::set<std::string>{"freed 1", "freed 2"}));
    graph = nullptr;
    exec = nullptr;
}

} // namespace
