// SPDX-License-Identifier: Apache-2.0
// What is known of CUDA graphs by their handles, from the capture to the launch.
#include "record/graphs.h"
#include "record/registry.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

using namespace ringside::collector;

namespace {

constexpr std::uint64_t kCapture = 70;
constexpr std::uint64_t kGraph = 0x1000;
constexpr std::uint64_t kExecutable = 0x2000;

struct CapturedGraphs : testing::Test {
    ~CapturedGraphs() override { EXPECT_EQ(g_openCaptures.load(), 0); }

    /// Captures so many calls into a graph of this handle; its id.
    std::uint32_t capture(std::uint64_t graph, int calls)
    {
        graphs->beginCapture();
        std::uint32_t id = 0;
        for (int call = 0; call < calls; ++call) {
            id = graphs->addCall(graphs->captured(kCapture), &communicator);
        }
        graphs->endCapture(kCapture, graph);
        return id;
    }

    Communicator communicator;
    std::unique_ptr<Graphs> graphs = std::make_unique<Graphs>(); // a megabyte
};

TEST_F(CapturedGraphs, areKnownAtTheirLaunch)
{
    Communicator other;
    graphs->beginCapture();
    const std::uint32_t id = graphs->addCall(graphs->captured(kCapture), &communicator);
    EXPECT_EQ(graphs->addCall(graphs->captured(kCapture), &other), id);
    EXPECT_EQ(graphs->addCall(graphs->captured(kCapture), &communicator), id);
    graphs->endCapture(kCapture, kGraph);
    graphs->instantiate(kGraph, kExecutable);
    graphs->forgetGraph(kGraph); // as programs do at once
    const CapturedGraph* const launched = graphs->launched(kExecutable);
    ASSERT_NE(launched, nullptr);
    EXPECT_EQ(launched->id, id);
    ASSERT_EQ(launched->partCount, 2U);
    EXPECT_EQ(launched->parts[0].communicator, &communicator);
    EXPECT_EQ(launched->parts[0].calls, 2U);
    EXPECT_EQ(launched->parts[1].communicator, &other);
    EXPECT_EQ(launched->parts[1].calls, 1U);
    graphs->forgetExecutable(kExecutable);
    EXPECT_EQ(graphs->launched(kExecutable), nullptr);
}

TEST_F(CapturedGraphs, followCopiesAndUpdates)
{
    const std::uint32_t first = capture(kGraph, 1);
    graphs->copyGraph(kGraph, kGraph + 1);
    graphs->instantiate(kGraph + 1, kExecutable);
    EXPECT_EQ(graphs->launched(kExecutable)->id, first);
    const std::uint32_t second = capture(kGraph + 2, 3);
    EXPECT_NE(second, first);
    graphs->instantiate(kGraph + 2, kExecutable); // an update
    EXPECT_EQ(graphs->launched(kExecutable)->id, second);
    EXPECT_EQ(graphs->launched(kExecutable)->parts[0].calls, 3U);
}

TEST_F(CapturedGraphs, thatWereMadeByHandHaveAnIdToo)
{
    graphs->instantiate(kGraph, kExecutable);
    graphs->instantiate(kGraph, kExecutable + 1);
    ASSERT_NE(graphs->launched(kExecutable), nullptr);
    EXPECT_EQ(graphs->launched(kExecutable), graphs->launched(kExecutable + 1)) << "one graph";
    EXPECT_EQ(graphs->launched(kExecutable)->partCount, 0U);
}

TEST_F(CapturedGraphs, thatBecameInvalidLeaveNothing)
{
    graphs->beginCapture();
    const std::uint32_t lost = graphs->addCall(graphs->captured(kCapture), &communicator);
    graphs->endCapture(0, 0); // CUDA no longer told which one it was
    EXPECT_NE(capture(kGraph, 1), lost) << "the number of a capture may come again";
    graphs->instantiate(kGraph, kExecutable);
    EXPECT_EQ(graphs->launched(kExecutable)->parts[0].calls, 1U);
}

TEST_F(CapturedGraphs, ofACaptureWithoutABeginAreNotCountedBackwards)
{
    graphs->endCapture(kCapture, kGraph);
    EXPECT_EQ(g_openCaptures.load(), 0);
}

TEST_F(CapturedGraphs, beyondTheRoomAreUnknownUntilOthersGo)
{
    constexpr std::uint64_t kMany = 5000;
    for (std::uint64_t i = 0; i < kMany; ++i) {
        capture(kGraph + i, 1);
    }
    std::uint64_t known = 0;
    for (std::uint64_t i = 0; i < kMany; ++i) {
        graphs->instantiate(kGraph + i, kExecutable);
        known += graphs->launched(kExecutable) != nullptr && graphs->launched(kExecutable)->partCount == 1
                     ? 1U
                     : 0U;
    }
    EXPECT_GT(known, kMany / 2);
    EXPECT_LT(known, kMany);
    for (std::uint64_t i = 0; i < kMany; ++i) {
        graphs->forgetGraph(kGraph + i);
    }
    graphs->forgetExecutable(kExecutable);
    EXPECT_NE(capture(kGraph, 1), 0U);
}

TEST_F(CapturedGraphs, thatComeAndGoForeverFindRoom)
{
    std::uint32_t before = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint32_t id = capture(kGraph, 1);
        EXPECT_GT(id, before);
        before = id;
        graphs->instantiate(kGraph, kExecutable);
        graphs->forgetGraph(kGraph);
        ASSERT_NE(graphs->launched(kExecutable), nullptr) << i;
        graphs->forgetExecutable(kExecutable);
    }
}

TEST_F(CapturedGraphs, areCapturedByManyThreadsAtOnce)
{
    constexpr std::uint64_t kThreads = 4;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([this, thread] {
            for (int i = 0; i < 500; ++i) {
                graphs->beginCapture();
                graphs->addCall(graphs->captured(kCapture + thread), &communicator);
                graphs->endCapture(kCapture + thread, kGraph + thread);
                graphs->instantiate(kGraph + thread, kExecutable + thread);
                const CapturedGraph* const launched = graphs->launched(kExecutable + thread);
                EXPECT_TRUE(launched != nullptr && launched->parts[0].calls == 1);
                graphs->forgetGraph(kGraph + thread);
                graphs->forgetExecutable(kExecutable + thread);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace
