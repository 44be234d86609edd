// SPDX-License-Identifier: Apache-2.0
// The thread that samples: what it writes, when it reads nothing, and sources that fail or never return.
#include "record/level.h"
#include "record/registry.h"
#include "sampled/sampler.h"
#include "sampled_ring.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

namespace {

using namespace ringside::collector;
using namespace ringside::collector::sampled;
using ringside::test::SampledRing;
using namespace std::chrono_literals;

/// Gives 1, 2, 3 ... and does as it is told.
class Scripted final : public Source {
public:
    [[nodiscard]] const char* name() const override { return "scripted"; }
    void open() override { ++opened; }
    void read(Readings& readings, Pace) override
    {
        ++reads;
        if (throws) {
            throw std::runtime_error("no memory left");
        }
        readings.beginMoment();
        readings.add(m_count, std::int64_t{reads});
        readings.miss(m_never, "the device has none");
        if (stuck != nullptr) {
            stuck->wait();
        }
    }
    [[nodiscard]] std::string reason() const override { return {}; }
    void close() override { ++closed; }

    std::atomic<int> opened{0};
    std::atomic<int> reads{0};
    std::atomic<int> closed{0};
    std::atomic<bool> throws{false};
    std::shared_future<void>* stuck = nullptr;

private:
    Series m_count{"thing", ringside::trace::SeriesName::MinorFaults};
    Series m_never{"thing", ringside::trace::SeriesName::MajorFaults};
};

struct Running {
    explicit Running(Scripted*& source, std::int64_t periodNs = 1'000'000)
    {
        auto made = std::make_unique<Scripted>();
        source = made.get();
        std::vector<std::unique_ptr<Source>> sources;
        sources.push_back(std::move(made));
        sampler = std::make_unique<Sampler>("ringside-test", std::move(sources), periodNs);
    }
    SampledRing definitions{4096};
    SampledRing samples{4096};
    Registry registry{definitions.ring};
    std::unique_ptr<Sampler> sampler;
};

template <class Condition>
void waitUntil(const Condition& condition)
{
    while (!condition()) {
        std::this_thread::sleep_for(1ms);
    }
}

TEST(Readings, keepWhyASeriesEndedOverWhySomeValuesWereMissing)
{
    Readings readings;
    Series series{"thing", ringside::trace::SeriesName::Threads};
    readings.miss(series, "at times: Timeout");
    readings.miss(series, "at times: Unknown Error");
    EXPECT_EQ(series.reason, "at times: Timeout");
    series.reasonWritten = true;
    readings.clear();
    readings.end(series, "it is lost");
    EXPECT_EQ(series.reason, "it is lost");
    EXPECT_FALSE(series.reasonWritten);
    EXPECT_EQ(readings.missing(), std::vector<Series*>{&series});
    readings.end(series, "it is lost again");
    readings.miss(series, "at times: Timeout");
    EXPECT_EQ(series.reason, "it is lost");
}

TEST(SamplerThread, writesEachValueOnceInOrderAndEnds)
{
    Scripted* source = nullptr;
    Running running(source);
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    waitUntil([&] { return source->reads >= 5; });
    running.sampler->askToStop();
    ASSERT_TRUE(running.sampler->waitForEnd());
    EXPECT_EQ(source->opened, 1);
    EXPECT_EQ(source->closed, 1);
    ASSERT_EQ(running.samples.head(), static_cast<std::uint64_t>(source->reads));
    const auto* const records =
        reinterpret_cast<const ringside::trace::SampleRecord*>(running.samples.words.data() + 4096 / 8);
    for (int i = 0; i < source->reads; ++i) {
        EXPECT_EQ(records[i].value, i + 1);
        EXPECT_EQ(records[i].series, 1U);
        EXPECT_GE(records[i].ticks, i > 0 ? records[i - 1].ticks : 0);
    }
    // Two series and one reason, however often it was read.
    EXPECT_EQ(running.sampler->states()[0].reason, "");
}

TEST(SamplerThread, readsNothingWhilePaused)
{
    Scripted* source = nullptr;
    Running running(source);
    const Level before = level();
    g_gate.setLevel(Level::Paused);
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(source->reads, 0);
    g_gate.setLevel(Level::Light);
    waitUntil([&] { return source->reads > 0; });
    running.sampler->askToStop();
    EXPECT_TRUE(running.sampler->waitForEnd());
    g_gate.setLevel(before);
}

TEST(SamplerThread, survivesASourceThatFails)
{
    Scripted* source = nullptr;
    Running running(source);
    source->throws = true;
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    std::vector<ringside::trace::IssueRow> issues;
    waitUntil([&] { return !(issues = running.sampler->takeIssues()).empty(); });
    EXPECT_EQ(issues[0].id, "sampling_failed");
    EXPECT_NE(issues[0].message.find("no memory left"), std::string::npos);
    source->throws = false;
    waitUntil([&] { return running.samples.head() > 0; });
    running.sampler->askToStop();
    EXPECT_TRUE(running.sampler->waitForEnd());
}

TEST(SamplerThread, isLeftBehindInACallThatDoesNotReturn)
{
    Scripted* source = nullptr;
    Running running(source);
    std::promise<void> letGo;
    std::shared_future<void> stuck = letGo.get_future().share();
    source->stuck = &stuck;
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    waitUntil([&] { return source->reads == 1; });
    running.sampler->askToStop();
    EXPECT_FALSE(running.sampler->waitForEnd());
    EXPECT_EQ(running.sampler->states()[0].reason, Sampler::kStuck);
    EXPECT_EQ(running.samples.head(), 0U);
    letGo.set_value(); // it comes back, late: everything it touches is still there
    waitUntil([&] { return source->closed == 1; });
    EXPECT_TRUE(running.sampler->waitForEnd());
}

} // namespace
