// SPDX-License-Identifier: Apache-2.0
#include "ring_builder.h"
#include "support/temporary_directory.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/ring_decoder.h>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace ringside::test {
namespace {

using namespace ringside::trace;

class Decoding : public testing::Test {
protected:
    /// Closes the writer and reads what it wrote.
    ProcessTrace rows()
    {
        m_writer.setProcess({});
        m_writer.close();
        return readProcess(m_directory / "a.db");
    }

    TemporaryDirectory m_directory;
    Writer m_writer{m_directory / "a.db", Writer::Mode::Create};
    RingDecoder m_decoder{m_writer};
    RingBuilder m_definitions{RingRole::Definitions, 1, 256};
    RingBuilder m_thread{RingRole::Thread, 2, 64};
};

TEST_F(Decoding, GivesARowForEveryKindOfRecord)
{
    m_definitions.text(1, "ncclAllReduce").text(2, std::string(200, 'k'));
    m_definitions.add(RecordKind::Clock, ClockRecord{{}, 10, 10, 1000});
    m_definitions.add(RecordKind::Thread, ThreadRecord{{}, 2, 77, "worker"});
    m_definitions.add(RecordKind::Stream, StreamRecord{{}, 3, 0, 0x1234, 0});
    m_definitions.add(RecordKind::Communicator,
                      CommunicatorRecord{{}, 5, 0, 0xABC, 4, 2, 0, 1, 12, 0x99, 0xDEF, {}});
    const CallRecord call{{}, 100, 200, 1, -3};
    m_thread.add(RecordKind::Call, call);
    m_thread.add(RecordKind::Memory, MemoryRecord{call, 4096, 3, 1, {}});
    m_thread.add(RecordKind::Call, CallRecord{{0, RecordKind::Call, 1, kLastStreamOfCall}, 200, 300, 1, 0});
    m_thread.add(RecordKind::Collective, CollectiveRecord{call, 9, 0, 100, 10, 5, 3, -1, 7, 0, 0, {}});
    m_thread.add(RecordKind::Collective, CollectiveRecord{call, 11, 1, 100, 0, 5, 3, 2, 6, 0xFFFF, 8, {}});
    m_thread.add(RecordKind::GraphLaunch, GraphLaunchRecord{call, 12, 2, 1, 8, 5, 3, {}});
    m_thread.add(RecordKind::Group, GroupRecord{call, 10, 1, 150, 0});
    m_thread.add(RecordKind::Range, RangeRecord{{}, 1, 2, 1, 2, 8, 3, RangeFlavour::Mark, {}});
    m_thread.add(RecordKind::Step, StepRecord{{}, 5, 6, 42, {}});
    EXPECT_EQ(m_decoder.decode(m_definitions.bytes(), 0), m_definitions.head());
    EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 0), m_thread.head());
    EXPECT_EQ(m_decoder.recordsDecoded(), 4U + 4U + 9U);

    const ProcessTrace trace = rows();
    EXPECT_TRUE(trace.issues.empty());
    EXPECT_EQ(trace.text(1), "ncclAllReduce");
    EXPECT_EQ(trace.text(2), std::string(200, 'k'));
    ASSERT_EQ(trace.clockSamples.size(), 1U);
    EXPECT_EQ(trace.clockSamples[0].realtimeNs, 1000);
    ASSERT_EQ(trace.threads.size(), 1U);
    EXPECT_EQ(trace.threads[0].name, "worker");
    ASSERT_EQ(trace.streams.size(), 1U);
    EXPECT_EQ(trace.streams[0].handle, 0x1234U);
    ASSERT_EQ(trace.communicators.size(), 1U);
    EXPECT_EQ(trace.communicators[0].hash, 0xABCU);
    EXPECT_EQ(trace.communicators[0].createdNs, 12);
    EXPECT_EQ(trace.communicators[0].ncclHash, 0xDEFU);

    ASSERT_EQ(trace.apiCalls.size(), 3U) << "a collective is no api_call";
    EXPECT_EQ(trace.apiCalls.startNs[0], 100);
    EXPECT_EQ(trace.apiCalls.result[0], -3);
    EXPECT_EQ(trace.apiCalls.copyKind[0], kNoCopyKind);
    EXPECT_EQ(trace.apiCalls.bytes[1], 4096U);
    EXPECT_EQ(trace.apiCalls.thread[1], 2U);
    EXPECT_EQ(trace.apiCalls.stream[0], 0U);
    EXPECT_EQ(trace.apiCalls.stream[2], kLastStreamOfCall);
    EXPECT_EQ(trace.apiCalls.copyKind[2], kNoCopyKind);
    EXPECT_EQ(trace.apiCalls.bytes[2], 0U);
    ASSERT_EQ(trace.collectiveCalls.size(), 2U);
    EXPECT_EQ(trace.collectiveCalls[0].bytes, 400U) << "float32";
    EXPECT_EQ(trace.collectiveCalls[0].peer, std::nullopt);
    EXPECT_EQ(trace.collectiveCalls[0].reduction, 0);
    EXPECT_EQ(trace.collectiveCalls[1].bytes, 200U) << "float16";
    EXPECT_EQ(trace.collectiveCalls[1].peer, 2);
    EXPECT_EQ(trace.collectiveCalls[1].reduction, std::nullopt);
    EXPECT_EQ(trace.collectiveCalls[0].graph, std::nullopt);
    EXPECT_EQ(trace.collectiveCalls[1].graph, 8);
    ASSERT_EQ(trace.graphLaunches.size(), 1U);
    EXPECT_EQ(trace.graphLaunches.startNs[0], 100);
    EXPECT_EQ(trace.graphLaunches.launch[0], 12U);
    EXPECT_EQ(trace.graphLaunches.graph[0], 8U);
    EXPECT_EQ(trace.graphLaunches.communicator[0], 5U);
    EXPECT_EQ(trace.graphLaunches.sequence[0], 2U);
    EXPECT_EQ(trace.graphLaunches.calls[0], 1U);
    EXPECT_EQ(trace.graphLaunches.stream[0], 3U);
    EXPECT_EQ(trace.graphLaunches.thread[0], 2U);
    EXPECT_EQ(trace.graphLaunches.result[0], -3);
    ASSERT_EQ(trace.groups.size(), 1U);
    EXPECT_EQ(trace.groups[0].launchStartNs, 150);
    ASSERT_EQ(trace.ranges.size(), 1U);
    EXPECT_EQ(trace.ranges[0].depth, 3);
    EXPECT_EQ(trace.ranges[0].flavour, 3);
    ASSERT_EQ(trace.steps.size(), 1U);
    EXPECT_EQ(trace.steps[0].number, 42);
}

TEST_F(Decoding, CountsEventTimesFromTheirAnchor)
{
    m_thread.add(RecordKind::EventTime, EventTimeRecord{{}, 9, 5000, -300, 700, 1, 3, 40, {}});
    m_decoder.decode(m_definitions.bytes(), 0);
    m_decoder.decode(m_thread.bytes(), 0);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.eventTimes.size(), 1U);
    EXPECT_EQ(trace.eventTimes.startNs[0], 4700);
    EXPECT_EQ(trace.eventTimes.endNs[0], 5700);
    EXPECT_EQ(trace.eventTimes.call[0], 9U);
    EXPECT_EQ(trace.eventTimes.device[0], 1U);
    EXPECT_EQ(trace.eventTimes.stream[0], 3U);
    EXPECT_EQ(trace.eventTimes.uncertaintyNs[0], 40U);
}

TEST_F(Decoding, AWindowEndsWithTheNextOne)
{
    m_definitions.add(RecordKind::Window, WindowRecord{{}, 100, 0, "light", "outside of steps 2 to 3"});
    m_definitions.add(RecordKind::Window,
                      WindowRecord{{}, 200, 2, {'s', 't', 'a', 'n', 'd', 'a', 'r', 'd'}, "steps 2 to 3"});
    m_definitions.add(RecordKind::Window,
                      WindowRecord{{}, 250, 2, {'s', 't', 'a', 'n', 'd', 'a', 'r', 'd'}, "steps 2 to 3"});
    m_definitions.add(RecordKind::Window,
                      WindowRecord{{}, 190, 4, "light", ""}); // its clock was read earlier
    m_decoder.decode(m_definitions.bytes(), 0);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.windows.size(), 3U);
    EXPECT_EQ(trace.windows[0].level.text(), "light");
    EXPECT_EQ(trace.windows[0].why, "outside of steps 2 to 3");
    EXPECT_EQ(trace.windows[0].step, std::nullopt);
    EXPECT_EQ(trace.windows[0].endNs, 200);
    EXPECT_EQ(trace.windows[1].level.text(), "standard");
    EXPECT_EQ(trace.windows[1].step, 2);
    EXPECT_EQ(trace.windows[1].endNs, 201);
    EXPECT_EQ(trace.windows[2].startNs, 201);
    EXPECT_EQ(trace.windows[2].endNs, std::nullopt);
}

TEST_F(Decoding, NestsHostileWindowsWithoutHarm)
{
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t start : {kLast, kLast, -kLast, std::int64_t{0}}) {
        WindowRecord window{{}, start, ~std::uint64_t{0}, {}, {}};
        std::memset(window.why, 'x', sizeof window.why);
        window.level[0] = static_cast<char>('a' + m_definitions.head());
        m_definitions.add(RecordKind::Window, window);
    }
    EXPECT_EQ(m_decoder.decode(m_definitions.bytes(), 0), m_definitions.head());
    EXPECT_FALSE(rows().issues.empty()); // read without the times that cannot be
}

TEST_F(Decoding, AddsHostileEventTimesWithoutHarm)
{
    m_thread.add(RecordKind::EventTime, EventTimeRecord{{}, 10, 5000, INT64_MAX, INT64_MIN, -1, 3, 0, {}});
    m_decoder.decode(m_definitions.bytes(), 0);
    m_decoder.decode(m_thread.bytes(), 0);
    const ProcessTrace trace = rows();
    EXPECT_EQ(trace.eventTimes.size(), 0U);
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].id, "damaged_chunk");
}

// As NCCL's own ranges tell of it: so many bytes, of what is not said, and how it ended neither.
TEST_F(Decoding, DoesNotInventWhatACallWasMadeOf)
{
    const CallRecord call{{}, 100, 200, 1, kUnknownResult};
    m_thread.add(RecordKind::Collective,
                 CollectiveRecord{call, 9, 0, 4096, 10, 5, 0, -1, kUnknownDatatype, 0, 0, {}});
    m_thread.add(RecordKind::Group, GroupRecord{call, 10, 1, 150, 0});
    m_thread.header().inFlight[0].count = 512 | kCountIsBytes;
    m_thread.header().inFlight[0].api = 1;
    m_decoder.decode(m_definitions.bytes(), 0);
    m_decoder.decode(m_thread.bytes(), 0);
    m_decoder.decodeInFlight(m_thread.bytes());
    const ProcessTrace trace = rows();
    EXPECT_TRUE(trace.issues.empty());
    ASSERT_EQ(trace.collectiveCalls.size(), 1U);
    EXPECT_EQ(trace.collectiveCalls[0].bytes, 4096U);
    EXPECT_EQ(trace.collectiveCalls[0].count, std::nullopt);
    EXPECT_EQ(trace.collectiveCalls[0].datatype, std::nullopt);
    EXPECT_EQ(trace.collectiveCalls[0].result, std::nullopt);
    ASSERT_EQ(trace.groups.size(), 1U);
    EXPECT_EQ(trace.groups[0].result, std::nullopt);
    ASSERT_EQ(trace.inFlight.size(), 1U);
    EXPECT_EQ(trace.inFlight[0].bytes, 512U);
    EXPECT_EQ(trace.inFlight[0].count, std::nullopt);
}

TEST_F(Decoding, FollowsARingAroundItsEnd)
{
    m_decoder.decode(m_definitions.bytes(), 0);
    std::uint64_t at = 0;
    std::uint64_t start = 0;
    for (int lap = 0; lap < 50; ++lap) {
        for (int i = 0; i < 7; ++i) {
            m_thread.call(start, start + 1);
            m_thread.add(
                RecordKind::Collective,
                CollectiveRecord{
                    CallRecord{{}, start, start + 1, 1, 0}, start + 1, 0, 1, 0, 1, 1, -1, 7, 0, 0, {}});
            ++start;
        }
        at = m_decoder.decode(m_thread.bytes(), at);
        ASSERT_EQ(at, m_thread.head());
    }
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.apiCalls.size(), 350U);
    ASSERT_EQ(trace.collectiveCalls.size(), 350U);
    for (std::size_t i = 0; i < 350; ++i) {
        EXPECT_EQ(trace.apiCalls.startNs[i], static_cast<std::int64_t>(i));
    }
    EXPECT_TRUE(trace.issues.empty());
}

TEST_F(Decoding, DecodesAtMostOneLap)
{
    for (std::uint64_t i = 0; i < 64; ++i) {
        m_thread.call(i, i);
    }
    m_decoder.decode(m_definitions.bytes(), 0);
    EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 0), 64U);
    EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 64), 64U) << "what the last lap left is not read again";
}

TEST_F(Decoding, StopsAtARecordThatIsNotFinished)
{
    m_thread.call(1, 2).call(3, 4).call(5, 6);
    m_decoder.decode(m_definitions.bytes(), 0);
    std::memset(m_thread.slot(1), 0, sizeof(CommitWord)); // the owner was killed before the last store
    EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 0), 1U);
    EXPECT_EQ(rows().apiCalls.size(), 1U);
}

TEST_F(Decoding, HoldsThreadsBackUntilTheClockIsReady)
{
    RingBuilder definitions(RingRole::Definitions, 1, 64, ClockKind::Tsc);
    RingBuilder thread(RingRole::Thread, 2, 64, ClockKind::Tsc);
    definitions.text(1, "x").add(RecordKind::Clock, ClockRecord{{}, 1000, 500, 0});
    definitions.add(RecordKind::Communicator, CommunicatorRecord{{}, 5, 0, 1, 4, 2, 0, 0, 3000, 1, 0, {}});
    thread.call(2000, 4000);
    const std::uint64_t held = m_decoder.decode(definitions.bytes(), 0);
    EXPECT_EQ(held, 4U) << "text and clock, not the communicator";
    EXPECT_EQ(m_decoder.decode(thread.bytes(), 0), 0U);
    definitions.add(RecordKind::Clock, ClockRecord{{}, 3000, 1500, 0});
    EXPECT_EQ(m_decoder.decode(definitions.bytes(), held), definitions.head());
    EXPECT_EQ(m_decoder.decode(thread.bytes(), 0), 1U);
    const ProcessTrace trace = rows();
    EXPECT_EQ(trace.communicators.at(0).createdNs, 1500);
    EXPECT_EQ(trace.apiCalls.startNs.at(0), 1000);
    EXPECT_EQ(trace.apiCalls.endNs.at(0), 2000);
    EXPECT_EQ(trace.clockSamples.size(), 2U);
}

TEST_F(Decoding, DoesNotPassATextOfWhichPartsAreMissing)
{
    m_definitions.text(1, std::string(150, 'x'));
    std::memset(m_definitions.slot(6), 0, sizeof(CommitWord));
    EXPECT_EQ(m_decoder.decode(m_definitions.bytes(), 0), 0U);
    const CommitWord commit{7, RecordKind::String, 3, 0};
    std::memcpy(m_definitions.slot(6), &commit, sizeof commit);
    EXPECT_EQ(m_decoder.decode(m_definitions.bytes(), 0), 9U);
    EXPECT_EQ(rows().text(1), std::string(150, 'x'));
}

TEST_F(Decoding, ReturnsTheCallsThatThreadsAreIn)
{
    InFlight& call = m_thread.header().inFlight[0];
    call.communicator = 5;
    call.startTicks = 100;
    call.count = 7;
    call.sequence = 3;
    call.api = 1;
    m_decoder.decode(m_definitions.bytes(), 0);
    m_decoder.decodeInFlight(m_thread.bytes());
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.inFlight.size(), 1U);
    EXPECT_EQ(trace.inFlight[0].communicator, 5);
    EXPECT_EQ(trace.inFlight[0].startNs, 100);
    EXPECT_EQ(trace.inFlight[0].thread, 2);
}

TEST_F(Decoding, EndsADamagedRingOnceAndGoesOnWithTheOthers)
{
    RingBuilder other(RingRole::Thread, 3, 64);
    other.call(1, 2);
    m_thread.call(1, 2).add(RecordKind{99}, CallRecord{});
    m_decoder.decode(m_definitions.bytes(), 0);
    EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 0), 1U);
    EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 1), 1U);
    EXPECT_EQ(m_decoder.decode(other.bytes(), 0), 1U);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].id, "ring_damaged");
    EXPECT_EQ(trace.issues[0].count, 1);
    EXPECT_EQ(trace.apiCalls.size(), 2U);
}

TEST_F(Decoding, RefusesHostileHeaders)
{
    const auto refuses = [&](std::uint32_t ringId, const std::function<void(RingHeader&)>& damage) {
        RingBuilder ring(RingRole::Thread, ringId, 64);
        ring.call(1, 2);
        damage(ring.header());
        m_decoder.decodeInFlight(ring.bytes());
        return m_decoder.decode(ring.bytes(), 0) == 0;
    };
    m_decoder.decode(m_definitions.bytes(), 0);
    EXPECT_TRUE(refuses(10, [](RingHeader& h) { h.magic = 1; }));
    EXPECT_TRUE(refuses(11, [](RingHeader& h) { h.version = 2; }));
    EXPECT_TRUE(refuses(12, [](RingHeader& h) { h.headerBytes = 64; }));
    EXPECT_TRUE(refuses(13, [](RingHeader& h) { h.slotCount = 0; }));
    EXPECT_TRUE(refuses(14, [](RingHeader& h) { h.slotCount = 63; }));
    EXPECT_TRUE(refuses(15, [](RingHeader& h) { h.slotCount = 128; }));
    EXPECT_TRUE(refuses(16, [](RingHeader& h) { h.slotCount = 1ULL << 63; }));
    EXPECT_TRUE(refuses(17, [](RingHeader& h) { h.role = RingRole{3}; }));
    EXPECT_TRUE(refuses(18, [](RingHeader& h) { h.clock = ClockKind{9}; }));
    EXPECT_FALSE(refuses(19, [](RingHeader&) {}));
    EXPECT_EQ(m_decoder.decode({}, 0), 0U);
    EXPECT_EQ(m_decoder.decode(m_thread.bytes().first(100), 0), 0U);
}

TEST_F(Decoding, SurvivesRandomRings)
{
    std::mt19937_64 random(3);
    m_decoder.decode(m_definitions.bytes(), 0);
    for (std::uint32_t round = 0; round < 2000; ++round) {
        RingBuilder ring(round % 2 == 0 ? RingRole::Thread : RingRole::Definitions, 100 + round, 16);
        for (std::size_t i = kRingHeaderBytes; i < ring.bytes().size(); ++i) {
            ring.bytes()[i] = static_cast<std::byte>(random());
        }
        for (std::uint64_t index = 0; index < 16; ++index) {
            const CommitWord commit{static_cast<std::uint32_t>(index + 1),
                                    static_cast<RecordKind>(random() % 22),
                                    static_cast<std::uint8_t>(random() % 5), 0};
            std::memcpy(ring.slot(index), &commit, sizeof commit);
        }
        EXPECT_LE(m_decoder.decode(ring.bytes(), 0), 16U);
    }
}

TEST(TickClock, InterpolatesBetweenReadingsAndExtendsTheNearestSlope)
{
    TickClock clock(ClockKind::Tsc);
    EXPECT_FALSE(clock.ready());
    clock.add({{}, 1000, 10'000, 0});
    clock.add({{}, 2000, 10'500, 0}); // 0.5 ns a tick
    clock.add({{}, 3000, 11'500, 0}); // 1 ns a tick
    clock.add({{}, 2500, 99'999, 0}); // runs backwards: ignored
    EXPECT_TRUE(clock.ready());
    EXPECT_EQ(clock.toMonotonicNs(1000), 10'000);
    EXPECT_EQ(clock.toMonotonicNs(1500), 10'250);
    EXPECT_EQ(clock.toMonotonicNs(2500), 11'000);
    EXPECT_EQ(clock.toMonotonicNs(0), 9'500);
    EXPECT_EQ(clock.toMonotonicNs(4000), 12'500);
}

TEST(TickClock, PassesMonotonicTicksThrough)
{
    EXPECT_TRUE(TickClock(ClockKind::Monotonic).ready());
    EXPECT_EQ(TickClock(ClockKind::Monotonic).toMonotonicNs(12345), 12345);
}

TEST(TickClock, StaysInRangeWithHostileReadings)
{
    TickClock clock(ClockKind::Tsc);
    clock.add({{}, 1, std::numeric_limits<std::int64_t>::min(), 0});
    clock.add({{}, 2, std::numeric_limits<std::int64_t>::max(), 0});
    static_cast<void>(clock.toMonotonicNs(0));
    static_cast<void>(clock.toMonotonicNs(std::numeric_limits<std::uint64_t>::max()));
}

} // namespace
} // namespace ringside::test
