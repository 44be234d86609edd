// SPDX-License-Identifier: Apache-2.0
#include "network_interface.h"

#include <gtest/gtest.h>

namespace ringside::nccl {
namespace {

TEST(InterfaceNames, matchByPrefixUnlessExact)
{
    EXPECT_TRUE(interfaceMatches("eth", "eth0"));
    EXPECT_TRUE(interfaceMatches("ib,eth", "eth0"));
    EXPECT_FALSE(interfaceMatches("ib", "eth0"));
    EXPECT_FALSE(interfaceMatches("=eth", "eth0"));
    EXPECT_TRUE(interfaceMatches("=ib0,eth0", "eth0"));
}

TEST(InterfaceNames, canBeExcluded)
{
    EXPECT_FALSE(interfaceMatches("^docker,lo", "docker0"));
    EXPECT_TRUE(interfaceMatches("^docker,lo", "eth0"));
    EXPECT_TRUE(interfaceMatches("^=eth", "eth0"));
}

} // namespace
} // namespace ringside::nccl
