// SPDX-License-Identifier: Apache-2.0
#include "export/event_stream.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace ringside::exporting {
namespace {

nlohmann::json written(const std::function<void(EventStream&)>& write, const model::ClockMap& clock = {})
{
    std::string text = "[";
    EventStream events([&text](std::string_view piece) { text += piece; }, 3, clock);
    write(events);
    events.finish();
    return nlohmann::json::parse(text + "]");
}

TEST(EventStream, KeepsNanosecondsAndSigns)
{
    std::string text;
    EventStream events([&text](std::string_view piece) { text += piece; }, 0, {1000, 0, 0.0});
    events.slice(1, "c", "\"n\"", {999, 2001});
    events.finish();
    EXPECT_NE(text.find("\"ts\":-0.001,\"dur\":1.002"), std::string::npos) << text;
}

TEST(EventStream, WritesJsonWhateverTheNamesAre)
{
    const std::string nasty = "quote \" backslash \\ line\nbreak \x01 \xFF bad";
    const auto events = written([&](EventStream& stream) {
        stream.processName(nasty);
        stream.trackName(7, nasty, 1);
        stream.slice(7, "range", jsonText(nasty), {0, 10});
        stream.async(7, "range", jsonText(nasty), {10, 5}); // ends before it begins
        stream.instant(7, "mark", jsonText(nasty), 4);
        stream.counter(jsonText(nasty), 5, std::numeric_limits<std::int64_t>::min());
        stream.flow(7, 1, 8, 2);
    });
    EXPECT_EQ(events.size(), 11U);
    EXPECT_EQ(events[4]["name"], "quote \" backslash \\ line\nbreak \x01 \xEF\xBF\xBD bad");
    EXPECT_EQ(events[5]["ts"], events[6]["ts"]);
}

TEST(EventStream, FollowsADriftingClock)
{
    const auto events = written(
        [](EventStream& stream) {
            stream.slice(1, "c", "\"n\"", {2'000'000, 4'000'000});
        },
        {1'000'000, 500'000, 0.001});
    EXPECT_DOUBLE_EQ(events[0]["ts"], 1499.0);
    EXPECT_DOUBLE_EQ(events[0]["dur"], 1998.0);
}

} // namespace
} // namespace ringside::exporting
