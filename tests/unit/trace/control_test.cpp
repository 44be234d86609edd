// SPDX-License-Identifier: Apache-2.0
// The two files of live control: what is written is read again, and nothing else is taken for one.
#include <ringside/trace/control.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace ringside::trace {
namespace {

class Control : public testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "ringside-control-XXXXXX").string();
        m_directory = mkdtemp(pattern.data());
    }
    void TearDown() override { std::filesystem::remove_all(m_directory); }
    std::filesystem::path m_directory;
};

TEST_F(Control, aRequestIsReadAsItWasWritten)
{
    const auto file = m_directory / kControlFile;
    EXPECT_FALSE(readControl(file));
    ASSERT_TRUE(writeControl(file, {7, ControlVerb::Ask, 123, std::nullopt}));
    EXPECT_EQ(readControl(file)->number, 7U);
    EXPECT_EQ(readControl(file)->verb, ControlVerb::Ask);
    EXPECT_FALSE(readControl(file)->order);
    ASSERT_TRUE(writeControl(file, {8, ControlVerb::Dump, 456, ControlOrder{5, "light", 120, 789}}));
    const auto request = readControl(file);
    EXPECT_EQ(request->number, 8U);
    EXPECT_EQ(request->verb, ControlVerb::Dump);
    EXPECT_EQ(request->issuedRealtimeNs, 456);
    EXPECT_EQ(request->order->number, 5U);
    EXPECT_EQ(request->order->level, "light");
    EXPECT_EQ(request->order->fromStep, 120U);
    EXPECT_EQ(request->order->realtimeNs, 789);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_directory), {}), 1)
        << "no temporary file stays";
}

TEST_F(Control, anAnswerIsReadAsItWasWritten)
{
    const auto file = m_directory / "host-1.status";
    ASSERT_TRUE(writeStatus(file, {3, 118, 41'000'000, "standard", 2, 100, "host-1.db, of 60 s"}));
    const auto status = readStatus(file);
    EXPECT_EQ(status->number, 3U);
    EXPECT_EQ(status->steps, 118U);
    EXPECT_EQ(status->stepNs, 41'000'000);
    EXPECT_EQ(status->level, "standard");
    EXPECT_EQ(status->inForce, 2U);
    EXPECT_EQ(status->sinceStep, 100U);
    EXPECT_EQ(status->dump, "host-1.db, of 60 s");
}

TEST_F(Control, anythingElseIsNone)
{
    const auto file = m_directory / kControlFile;
    for (const std::string text : {"", "ringside-status 1\nnumber 4\n", "garbage", "ringside-control 2\n"}) {
        std::ofstream(file) << text;
        EXPECT_FALSE(readControl(file)) << text;
    }
    std::ofstream(file) << "ringside-control 1\nnumber\nlevel\n\nunknown key\nrequest nonsense";
    EXPECT_EQ(readControl(file)->number, 0U);
    EXPECT_FALSE(writeControl(m_directory / "absent" / kControlFile, {}));
}

} // namespace
} // namespace ringside::trace
