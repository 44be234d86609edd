// SPDX-License-Identifier: Apache-2.0
// Parts of the Kineto importer that can be tested alone: numbers, texts, names, JSON.
#include "import/decimal.h"
#include "import/kineto/event.h"
#include "import/name_table.h"

#include <gtest/gtest.h>

#include <random>

namespace ringside::importers::kineto {
namespace {

/// With what a cursor may look at behind the text.
std::string padded(const std::string& text)
{
    return text + std::string(kPadding, '\0');
}

Scan read(const std::string& text, Event& event)
{
    static std::string kept; // the event's texts lie in it
    kept = padded(text);
    JsonCursor cursor(std::string_view(kept).substr(0, text.size()));
    return readEvent(cursor, event);
}

TEST(KinetoDecimal, IsExactToTheNanosecond)
{
    EXPECT_EQ(parseMicroseconds("4458676416788.066"), 4458676416788066);
    EXPECT_EQ(parseMicroseconds("1694128201426602"), 1694128201426602000);
    EXPECT_EQ(parseMicroseconds("1694128201426602.001"), 1694128201426602001); // a double would lose it
    EXPECT_EQ(parseMicroseconds("0.0019"), 1);
    EXPECT_EQ(parseMicroseconds("0"), 0);
    EXPECT_EQ(parseMicroseconds("-2.5"), -2500);
    EXPECT_EQ(parseMicroseconds("1.5e3"), 1500000);
    EXPECT_EQ(parseMicroseconds("25e-1"), 2500);
    EXPECT_EQ(parseMicroseconds("1.00000000000000000000000001"), 1000);
    EXPECT_EQ(parseMicroseconds("9223372036854775.807"), INT64_MAX);
    EXPECT_EQ(parseMicroseconds("0e999999"), 0);
}

TEST(KinetoDecimal, RefusesWhatIsNoTime)
{
    for (const char* const text :
         {"", "-", "NaN", "Infinity", "null", "1e300", "1e99999999999999999999", "9223372036854775.808",
          "9223372036854775808", "1.2.3", "12x", "0x10", "e5", "1e", ".", "99999999999999999999999"}) {
        EXPECT_FALSE(parseMicroseconds(text)) << text;
    }
}

TEST(KinetoText, EscapesAndDirtAreMended)
{
    EXPECT_EQ(plainText(R"(a\"b\\c\/d)"), R"(a"b\c/d)");
    EXPECT_EQ(plainText(R"(\u00e4\u20ac\ud83d\ude00)"), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
    EXPECT_EQ(plainText(R"(\ud83d\u0041|\ude00|\u00)"), "?|?|?00");
    EXPECT_EQ(plainText("a\nb\x01"), "a?b?");
    EXPECT_EQ(plainText("\xFF\xC3)\xE2\x82"), std::string("?") + "?)" + "??");
    EXPECT_EQ(plainText("tail\\"), "tail?");
}

TEST(KinetoNames, EqualTextsHaveOneNumber)
{
    NameTable names;
    EXPECT_EQ(names.idOf(""), 0U);
    std::vector<trace::StringId> ids;
    for (int i = 0; i < 5000; ++i) {
        ids.push_back(names.idOf("kernel" + std::to_string(i)));
    }
    for (int i = 0; i < 5000; ++i) {
        EXPECT_EQ(names.idOf("kernel" + std::to_string(i)), ids[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(names.size(), 5001U);
    EXPECT_EQ(names.text(ids[7]), "kernel7");
}

TEST(KinetoEvent, TakesWhatItNeedsInAnyOrder)
{
    Event event;
    ASSERT_EQ(read(R"({"args":{"stream": 7,"grid":[1,2,{"a":"]}"}],"correlation": 12,"note":"x\"y"}, )"
                   R"("dur": 3.5 ,"ts":1.25,"name":"k","cat":"kernel","ph":"X","pid":0,"tid":"stream 7"})",
                   event),
              Scan::Good);
    EXPECT_EQ(event.phase, "X");
    EXPECT_EQ(event.name, "k");
    EXPECT_EQ(event.category, "kernel");
    EXPECT_EQ(event.time, "1.25");
    EXPECT_EQ(event.duration, "3.5");
    EXPECT_EQ(event.tid, "stream 7");
    EXPECT_EQ(event.stream, "7");
    EXPECT_EQ(event.correlation, "12");
}

TEST(KinetoEvent, EveryPrefixIsIncompleteAndNothingIsBroken)
{
    const std::string text =
        R"({"ph":"X","name":"a\\","args":{"External id":1,"Input Dims":[[2, 3], []]},"ts":12,"dur":NaN})";
    Event event;
    ASSERT_EQ(read(text, event), Scan::Good);
    EXPECT_EQ(event.name, "a\\\\");
    for (std::size_t size = 1; size < text.size(); ++size) {
        EXPECT_EQ(read(text.substr(0, size), event), Scan::Incomplete) << size;
    }
}

/// Objects and arrays in each other, with strings that hold brackets, quotes and backslashes.
std::string nestedText(std::mt19937& random, int depth)
{
    static constexpr const char* kPieces[] = {"{", "]", "\\\\", "\\\"", "a", "a name of many characters ",
                                              "[}"};
    const bool object = random() % 2 == 0;
    std::string text(1, object ? '{' : '[');
    for (auto members = random() % 6; members > 0; --members) {
        text += text.size() > 1 ? ", " : "";
        std::string words = "\"";
        for (auto pieces = random() % 5; pieces > 0; --pieces) {
            words += kPieces[random() % std::size(kPieces) / (random() % 4 == 0 ? 1 : 4)];
        }
        text += words + "\"" + (object ? ": 12.5" : "");
        if (depth < 4 && random() % 2 == 0) {
            text += (object ? R"(, "in": )" : ", ") + nestedText(random, depth + 1);
        }
    }
    return text + (object ? '}' : ']');
}

TEST(KinetoCursor, SkipsNestedValuesOfAnyLength)
{
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        const std::string value = nestedText(random, 0);
        const std::string text = padded(value + R"(}], "next": [{"a": "b"}])");
        const std::string_view whole = std::string_view(text).substr(0, text.size() - kPadding);
        std::string_view found;
        ASSERT_EQ(JsonCursor(whole).value(found), Scan::Good) << value;
        ASSERT_EQ(found, value);
        const std::size_t cut = 1 + random() % (value.size() - 1);
        ASSERT_EQ(JsonCursor(whole.substr(0, cut)).value(found), Scan::Incomplete)
            << value << " up to " << cut;
    }
}

TEST(KinetoEvent, NoJsonIsBroken)
{
    Event event;
    for (const char* const text : {R"({"ph" "X"})", "{ph:1}", R"({"ph":})", R"({"ts":])", R"({"a":"b"]})"}) {
        EXPECT_EQ(read(text, event), Scan::Broken) << text;
    }
}

TEST(KinetoEvent, DepthCostsNoStack)
{
    Event event;
    const std::string deep(1'000'000, '[');
    EXPECT_EQ(read("{\"a\":" + deep, event), Scan::Incomplete);
    EXPECT_EQ(read("{\"a\":" + deep + std::string(1'000'000, ']') + "}", event), Scan::Good);
}

} // namespace
} // namespace ringside::importers::kineto
