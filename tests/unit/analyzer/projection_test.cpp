// SPDX-License-Identifier: Apache-2.0
// Ranges of host threads on the GPU.
#include "model/build_model.h"
#include "support/trace_builder.h"
#include "timeline/search.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ringside::timeline {
namespace {

using namespace std::chrono_literals;
using test::StepBuilder;
using test::TraceBuilder;

constexpr std::int64_t kBegin = 1'000'000'000;
constexpr std::int64_t kThread = 5;
constexpr std::uint32_t kTid = 4005;

/// One rank whose ranges, launches and kernels are given one by one, in ns after kBegin.
class ProjectedRun final {
public:
    ProjectedRun() : m_builder(1)
    {
        m_builder.withoutStepMarks().steps(1, [](StepBuilder& step) { step.everyRank().compute(1ms); });
        rows().ranges.clear();
        rows().kernels = {};
        rows().launches = {};
        rows().threads = {{kThread, kTid, "python"}, {kThread + 1, kTid + 1, "autograd"}};
    }

    void range(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t thread = kThread)
    {
        trace::RangeRow row;
        row.name = m_builder.text(0, name);
        row.startNs = kBegin + start;
        row.endNs = kBegin + end;
        row.thread = thread;
        rows().ranges.push_back(row);
    }

    /// A call at `at` that launches a kernel at each of `kernels`.
    void launch(std::int64_t at, const std::vector<Interval>& kernels, std::uint32_t tid = kTid,
                std::uint32_t stream = 7)
    {
        ++m_correlation;
        trace::LaunchColumns& launches = rows().launches;
        launches.startNs.push_back(kBegin + at);
        launches.endNs.push_back(kBegin + at + 1);
        launches.api.push_back(m_builder.text(0, "cudaLaunchKernel"));
        launches.tid.push_back(tid);
        launches.correlation.push_back(m_correlation);
        for (const Interval& time : kernels) {
            trace::KernelColumns& columns = rows().kernels;
            columns.startNs.push_back(kBegin + time.start);
            columns.endNs.push_back(kBegin + time.end);
            columns.name.push_back(m_builder.text(0, "kernel"));
            columns.device.push_back(0);
            columns.stream.push_back(stream);
            columns.correlation.push_back(m_correlation);
            columns.graph.push_back(0);
            columns.graphNode.push_back(0);
        }
    }

    trace::ProcessTrace& rows() { return m_builder.process(0); }
    void build()
    {
        model = model::buildModel(m_builder.run());
        timeline = buildTimeline(model);
    }

    struct Shown {
        std::size_t lane = 0;
        Interval time; ///< ns after kBegin
        bool operator==(const Shown&) const = default;
    };
    /// Projected ranges by name; the names must differ.
    std::map<std::string, Shown> projected()
    {
        std::map<std::string, Shown> result;
        timeline.projections->compute(model, timeline.tracks, 0);
        const std::int64_t zero = model.ranks[0].clock.toRun(kBegin);
        for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
            const Track& track = timeline.tracks[t];
            for (std::size_t l = 0; track.kind == TrackKind::Projected && l < timeline.lanesOf(t).size();
                 ++l) {
                const Lane& lane = timeline.lanesOf(t)[l];
                for (std::size_t i = 0; i < lane.size(); ++i) {
                    const Interval time = lane.span(i).time;
                    EXPECT_TRUE(i == 0 || lane.span(i - 1).time.end <= time.start);
                    result[nameOf(model, track, lane.span(i))] = {l, {time.start - zero, time.end - zero}};
                }
            }
        }
        return result;
    }

    model::Model model;
    Timeline timeline;

private:
    TraceBuilder m_builder;
    std::uint32_t m_correlation = 0;
};

using Shown = ProjectedRun::Shown;

TEST(Projection, lastsFromTheFirstToTheLastWorkOfTheRange)
{
    ProjectedRun run;
    run.range("forward", 0, 100);
    run.range("linear", 20, 60);
    run.range("nothing launched", 70, 90);
    run.range("of another thread", 0, 100, kThread + 1);
    run.launch(10, {{200, 250}});
    run.launch(30, {{300, 400}});
    run.launch(100, {{500, 600}}); // the range has ended
    run.build();
    EXPECT_FALSE(run.timeline.projections->ready(0)) << "before somebody looks";
    EXPECT_EQ(run.projected(),
              (std::map<std::string, Shown>{{"forward", {0, {200, 400}}}, {"linear", {1, {300, 400}}}}));
}

TEST(Projection, givesTheWorkOfAGraphToTheRangeOfItsLaunch)
{
    ProjectedRun run;
    run.range("capture", 0, 10);
    run.range("replay", 20, 30);
    run.launch(25, {{100, 110}, {120, 130}, {140, 190}});
    run.build();
    EXPECT_EQ(run.projected(), (std::map<std::string, Shown>{{"replay", {0, {100, 190}}}}));
}

TEST(Projection, putsRangesThatOverlapOnTheGpuIntoFurtherLanes)
{
    ProjectedRun run;
    run.range("slow stream", 0, 10);
    run.range("fast stream", 20, 30);
    run.range("inside", 22, 26);
    run.range("later", 40, 50);
    run.launch(5, {{100, 500}});
    run.launch(24, {{200, 300}}, kTid, 20);
    run.launch(45, {{600, 700}});
    run.build();
    EXPECT_EQ(run.projected(), (std::map<std::string, Shown>{{"slow stream", {0, {100, 500}}},
                                                             {"fast stream", {1, {200, 300}}},
                                                             {"inside", {2, {200, 300}}},
                                                             {"later", {0, {600, 700}}}}));
}

TEST(Projection, isAsAPlainLoopFindsIt)
{
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        ProjectedRun run;
        std::map<std::string, Interval> host;
        for (std::int64_t outer = 0; outer < 40; ++outer) {
            for (std::int64_t depth = 0; depth < 4; ++depth) {
                const std::string name = std::to_string(outer) + "." + std::to_string(depth);
                host[name] = {outer * 1000 + depth * 100, outer * 1000 + 900 - depth * 100};
                run.range(name, host[name].start, host[name].end);
            }
        }
        std::map<std::string, Interval> expected;
        for (int i = 0; i < 200; ++i) {
            const auto at = static_cast<std::int64_t>(random() % 41'000);
            const auto start = at + static_cast<std::int64_t>(random() % 3000);
            const Interval work{start, start + static_cast<std::int64_t>(random() % 500)};
            run.launch(at, {work}, kTid, 7U + static_cast<std::uint32_t>(random() % 3));
            for (const auto& [name, time] : host) {
                if (time.start <= at && at < time.end) {
                    const auto [entry, fresh] = expected.try_emplace(name, work);
                    entry->second = {std::min(entry->second.start, work.start),
                                     std::max(entry->second.end, work.end)};
                }
            }
        }
        run.build();
        const auto shown = run.projected();
        ASSERT_EQ(shown.size(), expected.size());
        for (const auto& [name, each] : shown) {
            EXPECT_EQ(each.time, expected[name]) << name;
            const std::string parent = name.substr(0, name.size() - 1) + static_cast<char>(name.back() - 1);
            EXPECT_TRUE(name.back() == '0' || shown.at(parent).lane < each.lane) << name;
        }
    }
}

TEST(Projection, countsWhatNestsTooDeeply)
{
    ProjectedRun run;
    for (std::int64_t i = 0; i < 40; ++i) { // other threads' ranges overlap, too: no parent, no room
        run.range("range " + std::to_string(i), 10 * i, 10 * i + 5);
        run.launch(10 * i, {{1000 + i, 2000}}, kTid, static_cast<std::uint32_t>(i));
    }
    run.build();
    const std::size_t shown = run.projected().size();
    std::int64_t leftOut = 0;
    for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t) {
        leftOut += run.timeline.tracks[t].kind == TrackKind::Projected ? run.timeline.leftOutOf(t) : 0;
    }
    EXPECT_EQ(static_cast<std::int64_t>(shown) + leftOut, 40);
    EXPECT_GT(leftOut, 0);
}

TEST(Projection, isAddedUpAndFoundApartFromTheRangesOfTheHost)
{
    ProjectedRun run;
    run.range("forward", 0, 100);
    run.launch(10, {{200, 250}});
    run.launch(30, {{300, 400}});
    run.build();
    const GroupRequest projected{SpanTable::ProjectedRanges, Grouping::Name, run.timeline.extent, {}};
    const auto groups = groupsOf(run.model, run.timeline, projected);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].name, "forward");
    EXPECT_EQ(groups[0].totalNs, 200);
    const GroupRequest onHost{SpanTable::Ranges, Grouping::Name, run.timeline.extent, {}};
    EXPECT_EQ(groupsOf(run.model, run.timeline, onHost).at(0).totalNs, 100);
    EXPECT_EQ(search(run.model, run.timeline, {"forward", {}, {}}).count, 1U) << "once, on the host";
    const Hits hits = search(run.model, run.timeline,
                             {"forward", std::pair(SpanTable::ProjectedRanges, Grouping::Name), {}});
    ASSERT_EQ(hits.count, 1U);
    EXPECT_EQ(run.timeline.span(hits.spans[0]).time.length(), 200);
    const Description text = describe(run.model, run.timeline, hits.spans[0]);
    EXPECT_EQ(text.title, "forward");
    EXPECT_NE(text.lines[0].second.find("projected on the GPU"), std::string::npos);
}

TEST(Projection, canBeGivenUpAndBegunAgain)
{
    ProjectedRun run;
    run.range("forward", 0, 1'000'000);
    for (std::int64_t i = 0; i < 70'000; ++i) { // it looks every 65,536 rows
        run.launch(i, {{i, i + 1}});
    }
    run.build();
    run.timeline.projections->compute(run.model, run.timeline.tracks, 0, [] { return true; });
    EXPECT_FALSE(run.timeline.projections->ready(0));
    EXPECT_EQ(run.projected().size(), 1U);
}

} // namespace
} // namespace ringside::timeline
