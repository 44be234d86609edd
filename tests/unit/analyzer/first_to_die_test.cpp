// SPDX-License-Identifier: Apache-2.0
// Which rank ended first: by the ends that `ringside record` saw, by the last activity without it, and
// unknown if the ends are too close.
#include "hang/rank_report.h"
#include "hang_fixture.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/ring.h>

#include <signal.h>

namespace ringside::test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

constexpr int kKilled = SIGKILL;
constexpr int kTerminated = SIGTERM;
constexpr int kExitOne = 1 << 8;

void setGone(trace::ProcessTrace& process, std::int64_t ns, std::optional<int> waitStatus = std::nullopt)
{
    process.settings = trace::goneSettings({ns, waitStatus});
}

class FirstToDie : public Hang {
protected:
    FirstToDie()
    {
        for (std::size_t rank = 0; rank < 4; ++rank) {
            livedUntil(rank, m_endNs);
            m_now[rank] = {Life::Gone, std::nullopt, true};
        }
    }
    void livedUntil(std::size_t rank, std::int64_t ns)
    {
        process(rank).clockSamples.push_back({ns, ns, std::nullopt, std::nullopt});
    }
    void goneAfter(std::size_t rank, std::int64_t ns, std::optional<int> waitStatus = std::nullopt)
    {
        setGone(process(rank), m_endNs + ns, waitStatus);
    }
    /// As a Python program with an exception: it closes its trace and says the code.
    void fails(std::size_t rank, int code)
    {
        process(rank).process.endNs = m_endNs;
        process(rank).settings = trace::ownEndSettings(trace::ownExit(code));
        m_now[rank].life = hang::lifeInTrace(process(rank));
    }
    void goneAfter(const std::vector<std::int64_t>& ns)
    {
        for (std::size_t rank = 0; rank < ns.size(); ++rank) {
            goneAfter(rank, ns[rank]);
        }
    }
    void expectFirst(std::int64_t rank, const std::string& evidence)
    {
        const hang::Report report = analyze();
        EXPECT_EQ(report.kind, Kind::Died);
        EXPECT_EQ(report.diedFirst, rank);
        EXPECT_EQ(
            said(report.summary).find("rank " + std::to_string(rank) + " was the first to end" + evidence),
            0U)
            << said(report.summary);
    }
    void expectNobody()
    {
        const hang::Report report = analyze();
        EXPECT_EQ(report.kind, Kind::Died);
        EXPECT_EQ(report.diedFirst, std::nullopt) << said(report.summary);
    }
};

TEST_F(FirstToDie, isTheOneThatWasSeenToBeGoneFirst)
{
    goneAfter({330 * kMs, 110 * kMs, 5 * kMs, 130 * kMs});
    expectFirst(2, ", 105 ms before the next as ringside record saw it;");
    EXPECT_EQ(*analyze().ranks[0].goneNs - *analyze().ranks[2].goneNs, 325 * kMs);
}

TEST_F(FirstToDie, mayHaveClosedItsTraceAndFailed)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        goneAfter(rank, 900 * kMs, kTerminated);
    }
    fails(2, 1);
    expectFirst(2, ", with code 1, by the last signs of life in the traces; rank 2 ended with code 1; "
                   "ranks 0, 1 and 3 ended without closing their traces");
}

TEST_F(FirstToDie, aloneIsNotNamedTwice)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).process.endNs = m_endNs;
        m_now[rank].life = Life::Closed;
    }
    fails(1, 3);
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Died);
    EXPECT_EQ(report.diedFirst, 1);
    EXPECT_EQ(said(report.summary), "rank 1 ended with code 3");
    EXPECT_EQ(report.ranks[1].waitStatus, 3 << 8);
}

TEST_F(FirstToDie, isNotKnownWhenTwoWereSeenAtOnce)
{
    goneAfter({330 * kMs, 5 * kMs, 5 * kMs, 130 * kMs});
    expectNobody();
    goneAfter(1, 30 * kMs); // it may have begun to die before
    expectNobody();
}

TEST_F(FirstToDie, saysHowEachEndedWhereItIsNotKnown)
{
    for (const std::size_t rank : {0U, 1U, 2U}) {
        goneAfter(rank, 5 * kMs, kExitOne);
    }
    goneAfter(3, 6 * kMs, kKilled); // the recorder may have seen it late
    expectNobody();
    EXPECT_NE(said(analyze().summary)
                  .find("(rank 3 by SIGKILL, ranks 0 to 2 with code 1); unknown which was first"),
              std::string::npos)
        << said(analyze().summary);
}

TEST_F(FirstToDie, isTheKilledOneWhenTheOthersThenEndedThemselves)
{
    goneAfter(0, 9 * kMs, kExitOne);
    goneAfter(1, 7 * kMs, SIGABRT);
    goneAfter(2, 5 * kMs, kKilled);
    goneAfter(3, 130 * kMs, kTerminated);
    expectFirst(2, ", by SIGKILL, 2 ms before the next as ringside record saw it;");
    goneAfter(3, 6 * kMs, kTerminated); // by the launcher, or by whoever killed the first
    expectNobody();
    goneAfter(3, 5 * kMs, kExitOne); // seen at one look
    expectNobody();
    goneAfter(3, 4 * kMs, kExitOne); // it may have made the launcher kill
    expectNobody();
}

TEST_F(FirstToDie, isNotTheOneThatWasTerminatedJustBefore)
{
    goneAfter({330 * kMs, 110 * kMs, 5 * kMs, 130 * kMs});
    goneAfter(2, 5 * kMs, kTerminated);
    goneAfter(1, 7 * kMs, kExitOne);
    expectNobody();
    goneAfter(1, 70 * kMs, kExitOne);
    expectFirst(2, ", by SIGTERM, 65 ms before the next as ringside record saw it;");
}

TEST_F(FirstToDie, followsFromTheLastActivityIfNothingWatched)
{
    for (const std::size_t rank : {0U, 1U, 3U}) {
        livedUntil(rank, m_endNs + 2 * kSecond);
    }
    expectFirst(2, ", by the last signs of life in the traces;");
}

TEST_F(FirstToDie, signsOfLifeAndSeenEndsAreHeldAgainstEachOther)
{
    for (const std::size_t rank : {0U, 1U, 3U}) {
        livedUntil(rank, m_endNs + 2 * kSecond);
    }
    goneAfter(0, 3 * kSecond);
    expectFirst(2, ", by the last signs of life in the traces;");
    goneAfter(2, 2 * kSecond - 100 * kMs);
    expectFirst(2, ", by the last signs of life in the traces;");
    goneAfter(2, 2 * kSecond + 10 * kMs); // the others may have died by then
    expectNobody();
}

TEST_F(FirstToDie, wasNotSeenBeforeItsLastSignOfLife)
{
    goneAfter({30 * kMs, 12 * kMs, -kSecond, 13 * kMs});
    expectNobody();
    EXPECT_EQ(analyze().ranks[2].goneNs, std::nullopt);
}

TEST_F(FirstToDie, isUnknownIfAnotherMayHaveEndedBefore)
{
    goneAfter({330 * kMs, 112 * kMs, 5 * kMs, 213 * kMs});
    m_now[3].life = Life::NotKnown;
    process(3).settings.clear();
    expectNobody();
    livedUntil(3, m_endNs + kSecond);
    expectFirst(2, ", 107 ms before the next as ringside record saw it;");
}

TEST_F(FirstToDie, isNoneOfThoseThatClosedTheirTraces)
{
    goneAfter({330 * kMs, 112 * kMs, 5 * kMs, 213 * kMs});
    m_now[2] = {Life::Closed, std::nullopt, true};
    process(2).process.endNs = m_endNs;
    expectFirst(1, ", 101 ms before the next as ringside record saw it;");
}

TEST_F(FirstToDie, theOnlyOneNeedsNoComparison)
{
    goneAfter(3, 5 * kMs, kExitOne);
    for (std::size_t rank = 0; rank < 3; ++rank) {
        m_now[rank] = {Life::Closed, std::nullopt, true};
        process(rank).process.endNs = m_endNs;
    }
    expectFirst(3, ", with code 1;");
}

/// What it said itself counts where nobody saw more; a crash on its way out was seen.
TEST_F(FirstToDie, saidItselfHowItEnded)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).settings = trace::ownEndSettings(trace::kOwnExit);
        EXPECT_EQ(hang::lifeInTrace(process(rank)), Life::Closed);
    }
    process(1).settings = trace::ownEndSettings(trace::kOwnExit | 3U);
    EXPECT_EQ(hang::lifeInTrace(process(1)), Life::Gone);
    EXPECT_EQ(analyze().ranks[1].waitStatus, 3 << 8);
    const auto seen = trace::goneSettings({m_endNs + 5 * kMs, SIGSEGV});
    process(0).settings.insert(process(0).settings.end(), seen.begin(), seen.end());
    EXPECT_EQ(hang::lifeInTrace(process(0)), Life::Gone);
    EXPECT_EQ(analyze().ranks[0].waitStatus, SIGSEGV);
    process(0).settings = trace::ownEndSettings(trace::kOwnExec); // the next program crashed
    process(0).settings.insert(process(0).settings.end(), seen.begin(), seen.end());
    EXPECT_EQ(hang::lifeInTrace(process(0)), Life::Closed);
}

TEST(FirstToDieOnHosts, mustBeFirstBeyondTheErrorOfTheirClocks)
{
    TraceBuilder builder(2);
    builder.host(1, "host1", 5s).steps(10, [](StepBuilder& step) { step.allReduce(1_KiB); });
    trace::RunTrace run = builder.run();
    const std::vector<hang::ProcessNow> now(2, {Life::Gone, std::nullopt, true});
    std::int64_t endNs[2]{};
    for (std::size_t i = 0; i < 2; ++i) {
        endNs[i] = *run.processes[i].process.endNs;
        run.processes[i].process.endNs.reset();
        setGone(run.processes[i], endNs[i] + 500 * kMs);
    }
    EXPECT_EQ(hang::analyze(run, now, {}).diedFirst, std::nullopt);
    setGone(run.processes[0], endNs[0] + 520 * kMs); // each recorder may be late
    EXPECT_EQ(hang::analyze(run, now, {}).diedFirst, std::nullopt);
    setGone(run.processes[0], endNs[0] + 700 * kMs);
    EXPECT_EQ(hang::analyze(run, now, {}).diedFirst, 1);
    run.processes[0].collectiveCalls.clear(); // nothing ties the clocks
    run.processes[0].kernels = {};
    EXPECT_EQ(hang::analyze(run, now, {}).diedFirst, std::nullopt);
}

} // namespace
} // namespace ringside::test
