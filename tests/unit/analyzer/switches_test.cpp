// SPDX-License-Identifier: Apache-2.0
// Topologies in Slurm's format.
#include "model/switches.h"

#include <ringside/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using ringside::Error;
using ringside::model::expandHosts;
using ringside::model::parseSwitches;
using ringside::model::Switch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string refusalOf(std::string_view text)
{
    try {
        static_cast<void>(parseSwitches(text));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Switches, ExpandsListsOfHosts)
{
    EXPECT_THAT(expandHosts("node[001-003,7],login1"),
                ElementsAre("node001", "node002", "node003", "node7", "login1"));
    EXPECT_THAT(expandHosts("r[1-2]n[0-1]-ib"), ElementsAre("r1n0-ib", "r1n1-ib", "r2n0-ib", "r2n1-ib"));
    EXPECT_THAT(expandHosts("gpu9"), ElementsAre("gpu9"));
    EXPECT_THAT(expandHosts("n[9-11]"), ElementsAre("n9", "n10", "n11"));
    EXPECT_THAT(expandHosts(""), IsEmpty());
}

TEST(Switches, RefusesDamagedLists)
{
    for (const char* const list :
         {"n[1-", "n]1[", "n[3-1]", "n[a-b]", "n[1-2000000]", "n[0-999][0-999][0-999]", "n[]"}) {
        EXPECT_THROW(static_cast<void>(expandHosts(list)), Error) << list;
    }
}

TEST(Switches, ReadsTheFileOfSlurm)
{
    const auto switches = parseSwitches("# the tree\n\n"
                                        "SwitchName=leaf1 Nodes=n[1-2] LinkSpeed=400 # first row\n"
                                        "switchname=leaf2\tnodes=n3.cluster,n4\r\n"
                                        "SwitchName=spine Switches=leaf[1-2]");
    ASSERT_THAT(switches, SizeIs(3));
    EXPECT_EQ(switches[0].name, "leaf1");
    EXPECT_THAT(switches[0].hosts, ElementsAre("n1", "n2"));
    EXPECT_THAT(switches[1].hosts, ElementsAre("n3", "n4"));
    EXPECT_EQ(switches[2].name, "spine");
    EXPECT_THAT(switches[2].hosts, ElementsAre("n1", "n2", "n3", "n4"));
}

TEST(Switches, ReadsWhatScontrolPrints)
{
    const auto switches = parseSwitches("SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-1]\n"
                                        "SwitchName=s1 Level=1 LinkSpeed=1 Nodes=tux[0-1] Switches=s0\n");
    EXPECT_THAT(switches[1].hosts, ElementsAre("tux0", "tux1"));
}

TEST(Switches, ReadsBlocks)
{
    const auto switches = parseSwitches("BlockName=b1 Nodes=n[1-2]\nBlockSizes=2,4\n");
    ASSERT_THAT(switches, SizeIs(1));
    EXPECT_EQ(switches[0].name, "b1");
}

TEST(Switches, SaysWhatIsWrong)
{
    EXPECT_EQ(refusalOf("SwitchName=a Nodes=n1\nNodeName=n1\n"),
              "line 2 of the topology: it names no switch");
    EXPECT_THAT(refusalOf("SwitchName=a Nodes=n[2-1]"),
                HasSubstr("line 1 of the topology: '2-1' is no range"));
    EXPECT_EQ(refusalOf("SwitchName=a Switches=b"), "the topology names switch 'b' but does not describe it");
    EXPECT_EQ(refusalOf("SwitchName=a Switches=b\nSwitchName=b Switches=a"),
              "the topology has switch 'a' below itself, or too deep");
    EXPECT_EQ(refusalOf("# nothing\n"), "the topology describes no switch");
}

} // namespace
