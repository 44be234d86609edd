// SPDX-License-Identifier: Apache-2.0
// The call that a thread is in, read by another thread while it changes.
#include "record/session.h"
#include "trace/write/ring_view.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

using namespace ringside;

namespace {

struct RingMemory {
    alignas(4096) std::byte bytes[trace::kRingHeaderBytes]{};
    trace::InFlight& slot() { return reinterpret_cast<trace::RingHeader*>(bytes)->inFlight[0]; }
};

/// `sameFunction`: each call is of one function, as a loop of collectives is.
void expectWholeCalls(bool sameFunction)
{
    constexpr std::uint32_t kFunction = 7;
    const auto memory = std::make_unique<RingMemory>();
    std::atomic<bool> isOver{false};
    std::thread writer([&] {
        // Times never come again, as a clock's do not: a reader that was not scheduled for long meets new
        // ones.
        for (std::uint32_t call = 1; !isOver.load(std::memory_order_relaxed); ++call) {
            collector::describeCollective(memory->slot(), call, call, call);
            collector::enterCall(memory->slot(), sameFunction ? kFunction : call, call);
            collector::leaveCall(memory->slot());
        }
    });
    int whole = 0;
    int mixed = 0;
    constexpr int kWanted = 20'000;
    for (int look = 0; whole < kWanted; ++look) {
        const auto call = trace::callInFlight(memory->bytes, 0);
        whole += call ? 1 : 0;
        mixed += call && (call->api != (sameFunction ? kFunction : call->communicator) ||
                          call->startTicks != call->communicator || call->sequence != call->communicator ||
                          call->count != call->communicator)
                     ? 1
                     : 0;
    }
    isOver = true;
    writer.join();
    EXPECT_EQ(mixed, 0) << "of " << whole;
}

TEST(InFlight, IsNeverAMixtureOfTwoCalls)
{
    expectWholeCalls(false);
    expectWholeCalls(true);
}

TEST(InFlight, IsNullOfAThreadThatIsInNoCall)
{
    RingMemory memory;
    EXPECT_FALSE(trace::callInFlight(memory.bytes, 0));
    collector::enterCall(memory.slot(), 7, 100);
    ASSERT_TRUE(trace::callInFlight(memory.bytes, 0));
    EXPECT_EQ(trace::callInFlight(memory.bytes, 0)->startTicks, 100);
    collector::leaveCall(memory.slot());
    EXPECT_FALSE(trace::callInFlight(memory.bytes, 0));
}

} // namespace
