// SPDX-License-Identifier: Apache-2.0
// Reading pairs of CUDA events, with a scripted CUDA: an event's handle is its number, its time a script's.
#include "device/event_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <set>

using namespace ringside;
using namespace ringside::collector;

namespace {

struct ScriptedCuda {
    std::uint64_t events = 0;
    std::map<std::uint64_t, double> happened; ///< ms of the device
    std::set<std::uint64_t> pending;
    int queries = 0;
    int queryResult = 0; ///< of those that are not pending
};
ScriptedCuda g_cuda;

std::uint64_t numberOf(cudaEvent_t event)
{
    return reinterpret_cast<std::uint64_t>(event);
}

EventLibrary scripted()
{
    EventLibrary library;
    library.setDevice = [](int) { return cudaSuccess; };
    library.createStream = [](cudaStream_t*, unsigned) { return cudaSuccess; };
    library.create = [](cudaEvent_t* event, unsigned) {
        *event = reinterpret_cast<cudaEvent_t>(++g_cuda.events);
        return cudaSuccess;
    };
    library.record = [](cudaEvent_t, cudaStream_t) { return cudaSuccess; }; // an anchor: at 0 of the device
    library.query = [](cudaEvent_t event) {
        ++g_cuda.queries;
        return g_cuda.pending.contains(numberOf(event)) ? cudaErrorNotReady
                                                        : static_cast<cudaError_t>(g_cuda.queryResult);
    };
    library.elapsed = [](float* ms, cudaEvent_t from, cudaEvent_t to) {
        *ms = static_cast<float>(g_cuda.happened[numberOf(to)] - g_cuda.happened[numberOf(from)]);
        return cudaSuccess;
    };
    return library;
}

constexpr std::size_t kSlots = 64;
struct Memory {
    alignas(4096) std::byte bytes[trace::kRingHeaderBytes + kSlots * trace::kSlotBytes]{};
};

class EventReading : public testing::Test {
protected:
    EventReading()
    {
        g_cuda = {};
        m_timing.cuda = scripted();
        EXPECT_TRUE(m_reader.addDevice(0));
    }
    void TearDown() override { delete m_timing.pools[0].load(); } // the collector keeps it for ever
    [[nodiscard]] EventPool& pool() { return *m_timing.pools[0].load(); }
    EventPair& recorded(std::uint64_t call, std::uint32_t stream, double fromMs, double toMs)
    {
        EventPair* const pair = pool().take();
        pair->call = call;
        pair->stream = stream;
        g_cuda.happened[numberOf(pair->before)] = fromMs;
        g_cuda.happened[numberOf(pair->after)] = toMs;
        pair->state = EventPair::State::Recorded;
        return *pair;
    }
    trace::EventTimeRecord written(std::uint64_t index)
    {
        trace::EventTimeRecord record{};
        std::memcpy(&record, m_memory->bytes + trace::kRingHeaderBytes + 2 * index * trace::kSlotBytes,
                    sizeof record);
        return record;
    }
    [[nodiscard]] std::uint64_t count() { return m_ring.header().head.load() / 2; }

    std::unique_ptr<Memory> m_memory = std::make_unique<Memory>();
    Ring m_ring{std::span(m_memory->bytes), "test"};
    EventTiming m_timing;
    EventReader m_reader{m_timing};
};

TEST_F(EventReading, CountsFromTheAnchorInNanoseconds)
{
    const std::uint64_t now = ticks();
    const EventPair& pair = recorded(9, 3, 1.5, 4.0);
    m_reader.pass(m_ring);
    ASSERT_EQ(count(), 1U);
    const trace::EventTimeRecord record = written(0);
    EXPECT_EQ(record.callId, 9U);
    EXPECT_EQ(record.stream, 3U);
    EXPECT_EQ(record.device, 0);
    EXPECT_EQ(record.startNs, 1'500'000);
    EXPECT_EQ(record.endNs, 4'000'000);
    EXPECT_LT(record.anchorTicks, now);
    EXPECT_GT(record.uncertaintyNs, 0U);
    EXPECT_EQ(pair.state.load(), EventPair::State::Free);
    EXPECT_EQ(m_reader.waiting(), 0U);
}

TEST_F(EventReading, ReportsTheRoundingOfCudasMilliseconds)
{
    recorded(1, 1, 0, 1);
    recorded(2, 2, 0, 100'000); // 100 s: a float of ms is 7.8 us coarse
    m_reader.pass(m_ring);
    ASSERT_EQ(count(), 2U);
    EXPECT_GE(written(1).uncertaintyNs, written(0).uncertaintyNs + 2 * 7800);
}

TEST_F(EventReading, QueriesEachBusyStreamOnce)
{
    const EventPair& first = recorded(1, 5, 0, 1);
    recorded(2, 5, 1, 2);
    recorded(3, 6, 0, 1);
    g_cuda.pending = {numberOf(first.after)};
    g_cuda.queries = 0;
    m_reader.pass(m_ring);
    EXPECT_EQ(g_cuda.queries, 2);
    EXPECT_EQ(m_reader.waiting(), 2U);
    ASSERT_EQ(count(), 1U);
    EXPECT_EQ(written(0).callId, 3U);
    g_cuda.pending.clear();
    m_reader.pass(m_ring);
    EXPECT_EQ(count(), 3U);
    EXPECT_EQ(m_reader.waiting(), 0U);
}

TEST_F(EventReading, EndsWithTheFirstError)
{
    recorded(1, 5, 0, 1);
    recorded(2, 6, 0, 1);
    g_cuda.queryResult = 700;
    g_cuda.queries = 0;
    m_reader.pass(m_ring);
    EXPECT_EQ(g_cuda.queries, 1);
    EXPECT_TRUE(m_reader.failed());
    EXPECT_STREQ(m_timing.failedIn.load(), "cudaEventQuery");
    EXPECT_EQ(m_timing.error.load(), 700);
    EXPECT_EQ(count(), 0U);
}

TEST_F(EventReading, WaitsForAnAnchorWhereTheDeviceIsTooBusyForOne)
{
    EventTiming timing;
    timing.cuda = scripted();
    for (std::uint64_t event = g_cuda.events + 1; event <= g_cuda.events + 4; ++event) {
        g_cuda.pending.insert(event); // the anchors are the first to be made
    }
    EventReader reader(timing);
    ASSERT_TRUE(reader.addDevice(0));
    EventPair* const pair = timing.pools[0].load()->take();
    pair->state = EventPair::State::Recorded;
    reader.pass(m_ring);
    EXPECT_EQ(count(), 0U);
    EXPECT_GT(reader.waiting(), 0U);
    g_cuda.pending.clear();
    reader.pass(m_ring);
    EXPECT_EQ(count(), 1U);
    delete timing.pools[0].load();
}

TEST(EventPool, HasSoManyAndNoMore)
{
    const auto pool = std::make_unique<EventPool>();
    std::set<EventPair*> taken;
    for (std::size_t i = 0; i < EventPool::kPairs; ++i) {
        taken.insert(pool->take());
    }
    EXPECT_EQ(taken.size(), EventPool::kPairs);
    EXPECT_FALSE(taken.contains(nullptr));
    EXPECT_EQ(pool->take(), nullptr);
    for (EventPair* const pair : taken) {
        pair->state = EventPair::State::Free;
    }
    EXPECT_NE(pool->take(), nullptr);
}

} // namespace
