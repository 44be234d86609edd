// SPDX-License-Identifier: Apache-2.0
// The frame around importers, with an importer of its own: "FOREIGN <rank or -> <realtime ns> <host or ->
// [world size]".
#include "import/common_clock.h"
#include "import/input.h"
#include "import/open_run.h"
#include "import/rank_names.h"
#include "import/write_run.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ringside::importers {
namespace {

using test::TemporaryDirectory;

void writeFile(const std::filesystem::path& path, const std::string& text)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

bool recognisesForeign(std::string_view head, const std::filesystem::path&)
{
    return head.starts_with("FOREIGN");
}

std::vector<trace::ProcessTrace> importForeign(const Job& job)
{
    std::istringstream words(headOf(job.path, kHeadBytes));
    std::string magic;
    std::string rank;
    std::int64_t realtimeNs = 0;
    std::string host;
    words >> magic >> rank >> realtimeNs >> host;
    std::int64_t worldSize = 0;
    const bool sized = static_cast<bool>(words >> worldSize);
    if (magic == "FOREIGN-BROKEN") {
        throw Error(ErrorCode::Unusable, "nothing in " + job.path.string());
    }
    trace::ProcessTrace process;
    if (rank != "-") {
        process.ranks.push_back({std::stoll(rank), std::nullopt,
                                 sized ? std::optional(worldSize) : std::nullopt, std::nullopt, 0,
                                 "contents"});
    }
    process.process.host = host == "-" ? "" : host;
    process.process.endNs = 1000;
    process.steps.push_back({1, 10, 20, 0});
    process.clockSamples.push_back({0, realtimeNs, std::nullopt, std::nullopt});
    return {process};
}

const Importer kForeign{"foreign", "a test's tool", "*.foreign", recognisesForeign, importForeign};
const Importer kOther{
    "other", "another tool", "*.other",
    [](std::string_view head, const std::filesystem::path&) { return head.starts_with("OTHER"); },
    importForeign};
const Importer* const kImporters[] = {&kForeign, &kOther};

trace::RunTrace openWithTestImporters(const std::vector<std::filesystem::path>& paths)
{
    Progress progress;
    return openRun(paths, progress, kImporters);
}

std::vector<std::int64_t> ranksOf(const trace::RunTrace& run)
{
    std::vector<std::int64_t> ranks;
    for (const trace::ProcessTrace& process : run.processes) {
        for (const trace::RankRow& row : process.ranks) {
            ranks.push_back(row.rank);
        }
    }
    std::ranges::sort(ranks);
    return ranks;
}

bool hasIssue(const trace::RunTrace& run, const std::string& id)
{
    return std::ranges::count(run.issues, id, &trace::IssueRow::id) == 1;
}

std::string failureOf(const std::vector<std::filesystem::path>& paths)
{
    try {
        static_cast<void>(openWithTestImporters(paths));
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint;
    }
    return "";
}

TEST(OpenRun, RanksComeFromContentsThenNamesThenTheirOrder)
{
    const TemporaryDirectory folder;
    writeFile(folder / "rank7.foreign", "FOREIGN 2 0 -");
    writeFile(folder / "rank5.foreign", "FOREIGN - 0 -");
    writeFile(folder / "deep/rank_3/x.foreign", "FOREIGN - 0 -");
    writeFile(folder / "nothing.foreign", "FOREIGN - 0 -");
    writeFile(folder / "README", "somebody's notes");
    const trace::RunTrace run = openWithTestImporters({folder.path()});
    EXPECT_EQ(ranksOf(run), (std::vector<std::int64_t>{0, 2, 3, 5}));
    EXPECT_TRUE(hasIssue(run, "rank_guessed"));
    EXPECT_TRUE(hasIssue(run, "imported"));
}

TEST(OpenRun, TheFolderThatOneIsInHasItsName)
{
    const TemporaryDirectory folder;
    writeFile(folder / "run/a.foreign", "FOREIGN 0 0 -");
    for (const char* const path : {"run", "run/", "run/.", "run/./"}) {
        EXPECT_EQ(openWithTestImporters({folder / path}).path.filename(), "run") << path;
    }
}

TEST(OpenRun, TwoFilesOfOneRankAreNamed)
{
    const TemporaryDirectory folder;
    writeFile(folder / "a.foreign", "FOREIGN 1 0 -");
    writeFile(folder / "rank1.foreign", "FOREIGN - 0 -");
    const std::string failure = failureOf({folder.path()});
    EXPECT_NE(failure.find("a.foreign"), std::string::npos) << failure;
    EXPECT_NE(failure.find("rank1.foreign"), std::string::npos) << failure;
}

TEST(OpenRun, AFileGivenTwiceIsOne)
{
    const TemporaryDirectory folder;
    writeFile(folder / "a.foreign", "FOREIGN 1 0 -");
    EXPECT_EQ(openWithTestImporters({folder / "a.foreign", folder / "a.foreign"}).processes.size(), 1U);
}

TEST(OpenRun, AFileThatIsNoTraceIsRejectedWithTheAcceptedFormats)
{
    const TemporaryDirectory folder;
    writeFile(folder / "notes.txt", "somebody's notes");
    for (const auto& path : {folder.path(), folder / "notes.txt"}) {
        const std::string failure = failureOf({path});
        EXPECT_NE(failure.find(path.string()), std::string::npos) << failure;
        EXPECT_NE(failure.find("*.foreign"), std::string::npos) << failure;
    }
    EXPECT_NE(failureOf({folder / "missing"}).find("does not exist"), std::string::npos);
}

TEST(OpenRun, ABrokenFileAmongGoodOnesIsAnIssue)
{
    const TemporaryDirectory folder;
    writeFile(folder / "rank0.foreign", "FOREIGN - 0 -");
    writeFile(folder / "rank1.foreign", "FOREIGN-BROKEN");
    EXPECT_TRUE(hasIssue(openWithTestImporters({folder.path()}), "unreadable_file"));
    EXPECT_NE(failureOf({folder / "rank1.foreign"}).find("nothing in"), std::string::npos);
}

TEST(OpenRun, AnEmptyFileThatIsCalledAsItsNeighboursIsAnIssue)
{
    const TemporaryDirectory folder;
    writeFile(folder / "rank0.foreign", "FOREIGN 0 0 -");
    writeFile(folder / "rank1.foreign", "");
    writeFile(folder / "done", "");
    const trace::RunTrace run = openWithTestImporters({folder.path()});
    const auto issue = std::ranges::find(run.issues, "unreadable_file", &trace::IssueRow::id);
    ASSERT_NE(issue, run.issues.end());
    EXPECT_EQ(issue->message, (folder / "rank1.foreign").string() + " is empty");
    EXPECT_TRUE(hasIssue(run, "unreadable_file"));
    EXPECT_EQ(ranksOf(run), std::vector<std::int64_t>{0});
}

TEST(OpenRun, WhatIsNoGzipFileIsNamed)
{
    const TemporaryDirectory folder;
    writeFile(folder / "rank1.foreign.gz", "abc");
    writeFile(folder / "rank2.foreign.gz", "\x1f\x8b and nothing that zlib knows");
    const std::string failure = failureOf({folder.path()});
    EXPECT_NE(failure.find("contains no trace that can be read; "), std::string::npos) << failure;
    EXPECT_NE(failure.find(", and 1 more cannot be read"), std::string::npos) << failure;
    EXPECT_NE(failureOf({folder / "rank1.foreign.gz"}).find("is called .gz, but is no gzip file"),
              std::string::npos);
    writeFile(folder / "rank0.foreign", "FOREIGN 0 0 -");
    const trace::RunTrace run = openWithTestImporters({folder.path()});
    EXPECT_EQ(std::ranges::count(run.issues, "unreadable_file", &trace::IssueRow::id), 2);
    EXPECT_EQ(ranksOf(run), std::vector<std::int64_t>{0});
}

/// As ranks of one job, the files of two tools would be compared with each other.
TEST(OpenRun, FilesOfTwoToolsWithoutRanksAreRefused)
{
    const TemporaryDirectory folder;
    writeFile(folder / "a.foreign", "FOREIGN 0 0 -");
    writeFile(folder / "b.other", "OTHER - 0 -");
    const std::string failure = failureOf({folder.path()});
    EXPECT_NE(failure.find("b.other (another tool) were recorded by two tools"), std::string::npos)
        << failure;
    writeFile(folder / "b.other", "OTHER 1 0 -");
    EXPECT_EQ(ranksOf(openWithTestImporters({folder.path()})), (std::vector<std::int64_t>{0, 1}));
}

TEST(OpenRun, FilesOfTwoJobsAreRefused)
{
    const TemporaryDirectory folder;
    writeFile(folder / "a.foreign", "FOREIGN 0 0 - 64");
    writeFile(folder / "b.foreign", "FOREIGN 1 0 - 8");
    writeFile(folder / "c.foreign", "FOREIGN 2 0 -"); // does not say
    EXPECT_NE(failureOf({folder.path()}).find("b.foreign are of two jobs: one of 64 ranks, one of 8"),
              std::string::npos)
        << failureOf({folder.path()});
    writeFile(folder / "b.foreign", "FOREIGN 1 0 - 64");
    EXPECT_EQ(ranksOf(openWithTestImporters({folder.path()})).size(), 3U);
}

TEST(OpenRun, FilesWithoutRanksThatWereRecordedInTurnAreTwoRuns)
{
    const TemporaryDirectory folder;
    constexpr std::int64_t kHourNs = 3'600'000'000'000;
    const std::string first = (folder / "before.foreign").string();
    const std::string second = (folder / "after.foreign").string();
    const auto write = [&](std::int64_t startNs, const char* host) {
        writeFile(first, "FOREIGN - 1000000 a");
        writeFile(second, fmt::format("FOREIGN - {} {}", startNs, host));
    };
    write(kHourNs, "a");
    const std::string failure = failureOf({folder.path()});
    EXPECT_EQ(
        failure.find(first + " and " + second + " are two runs: the second was recorded when the first"), 0U)
        << failure;
    write(1'000'500, "a"); // while the other one was recorded
    EXPECT_EQ(ranksOf(openWithTestImporters({folder.path()})).size(), 2U);
    write(kHourNs, "b"); // clocks of two hosts may differ by anything
    EXPECT_EQ(ranksOf(openWithTestImporters({folder.path()})).size(), 2U);
    write(kHourNs, "a");
    std::filesystem::rename(second, folder / "rank1.foreign");
    EXPECT_EQ(ranksOf(openWithTestImporters({folder.path()})).size(), 2U)
        << "a rank of the same job, recorded later";
}

TEST(OpenRun, ForeignFilesGetOneClock)
{
    const TemporaryDirectory folder;
    constexpr std::int64_t kDate = 1'700'000'000'000'000'000;
    writeFile(folder / "rank0.foreign", "FOREIGN - " + std::to_string(kDate) + " h");
    writeFile(folder / "rank1.foreign", "FOREIGN - " + std::to_string(kDate + 500) + " h");
    const trace::RunTrace run = openWithTestImporters({folder.path()});
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(run.processes[0].steps.front().startNs, 10);
    EXPECT_EQ(run.processes[1].steps.front().startNs, 510);
    EXPECT_EQ(run.processes[1].clockSamples.front().monotonicNs, 500);
    EXPECT_EQ(run.processes[1].clockSamples.front().realtimeNs, kDate + 500);
}

TEST(OpenRun, ClocksThatLieYearsApartStayAsTheyAre)
{
    const TemporaryDirectory folder;
    writeFile(folder / "rank0.foreign", "FOREIGN - 0 -");
    writeFile(folder / "rank1.foreign", "FOREIGN - 2000000000000000000 -");
    const trace::RunTrace run = openWithTestImporters({folder.path()});
    EXPECT_TRUE(hasIssue(run, "clocks_apart"));
    EXPECT_EQ(run.processes[1].steps.front().startNs, 10);
}

TEST(OpenRun, NativeRunsAreReadAsBefore)
{
    const TemporaryDirectory folder;
    test::TraceBuilder(2).steps(3, [](test::StepBuilder& step) { step.allReduce(64); }).write(folder / "run");
    EXPECT_TRUE(isNative({folder / "run"}));
    const trace::RunTrace run = openWithTestImporters({folder / "run"});
    EXPECT_EQ(ranksOf(run), (std::vector<std::int64_t>{0, 1}));
    EXPECT_TRUE(run.issues.empty());
}

TEST(OpenRun, NativeAndForeignFilesTogetherAreOneRun)
{
    const TemporaryDirectory folder;
    test::TraceBuilder(1).steps(1, [](test::StepBuilder&) {}).write(folder / "run");
    writeFile(folder / "rank1.foreign", "FOREIGN - 0 -");
    EXPECT_EQ(ranksOf(openWithTestImporters({folder / "run", folder / "rank1.foreign"})),
              (std::vector<std::int64_t>{0, 1}));
}

TEST(OpenRun, WhatWasImportedCanBeKept)
{
    const TemporaryDirectory folder;
    writeFile(folder / "in/rank0.foreign", "FOREIGN - 0 a/b");
    writeFile(folder / "in/rank1.foreign", "FOREIGN - 0 -");
    writeFile(folder / "in/rank2.foreign", "FOREIGN - 0 -");
    const trace::RunTrace run = openWithTestImporters({folder / "in"});
    std::filesystem::create_directory(folder / "out.ringside");
    writeRun(run, folder / "out.ringside");
    const trace::RunTrace again = openWithTestImporters({folder / "out.ringside"});
    EXPECT_EQ(ranksOf(again), (std::vector<std::int64_t>{0, 1, 2}));
    std::int64_t imported = 0;
    for (const trace::ProcessTrace& process : again.processes) {
        imported += std::ranges::count(process.issues, "imported", &trace::IssueRow::id);
    }
    EXPECT_EQ(imported, 1);
}

TEST(RankNames, AreFoundInManyForms)
{
    using Pair = std::pair<const char*, std::optional<std::int64_t>>;
    for (const auto& [name, rank] :
         {Pair{"rank0.json", 0}, Pair{"trace_rank_12.json.gz", 12}, Pair{"rank-3.sqlite", 3},
          Pair{"worker7_step_12.1694128201553.pt.trace.json.gz", 7}, Pair{"run/rank5/trace.json", 5},
          Pair{"trace_0.json", 0}, Pair{"3.json", 3}, Pair{"node_4242_1700000000000.json", std::nullopt},
          Pair{"node1_4242.1700000000000.pt.trace.json", std::nullopt},
          Pair{"trace_123456.json", std::nullopt}, Pair{"frank3.json", std::nullopt},
          Pair{"trace.json", std::nullopt}, Pair{"rank99999999999999999999.json", std::nullopt}}) {
        EXPECT_EQ(rankOfName(name), rank) << name;
    }
}

TEST(RankNames, TheProfilersOwnNameContainsHostAndProcess)
{
    const auto writer = writerOfName("gpu-node_7_4242.1700000000000.pt.trace.json.gz");
    ASSERT_TRUE(writer);
    EXPECT_EQ(writer->host, "gpu-node_7");
    EXPECT_EQ(writer->pid, 4242);
    EXPECT_FALSE(writerOfName("trace.json"));
}

TEST(Input, GzipFilesOfSeveralMembersAreReadThrough)
{
    const TemporaryDirectory folder;
    for (const char* const part : {"FOREIGN ", "4 0 -"}) {
        const gzFile file = gzopen((folder / "x.gz").c_str(), "ab");
        gzputs(file, part);
        gzclose(file);
    }
    EXPECT_EQ(headOf(folder / "x.gz", 100), "FOREIGN 4 0 -");
    EXPECT_EQ(ranksOf(openWithTestImporters({folder / "x.gz"})), std::vector<std::int64_t>{4});
}

TEST(Input, ATruncatedGzipFileIsReported)
{
    const TemporaryDirectory folder;
    const gzFile file = gzopen((folder / "x.gz").c_str(), "wb");
    gzputs(file, std::string(10000, 'x').c_str());
    gzclose(file);
    std::filesystem::resize_file(folder / "x.gz", std::filesystem::file_size(folder / "x.gz") - 9);
    const File input(folder / "x.gz");
    GzipStream stream(input);
    std::string text(20000, '\0');
    EXPECT_LE(stream.read(text), 10000U);
    EXPECT_NE(stream.problem().find("cut off"), std::string::npos);
}

} // namespace
} // namespace ringside::importers
