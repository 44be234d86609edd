// SPDX-License-Identifier: Apache-2.0
// What NCCL's profiler plugin left in a ring, as rows: operations, times of the GPU on the host's clock, and
// what a message of the proxy thread waited for.
#include "ring_builder.h"
#include "support/durations.h"
#include "support/temporary_directory.h"
#include "trace/write/nccl_records.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/ring_decoder.h>

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

using namespace ringside::trace;

using ringside::test::kSecond;

class NcclRows : public testing::Test {
protected:
    ProcessTrace rows()
    {
        m_decoder.decode(m_definitions.bytes(), 0);
        m_decoder.decode(m_thread.bytes(), 0);
        m_writer.setProcess({});
        m_writer.close();
        return readProcess(m_directory / "a.db");
    }
    /// A channel of an operation that ran from `start` to `end` on a GPU whose timer is `ahead` of the host.
    void channel(std::int64_t start, std::int64_t end, std::int64_t ahead, std::int64_t seenLater,
                 std::int64_t launchedEarlier, std::int32_t device = 0)
    {
        const auto u = [](std::int64_t ns) { return static_cast<std::uint64_t>(ns); };
        ChannelTimeRecord record{};
        record.operation = 1;
        record.deviceStartNs = u(start + ahead);
        record.deviceEndNs = u(end + ahead);
        record.startSeenTicks = u(start + seenLater);
        record.endSeenTicks = u(end + seenLater);
        record.notBeforeTicks = launchedEarlier > 0 ? u(start - launchedEarlier) : 0;
        record.device = device;
        m_thread.add(RecordKind::ChannelTime, record);
    }

    TemporaryDirectory m_directory;
    Writer m_writer{m_directory / "a.db", Writer::Mode::Create};
    RingDecoder m_decoder{m_writer};
    RingBuilder m_definitions{RingRole::Definitions, 1, 256};
    RingBuilder m_thread{RingRole::Thread, 2, 64};
};

TEST_F(NcclRows, GiveWhatNewerVersionsSayOfAnOperation)
{
    NcclDetailRecord copies{};
    copies.operation = 4;
    copies.copiedBytes = 9000;
    copies.batches = 2;
    copies.copies = 14;
    copies.syncs = 2;
    copies.isSymmetric = kUnknownFlag;
    copies.hasIntraBatchSync = 1;
    m_thread.add(RecordKind::NcclDetail, copies);
    NcclDetailRecord kernel{};
    kernel.operation = 5;
    kernel.userTag = 42;
    kernel.kernelVariant = 3;
    kernel.isSymmetric = 1;
    kernel.hasIntraBatchSync = kUnknownFlag;
    m_thread.add(RecordKind::NcclDetail, kernel);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.ncclDetails.size(), 2U);
    const NcclDetailRow& byCopies = trace.ncclDetails[0];
    EXPECT_EQ(byCopies.copies, 14);
    EXPECT_EQ(byCopies.copiedBytes, 9000);
    EXPECT_EQ(byCopies.syncs, 2);
    EXPECT_EQ(byCopies.hasIntraBatchSync, 1);
    EXPECT_EQ(byCopies.isSymmetric, std::nullopt);
    EXPECT_EQ(byCopies.userTag, std::nullopt);
    const NcclDetailRow& byKernel = trace.ncclDetails[1];
    EXPECT_EQ(byKernel.userTag, 42);
    EXPECT_EQ(byKernel.kernelVariant, 3U);
    EXPECT_EQ(byKernel.isSymmetric, 1);
    EXPECT_EQ(byKernel.copies, std::nullopt) << "no copies is not 0 copies";
}

TEST_F(NcclRows, GivePhasesOnTheHostsClock)
{
    KernelPhaseRecord record{};
    record.operation = 5;
    record.deviceStartNs = 1000;
    record.deviceEndNs = 1600;
    record.seenTicks = 700; // so the GPU's timer is at least 900 ahead
    record.notBeforeTicks = 50;
    record.device = 1;
    record.channel = 2;
    record.phase = kWaitsForAll;
    m_thread.add(RecordKind::KernelPhase, record);
    record.deviceEndNs = 0;
    m_thread.add(RecordKind::KernelPhase, record);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.kernelPhases.size(), 1U) << "a phase without an end is none";
    EXPECT_EQ(trace.kernelPhases.startNs[0], 100);
    EXPECT_EQ(trace.kernelPhases.endNs[0], 700);
    EXPECT_EQ(trace.kernelPhases.phase[0], kWaitsForAll);
    EXPECT_EQ(trace.kernelPhases.uncertaintyNs[0], 50U);
    ASSERT_EQ(trace.issues.size(), 1U);
}

TEST_F(NcclRows, GiveAnOperationWithWhatNcclChose)
{
    NcclOperationRecord record{};
    record.operation = 3;
    record.callId = 9;
    record.startTicks = 100;
    record.endTicks = 130;
    record.launchStartTicks = 80;
    record.launchEndTicks = 95;
    record.ncclSequence = 17;
    record.bytes = 4096;
    record.communicator = 5;
    record.function = 1;
    record.algorithm = 2;
    record.protocol = 3;
    record.peer = -1;
    record.channels = 24;
    m_thread.add(RecordKind::NcclOperation, record);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.ncclOperations.size(), 1U);
    const NcclOperationRow& row = trace.ncclOperations[0];
    EXPECT_EQ(row.id, 3);
    EXPECT_EQ(row.call, 9);
    EXPECT_EQ(row.communicator, 5);
    EXPECT_EQ(row.algorithm, 2U);
    EXPECT_EQ(row.channels, 24);
    EXPECT_EQ(row.ncclSequence, 17);
    EXPECT_EQ(row.bytes, 4096);
    EXPECT_EQ(row.peer, std::nullopt);
    EXPECT_EQ(row.endNs - row.startNs, 30);
    EXPECT_EQ(row.launchStartNs, 80);
    EXPECT_EQ(row.launchEndNs, 95);
    EXPECT_EQ(row.thread, 2);
}

TEST_F(NcclRows, LeaveEmptyWhatTheOperationDidNotTell)
{
    NcclOperationRecord record{};
    record.operation = 4;
    record.ncclSequence = kUnknownNumber;
    record.bytes = kUnknownNumber;
    record.peer = 0;
    m_thread.add(RecordKind::NcclOperation, record);
    const ProcessTrace trace = rows();
    const NcclOperationRow& row = trace.ncclOperations.at(0);
    EXPECT_EQ(row.call, std::nullopt);
    EXPECT_EQ(row.channels, std::nullopt);
    EXPECT_EQ(row.ncclSequence, std::nullopt);
    EXPECT_EQ(row.bytes, std::nullopt);
    EXPECT_EQ(row.peer, 0) << "a root may be rank 0";
    EXPECT_EQ(row.launchStartNs, std::nullopt);
}

TEST_F(NcclRows, PutTheGpusTimesOnTheHostsClock)
{
    const std::int64_t ahead = 1'700'000'000 * kSecond;
    channel(5000, 6000, ahead, 400, 900);
    channel(7000, 9000, ahead, 50, 300); // told quickly: a better bound, also for what follows
    channel(10'000, 11'000, ahead, 700, 800);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.channelTimes.size(), 3U);
    EXPECT_EQ(trace.channelTimes.startNs, (Column<std::int64_t>{5400, 7050, 10'050}));
    EXPECT_EQ(trace.channelTimes.endNs[2], 11'050);
    EXPECT_EQ(trace.channelTimes.uncertaintyNs, (Column<std::uint32_t>{1300, 350, 350}));
    EXPECT_EQ(trace.channelTimes.operation[0], 1U);
}

TEST_F(NcclRows, KeepTheTimersOfSeveralGpusApart)
{
    channel(5000, 6000, 1'000'000, 10, 20, 0);
    channel(5000, 6000, 3'000'000, 30, 40, 1);
    channel(5000, 6000, 7'000'000, 50, 0, -1);
    const ProcessTrace trace = rows();
    EXPECT_EQ(trace.channelTimes.startNs, (Column<std::int64_t>{5010, 5030, 5050}));
    EXPECT_EQ(trace.channelTimes.device, (Column<std::uint32_t>{0, 1, kUnknownDevice}));
    EXPECT_EQ(trace.channelTimes.uncertaintyNs, (Column<std::uint32_t>{30, 70, kUnboundedNs}));
}

TEST_F(NcclRows, SayWhereTheGpusTimerGaveNothing)
{
    ChannelTimeRecord record{};
    record.deviceStartNs = 5;
    m_thread.add(RecordKind::ChannelTime, record);
    const ProcessTrace trace = rows();
    EXPECT_EQ(trace.channelTimes.size(), 0U);
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].id, "channel_time_unmeasured");
}

TEST_F(NcclRows, SurviveHostileTimes)
{
    ChannelTimeRecord record{};
    record.deviceStartNs = record.deviceEndNs = (std::uint64_t{1} << 61U) - 1;
    for (const std::uint64_t ticks : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63U}) {
        record.startSeenTicks = record.endSeenTicks = record.notBeforeTicks = ticks;
        m_thread.add(RecordKind::ChannelTime, record);
    }
    EXPECT_NO_THROW(rows());
}

TEST_F(NcclRows, TellTheSendersWaitsApart)
{
    ProxyStepRecord record{};
    record.operation = 7;
    record.startTicks = 100;
    record.gpuWaitTicks = 110;
    record.peerWaitTicks = 160;
    record.networkWaitTicks = 165;
    record.endTicks = 400;
    record.bytes = 524'288;
    record.peer = 3;
    record.step = 2;
    record.channel = 1;
    record.isSend = 1;
    m_thread.add(RecordKind::ProxyStep, record);
    record.peerWaitTicks = 0; // before version 4
    m_thread.add(RecordKind::ProxyStep, record);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.proxySteps.size(), 2U);
    EXPECT_EQ(trace.proxySteps.gpuWaitNs, (Column<std::int64_t>{50, 55}));
    EXPECT_EQ(trace.proxySteps.peerWaitNs, (Column<std::int64_t>{5, ProxyStepRow::kNotSeenNs}));
    EXPECT_EQ(trace.proxySteps.networkWaitNs, (Column<std::int64_t>{235, 235}));
    EXPECT_EQ(trace.proxySteps.flushWaitNs[0], ProxyStepRow::kNotSeenNs);
    EXPECT_EQ(trace.proxySteps.peer[0], 3U);
    EXPECT_EQ(trace.proxySteps.isSend[0], 1U);
    EXPECT_EQ(trace.proxySteps.bytes[0], 524'288U);
}

TEST_F(NcclRows, TellTheReceiversWaitsApart)
{
    ProxyStepRecord record{};
    record.startTicks = 100;
    record.networkWaitTicks = 110;
    record.flushWaitTicks = 300;
    record.gpuWaitTicks = 320;
    record.endTicks = 350;
    m_thread.add(RecordKind::ProxyStep, record);
    record.flushWaitTicks = 0; // nothing to flush
    m_thread.add(RecordKind::ProxyStep, record);
    const ProcessTrace trace = rows();
    EXPECT_EQ(trace.proxySteps.networkWaitNs, (Column<std::int64_t>{190, 210}));
    EXPECT_EQ(trace.proxySteps.flushWaitNs, (Column<std::int64_t>{20, ProxyStepRow::kNotSeenNs}));
    EXPECT_EQ(trace.proxySteps.gpuWaitNs, (Column<std::int64_t>{30, 30}));
}

TEST_F(NcclRows, ReplaceACommunicatorThatIsDefinedAgain)
{
    CommunicatorRecord record{{}, 5, 0, 0xABC, 4, 2, 0, 0, 12, 0x99, 0, {}};
    m_definitions.text(1, "tensor parallel").add(RecordKind::Communicator, record);
    record.ncclHash = 0xFEDC000000000001;
    record.name = 1;
    m_definitions.add(RecordKind::Communicator, record);
    const ProcessTrace trace = rows();
    ASSERT_EQ(trace.communicators.size(), 1U);
    EXPECT_EQ(trace.communicators[0].ncclHash, 0xFEDC000000000001);
    EXPECT_EQ(trace.text(trace.communicators[0].name), "tensor parallel");
}

TEST(DeviceTimer, ForgetsOldBoundsBecauseClocksDrift)
{
    DeviceTimer timer;
    timer.happenedBefore(0, 1000);
    EXPECT_EQ(timer.toHostNs(0), 1000);
    timer.happenedBefore(2 * kSecond, 2 * kSecond + 5000);
    EXPECT_EQ(timer.toHostNs(0), 1000) << "of the period before";
    timer.happenedBefore(4 * kSecond, 4 * kSecond + 7000);
    EXPECT_EQ(timer.toHostNs(0), 5000);
    EXPECT_EQ(timer.uncertaintyNs(), kUnboundedNs);
}

} // namespace
} // namespace ringside::test
