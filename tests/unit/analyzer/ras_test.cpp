// SPDX-License-Identifier: Apache-2.0
// What NCCL's RAS answers, as JSON and as text, becomes a witness in the ranks of the recording.
#include "hang/ras_witness.h"
#include "hang/witness.h"
#include "hang_fixture.h"

#include <fmt/format.h>

namespace ringside::test {
namespace {

using hang::RasAnswer;
using hang::Witness;
using Ranks = std::vector<std::int64_t>;

constexpr std::uint64_t kHash = 0x1a2b3c4d5e6f7081;

/// The ranks have processes 100 to 103, and NCCL knows their communicator by kHash.
class Ras : public Hang {
protected:
    Ras()
    {
        for (std::size_t rank = 0; rank < 4; ++rank) {
            process(rank).process.pid = 100 + static_cast<std::int64_t>(rank);
            process(rank).communicators.front().ncclHash = kHash;
        }
        stopsBefore(2, 1);
    }
    Witness heard(const std::string& answer)
    {
        const auto parsed = hang::parseRasAnswer(answer);
        if (!parsed) {
            ADD_FAILURE() << "not an answer: " << answer;
            return {};
        }
        const auto members = hang::rasMembers(m_run);
        hang::Report report = analyze();
        hang::hear(report, hang::rasWitness(*parsed, report, members));
        return report.witnesses.at(0);
    }
};

std::string entry(int rank, int pid, int allReduces, int broadcasts)
{
    return fmt::format(R"({{"rank": {}, "host": "10.0.0.1", "pid": {}, "status": {{"init_state": 0}},)"
                       R"( "collective_counts": {{"AllReduce": {}, "Broadcast": {}}}}})",
                       rank, pid, allReduces, broadcasts);
}

std::string json(const std::string& ranks, const std::string& missing = "")
{
    return fmt::format(R"({{"nccl_version": "2.28.9", "communicators": [{{"hash": "0x{:x}", "size": 4,)"
                       R"( "ranks": [{}], "missing_ranks": [{}]}}]}})",
                       kHash, ranks, missing);
}

std::string text(const std::string& errors, const std::string& warnings)
{
    return "NCCL version 2.27.5 compiled with CUDA 12.9\n\nJob summary\n===========\n\nErrors\n======\n\n" +
           errors + "\nWarnings\n========\n\n" + warnings;
}

TEST_F(Ras, theRankThatLaunchedFewerIsBehind)
{
    const Witness witness = heard(json(entry(0, 100, 10, 1) + "," + entry(1, 101, 11, 1) + "," +
                                       entry(2, 102, 9, 1) + "," + entry(3, 103, 10, 1)));
    EXPECT_EQ(witness.blamed, Ranks{2});
    EXPECT_EQ(witness.agreement, hang::Agreement::Agrees) << witness.comparison;
    EXPECT_EQ(witness.details.at(0),
              "communicator 1a2b3c4d5e6f7081, AllReduce: rank 2 launched 9, ranks 0 and 3 "
              "launched 10, rank 1 launched 11");
}

TEST_F(Ras, aRankThatLaunchedSomethingElseDiffers)
{
    const Witness witness = heard(json(entry(0, 100, 10, 1) + "," + entry(1, 101, 10, 1) + "," +
                                       entry(2, 102, 10, 1) + "," + entry(3, 103, 9, 2)));
    EXPECT_EQ(witness.kind, Kind::Mismatch);
    EXPECT_EQ(witness.blamed, Ranks{3});
    EXPECT_EQ(witness.agreement, hang::Agreement::Disagrees) << witness.comparison;
}

TEST_F(Ras, equalCountsContradictAMissingRank)
{
    const Witness witness = heard(json(entry(0, 100, 10, 1) + "," + entry(2, 102, 10, 1)));
    EXPECT_EQ(witness.agreement, hang::Agreement::Disagrees) << witness.comparison;
    EXPECT_TRUE(witness.blamed.empty());
}

TEST_F(Ras, aRankThatDoesNotAnswerIsNamed)
{
    const Witness witness = heard(
        json(entry(0, 100, 10, 1),
             R"({"rank": 2, "pid": 102, "status": {"unresponsive": true, "considered_dead": false}},)"
             R"({"rank": 3, "pid": 103, "status": {"unresponsive": false, "considered_dead": false}})"));
    EXPECT_EQ(witness.blamed, Ranks{2});
    EXPECT_EQ(witness.details.at(0), "communicator 1a2b3c4d5e6f7081: its rank 2 does not answer");
}

TEST_F(Ras, aTextListsOnlySmallGroups)
{
    const Witness behind = heard(text("", R"(#0-0 (1a2b3c4d5e6f7081) MISMATCH
  Communicator ranks have different AllReduce operation counts
  3 ranks have launched up to operation 10
  Rank 2 has launched up to operation 9 -- GPU 2 managed by process 102 on node 10.0.0.1

)"));
    EXPECT_EQ(behind.blamed, Ranks{2});
    EXPECT_EQ(behind.details.at(0),
              "communicator 1a2b3c4d5e6f7081, AllReduce: rank 2 launched 9, ranks 0, 1 and 3 "
              "launched 10");
    const Witness ahead = heard(text("", R"(#0-0 (1a2b3c4d5e6f7081) MISMATCH
  Communicator ranks have different AllReduce operation counts
  3 ranks have not launched any operations
  Rank 2 has launched up to operation 9 -- GPU 2 managed by process 102 on node 10.0.0.1

)"));
    EXPECT_EQ(ahead.blamed, (Ranks{0, 1, 3})) << "those that are not listed are behind";
}

TEST_F(Ras, aTextNamesRanksAndProcessesThatDoNotAnswer)
{
    const std::string of = " managed by process 102 on node 10.0.0.1\n\n";
    const Witness rank =
        heard(text("#0-0 (1a2b3c4d5e6f7081) INCOMPLETE\n  Missing communicator data from 1 rank\n"
                   "  Rank 2 -- GPU 2 (NVML 4)" +
                       of,
                   ""));
    EXPECT_EQ(rank.blamed, Ranks{2});
    const Witness dead =
        heard(text("DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n"
                   "  Process 102 on node 10.0.0.1 managing GPU 2\n\n",
                   ""));
    EXPECT_EQ(dead.blamed, Ranks{2});
    EXPECT_EQ(dead.details.at(0), "rank 2 (process 102) does not answer");
}

TEST_F(Ras, ranksAreFoundByTheirProcessesWithoutNcclsHash)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).communicators.front().ncclHash.reset();
    }
    EXPECT_EQ(heard(json(entry(0, 100, 10, 1) + "," + entry(1, 102, 9, 1))).blamed, Ranks{2});
}

TEST_F(Ras, theAnswerOfAnotherJobIsNoWitness)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).communicators.front().ncclHash = 5;
    }
    EXPECT_EQ(heard(json(entry(0, 7, 10, 1) + "," + entry(1, 8, 9, 1))).notAvailable,
              "another job of this host answered");
}

TEST(RasAnswer, whatIsNoAnswerIsRefused)
{
    for (const char* const other : {"", "{", "{}", "[]", R"({"nccl_version": "2", "communicators": 3})",
                                    "NCCL version 2.27.5 compiled", "HTTP/1.1 400 Bad Request"}) {
        EXPECT_FALSE(hang::parseRasAnswer(other)) << other;
    }
    EXPECT_FALSE(hang::parseRasAnswer(R"({"nccl_version": "2", "communicators": )" + std::string(5000, '[')));
}

} // namespace
} // namespace ringside::test
