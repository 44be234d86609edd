// SPDX-License-Identifier: Apache-2.0
// Every template of a report, filled with 0, 1 and many of everything, with and without steps, of our own
// runs and of other tools' traces.
#include "words/catalogue.h"
#include "words/mark.h"
#include "words/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ringside::words {
namespace {

const std::vector<Voice> kVoices{
    {Period::Step, false}, {Period::Second, false}, {Period::Step, true}, {Period::Second, true}};

/// A value for a mark: `amount` ranks or names, or that number.
Value sampleOf(Form form, std::int64_t amount)
{
    std::vector<std::int64_t> ranks;
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < amount; ++i) {
        ranks.push_back(2 * i);
        names.push_back("name" + std::to_string(i));
    }
    switch (infoOf(form).takes) {
    case Takes::Number:
        return amount;
    case Takes::Name:
        return std::string("a name");
    case Takes::Names:
        return names;
    case Takes::Ranks:
        return ranks;
    case Takes::Clause:
        return Text("a clause");
    }
    return amount;
}

/// A slot that only chooses a word is a number.
Text filled(const Template& words, std::int64_t amount)
{
    std::vector<Slot> slots;
    for (const Mark& mark : marksOf(words.words)) {
        const bool known = std::ranges::find(slots, mark.text, &Slot::name) != slots.end();
        if (mark.kind == Mark::Kind::Filled && !known) {
            slots.emplace_back(mark.text, 0).value = sampleOf(mark.form, amount);
        }
    }
    for (const Mark& mark : marksOf(words.words)) {
        if (mark.kind == Mark::Kind::Choice &&
            std::ranges::find(slots, mark.text, &Slot::name) == slots.end()) {
            slots.emplace_back(mark.text, amount);
        }
    }
    return say(words, slots);
}

TEST(Words, AreUnderstoodWhole)
{
    std::set<std::string_view> ids;
    ASSERT_FALSE(allTemplates().empty());
    for (const Template* const each : allTemplates()) {
        EXPECT_TRUE(ids.insert(each->id).second) << each->id << " stands twice";
        EXPECT_EQ(findTemplate(each->id), each);
        for (const Mark& mark : marksOf(each->words)) {
            EXPECT_NE(mark.kind, Mark::Kind::Unknown) << each->id << ": {" << mark.text << "}";
        }
    }
}

TEST(Words, LeaveNoSlotAndGarbleNothing)
{
    for (const Template* const each : allTemplates()) {
        for (const std::int64_t amount : {0, 1, 5}) {
            for (const Voice& voice : kVoices) {
                const std::string text = render(filled(*each, amount), voice);
                EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << each->id << ": " << text;
                EXPECT_EQ(text.find("  "), std::string::npos) << each->id << ": " << text;
                EXPECT_EQ(text.find(" ,"), std::string::npos) << each->id << ": " << text;
                EXPECT_EQ(text.find(".."), std::string::npos) << each->id << ": " << text;
                EXPECT_TRUE(voice.period == Period::Step || text.find(" a step ") == std::string::npos ||
                            each->words.find(" a step ") != std::string_view::npos)
                    << each->id << ": " << text;
            }
        }
    }
}

TEST(Words, GetTheirUnitFromTheTemplateOnce)
{
    constexpr Template kWords{
        "test.words", "{ranks:Ranks} {ranks|needs|need} {time:ms} {a step}, {share:percent}{with Ringside}"};
    const Text text = say(
        kWords, {{"ranks", std::vector<std::int64_t>{7, 1, 2, 0}}, {"time", 1'500'000}, {"share", 0.125}});
    EXPECT_EQ(render(text, {Period::Step, false}), "Ranks 0 to 2 and 7 need 1.50 ms a step, 12.5 %");
    EXPECT_EQ(render(text, {Period::Second, true}),
              "Ranks 0 to 2 and 7 need 1.50 ms a second, 12.5 % (in a recording with Ringside)");
    EXPECT_EQ(render(say(kWords, {{"ranks", std::vector<std::int64_t>{3}}, {"time", 0}}), {}),
              "Rank 3 needs 0.00 ms a step, {share:percent}")
        << "a value that is missing is seen";
}

TEST(Words, ShowAsManyDigitsAsTheFormSays)
{
    constexpr Template kWords{"test.digits", "{rate:g1} {part:g2} {part:percent2} {wait:coarse}"};
    EXPECT_EQ(render(say(kWords, {{"rate", 2.345e-14}, {"part", 0.0012345}, {"wait", 125'000'000'000}}), {}),
              "2e-14 0.0012 0.12 % 2 min 5 s");
}

TEST(Words, CarryNamesOfStrangersAsTheyAre)
{
    constexpr Template kWords{"test.name", "host {name:name}: {clause:text}"};
    EXPECT_EQ(render(say(kWords, {{"name", "{a step}"}, {"clause", Text("{x}")}}), {}), "host {a step}: {x}");
}

} // namespace
} // namespace ringside::words
