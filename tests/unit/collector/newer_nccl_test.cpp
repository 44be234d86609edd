// SPDX-License-Identifier: Apache-2.0
// NCCL functions newer than 2.19: what is recorded of them, and what a program sees whose NCCL does not have
// them.
#include "recorded_run.h"

#include <gtest/gtest.h>

using ringside::test::RecordedRun;

namespace {

std::string called(const std::string& function)
{
    return " FROM collective_call c JOIN string s ON s.id = c.api_id WHERE s.text = '" + function + "'";
}

TEST(NewerNccl, communicatorsHaveTheNameThatTheProgramGaveThem)
{
    const RecordedRun run({"recorded_newer", "names"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT group_concat(name, '|') FROM (SELECT coalesce(s.text, '-') AS name FROM "
                       "communicator c LEFT JOIN string s ON s.id = c.name_id ORDER BY c.id)"),
              "data parallel|pipeline|-|-|-");
}

TEST(NewerNccl, anEnlargedCommunicatorMatchesNoOther)
{
    const RecordedRun run({"recorded_newer", "grows"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT group_concat(parent_id || ' ' || size || ' ' || rank || ' ' || hash) FROM "
                       "(SELECT * FROM communicator WHERE id > 1 ORDER BY id)"),
              "1 16 3 0,0 16 12 0");
    EXPECT_EQ(run.number("SELECT rank FROM rank"), 3);
}

TEST(NewerNccl, oneSidedCallsAreDataCallsWithTheirPeer)
{
    const RecordedRun run({"recorded_newer", "calls"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT peer || ' ' || bytes" + called("ncclPutSignal")), "5 400");
    EXPECT_EQ(run.text("SELECT peer || ' ' || bytes" + called("ncclSignal")), "4 0");
    EXPECT_EQ(run.text("SELECT group_concat(peer) FROM (SELECT coalesce(peer, '-') AS peer" +
                       called("ncclWaitSignal") + " ORDER BY c.id)"),
              "6,-,-");
}

TEST(NewerNccl, aConfigurationOfACallIsPassedOn)
{
    const RecordedRun run({"recorded_newer", "calls"});
    EXPECT_NE(run.output.find("configured: 0"), std::string::npos) << run.output;
    EXPECT_EQ(run.number("SELECT count" + called("ncclAllReduceConfig")), 7);
}

TEST(NewerNccl, whatACallAsksForIsRecorded)
{
    const RecordedRun run({"recorded_newer", "configures"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM call_config"), 2) << "one asked for nothing, one was none";
    EXPECT_EQ(
        run.text("SELECT group_concat(line, '; ') FROM (SELECT coalesce(s.text, '-') || ' ' || "
                 "coalesce(is_forced, '-') || ' ' || coalesce(min_ctas, '-') || ' ' || max_ctas || ' ' || "
                 "coalesce(nvls_ctas, '-') || ' ' || coalesce(cluster_size, '-') || ' ' || "
                 "coalesce(cta_policy, '-') || ' ' || user_tag || ' ' || has_launch_event AS line FROM "
                 "call_config f JOIN collective_call c ON c.id = f.call_id LEFT JOIN string s "
                 "ON s.id = f.algorithms_id ORDER BY c.sequence)"),
        "RING_SIMPLE,TREE_LL 0 2 8 4 1 2 42 1; - - - 8 - - - 42 0");
}

// The collector's symbol is there whatever the program's NCCL has: that is the one thing a probe cannot tell.
// The version, and the library itself, answer as without the collector.
TEST(NewerNccl, aProbingProgramGetsTheTrueVersionLibraryAndResult)
{
    const RecordedRun without({"recorded_newer", "probes"}, RecordedRun::Collector::Absent);
    EXPECT_EQ(without.output, "library: suspend 0, grow 1\nprocess: suspend 0, version 1\n");
    const RecordedRun with({"recorded_newer", "probes"});
    const std::string said = "ncclCommSuspend: no loaded library has it";
    EXPECT_NE(with.output.find("library: suspend 0, grow 1\nprocess: suspend 1, version 1\n"),
              std::string::npos)
        << with.output;
    EXPECT_NE(with.output.find("called: 5 5\n"), std::string::npos) << with.output;
    EXPECT_NE(with.output.find(said), std::string::npos) << with.output;
    EXPECT_EQ(with.output.find(said), with.output.rfind(said)) << "said more than once";
}

} // namespace
