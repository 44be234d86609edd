// SPDX-License-Identifier: Apache-2.0
// The verdict as a picture: the parts of the step, what explains them, and a moment for each.
#include "document/html_charts.h"
#include "document/renderer.h"
#include "report/argument.h"
#include "report/document.h"
#include "support/trace_builder.h"

#include <gmock/gmock.h>

namespace ringside::report {
namespace {

using namespace test;
using document::BoxPicture;
using document::WhyGraph;
using testing::HasSubstr;

Report lateReport()
{
    TraceBuilder trace(4);
    trace.steps(12, [](StepBuilder& step) {
        step.everyRank().compute(6ms);
        step.rank(2).compute(5ms);
        step.allReduce(8_MiB, {.takes = 2ms});
    });
    return buildReport(trace.run(), {});
}

TEST(WhyGraph, LeadsFromTheVerdictToCausesAndTheirMoments)
{
    const Report report = lateReport();
    const auto graph = whyGraphOf(report);
    ASSERT_TRUE(graph);
    EXPECT_EQ(graph->verdict.title, "limited by a late rank") << "one bold line, if it can be";
    EXPECT_THAT(graph->verdict.texts.front(), HasSubstr(" confidence"));
    const auto cause = std::ranges::find_if(
        graph->causes, [](const WhyGraph::Cause& each) { return each.node.title == "late_rank, rank 2"; });
    ASSERT_NE(cause, graph->causes.end());
    EXPECT_EQ(graph->parts[cause->part].title, "exposed waiting for later ranks");
    ASSERT_TRUE(graph->verdict.place && cause->node.place);
    EXPECT_EQ(graph->verdict.place->startNs, cause->node.place->startNs);
    for (const WhyGraph::Node& part : graph->parts) {
        ASSERT_TRUE(part.place) << part.title;
        EXPECT_LT(part.place->endNs - part.place->startNs, 14'000'000) << "one step";
        EXPECT_THAT(part.texts.front(), HasSubstr(" %"));
    }
    const auto waits =
        std::ranges::find(graph->parts, "exposed waiting for later ranks", &WhyGraph::Node::title);
    EXPECT_NE(waits->place->rank, 2) << "the late rank waits least";
}

TEST(WhyGraph, BoxesDoNotOverlapAndArrowsGoToTheLeft)
{
    const auto graph = whyGraphOf(lateReport());
    ASSERT_TRUE(graph);
    const BoxPicture picture = pictureOf(*graph);
    EXPECT_EQ(picture.boxes.size(), 1 + graph->parts.size() + graph->causes.size());
    EXPECT_EQ(picture.arrows.size(), picture.boxes.size() - 1);
    EXPECT_EQ(whyLines(*graph).size(), picture.boxes.size());
    for (const BoxPicture::Box& a : picture.boxes) {
        EXPECT_TRUE(a.x >= 0 && a.y >= 0 && a.x + BoxPicture::kBoxWidth <= picture.width &&
                    a.y + a.height <= picture.height);
        for (const BoxPicture::Box& b : picture.boxes) {
            EXPECT_TRUE(&a == &b || a.x != b.x || a.y + a.height <= b.y || b.y + b.height <= a.y)
                << a.whole << b.whole;
        }
    }
    for (const BoxPicture::Arrow& arrow : picture.arrows) {
        EXPECT_LT(arrow.to.x, arrow.from.x);
    }
}

TEST(WhyGraph, IsAPictureOfPagesAndNothingOfATerminal)
{
    const document::Document page = documentOf(lateReport(), document::Extent::All);
    const auto rendered = [&](std::string_view id) {
        const auto renderers = document::renderers();
        return (*std::ranges::find(renderers, id, &document::Renderer::id))->render(page, {});
    };
    EXPECT_THAT(rendered("html"), HasSubstr("aria-label=\"Why this verdict\""));
    EXPECT_THAT(rendered("html"), HasSubstr(">late_rank, rank 2</text>"));
    EXPECT_THAT(rendered("text"), testing::Not(HasSubstr("What explains the step")));
}

TEST(WhyGraph, IsNotThereWithoutMeasuredSteps)
{
    TraceBuilder trace(1);
    trace.withoutDeviceTier("no CUPTI here").steps(6, [](StepBuilder& step) {
        step.everyRank().host(1ms, "data").compute(3ms);
    });
    EXPECT_FALSE(whyGraphOf(buildReport(trace.run(), {})));
}

} // namespace
} // namespace ringside::report
