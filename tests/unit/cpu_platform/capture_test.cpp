// SPDX-License-Identifier: Apache-2.0
// Stream capture: what becomes a graph, and which calls CUDA forbids during a capture. The error codes are
// those that CUDA documents, or that tests of both vendors' runtimes expect.
#include "platform.h"

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <thread>

namespace {

struct CaptureTest : testing::Test {
    CaptureTest()
    {
        for (cudaStream_t* stream : {&first, &second})
            cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
        cudaStreamCreate(&blocking);
        for (cudaEvent_t* event : {&forked, &joined})
            cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    }
    ~CaptureTest() override
    {
        for (const cudaStream_t stream : {first, second, blocking})
            cudaStreamDestroy(stream);
        for (const cudaEvent_t event : {forked, joined})
            cudaEventDestroy(event);
        cudaGetLastError();
    }
    cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
    {
        return cudaStreamBeginCapture(stream, mode);
    }
    // Ends the capture and keeps no graph.
    cudaError_t end(cudaStream_t stream)
    {
        cudaGraph_t graph = nullptr;
        const cudaError_t error = cudaStreamEndCapture(stream, &graph);
        EXPECT_EQ(graph != nullptr, error == cudaSuccess);
        if (graph != nullptr)
            cudaGraphDestroy(graph);
        return error;
    }
    cudaStreamCaptureStatus status(cudaStream_t stream)
    {
        auto found = cudaStreamCaptureStatusNone;
        EXPECT_EQ(cudaStreamIsCapturing(stream, &found), cudaSuccess);
        return found;
    }
    static void count(void* counter) { ++*static_cast<int*>(counter); }

    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaStream_t blocking = nullptr;
    cudaEvent_t forked = nullptr;
    cudaEvent_t joined = nullptr;
    int counter = 0;
};

TEST_F(CaptureTest, workIsNotDoneButBecomesNodes)
{
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(status(first), cudaStreamCaptureStatusActive);
    EXPECT_EQ(status(second), cudaStreamCaptureStatusNone);
    EXPECT_EQ(cudaLaunchHostFunc(first, count, &counter), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(first, count, &counter), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(first, &graph), cudaSuccess);
    EXPECT_EQ(status(first), cudaStreamCaptureStatusNone);
    EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    EXPECT_EQ(counter, 0);

    cudaGraphNode_t nodes[3] = {};
    std::size_t size = 3;
    ASSERT_EQ(cudaGraphGetNodes(graph, nodes, &size), cudaSuccess);
    ASSERT_EQ(size, 2U);
    EXPECT_EQ(nodes[2], nullptr);
    cudaGraphNodeType type{};
    EXPECT_EQ(cudaGraphNodeGetType(nodes[0], &type), cudaSuccess);
    EXPECT_EQ(type, cudaGraphNodeTypeHost);
    cudaGraphNode_t from[1] = {};
    cudaGraphNode_t to[1] = {};
    size = 1;
    ASSERT_EQ(cudaGraphGetEdges(graph, from, to, nullptr, &size), cudaSuccess);
    EXPECT_EQ(size, 1U);
    EXPECT_EQ(from[0], nodes[0]);
    EXPECT_EQ(to[0], nodes[1]);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &size), cudaErrorInvalidValue);
}

TEST_F(CaptureTest, returnsItsIdGraphAndDependencies)
{
    cudaStreamCaptureStatus found{};
    unsigned long long firstId = 0;
    unsigned long long secondId = 0;
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* dependencies = nullptr;
    std::size_t size = 9;
    ASSERT_EQ(begin(first), cudaSuccess);
    cudaLaunchHostFunc(first, count, &counter);
    ASSERT_EQ(cudaStreamGetCaptureInfo(first, &found, &firstId, &graph, &dependencies, nullptr, &size),
              cudaSuccess);
    EXPECT_EQ(found, cudaStreamCaptureStatusActive);
    ASSERT_EQ(size, 1U);
    cudaGraphNodeType type{};
    EXPECT_EQ(cudaGraphNodeGetType(dependencies[0], &type), cudaSuccess);
    EXPECT_EQ(type, cudaGraphNodeTypeHost);
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(first, &captured), cudaSuccess);
    EXPECT_EQ(captured, graph);
    cudaGraphDestroy(captured);

    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaStreamGetCaptureInfo(first, &found, &secondId, nullptr, nullptr, nullptr, nullptr),
              cudaSuccess);
    EXPECT_NE(firstId, secondId);
    EXPECT_EQ(end(first), cudaSuccess);
    EXPECT_EQ(cudaStreamGetCaptureInfo(first, &found, nullptr, nullptr, nullptr, nullptr, nullptr),
              cudaSuccess);
    EXPECT_EQ(found, cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, anEventDrawsAnotherStreamIn)
{
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(forked, first), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(second, forked, 0), cudaSuccess);
    EXPECT_EQ(status(second), cudaStreamCaptureStatusActive);
    EXPECT_EQ(cudaLaunchHostFunc(second, count, &counter), cudaSuccess);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
    EXPECT_EQ(cudaEventRecord(joined, second), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(first, joined, 0), cudaSuccess);
    EXPECT_EQ(end(first), cudaSuccess);
    EXPECT_EQ(status(second), cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, aForkThatIsNotJoinedIsAnError)
{
    ASSERT_EQ(begin(first), cudaSuccess);
    cudaEventRecord(forked, first);
    cudaStreamWaitEvent(second, forked, 0);
    cudaLaunchHostFunc(second, count, &counter);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureUnjoined);
    EXPECT_EQ(status(second), cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, beginsAndEndsWhereItMay)
{
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(begin(nullptr), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(begin(cudaStreamLegacy), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(begin(first, static_cast<cudaStreamCaptureMode>(3)), cudaErrorInvalidValue);
    EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorIllegalState);
    EXPECT_EQ(cudaStreamEndCapture(nullptr, &graph), cudaErrorIllegalState);
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(begin(first), cudaErrorIllegalState);
    EXPECT_EQ(cudaStreamEndCapture(first, nullptr), cudaErrorInvalidValue);
    std::thread([&] {
        EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureWrongThread);
    }).join();
    EXPECT_EQ(end(first), cudaSuccess);
    ASSERT_EQ(begin(first, cudaStreamCaptureModeRelaxed), cudaSuccess);
    std::thread([&] { EXPECT_EQ(end(first), cudaSuccess); }).join();
}

TEST_F(CaptureTest, waitingForACapturingStreamInvalidates)
{
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(status(first), cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(cudaLaunchHostFunc(first, count, &counter), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaLaunchHostFunc(first, count, &counter), cudaSuccess); // capture is over
    EXPECT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    EXPECT_EQ(counter, 1);

    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(first), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, aCapturedEventCannotBeWaitedForByTheHostOrByOthers)
{
    ASSERT_EQ(begin(first, cudaStreamCaptureModeRelaxed), cudaSuccess);
    cudaEventRecord(forked, first);
    EXPECT_EQ(cudaEventQuery(forked), cudaErrorCapturedEvent);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    ASSERT_EQ(begin(first), cudaSuccess);
    cudaEventRecord(forked, first);
    EXPECT_EQ(end(first), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(forked), cudaErrorCapturedEvent);
    EXPECT_EQ(cudaStreamWaitEvent(second, forked, 0), cudaErrorCapturedEvent);
    EXPECT_EQ(cudaEventRecord(forked, first), cudaSuccess); // an ordinary event again
    EXPECT_EQ(cudaEventSynchronize(forked), cudaSuccess);
}

TEST_F(CaptureTest, capturesStayApart)
{
    EXPECT_EQ(cudaEventRecord(forked, second), cudaSuccess);
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(first, forked, 0), cudaErrorStreamCaptureIsolation);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);

    ASSERT_EQ(begin(first), cudaSuccess);
    ASSERT_EQ(begin(second), cudaSuccess);
    cudaEventRecord(forked, first);
    EXPECT_EQ(cudaStreamWaitEvent(second, forked, 0), cudaErrorStreamCaptureMerge);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(second), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, theLegacyStreamIsOfNoUseWhileABlockingStreamCaptures)
{
    auto found = cudaStreamCaptureStatusNone;
    int* value = nullptr;
    ASSERT_EQ(cudaMalloc(&value, sizeof *value), cudaSuccess);
    ASSERT_EQ(begin(blocking), cudaSuccess);
    EXPECT_EQ(cudaStreamIsCapturing(nullptr, &found), cudaErrorStreamCaptureImplicit);
    EXPECT_EQ(cudaStreamGetCaptureInfo(nullptr, &found, nullptr, nullptr, nullptr, nullptr, nullptr),
              cudaErrorStreamCaptureImplicit);
    EXPECT_EQ(status(blocking), cudaStreamCaptureStatusActive); // asking does no harm
    EXPECT_EQ(cudaMemset(value, 0, sizeof *value), cudaErrorStreamCaptureImplicit);
    EXPECT_EQ(end(blocking), cudaErrorStreamCaptureInvalidated);
    ASSERT_EQ(begin(blocking), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, count, &counter), cudaErrorStreamCaptureImplicit);
    EXPECT_EQ(end(blocking), cudaErrorStreamCaptureInvalidated);

    ASSERT_EQ(begin(first), cudaSuccess); // a non-blocking one does not concern it
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, count, &counter), cudaSuccess);
    EXPECT_EQ(end(first), cudaSuccess);
    cudaFree(value);
}

TEST_F(CaptureTest, unsafeCallsAreForbiddenAsTheModesSay)
{
    const auto allocate = [] {
        int* value = nullptr;
        const cudaError_t error = cudaMalloc(&value, sizeof *value);
        if (error == cudaSuccess && cudaFree(value) != cudaSuccess)
            ADD_FAILURE() << "what could be allocated can be freed";
        return error;
    };
    const auto elsewhere = [&allocate] {
        cudaError_t error = cudaErrorUnknown;
        std::thread([&] { error = allocate(); }).join();
        return error;
    };
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(allocate(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(elsewhere(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    ASSERT_EQ(begin(first, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(elsewhere(), cudaSuccess);
    EXPECT_EQ(status(first), cudaStreamCaptureStatusActive);
    EXPECT_EQ(allocate(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    ASSERT_EQ(begin(first, cudaStreamCaptureModeRelaxed), cudaSuccess);
    EXPECT_EQ(allocate(), cudaSuccess);
    EXPECT_EQ(elsewhere(), cudaSuccess);
    EXPECT_EQ(end(first), cudaSuccess);
}

TEST_F(CaptureTest, waitingForAnotherStreamIsUnsafeToo)
{
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(second, count, &counter), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
}

TEST_F(CaptureTest, aThreadMayExchangeItsMode)
{
    auto mode = cudaStreamCaptureModeRelaxed;
    auto bad = static_cast<cudaStreamCaptureMode>(3);
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&bad), cudaErrorInvalidValue);
    ASSERT_EQ(begin(first), cudaSuccess);
    ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
    int* value = nullptr;
    EXPECT_EQ(cudaMalloc(&value, sizeof *value), cudaSuccess);
    EXPECT_EQ(cudaFree(value), cudaSuccess);
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(end(first), cudaSuccess);
}

TEST_F(CaptureTest, libraryWorkThatCannotBeRepeatedIsRefused)
{
    const ringside::platform::Work work{
        .name = "once",
        .run = [](void* freed, bool skipped) { *static_cast<int*>(freed) += skipped ? 1 : 100; },
        .arg = &counter};
    ASSERT_EQ(begin(first), cudaSuccess);
    EXPECT_EQ(ringside_platform_enqueue(first, &work), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(counter, 1) << "the argument is freed, the work not done";
    EXPECT_EQ(end(first), cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, destroyingTheStreamEndsTheCapture)
{
    cudaStream_t doomed = nullptr;
    cudaStreamCreate(&doomed);
    ASSERT_EQ(begin(doomed), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(doomed), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(CaptureTest, dependenciesCanBeReplaced)
{
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    cudaGraphNode_t root = nullptr;
    ASSERT_EQ(cudaGraphAddEmptyNode(&root, graph, nullptr, 0), cudaSuccess);
    EXPECT_EQ(cudaStreamUpdateCaptureDependencies(first, &root, nullptr, 1, 0), cudaErrorIllegalState);
    ASSERT_EQ(cudaStreamBeginCaptureToGraph(first, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
              cudaSuccess);
    cudaLaunchHostFunc(first, count, &counter);
    EXPECT_EQ(cudaStreamUpdateCaptureDependencies(first, &root, nullptr, 1, cudaStreamSetCaptureDependencies),
              cudaSuccess);
    cudaLaunchHostFunc(first, count, &counter);
    cudaGraph_t captured = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(first, &captured), cudaSuccess);
    EXPECT_EQ(captured, graph);
    cudaGraphNode_t from[1] = {};
    cudaGraphNode_t to[1] = {};
    std::size_t size = 1;
    EXPECT_EQ(cudaGraphGetEdges(graph, from, to, nullptr, &size), cudaSuccess);
    EXPECT_EQ(from[0], root);
    cudaGraphDestroy(graph);
}

} // namespace
