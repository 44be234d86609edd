// SPDX-License-Identifier: Apache-2.0
// Files of the PyTorch profiler that are damaged, cut, or of an unusual form.
#include "import/kineto/scan_events.h"
#include "kineto_file.h"

#include <zlib.h>

namespace ringside::importers {
namespace {

TEST_F(KinetoFile, DirtInStringsIsNoReasonToStop)
{
    Events events;
    events.complete("cpu_op", "tab\there\x01 and \xFF", "1", "2").kernel(kKernel, 1, 100, 120, 30);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.ranges.size(), 1U);
    EXPECT_EQ(process.text(process.ranges[0].name), "tab?here? and ?");
    EXPECT_EQ(process.kernels.size(), 1U);
}

TEST_F(KinetoFile, WhatIsWholeOfATruncatedFileIsKept)
{
    Events events;
    for (int i = 0; i < 20; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    const std::string whole = fileText(events, std::string(kDistributed) + ",", ", \"traceName\": \"x\"");
    const std::size_t first = whole.find("traceEvents");
    for (std::size_t size = first + 16; size < whole.size() - 2; size += 37) {
        const auto process = import(whole.substr(0, size));
        ASSERT_NE(issueOf(process, "truncated_file"), nullptr) << size;
        const std::size_t atMost = static_cast<std::size_t>(
            std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
        EXPECT_LE(process.kernels.size(), atMost);
        EXPECT_GE(process.kernels.size() + 3, atMost / 2) << size;
        EXPECT_EQ(process.ranks.at(0).rank, 1);
    }
    EXPECT_THROW(import(whole.substr(0, first)), Error);
    EXPECT_EQ(issueOf(import(whole), "truncated_file"), nullptr);
}

TEST_F(KinetoFile, DamageInTheMiddleCostsOneEvent)
{
    Events events;
    for (int i = 0; i < 9; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    std::string text = fileText(events);
    text.replace(text.find("\"correlation\": 5"), 16, "\"corr]lation\" }5");
    const auto process = import(text);
    EXPECT_EQ(process.kernels.size() + process.launches.size(), 17U);
    ASSERT_NE(issueOf(process, "damaged_event"), nullptr);
    EXPECT_EQ(issueOf(process, "damaged_event")->count, 1);
    EXPECT_NE(issueOf(process, "damaged_event")->message.find("at byte"), std::string::npos);
}

TEST_F(KinetoFile, WhatHasNoPlaceIsCounted)
{
    Events events;
    events.kernel(kKernel, 1, 100, 120, 30)
        .complete("python_function", "f", "1", "2")
        .complete("gpu_user_annotation", "a", "1", "2", R"("stream": 7)", 7, 0)
        .add(R"({"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"})")
        .add(R"({"ph": "i", "name": "x", "ts": 1})")
        .add(R"({"ph": "C", "name": "x", "ts": 1})")
        .add(R"({"name": "x", "ts": 1})");
    const auto process = import(fileText(events));
    ASSERT_NE(issueOf(process, "events_left_out"), nullptr);
    EXPECT_EQ(issueOf(process, "events_left_out")->count, 5);
    EXPECT_EQ(process.pythonCalls.size(), 1U);
}

TEST_F(KinetoFile, WhatWasNotReadStandsOnTop)
{
    Events events;
    for (int i = 0; i < 40; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    const auto rank = [](int number) {
        return fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": 4}},)", number);
    };
    write("rank0.json", fileText(events, rank(0)));
    write("rank1.json", "");
    const std::string whole = fileText(events, rank(2));
    write("rank2.json", whole.substr(0, whole.size() / 2));
    const gzFile packed = gzopen((folder() / "rank3.json.gz").c_str(), "wb");
    gzwrite(packed, whole.data(), static_cast<unsigned>(whole.size()));
    gzclose(packed);
    std::filesystem::resize_file(folder() / "rank3.json.gz", 12);
    const std::string text = textOf(report::buildReport(open(folder()), {}), "text");
    const std::string top = text.substr(0, text.find("Key figures"));
    for (const char* name : {"rank1.json", "rank2.json", "rank3.json.gz"}) {
        EXPECT_NE(top.find(name), std::string::npos) << name << "\n" << top;
    }
}

TEST_F(KinetoFile, GzipGivesTheSame)
{
    Events events;
    for (int i = 0; i < 500; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    const std::string text = fileText(events);
    const gzFile file = gzopen((folder() / "rank0.json.gz").c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    const auto packed = open(folder() / "rank0.json.gz").processes.front();
    const auto plain = import(text);
    EXPECT_EQ(packed.kernels.startNs, plain.kernels.startNs);
    EXPECT_EQ(packed.kernels.correlation, plain.kernels.correlation);
    std::filesystem::resize_file(folder() / "rank0.json.gz",
                                 std::filesystem::file_size(folder() / "rank0.json.gz") / 2);
    const auto cut = open(folder() / "rank0.json.gz").processes.front();
    EXPECT_GT(cut.kernels.size(), 0U);
    ASSERT_NE(issueOf(cut, "truncated_file"), nullptr);
    EXPECT_NE(issueOf(cut, "truncated_file")->message.find("gzip"), std::string::npos);
}

/// Objects in arguments look like events to a thread that begins in the middle of a file.
std::string trickyFile(int events)
{
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < events; ++i) {
        text += fmt::format(
            R"({}{{"ph":"X","cat":"kernel","name":"k{}","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"nested":[{{"ph":"X"}},{{"ph":"X","cat":"kernel","ts":1,"dur":1}},{{"ph":"X"}}],"text":"}},{{\"ph\":","device":0,"stream":7,"correlation":{}}}}})",
            i == 0 ? "" : ",", i % 10, 10 * i, i + 1);
    }
    return text + R"(],"distributedInfo":{"rank":3,"pg_config":[{"pg_name":"0"},{"pg_name":"1"}]}})";
}

TEST_F(KinetoFile, SeveralThreadsSeeWhatOneSees)
{
    const auto path = write("large.json", trickyFile(200'000)); // over several stretches
    ASSERT_GT(std::filesystem::file_size(path), 30U << 20U);
    Progress progress;
    const auto scan = [&](unsigned threads) {
        return kinetoImporter().import({path, threads, progress}).front();
    };
    const auto one = scan(1);
    const auto four = scan(4);
    EXPECT_EQ(one.kernels.size(), 200'000U);
    EXPECT_EQ(four.kernels.startNs, one.kernels.startNs);
    EXPECT_EQ(four.kernels.correlation, one.kernels.correlation);
    ASSERT_EQ(four.ranks.size(), 1U);
    EXPECT_EQ(four.ranks[0].rank, 3);
    EXPECT_EQ(four.issues.size(), one.issues.size());
    for (std::size_t i = 0; i < one.kernels.size(); i += 9973) {
        EXPECT_EQ(four.text(four.kernels.name[i]), one.text(one.kernels.name[i]));
    }
}

TEST_F(KinetoFile, OtherFilesAreLeftToOthers)
{
    for (const char* const text :
         {"", "{}", "[]", "{\"entries\": []}", "SQLite format 3", "not json", "[1, 2]"}) {
        EXPECT_FALSE(kinetoImporter().recognises(text, "x.json")) << text;
    }
    EXPECT_TRUE(kinetoImporter().recognises("\xEF\xBB\xBF{ \"traceEvents\": [", "x"));
    EXPECT_THROW(import(R"({"schemaVersion": 1, "traceEvents")"), Error);
    EXPECT_THROW(import(R"({"traceEvents" 1})"), Error);
}

TEST_F(KinetoFile, EventsThatAreNoArrayAreSaidToBe)
{
    for (const char* const events : {R"({"a": 1})", R"("none")", "null", "7"}) {
        try {
            import(fmt::format(R"({{"schemaVersion": 1, "traceEvents": {}}})", events));
            ADD_FAILURE() << events;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("is no array"), std::string::npos) << error.what();
        }
    }
}

TEST_F(KinetoFile, AnEmptyTraceIsARankWithoutEvents)
{
    const auto process = import(R"({"traceEvents": []})");
    EXPECT_EQ(process.kernels.size(), 0U);
    EXPECT_EQ(process.ranks.size(), 1U);
}

} // namespace
} // namespace ringside::importers
