// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "launch_environment.h"

#include <gtest/gtest.h>

#include <map>

using namespace ringside::trainer;

namespace {

RankIdentity identityWith(const std::map<std::string, std::string>& variables)
{
    return identityFrom([&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

std::string complaintWith(const std::map<std::string, std::string>& variables)
{
    try {
        static_cast<void>(identityWith(variables));
    } catch (const Failure& failure) {
        return failure.what();
    }
    return {};
}

} // namespace

TEST(LaunchEnvironment, isOneRankAloneWithoutALauncher)
{
    const RankIdentity identity = identityWith({});
    EXPECT_EQ(identity.rank, 0U);
    EXPECT_EQ(identity.worldSize, 1U);
}

TEST(LaunchEnvironment, readsTorchrunsVariables)
{
    const RankIdentity identity = identityWith({{"RANK", "5"},
                                                {"WORLD_SIZE", "8"},
                                                {"LOCAL_RANK", "1"},
                                                {"MASTER_ADDR", "node0"},
                                                {"MASTER_PORT", "1234"}});
    EXPECT_EQ(identity.rank, 5U);
    EXPECT_EQ(identity.worldSize, 8U);
    EXPECT_EQ(identity.localRank, 1U);
    EXPECT_EQ(identity.masterAddress, "node0");
    EXPECT_EQ(identity.masterPort, 1234);
}

TEST(LaunchEnvironment, leavesTorchrunItsOwnPort)
{
    std::map<std::string, std::string> variables = {{"RANK", "0"},
                                                    {"WORLD_SIZE", "2"},
                                                    {"MASTER_PORT", "1234"},
                                                    {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
    EXPECT_EQ(identityWith(variables).masterPort, 1235);
    variables["MASTER_PORT"] = "65535";
    EXPECT_EQ(identityWith(variables).masterPort, 65534);
    variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
    EXPECT_EQ(identityWith(variables).masterPort, 65535);
}

TEST(LaunchEnvironment, readsSlurmsVariables)
{
    const RankIdentity identity = identityWith(
        {{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "1"}, {"MASTER_ADDR", "node0"}});
    EXPECT_EQ(identity.rank, 3U);
    EXPECT_EQ(identity.worldSize, 4U);
    EXPECT_EQ(identity.localRank, 1U);
}

TEST(LaunchEnvironment, prefersMpirunsVariablesToTheAllocationsAroundIt)
{
    const RankIdentity identity = identityWith({{"SLURM_PROCID", "0"},
                                                {"SLURM_NTASKS", "1"},
                                                {"OMPI_COMM_WORLD_RANK", "1"},
                                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                {"MASTER_ADDR", "node0"}});
    EXPECT_EQ(identity.rank, 1U);
    EXPECT_EQ(identity.worldSize, 2U);
}

TEST(LaunchEnvironment, prefersTorchrunsVariablesToAllOthers)
{
    const RankIdentity identity = identityWith({{"SLURM_PROCID", "0"},
                                                {"SLURM_NTASKS", "1"},
                                                {"SLURM_LOCALID", "0"},
                                                {"OMPI_COMM_WORLD_RANK", "1"},
                                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                {"RANK", "6"},
                                                {"WORLD_SIZE", "8"},
                                                {"LOCAL_RANK", "2"}});
    EXPECT_EQ(identity.rank, 6U);
    EXPECT_EQ(identity.worldSize, 8U);
    EXPECT_EQ(identity.localRank, 2U);
}

TEST(LaunchEnvironment, doesNotMixLaunchers)
{
    // mpirun's rank is not completed by Slurm's size.
    EXPECT_NE(complaintWith({{"OMPI_COMM_WORLD_RANK", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}})
                  .find("OMPI_COMM_WORLD_SIZE"),
              std::string::npos);
}

TEST(LaunchEnvironment, namesWhatIsMissingOrWrong)
{
    EXPECT_NE(complaintWith({{"RANK", "1"}}).find("WORLD_SIZE"), std::string::npos);
    EXPECT_NE(complaintWith({{"RANK", "x"}, {"WORLD_SIZE", "2"}}).find("RANK=\"x\""), std::string::npos);
    EXPECT_NE(complaintWith({{"RANK", "2"}, {"WORLD_SIZE", "2"}}).find("outside"), std::string::npos);
    for (const char* port : {"0", "99999", "http", ""})
        EXPECT_NE(complaintWith({{"MASTER_PORT", port}}).find("MASTER_PORT"), std::string::npos) << port;
    EXPECT_NE(complaintWith({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}).find("MASTER_ADDR"),
              std::string::npos);
}
