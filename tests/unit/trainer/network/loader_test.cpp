// SPDX-License-Identifier: Apache-2.0
// The loader: which batches come, in which order, and that its threads work side by side.
#include "device.h"
#include "digits.h"
#include "loader.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

constexpr unsigned kBatch = 6;
constexpr std::uint64_t kSeed = 3;

DistributedSampler sampler()
{
    return DistributedSampler(
        {.samples = 32, .globalBatch = kBatch, .rank = 0, .worldSize = 1, .seed = kSeed});
}

Loader::Plan plan(std::uint64_t steps, unsigned workers)
{
    return {.sampler = sampler(),
            .seed = kSeed,
            .steps = steps,
            .localBatch = kBatch,
            .device = 0,
            .workers = workers};
}

/// A batch's images as they are on the device.
std::vector<float> take(Loader& loader, const Stream& stream)
{
    const Batch batch = loader.next(stream.get());
    RS_CHECK(cudaStreamSynchronize(stream.get()));
    std::vector<float> images = toHost(batch.images, std::size_t{kBatch} * kImagePixels);
    loader.release(batch, stream.get());
    return images;
}

std::vector<float> expected(DistributedSampler& order, std::uint64_t step)
{
    std::vector<float> images(std::size_t{kBatch} * kImagePixels);
    std::size_t next = 0;
    for (const std::uint64_t index : order.indices(step))
        drawDigit(kSeed, index, std::span(images).subspan(next++ * kImagePixels, kImagePixels));
    return images;
}

} // namespace

// More than two epochs of 5 steps.
TEST(Loader, handsOutBatchesInOrderWithAnyNumberOfThreads)
{
    constexpr std::uint64_t kSteps = 13;
    const Stream stream = makeStream();
    for (const unsigned workers : {0U, 1U, 3U, 20U}) {
        for (const bool pinned : {true, false}) {
            Hooks hooks;
            hooks.pinned = pinned;
            hooks.prefetch = 1 + workers % 2;
            Loader loader(plan(kSteps, workers), hooks);
            DistributedSampler order = sampler();
            for (std::uint64_t step = 0; step < kSteps; ++step)
                EXPECT_EQ(take(loader, stream), expected(order, step))
                    << workers << " workers, step " << step;
        }
    }
}

// Each waits for all: one after the other they would wait for ever.
TEST(Loader, letsItsThreadsWorkSideBySide)
{
    constexpr unsigned kWorkers = 4;
    const Stream stream = makeStream();
    std::latch together(kWorkers);
    Hooks hooks;
    hooks.prefetch = 1;
    hooks.beforeLoad.emplace_back([&together](std::uint64_t) { together.arrive_and_wait(); });
    Loader loader(plan(kWorkers, kWorkers), hooks);
    for (unsigned step = 0; step < kWorkers; ++step)
        static_cast<void>(take(loader, stream));
}

TEST(Loader, passesOnWhatStoppedAThread)
{
    const Stream stream = makeStream();
    for (const unsigned workers : {0U, 2U}) {
        Hooks hooks;
        hooks.beforeLoad.emplace_back([](std::uint64_t) { throw Failure("no such disk"); });
        Loader loader(plan(3, workers), hooks);
        EXPECT_THROW(static_cast<void>(loader.next(stream.get())), Failure) << workers;
    }
}

TEST(Loader, canBeLeftInTheMiddle)
{
    const Stream stream = makeStream();
    const Hooks hooks;
    Loader loader(plan(100, 3), hooks);
    static_cast<void>(take(loader, stream));
}
