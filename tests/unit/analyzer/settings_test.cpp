// SPDX-License-Identifier: Apache-2.0
#include "settings/variables.h"
#include "settings/versions.h"
#include "support/said.h"

#include <gtest/gtest.h>

namespace ringside::settings {
namespace {

using words::said;

LoadedLibrary nccl(std::int64_t version)
{
    return {version, {}, [](const std::string& path) { return path == "/there"; }};
}

struct Case {
    Variables variables;
    std::int64_t version;
    std::string expected; ///< part of what is said; empty: nothing is
};

TEST(Settings, ReportsWhatIsWrongAndNothingElse)
{
    const std::vector<Case> cases = {
        {{{"NCCL_BUFFSIZE", "4M"}}, 22809, "NCCL_BUFFSIZE=4M is read as 4"},
        {{{"NCCL_BUFFSIZE", "8388608"}}, 22809, ""},
        {{{"NCCL_BUFFSIZE", "5000000"}}, 22809, "not a power of two"},
        {{{"NCCL_BUFFSIZE", "-1"}}, 22809, "outside"},
        {{{"NCCL_BUFFSIZE", "99999999999999999999999"}}, 22809, "outside"},
        {{{"NCCL_IB_TIMEOUT", ""}}, 22809, "is not a number"},
        {{{"NCCL_IB_TIMEOUT", "22"}}, 22809, ""},
        {{{"NCCL_MAX_CTAS", "64"}}, 22809, ""},
        {{{"NCCL_MAX_CTAS", "64"}}, 22100, "outside 1 to 32"},
        {{{"NCCL_MIN_CTAS", "16"}, {"NCCL_MAX_CTAS", "8"}}, 22809, "is more than"},
        {{{"NCCL_SOCKET_NTHREADS", "16"}, {"NCCL_NSOCKS_PERTHREAD", "8"}}, 22809, "is 128"},
        {{{"NCCL_SOCKET_NTHREADS", "8"}, {"NCCL_NSOCKS_PERTHREAD", "8"}}, 22809, ""},
        {{{"NCCL_PROTO", "LL128"}}, 22809, "corrupt"},
        {{{"NCCL_PROTO", "Simple,ll128"}}, 22809, "corrupt"},
        {{{"NCCL_PROTO", "^LL128"}}, 22809, ""},
        {{{"NCCL_ALGO", "Tree"}}, 22809, "only Ring"},
        {{{"NCCL_ALGO", "Tree"}}, 22300, ""},
        {{{"NCCL_ALGO", "Tree,Ring"}}, 22809, ""},
        {{{"NCCL_ALGO", "^Tree"}}, 22809, ""},
        {{{"NCCL_P2P_DISABLE", "1"}}, 22809, "disables direct"},
        {{{"NCCL_P2P_DISABLE", "0"}}, 22809, ""},
        {{{"NCCL_IB_GID_INDEX", "3"}}, 22809, "since NCCL 2.21"},
        {{{"NCCL_IB_GID_INDEX", "3"}}, 22005, ""},
        {{{"NCCL_IB_TC", "106"}}, 22809, ""},
        {{{"NCCL_IB_TC", "256"}}, 22809, "outside 0 to 255"},
        {{{"NCCL_IB_SL", "16"}}, 22809, "outside 0 to 15"},
        {{{"NCCL_NET_GDR_LEVEL", "PHB"}}, 22809, ""},
        {{{"NCCL_NET_GDR_LEVEL", "sys"}}, 22809, ""},
        {{{"NCCL_NET_GDR_LEVEL", "5"}}, 22809, ""},
        {{{"NCCL_NET_GDR_LEVEL", "FAR"}}, 22809, "FAR is none of its words"},
        {{{"NCCL_DEBUG_SUBSYS", "^INIT,COLL"}}, 22809, ""},
        {{{"NCCL_DEBUG_SUBSYS", "INIT,NETWORK"}}, 22809, "NETWORK is none"},
        {{{"TORCH_NCCL_BLOCKING_WAIT", "false"}}, 22809, ""},
        {{{"TORCH_NCCL_TRACE_BUFER_SIZE", "2000"}}, 22809, "PyTorch does not know it"},
        {{{"TORCH_NCCL_TRACE_BUFFER_SIZE", "2000"}}, 22809, ""},
        {{{"TORCH_NCCL_SOMETHING_OF_TOMORROW", "1"}}, 22809, ""},
        {{{"NCCL_TOPO_FILE", "/there"}}, 22809, ""},
        {{{"NCCL_TOPO_FILE", "/elsewhere"}}, 22809, "this file does not exist"},
        {{{"NCCL_DEBUG", "info"}}, 22809, "is on"},
        {{{"NCCL_DEBUG", "LOUD"}}, 22809, "is not a level"},
        {{{"NCCL_DEBUG", "ATTN"}}, 23203, ""},
        {{{"NCCL_BLOCKING_WAIT", "1"}}, 22809, "old name of TORCH_NCCL_BLOCKING_WAIT"},
        {{{"NCCL_ASYNC_ERROR_HANDLING", "1"}}, 22809, "old name of TORCH_NCCL_ASYNC_ERROR_HANDLING"},
        {{{"NCCL_ASYNC_ERROR_HANDLING", "1"}, {"TORCHELASTIC_RESTART_COUNT", "0"}}, 22809, ""}, // by torchrun
        {{{"NCCL_ASYNC_ERROR_HANDLING", "3"}, {"TORCHELASTIC_RESTART_COUNT", "0"}}, 22809, "old name"},
    };
    for (const Case& each : cases) {
        const std::vector<Remark> remarks = checkVariables(each.variables, nccl(each.version));
        const auto& [name, value] = *each.variables.begin();
        if (each.expected.empty()) {
            EXPECT_TRUE(remarks.empty()) << name << "=" << value << ": " << said(remarks.front().what);
            continue;
        }
        ASSERT_FALSE(remarks.empty()) << name << "=" << value;
        EXPECT_NE(said(remarks.front().what).find(each.expected), std::string::npos)
            << said(remarks.front().what);
        EXPECT_FALSE(remarks.front().advice.empty());
    }
}

TEST(Settings, NamesThatTheLibraryDoesNotContainAreUnknown)
{
    LoadedLibrary library = nccl(22809);
    library.unknown = {"NCCL_NCHANNELS", "NCCL_SOKET_IFNAME"};
    const std::vector<Remark> remarks =
        checkVariables({{"NCCL_NCHANNELS", "8"}, {"NCCL_SOKET_IFNAME", "eth0"}}, library);
    ASSERT_EQ(remarks.size(), 2U);
    EXPECT_EQ(remarks[0].trouble, Trouble::Unknown);
    EXPECT_NE(said(remarks[0].advice).find("NCCL_MAX_CTAS"), std::string::npos);
    EXPECT_NE(said(remarks[1].what).find("NCCL 2.28.9 does not know it"), std::string::npos);
    EXPECT_NE(said(remarks[1].advice).find("Did you mean NCCL_SOCKET_IFNAME?"), std::string::npos);
}

TEST(Versions, AreWrittenAsPeopleDo)
{
    EXPECT_EQ(ncclText(22809), "2.28.9");
    EXPECT_EQ(ncclText(21000), "2.10.0");
    EXPECT_EQ(ncclText(2708), "2.7.8");
    EXPECT_EQ(cudaText(11080), "11.8");
    EXPECT_EQ(cudnnText(8902), "8.9.2");
    EXPECT_EQ(cudnnText(91900), "9.19.0");
}

} // namespace
} // namespace ringside::settings
