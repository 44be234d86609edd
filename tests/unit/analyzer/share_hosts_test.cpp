// SPDX-License-Identifier: Apache-2.0
#include "reduce/share_hosts.h"

#include <gtest/gtest.h>

namespace ringside::reduce {
namespace {

using Owners = std::vector<std::size_t>;

TEST(ShareHosts, AHostIsTakenByAProcessThatRunsOnIt)
{
    EXPECT_EQ(shareHosts({"a", "b", "c"}, {"c", "b", "a"}), (Owners{2, 1, 0}));
    EXPECT_EQ(shareHosts({"a"}, {"b", "a", "a"}), Owners{1}) << "the first of them";
}

TEST(ShareHosts, OtherHostsAreTakenInTurn)
{
    EXPECT_EQ(shareHosts({"a", "b", "c", "d", "e"}, {"login", "login"}), (Owners{0, 1, 0, 1, 0}));
    EXPECT_EQ(shareHosts({"a", "b", "c"}, {"b", "login"}), (Owners{0, 0, 1}));
    EXPECT_TRUE(shareHosts({}, {"login"}).empty());
}

} // namespace
} // namespace ringside::reduce
