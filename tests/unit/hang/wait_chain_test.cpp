// SPDX-License-Identifier: Apache-2.0
// Who waits for whom as a picture: what it shows of a chain and of a circle, and that it stays small.
#include "document/html_charts.h"
#include "document/renderer.h"
#include "hang/wait_chain.h"
#include "hang/wait_graph.h"
#include "unit/analyzer/hang_fixture.h"

#include <gmock/gmock.h>

namespace ringside::test {
namespace {

using document::WaitChain;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Ranks of `waiters` wait for `blocker` in a call of its own communicator.
hang::StuckCollective wait(std::vector<std::int64_t> waiters, std::int64_t blocker, std::string name)
{
    hang::StuckCollective stuck;
    stuck.name = std::move(name);
    stuck.size = 2;
    stuck.missing = {blocker};
    stuck.waitedNs = 35 * kSecond;
    for (const std::int64_t rank : waiters) {
        hang::Arrived arrived;
        arrived.rank = rank;
        arrived.call.function = "ncclAllReduce";
        stuck.arrived.push_back(arrived);
    }
    return stuck;
}

std::string shownBy(std::string_view id, const WaitChain& chain)
{
    document::Document page;
    page.sections.push_back({document::SectionId::WaitChain, "Who waits for whom", {chain}});
    const auto renderers = document::renderers();
    return (*std::ranges::find(renderers, id, &document::Renderer::id))->render(page, {});
}

TEST_F(Hang, aChainIsDrawnDownToItsOrigin)
{
    stopsBefore(3, 1);
    addPair();
    issueOnPair(0, -kSecond);
    process(3).stacks.clear();
    const auto chain = hang::waitChainOf(analyze());
    ASSERT_TRUE(chain);
    EXPECT_FALSE(chain->circle);
    ASSERT_EQ(chain->nodes.size(), 3U);
    EXPECT_EQ(chain->nodes[0].who, "rank 3");
    EXPECT_EQ(chain->nodes[0].layer, 0U);
    EXPECT_EQ(chain->nodes[1].who, "ranks 0 to 2");
    EXPECT_EQ(chain->nodes[2].who, "rank 0");
    EXPECT_EQ(chain->nodes[2].layer, 2U);
    ASSERT_EQ(chain->edges.size(), 2U);
    EXPECT_EQ(chain->edges[0].call, "ncclAllReduce #9 of communicator world");
    EXPECT_EQ(chain->edges[1].to, 1U) << "rank 0 waits for rank 1, which waits in the world";
    EXPECT_EQ(chain->edges[1].waitsFor, "rank 1");
    const std::string html = shownBy("html", *chain);
    EXPECT_THAT(html, HasSubstr("waits for rank 3 in ncclAllReduce"));
    for (const char* const id : {"text", "markdown"}) {
        EXPECT_THAT(shownBy(id, *chain), HasSubstr("rank 3: ncclAllReduce #9 of communicator world")) << id;
    }
}

TEST_F(Hang, aCircleIsDrawnAsOneWithBothSides)
{
    stopsBefore(1, 1);
    addPair();
    issueOnPair(1, 0);
    const auto chain = hang::waitChainOf(analyze());
    ASSERT_TRUE(chain);
    EXPECT_TRUE(chain->circle);
    ASSERT_EQ(chain->nodes.size(), 2U);
    ASSERT_EQ(chain->edges.size(), 2U);
    EXPECT_EQ(chain->nodes[0].who, "rank 1");
    EXPECT_EQ(chain->nodes[1].who, "ranks 0, 2 and 3");
    EXPECT_EQ(chain->edges[1].to, 0U);
    const document::BoxPicture picture = pictureOf(*chain);
    EXPECT_TRUE(picture.boxes[0].origin && picture.boxes[1].origin);
    EXPECT_LT(picture.boxes[0].x, picture.boxes[1].x) << "beside each other";
}

TEST_F(Hang, ordersThatDifferAreACircleOfTheTwoSides)
{
    addPair();
    issueOnPair(0, -kSecond / 2);
    issueOnPair(1, kSecond / 2);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        isIn(rank, "cudaStreamSynchronize", m_endNs + kSecond);
    }
    const auto chain = hang::waitChainOf(analyze());
    ASSERT_TRUE(chain && chain->circle);
    ASSERT_EQ(chain->nodes.size(), 2U);
    EXPECT_EQ(chain->nodes[0].who, "rank 0");
    EXPECT_EQ(chain->edges[0].waitsFor, "rank 1");
    EXPECT_EQ(chain->nodes[1].who, "rank 1");
}

TEST(WaitChain, TheLastCallWaitsForTheOriginAloneAndForNoVictim)
{
    std::vector<hang::StuckCollective> stuck{wait({0, 2}, 1, "world"), wait({3}, 1, "pair")};
    stuck[0].missing = {1, 3};
    hang::orderByOrigin(stuck);
    EXPECT_EQ(stuck.front().name, "pair") << "rank 3 is a victim";
    const auto origins = hang::originsOf(stuck);
    ASSERT_EQ(origins.size(), 1U);
    EXPECT_THAT(origins[0].ranks, ElementsAre(1));
    EXPECT_THAT(origins[0].chain, ElementsAre(1U, 0U));
    EXPECT_EQ(origins[0].waiting, 3U);
}

TEST(WaitChain, ACallThatAlsoWaitsForAnotherOriginIsReachedNevertheless)
{
    std::vector<hang::StuckCollective> stuck{wait({0, 2}, 1, "world"), wait({3}, 4, "pair")};
    stuck[0].missing = {1, 3};
    const auto origins = hang::originsOf(stuck);
    ASSERT_EQ(origins.size(), 2U);
    EXPECT_EQ(origins[0].waiting, 3U);
    EXPECT_THAT(origins[0].ranks, ElementsAre(4));
    EXPECT_THAT(origins[1].ranks, ElementsAre(1));
    EXPECT_THAT(origins[1].chain, ElementsAre(0U));
}

TEST(WaitChain, ManyWaitsAreFoldedAndCounted)
{
    hang::Report report;
    for (std::int64_t i = 1; i <= 200; ++i) {
        report.collectives.push_back(wait({i}, 0, "pair"));
    }
    hang::Origin origin;
    origin.ranks = {0};
    origin.chain = {0};
    report.origins = {origin};
    const auto wide = hang::waitChainOf(report);
    ASSERT_TRUE(wide);
    ASSERT_EQ(wide->nodes.size(), 1 + WaitChain::kMostInLayer);
    EXPECT_EQ(wide->nodes.back().who, "ranks 3 to 200");
    EXPECT_EQ(wide->nodes.back().does, "wait in 198 more calls");
    report.collectives.clear();
    for (std::int64_t i = 1; i <= 100; ++i) {
        report.collectives.push_back(wait({i}, i - 1, "pipeline"));
    }
    const auto deep = hang::waitChainOf(report);
    ASSERT_TRUE(deep);
    ASSERT_EQ(deep->nodes.size(), 2 + WaitChain::kMostLayers);
    EXPECT_EQ(deep->nodes.back().does, "wait in 91 more calls, through others");
    EXPECT_EQ(deep->edges.size(), deep->nodes.size() - 1);
}

WaitChain circleOf(std::int64_t ranks)
{
    hang::Report report;
    hang::Origin origin;
    origin.circle = true;
    for (std::int64_t i = 0; i < ranks; ++i) {
        report.collectives.push_back(wait({i}, (i + 1) % ranks, "ring"));
        origin.chain.push_back(static_cast<std::size_t>(i));
        origin.ranks.push_back(i);
    }
    report.origins = {origin};
    return hang::waitChainOf(report).value();
}

TEST(WaitChain, ALargeCircleIsFoldedAndCounted)
{
    const WaitChain chain = circleOf(40);
    ASSERT_EQ(chain.nodes.size(), WaitChain::kMostInCircle);
    EXPECT_EQ(chain.nodes.back().does, "wait in 33 more calls");
    EXPECT_EQ(chain.edges.back().to, 0U);
}

TEST(WaitChain, NoBoxOfACircleCoversAnother)
{
    for (std::int64_t ranks = 2; ranks <= 9; ++ranks) {
        const document::BoxPicture picture = pictureOf(circleOf(ranks));
        for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
            const auto& a = picture.boxes[i];
            EXPECT_TRUE(a.x >= 0 && a.y >= 0 && a.x + document::BoxPicture::kBoxWidth <= picture.width &&
                        a.y + a.height <= picture.height)
                << ranks << " ranks, box " << i;
            for (std::size_t j = i + 1; j < picture.boxes.size(); ++j) {
                const auto& b = picture.boxes[j];
                const bool apart = std::abs(a.x - b.x) >= document::BoxPicture::kBoxWidth ||
                                   (a.y < b.y ? a.y + a.height <= b.y : b.y + b.height <= a.y);
                EXPECT_TRUE(apart) << ranks << " ranks, boxes " << i << " and " << j << " cover each other";
            }
        }
    }
}

TEST(WaitChain, NamesFromTracesAreNoMarkup)
{
    hang::Report report;
    report.collectives.push_back(wait({1}, 0, "<script>"));
    hang::Origin origin;
    origin.ranks = {0};
    origin.chain = {0};
    report.origins = {origin};
    const std::string svg = document::boxesSvg(pictureOf(*hang::waitChainOf(report)), "");
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(WaitChain, ADeathWithoutWaitsIsOneBox)
{
    hang::Report report;
    report.kind = Kind::Died;
    report.diedFirst = 2;
    hang::RankReport rank;
    rank.rank = 2;
    rank.life = Life::Gone;
    rank.waitStatus = 9;
    report.ranks.push_back(rank);
    const auto chain = hang::waitChainOf(report);
    ASSERT_TRUE(chain);
    EXPECT_THAT(waitLines(*chain), ElementsAre("rank 2 has died (by SIGKILL)"));
    EXPECT_FALSE(hang::waitChainOf(hang::Report()));
}

} // namespace
} // namespace ringside::test
