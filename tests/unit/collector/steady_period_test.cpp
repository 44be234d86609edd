// SPDX-License-Identifier: Apache-2.0
// When a job has come to its training, with a time of the test's own.
#include "record/steady_period.h"
#include "support/durations.h"

#include <gtest/gtest.h>

namespace {

using ringside::collector::SteadyPeriod;
using ringside::test::kSecond;

constexpr std::int64_t kPass = kSecond / 4;

class SteadyPeriodTest : public testing::Test {
protected:
    void nothingFor(std::int64_t seconds)
    {
        for (std::int64_t pass = 0; pass < seconds * 4; ++pass) {
            look();
        }
    }
    /// A step every `stepNs`, each of so many collectives at its end.
    void train(std::int64_t seconds, std::int64_t stepNs, std::uint64_t collectives)
    {
        const std::int64_t begin = m_now;
        std::int64_t steps = 0;
        for (std::int64_t pass = 0; pass < seconds * 4; ++pass) {
            for (; (steps + 1) * stepNs <= m_now - begin; ++steps) {
                m_done += collectives;
            }
            look();
        }
    }
    void look()
    {
        m_now += kPass;
        m_period.look(m_now, m_done);
    }
    /// In seconds; -1: none was found.
    [[nodiscard]] std::int64_t since() const { return m_period.sinceNs().value_or(-kSecond) / kSecond; }

    SteadyPeriod m_period;
    std::int64_t m_now = 0;
    std::uint64_t m_done = 0;
};

TEST_F(SteadyPeriodTest, isFoundSecondsAfterTrainingBegan)
{
    nothingFor(90); // loads and compiles
    EXPECT_EQ(since(), -1);
    train(10, kSecond / 7, 30);
    EXPECT_GE(since(), 90);
    EXPECT_LE(since(), 97);
}

TEST_F(SteadyPeriodTest, isFoundForStepsOfManySeconds)
{
    train(120, 7 * kSecond, 100);
    EXPECT_GT(since(), 0);
    SteadyPeriodTest::m_period = SteadyPeriod();
    train(120, 13 * kSecond, 100);
    EXPECT_GT(since(), 0);
}

TEST_F(SteadyPeriodTest, aFewCollectivesNowAndThenAreNone)
{
    for (int handshake = 0; handshake < 6; ++handshake) {
        ++m_done;
        nothingFor(7 + handshake * 3);
    }
    EXPECT_EQ(since(), -1);
}

TEST_F(SteadyPeriodTest, stepsThatGetFasterAreWarmingUp)
{
    std::int64_t step = 4 * kSecond;
    for (; step > kSecond / 8; step /= 2) {
        train(3, step, 10);
    }
    EXPECT_EQ(since(), -1);
    train(8, step, 10);
    EXPECT_GT(since(), 0);
}

// The parameters' broadcast is even, too: the pause behind it tells that it was not the training.
TEST_F(SteadyPeriodTest, oneThatBreaksOffIsForgottenAndTheNextCounts)
{
    train(10, kSecond / 10, 4);
    EXPECT_GT(since(), 0);
    nothingFor(60);
    EXPECT_EQ(since(), -1);
    train(10, kSecond / 3, 50);
    EXPECT_GE(since(), 70);
}

TEST_F(SteadyPeriodTest, staysWhatItWasOnceItWasMeasured)
{
    train(80, kSecond / 10, 4);
    const std::int64_t found = since();
    nothingFor(300);
    EXPECT_EQ(since(), found);
}

} // namespace
