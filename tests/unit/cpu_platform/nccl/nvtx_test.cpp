// SPDX-License-Identifier: Apache-2.0
// NVTX ranges as a tool sees them. Each test is a process of its own, for NVTX finds its tool once.
#include "nvtx_range.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace ringside::nccl {
namespace {

class NvtxRanges : public testing::Test {
protected:
    void SetUp() override
    {
        m_path = testing::TempDir() + "ringside-nvtx-" + std::to_string(::getpid());
        ::setenv("RINGSIDE_TEST_NVTX_LOG", m_path.c_str(), 1);
        ::setenv("RINGSIDE_TEST_NVTX_EXTENSION", "1", 1);
        ::setenv("NVTX_INJECTION64_PATH", RINGSIDE_TEST_NVTX, 1);
        ::unsetenv("NCCL_NVTX_DISABLE");
    }
    void TearDown() override { ::unlink(m_path.c_str()); }
    [[nodiscard]] std::vector<std::string> lines() const
    {
        std::ifstream file(m_path);
        std::vector<std::string> result;
        for (std::string line; std::getline(file, line);)
            result.push_back(line);
        return result;
    }

private:
    std::string m_path;
};

using Lines = std::vector<std::string>;

TEST_F(NvtxRanges, areAnnouncedAndCarryNcclsPayload)
{
    for (int i = 0; i < 2; ++i)
        const NvtxRange range(NvtxFunction::AllReduce, [] {
            return ReductionPayload{0x0102, 4096, ncclMax};
        });
    // What the real 2.28.9 registers: 16777221 is 2^24 + 5, the operator's enumeration 2^24 + 20.
    const std::string push = "push NCCL ncclAllReduce schema=16777221 bytes=24 "
                             "payload=0201000000000000"
                             "0010000000000000"
                             "02000000";
    const Lines all = lines();
    ASSERT_EQ(all.size(), 9U);
    EXPECT_EQ(all[0], "domain NCCL");
    EXPECT_EQ(all[1], "extension version=3 size=40 compatible=1 types=28 int=4 uint64=8 size_t=8");
    EXPECT_EQ(all[2], "enum NCCL id=16777236 mask=60 bytes=4 Sum=0 Product=1 Max=2 Min=3 Avg=4");
    EXPECT_EQ(all[3], "schema NCCL id=16777221 mask=372 type=1 bytes=24 | 18 @0 NCCL communicator ID | 22 @8 "
                      "Message size [bytes] | 16777236 @16 Reduction operation");
    EXPECT_EQ(all[4], "string NCCL ncclAllReduce");
    EXPECT_EQ(all[5].substr(0, push.size()), push);
    EXPECT_EQ(all[6], "pop NCCL");
    EXPECT_EQ(all[7].substr(0, push.size()), push);
    EXPECT_EQ(all[8], "pop NCCL");
}

TEST_F(NvtxRanges, mayEndWithTheirPayload)
{
    {
        NvtxRange range(NvtxFunction::CommInitRank);
        range.endWith([] { return RankPayload{0x07, 4, 3, 2}; });
    }
    const Lines all = lines();
    ASSERT_EQ(all.size(), 7U);
    EXPECT_EQ(all[4], "push NCCL ncclCommInitRank");
    EXPECT_EQ(all[5].substr(0, all[5].find('|')), "schema NCCL id=16777216 mask=372 type=1 bytes=24 ");
    const std::string pop =
        "pop NCCL schema=16777216 bytes=24 payload=0700000000000000040000000300000002000000";
    EXPECT_EQ(all[6].substr(0, pop.size()), pop); // then padding
}

TEST_F(NvtxRanges, withoutPayloadHaveOnlyTheirName)
{
    {
        const NvtxRange outer(NvtxFunction::GroupStart);
        const NvtxRange inner(NvtxFunction::MemFree);
    }
    const Lines all = lines();
    ASSERT_EQ(all.size(), 9U);
    EXPECT_EQ(all[4], "push NCCL ncclGroupStart");
    EXPECT_EQ(all[6], "push NCCL ncclMemFree");
}

TEST_F(NvtxRanges, haveTheSchemasOfAllFunctions)
{
    {
        NvtxRange split(NvtxFunction::CommSplit);
        split.endWith([] { return SplitPayload{}; });
        NvtxRange shrink(NvtxFunction::CommShrink);
        shrink.endWith([] { return ShrinkPayload{}; });
        NvtxRange all(NvtxFunction::CommInitAll);
        all.endWith([] { return InitAllPayload{}; });
        NvtxRange finalize(NvtxFunction::CommFinalize);
        finalize.endWith([] { return CommunicatorPayload{}; });
        const NvtxRange gather(NvtxFunction::AllGather, [] { return SizePayload{}; });
        const NvtxRange reduce(NvtxFunction::Reduce, [] { return RootReductionPayload{}; });
        const NvtxRange broadcast(NvtxFunction::Broadcast, [] { return RootPayload{}; });
        const NvtxRange send(NvtxFunction::Send, [] { return PeerPayload{}; });
    }
    Lines schemas;
    for (const std::string& line : lines())
        if (line.starts_with("schema"))
            schemas.push_back(line.substr(line.find("id=")));
    const std::string comm = " | 18 @0 NCCL communicator ID";
    const std::string sized = comm + " | 22 @8 Message size [bytes]";
    const auto schema = [](int id, int bytes, const std::string& entries) {
        return "id=" + std::to_string((1 << 24) + id) + " mask=372 type=1 bytes=" + std::to_string(bytes) +
               entries;
    };
    const Lines expected = {
        schema(13, 40,
               comm + " | 18 @8 Parent NCCL communicator ID | 5 @16 No. of ranks | 5 @20 Rank" +
                   " | 5 @24 CUDA device | 5 @28 Color | 5 @32 Key"),
        schema(15, 24, comm + " | 5 @8 No. of ranks | 5 @12 Rank | 5 @16 CUDA device | 5 @20 num_exclude"),
        schema(1, 16, comm + " | 5 @8 No. of devices"),
        schema(14, 8, comm),
        schema(4, 16, sized),
        schema(8, 24, sized + " | 5 @16 Root | 16777236 @20 Reduction operation"),
        schema(6, 24, sized + " | 5 @16 Root"),
        schema(9, 24, sized + " | 5 @16 Peer rank")};
    EXPECT_EQ(schemas, expected);
}

TEST_F(NvtxRanges, reachToolsWithoutTheExtension)
{
    ::setenv("RINGSIDE_TEST_NVTX_EXTENSION", "0", 1);
    {
        const NvtxRange range(NvtxFunction::AllGather, [] { return SizePayload{1, 2}; });
    }
    const Lines all = lines();
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[1], "string NCCL ncclAllGather");
    EXPECT_EQ(all[3], "pop NCCL");
}

TEST_F(NvtxRanges, areOffWithNcclsSwitch)
{
    ::setenv("NCCL_NVTX_DISABLE", "1", 1);
    {
        NvtxRange range(NvtxFunction::CommInitRank);
        range.endWith([] { return RankPayload{}; });
        const NvtxRange other(NvtxFunction::AllGather, [] { return SizePayload{1, 2}; });
    }
    EXPECT_TRUE(lines().empty());
}

TEST_F(NvtxRanges, needNoTool)
{
    ::unsetenv("NVTX_INJECTION64_PATH");
    NvtxRange range(NvtxFunction::CommInitRank);
    range.endWith([] { return RankPayload{}; });
    const NvtxRange other(NvtxFunction::AllGather, [] { return SizePayload{1, 2}; });
    EXPECT_TRUE(lines().empty());
}

} // namespace
} // namespace ringside::nccl
