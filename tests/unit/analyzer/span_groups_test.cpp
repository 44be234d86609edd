// SPDX-License-Identifier: Apache-2.0
// What is added up by name, what a search finds, and how kernels are called.
#include "model/build_model.h"
#include "support/trace_builder.h"
#include "timeline/collective_details.h"
#include "timeline/hit_table.h"
#include "timeline/kernel_family.h"
#include "timeline/rank_order.h"
#include "timeline/search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ringside::timeline {
namespace {

using namespace std::chrono_literals;
using test::operator""_MiB;
using test::StepBuilder;
using test::TraceBuilder;

constexpr std::int64_t kSteps = 8;

/// Four ranks; rank 2 computes 5 ms longer in every step.
struct LateRun {
    model::Model model;
    Timeline timeline;
    LateRun()
    {
        TraceBuilder builder(4);
        builder.steps(kSteps, [](StepBuilder& step) {
            step.everyRank().host(200us, "data").compute(3ms, {.launches = 3});
            step.rank(2).compute(5ms);
            step.allReduce(4_MiB, {.takes = 1ms});
        });
        model = model::buildModel(builder.run());
        timeline = buildTimeline(model);
    }
};

/// The same by a plain loop.
std::int64_t timeOfKind(const LateRun& run, SpanTable table, const Interval& range)
{
    std::int64_t sum = 0;
    for (const Track& track : run.timeline.tracks) {
        for (const Lane& lane : track.lanes) {
            for (std::size_t i = 0; i < lane.size(); ++i) {
                sum += isOf(table, lane.span(i).kind) ? model::overlapLength(lane.span(i).time, range) : 0;
            }
        }
    }
    return sum;
}

TEST(SpanGroups, addUpToTheTimesOfAllSpansByEveryGrouping)
{
    const LateRun run;
    const Interval all = run.timeline.extent;
    const Interval part{all.start + all.length() / 3, all.end - all.length() / 4};
    for (const SpanTable table : {SpanTable::Kernels, SpanTable::Communication, SpanTable::Copies,
                                  SpanTable::Ranges, SpanTable::Calls}) {
        for (const Grouping by : {Grouping::Name, Grouping::Family, Grouping::Rank, Grouping::Stream}) {
            for (const Interval& range : {all, part}) {
                std::int64_t sum = 0;
                for (const SpanGroup& group :
                     groupsOf(run.model, run.timeline, {table, by, range, std::nullopt})) {
                    sum += group.totalNs;
                    EXPECT_LE(group.medianNs, group.p99Ns);
                    EXPECT_LE(group.p99Ns, std::nextafter(static_cast<float>(group.mostNs), 1e30F));
                    EXPECT_LE(group.leastOfRankNs, group.mostOfRankNs);
                }
                EXPECT_EQ(sum, timeOfKind(run, table, range));
            }
        }
    }
}

TEST(SpanGroups, tellWhoseTimeDiffersAndCountAKernelThatWaitsOnce)
{
    const LateRun run;
    const GroupRequest communication{SpanTable::Communication, Grouping::Name, run.timeline.extent, {}};
    const auto groups = groupsOf(run.model, run.timeline, communication);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].count, 4 * kSteps);
    EXPECT_EQ(groups[0].ranks, 4U);
    EXPECT_GT(groups[0].waitNs, 0);
    EXPECT_LT(groups[0].leastOfRankNs, groups[0].mostOfRankNs / 2); // the late rank waits for nobody
    const auto ranks = groupsOf(run.model, run.timeline,
                                {SpanTable::Kernels, Grouping::Rank, run.timeline.extent, std::nullopt});
    ASSERT_EQ(ranks.size(), 4U);
    EXPECT_EQ(ranks[0].name, "rank 2"); // the largest total
    const auto one = groupsOf(run.model, run.timeline,
                              {SpanTable::Kernels, Grouping::Rank, run.timeline.extent, std::size_t{1}});
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].name, "rank 1");
    const document::Table table = tableOf(groups, communication);
    EXPECT_EQ(table.header.front(), "name");
    EXPECT_EQ(table.rows.front().size(), table.header.size());
}

TEST(SpanGroups, areNoneWhereNothingIsOrSomebodyCancels)
{
    const LateRun run;
    const Interval before{run.timeline.extent.start - 1000, run.timeline.extent.start - 10};
    const GroupRequest request{SpanTable::Kernels, Grouping::Name, before, {}};
    EXPECT_TRUE(groupsOf(run.model, run.timeline, request).empty());
    const GroupRequest whole{SpanTable::Kernels, Grouping::Name, run.timeline.extent, {}};
    EXPECT_TRUE(groupsOf(run.model, run.timeline, whole, [] { return true; }).empty());
}

TEST(Search, findsAllAndGoesRoundInBothDirections)
{
    const LateRun run;
    const Hits hits = search(run.model, run.timeline, {"DATA", {}, {}});
    ASSERT_EQ(hits.count, 4U * kSteps);
    ASSERT_EQ(hits.byTime.size(), hits.count);
    std::int64_t before = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t hit : hits.byTime) {
        const SpanId& id = hits.spans[hit];
        EXPECT_EQ(nameOf(run.model, run.timeline.tracks[id.track], run.timeline.span(id)), "data");
        EXPECT_LE(before, run.timeline.span(id).time.start);
        before = run.timeline.span(id).time.start;
    }
    EXPECT_EQ(hits.nearest(run.timeline, run.timeline.extent.start - 1, Direction::Forward), 0U);
    EXPECT_EQ(hits.nearest(run.timeline, run.timeline.extent.end, Direction::Forward), 0U);
    EXPECT_EQ(hits.nearest(run.timeline, run.timeline.extent.start - 1, Direction::Backward), hits.count - 1);
    std::size_t found = 0;
    for (std::size_t track = 0; track < run.timeline.tracks.size(); ++track) {
        for (std::size_t lane = 0; lane < run.timeline.tracks[track].lanes.size(); ++lane) {
            found += hits.of(track, lane).size();
        }
    }
    EXPECT_EQ(found, hits.count);
    EXPECT_EQ(search(run.model, run.timeline, {"data", {}, std::size_t{2}}).count, kSteps);
    EXPECT_EQ(search(run.model, run.timeline, {"no such thing", {}, {}}).count, 0U);
    EXPECT_FALSE(search(run.model, run.timeline, {"", {}, {}}).nearest(run.timeline, 0, Direction::Forward));
    EXPECT_EQ(search(run.model, run.timeline, {"data", {}, {}}, [] { return true; }).count, 0U);
}

TEST(Search, isATableByTimeWithKernelsByShortNames)
{
    const LateRun run;
    const Hits hits = search(run.model, run.timeline, {"a", {}, {}});
    const document::Table table = hitTable(run.model, run.timeline, hits, 20);
    ASSERT_EQ(table.rows.size(), 20U) << "no more than wanted, of " << hits.count;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const SpanId& hit = hits.spans[hits.byTime[row]];
        EXPECT_EQ(cellText(table.rows[row][0]),
                  nameOf(run.model, run.timeline.tracks[hit.track], run.timeline.span(hit)));
    }
    const Hits collectives = search(run.model, run.timeline, {"AllReduce", std::nullopt, std::size_t{0}});
    const std::vector<std::string> names = shownNames(run.model, run.timeline, collectives, 10'000);
    ASSERT_EQ(names.size(), collectives.count);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const SpanId& hit = collectives.spans[collectives.byTime[i]];
        const Span span = run.timeline.span(hit);
        if (span.kind == SpanKind::Wait) { // the whole kernel, not its waiting alone
            EXPECT_GT(timeOf(run.timeline, hit).length(), span.time.length());
        }
        EXPECT_EQ(names[i].find('('), std::string::npos) << names[i];
    }
}

TEST(Search, findsAsManySpansAsAGroupHas)
{
    const LateRun run;
    for (const SpanTable table : {SpanTable::Kernels, SpanTable::Communication, SpanTable::Calls}) {
        for (const Grouping by : {Grouping::Name, Grouping::Family}) {
            for (const SpanGroup& group :
                 groupsOf(run.model, run.timeline, {table, by, run.timeline.extent, {}})) {
                const Hits hits = search(run.model, run.timeline, {group.name, std::pair(table, by), {}});
                EXPECT_EQ(static_cast<std::int64_t>(hits.count), group.count) << group.name;
            }
        }
    }
}

report::Report lateReport()
{
    TraceBuilder builder(4);
    builder.host(2, "node1").host(3, "node1");
    builder.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(2).compute(5ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return report::buildReport(builder.run(), {});
}

TEST(CollectiveDetails, sayWhatWasExchangedWhoCameWhenAndWhatIsNotKnown)
{
    const report::Report report = lateReport();
    const Timeline timeline = buildTimeline(report.model);
    ASSERT_GE(timeline.collectives.size(), 3U);
    const Description text = collectiveDetails(report, timeline, 1);
    const auto valueOf = [&](std::string_view name) {
        const auto found = std::ranges::find(text.lines, name, [](const auto& line) { return line.first; });
        return found == text.lines.end() ? std::string() : found->second;
    };
    EXPECT_EQ(valueOf("size"), "4.00 MiB");
    EXPECT_NE(valueOf("last arrival").find("rank 2"), std::string::npos) << valueOf("last arrival");
    EXPECT_NE(valueOf("bus bandwidth").find("GB/s"), std::string::npos) << valueOf("bus bandwidth");
    EXPECT_NE(valueOf("algorithm, protocol").find("not recorded"), std::string::npos);
    const document::Table arrivals = arrivalTable(report.model, timeline, 1);
    ASSERT_EQ(arrivals.rows.size(), 4U);
    EXPECT_EQ(document::cellText(arrivals.rows.back()[0]), "2"); // came last
    EXPECT_EQ(document::exactText(arrivals.rows.front()[1]), "0.0");
    EXPECT_EQ(document::exactText(arrivals.rows.back()[2]), "0.0"); // and waited for nobody
    EXPECT_EQ(neighbourInCommunicator(report.model, timeline, 1, Direction::Forward), 2U);
    EXPECT_EQ(neighbourInCommunicator(report.model, timeline, 0, Direction::Backward), std::nullopt);
    ASSERT_EQ(report.metrics.collectives.size(), 1U);
    EXPECT_EQ(collectivesOf(report.model, timeline, report.metrics.collectives[0]).size(),
              timeline.collectives.size());
}

TEST(CollectiveDetails, sayWhatTheProgramAskedOfNcclAndWhereRanksDoNotAgree)
{
    report::Report report = lateReport();
    const Timeline timeline = buildTimeline(report.model);
    constexpr trace::StringId kRing = 9001;
    std::int64_t rank = 0;
    for (trace::ProcessTrace& process : report.model.trace.processes) {
        process.strings.emplace(kRing, "RING_SIMPLE");
        for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
            trace::CallConfigRow config;
            config.call = call.id;
            config.algorithms = kRing;
            config.isForced = 1;
            config.maxCtas = &call == &process.collectiveCalls.front() ? 8 : rank;
            config.userTag = 42;
            process.callConfigs.push_back(config);
        }
        ++rank;
    }
    const auto asked = [&](std::size_t index) {
        std::string text;
        for (const auto& [name, value] : collectiveDetails(report, timeline, index).lines) {
            text += name == "asked of NCCL" || name == "the program's tag" ? value + "|" : "";
        }
        return text;
    };
    EXPECT_EQ(asked(0), "RING_SIMPLE or none, at most 8 CTAs|42|");
    EXPECT_TRUE(
        asked(1).starts_with("not the same on all ranks, which NCCL does not check: RING_SIMPLE or none, "
                             "at most 0 CTAs; "))
        << asked(1);
}

TEST(RankOrder, putsTheWorstFirstAndGroupsByHost)
{
    const report::Report report = lateReport();
    const auto ranksOf = [&](RankOrder order) {
        std::vector<std::size_t> ranks;
        for (const OrderedRank& each : orderRanks(report, order)) {
            ranks.push_back(each.rank);
        }
        return ranks;
    };
    EXPECT_EQ(ranksOf(RankOrder::Number), (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(ranksOf(RankOrder::CameLast).front(), 2U);
    EXPECT_EQ(ranksOf(RankOrder::Useful).back(), 2U); // it never waits
    const auto hosts = orderRanks(report, RankOrder::Host);
    EXPECT_EQ(hosts.front().group, hosts[1].group);
    EXPECT_EQ(hosts.back().group, "host node1");
    for (const OrderedRank& each : orderRanks(report, RankOrder::Place)) {
        EXPECT_TRUE(each.group.empty()); // nothing is known of its place
    }
}

TEST(KernelNames, haveFamiliesThatPeopleWouldGiveThem)
{
    EXPECT_EQ(familyOf("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn"), KernelFamily::Matmul);
    EXPECT_EQ(familyOf("nvjet_tst_128x64_64x4_2x1_v_bz_coopB_bias_nt"), KernelFamily::Matmul);
    EXPECT_EQ(familyOf("void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128> >"),
              KernelFamily::Attention);
    EXPECT_EQ(familyOf("void multi_tensor_apply_kernel<AdamFunctorMaster<c10::BFloat16> >"),
              KernelFamily::Optimizer);
    EXPECT_EQ(familyOf("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>"),
              KernelFamily::Normalisation);
    EXPECT_EQ(familyOf("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >"),
              KernelFamily::Elementwise);
    EXPECT_EQ(familyOf("void at::native::reduce_kernel<512, 1>"), KernelFamily::Reduction);
    EXPECT_EQ(familyOf("my_kernel"), KernelFamily::Other);
    EXPECT_EQ(familyOf(""), KernelFamily::Other);
    for (std::size_t i = 0; i < kKernelFamilies; ++i) {
        EXPECT_FALSE(familyName(static_cast<KernelFamily>(i)).empty());
    }
}

TEST(KernelNames, thatLookAlikeAreNumbered)
{
    const std::vector<std::string> names{"f<int>(int)", "g()", "f<float>(float)", "f<int>(int)"};
    EXPECT_EQ(shortNames(names), (std::vector<std::string>{"f<…>", "g", "f<…> (2)", "f<…>"}));
}

TEST(KernelNames, areShortWithoutWhatNobodyReads)
{
    EXPECT_EQ(shortName("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(int, float*)"),
              "reduce_kernel<…>");
    EXPECT_EQ(shortName("void at::native::(anonymous namespace)::softmax_warp<float, 8>(float*, int)"),
              "softmax_warp<…>");
    EXPECT_EQ(shortName("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
    EXPECT_EQ(shortName("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
              "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    EXPECT_EQ(shortName("void cutlass::Kernel<cutlass_80_gemm_256x64_nn>(cutlass_80_gemm_256x64_nn::Params)"),
              "cutlass_80_gemm_256x64_nn");
    EXPECT_EQ(shortName("void cutlass::Kernel2<ns::gemm<float, 2>, 3>(int)"), "gemm<…>");
    EXPECT_EQ(shortName("Kernel<"), "Kernel<…>");
    EXPECT_EQ(shortName("Kernel<Kernel<Kernel<"), "Kernel<…>");
    EXPECT_EQ(shortName("aten::mm"), "mm");
    EXPECT_EQ(shortName("<><>"), "<><>");
    EXPECT_EQ(shortName("((("), "(((");
    EXPECT_EQ(shortName(""), "");
}

} // namespace
} // namespace ringside::timeline
