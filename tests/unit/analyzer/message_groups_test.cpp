// SPDX-License-Identifier: Apache-2.0
// Sends and receives have their own table, and inferred steps are called guessed.
#include "json_schema.h"
#include "model/build_model.h"
#include "report/format.h"
#include "report/message_groups.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

using namespace test;

std::string rendered(const trace::RunTrace& run, std::string_view id)
{
    return formatNamed(id).render(buildReport(run, {}));
}

TraceBuilder pipeline()
{
    TraceBuilder trace(2);
    trace.withoutStepMarks().steps(20, [](StepBuilder& step) {
        step.everyRank().compute(2ms);
        step.allReduce(1_MiB, {.takes = 1ms});
    });
    return trace;
}

void addCall(TraceBuilder& trace, int rank, const char* function, std::int64_t peer,
             std::optional<std::uint64_t> bytes)
{
    auto& calls = trace.process(rank).collectiveCalls;
    trace::CollectiveCallRow call = calls.back();
    call.id = 100'000 + static_cast<std::int64_t>(calls.size());
    call.sequence = calls.back().sequence + 1;
    call.api = trace.text(rank, function);
    call.bytes = bytes;
    call.peer = peer;
    calls.push_back(call);
}

trace::RunTrace withMessages()
{
    TraceBuilder trace = pipeline();
    for (const std::uint64_t bytes : {1_KiB, 1_KiB, 8_KiB}) {
        addCall(trace, 0, "ncclSend", 1, bytes);
        addCall(trace, 1, "ncclRecv", 0, bytes);
    }
    addCall(trace, 1, "ncclSend", 0, 1_KiB);
    return trace.run();
}

TEST(MessageGroups, AreByKindAndSizeTheLargestVolumeFirst)
{
    const std::vector<MessageGroup> groups = messageGroups(model::buildModel(withMessages()));
    ASSERT_EQ(groups.size(), 4U);
    EXPECT_EQ(groups[0].kind, model::CollectiveKind::Send);
    EXPECT_EQ(groups[0].bytes, 8_KiB);
    EXPECT_EQ(groups[1].bytes, 1_KiB);
    EXPECT_EQ(groups[1].calls, 3);
    EXPECT_EQ(groups[1].ranks, 2);
    EXPECT_EQ(groups[1].pairs, 2);
    EXPECT_EQ(groups[1].totalBytes, 3_KiB);
    EXPECT_EQ(groups[3].kind, model::CollectiveKind::Receive);
    EXPECT_EQ(groups[3].calls, 2);
}

TEST(MessageGroups, StandInEveryReportThatHasTables)
{
    const trace::RunTrace run = withMessages();
    for (const std::string_view format : {"text", "markdown", "html"}) {
        const std::string text = rendered(run, format);
        EXPECT_NE(text.find("Sends, receives and one-sided calls"), std::string::npos) << format;
        EXPECT_NE(text.find("8.0 KiB"), std::string::npos) << format;
        EXPECT_EQ(rendered(pipeline().run(), format).find("Sends, receives"), std::string::npos) << format;
    }
    const std::string json = rendered(run, "json");
    EXPECT_TRUE(keepsSchema(json, "report/ringside-report-1.schema.json"));
    EXPECT_EQ(nlohmann::json::parse(json)["messages"].size(), 4U);
    EXPECT_EQ(nlohmann::json::parse(json)["messages"][0]["call"], "Send");
}

TEST(MessageGroups, ASizeThatIsNotKnownIsNotZero)
{
    TraceBuilder trace = pipeline();
    addCall(trace, 0, "ncclSend", 1, std::nullopt);
    addCall(trace, 1, "ncclRecv", 0, std::nullopt);
    const trace::RunTrace run = trace.run();
    const std::vector<MessageGroup> groups = messageGroups(model::buildModel(run));
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].bytes, std::nullopt);
    EXPECT_EQ(groups[0].totalBytes, std::nullopt);
    EXPECT_EQ(groups[0].calls, 1);
    const std::string json = rendered(run, "json");
    EXPECT_TRUE(keepsSchema(json, "report/ringside-report-1.schema.json"));
    EXPECT_TRUE(nlohmann::json::parse(json)["messages"][0]["bytes"].is_null());
    EXPECT_EQ(rendered(run, "markdown").find("| 0 B |"), std::string::npos);
}

TEST(Steps, ThatAreNotMarkedAreCalledGuessed)
{
    const trace::RunTrace run = pipeline().run();
    constexpr std::string_view kGuessed = "guessed from the period of collectives";
    const std::string text = rendered(run, "markdown");
    EXPECT_NE(text.find(kGuessed), std::string::npos) << text;
    const std::string json = rendered(run, "json");
    EXPECT_EQ(nlohmann::json::parse(json)["coverage"]["steps"]["source"], "guessed");
    EXPECT_TRUE(keepsSchema(json, "report/ringside-report-1.schema.json"));
    TraceBuilder marked(2);
    marked.steps(20, [](StepBuilder& step) { step.everyRank().compute(2ms); });
    EXPECT_EQ(rendered(marked.run(), "markdown").find(kGuessed), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(rendered(marked.run(), "json"))["coverage"]["steps"]["source"], "marks");
}

} // namespace
} // namespace ringside::report
