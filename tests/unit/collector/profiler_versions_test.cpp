// SPDX-License-Identifier: Apache-2.0
// Every version of NCCL's profiler interface, simulated by a script for the preloaded collector: the
// requested events, the parsing of the layouts, and robustness against any use.
#include "recorded_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using ringside::test::RecordedRun;

namespace {

struct Script {
    explicit Script(int version, std::vector<std::string> scenes, RecordedRun::Environment more = {})
        : run(command(version, std::move(scenes)), RecordedRun::Collector::Preloaded,
              environment(std::move(more)))
    {
        EXPECT_EQ(run.waitStatus, 0) << run.output;
        EXPECT_NE(run.output.find("Ringside done"), std::string::npos) << run.output;
    }
    static std::vector<std::string> command(int version, std::vector<std::string> scenes)
    {
        scenes.insert(scenes.begin(), {"recorded_profiler_driver", std::to_string(version)});
        return scenes;
    }
    static RecordedRun::Environment environment(RecordedRun::Environment more)
    {
        more.insert(more.begin(), "RINGSIDE_PROFILE=light");
        return more;
    }
    [[nodiscard]] std::string operation(const std::string& function) const
    {
        return run.text("SELECT f.text || ' ' || ifnull(a.text, '-') || ' ' || ifnull(p.text, '-') || ' ' ||"
                        " ifnull(channels, '-') || ' ' || bytes || ' ' || ifnull(peer, '-') || ' ' ||"
                        " ifnull(nccl_sequence, '-') FROM nccl_operation JOIN string f ON f.id = function_id"
                        " LEFT JOIN string a ON a.id = algorithm_id"
                        " LEFT JOIN string p ON p.id = protocol_id WHERE f.text = '" +
                        function + "'");
    }

    RecordedRun run;
};

class EveryVersion : public testing::TestWithParam<int> {};

TEST_P(EveryVersion, isReadByItsOwnLayout)
{
    const Script played(GetParam(), {"open", "operations", "close"});
    EXPECT_EQ(played.operation("AllReduce"), "AllReduce NVLS SIMPLE 24 2000 - 41");
    EXPECT_EQ(played.operation("Send"), GetParam() == 3 ? "Send - - - 77 5 -" : "Send - - 2 77 5 -");
    EXPECT_EQ(played.run.number("SELECT count(*) FROM nccl_operation"), 2);
    EXPECT_EQ(played.run.text("SELECT call_id FROM nccl_operation"), "NULL");
    EXPECT_EQ(played.run.text("SELECT value FROM setting WHERE name = 'profiler_api'"),
              std::to_string(GetParam()));
}

TEST_P(EveryVersion, isAskedForHostEventsOnly)
{
    const Script played(GetParam(), {"open", "close"});
    const char* const expected = GetParam() <= 4   ? "mask 0x6\n"
                                 : GetParam() == 5 ? "mask 0xf06\n"
                                                   : "mask 0x7f06\n";
    EXPECT_NE(played.run.output.find(std::string("context made ") + expected), std::string::npos)
        << played.run.output;
}

TEST_P(EveryVersion, tellsWhatOnlyNewerOnesKnowOfAnOperation)
{
    const Script played(GetParam(), {"open", "operations", "copyEngines", "close"});
    const std::string details = played.run.text(
        "SELECT group_concat(detail, '; ') FROM (SELECT f.text || ' ' || ifnull(v.text, '-') || ' ' ||"
        " ifnull(is_symmetric, '-') || ' ' || ifnull(user_tag, '-') || ' ' || ifnull(batches || ' ' || "
        "copies ||"
        " ' ' || copied_bytes || ' ' || syncs || ' ' || has_intra_batch_sync, 'no copies') AS detail FROM"
        " nccl_detail d JOIN nccl_operation o ON o.id = d.operation_id JOIN string f ON f.id = o.function_id"
        " LEFT JOIN string v ON v.id = d.kernel_variant_id ORDER BY o.id)");
    const std::string copies = GetParam() >= 7 ? "79 2 30 60000 2 1" : "- 2 30 60000 2 1";
    EXPECT_EQ(details,
              GetParam() < 6 ? "NULL"
              : GetParam() == 6
                  ? "AllGather - - " + copies
                  : "AllReduce AllReduce_AGxLL_R 1 77 no copies; Send - - 78 no copies; AllGather - - " +
                        copies);
    if (GetParam() >= 6) {
        EXPECT_EQ(played.operation("AllGather"), "AllGather CE MC - 2000 - 3");
    }
}

TEST_P(EveryVersion, cannotBeHurtByItsCaller)
{
    const Script played(GetParam(), {"open", "nonsense", "operations", "close", "nonsense"});
    EXPECT_EQ(played.run.number("SELECT count(*) FROM nccl_operation WHERE channels > 1"),
              GetParam() == 3 ? 1 : 2);
}

TEST_P(EveryVersion, isSafeAfterTheRecordingHasEnded)
{
    const Script played(GetParam(), {"open", "operations", "unstopped"}, {"RINGSIDE_PROFILE=deep"});
    EXPECT_NE(played.run.output.find("after the end"), std::string::npos) << played.run.output;
    EXPECT_EQ(played.run.number("SELECT count(*) FROM nccl_operation"), 2);
    EXPECT_EQ(played.run.number("SELECT end_ns IS NOT NULL FROM process"), 1);
}

TEST_P(EveryVersion, countsWhatItHasNoRoomFor)
{
    const Script played(GetParam(), {"open", "crowd", "close", "open", "operations", "close"});
    EXPECT_GE(played.run.number("SELECT records FROM dropped WHERE what = 'nccl events'"), 20'000 - 16'384);
    EXPECT_EQ(played.run.number("SELECT count(*) FROM nccl_operation"), 2)
        << "the room of a communicator that is gone is free again";
}

INSTANTIATE_TEST_SUITE_P(Profiler, EveryVersion, testing::Values(3, 4, 5, 6, 7),
                         [](const auto& version) { return "V" + std::to_string(version.param); });

TEST(ProfilerVersions, startARecordingWhereNoWrapperSawNccl)
{
    const Script played(5, {"open", "onThread", "close"});
    EXPECT_EQ(played.run.number("SELECT count(*) FROM nccl_operation"), 2);
}

TEST(ProfilerVersions, areFoundInThePreloadedLibraryWhereItsPathIsTooLong)
{
    std::filesystem::path folder = RecordedRun::makeDirectory();
    const std::filesystem::path root = folder;
    while (folder.string().size() < 260) {
        folder /= std::string(50, 'x');
    }
    std::filesystem::create_directories(folder);
    const std::filesystem::path library = folder / "libringside_collector.so";
    std::filesystem::create_symlink(RINGSIDE_COLLECTOR, library);
    const RecordedRun run({"recorded_profiler_driver", "5", "open", "operations", "close"},
                          RecordedRun::Collector::Absent, {"LD_PRELOAD=" + library.string()});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("plugin STATIC_PLUGIN\n"), std::string::npos) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM nccl_operation"), 2);
    EXPECT_EQ(run.number("SELECT active FROM tier WHERE tier = 'nccl'"), 1);
    std::filesystem::remove_all(root);
}

} // namespace
