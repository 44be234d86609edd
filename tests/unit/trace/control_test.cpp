// SPDX-License-Identifier: Apache-2.0
// The two files of live control: what is written is read again, and nothing else is taken for one.
#include "support/temporary_directory.h"

#include <ringside/trace/control.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace ringside::trace {
namespace {

class Control : public testing::Test {
protected:
    test::TemporaryDirectory m_directory;
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
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_directory.path()), {}), 1)
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
    for (const std::string text :
         {"", "ringside-status 1\nnumber 4\nend\n", "garbage", "ringside-control 2\nend\n",
          "ringside-control 1\nnumber\nlevel\n\nunknown key\nrequest nonsense\nend\n"}) {
        std::ofstream(file) << text;
        EXPECT_FALSE(readControl(file)) << text;
    }
    EXPECT_FALSE(writeControl(m_directory / "absent" / kControlFile, {}));
}

TEST_F(Control, whatIsHalfWrittenIsNone)
{
    const auto file = m_directory / kControlFile;
    ASSERT_TRUE(writeControl(file, {8, ControlVerb::Level, 456, ControlOrder{8, "paused", 120, 789}}));
    const std::string whole = test::contentOf(file);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::ofstream(file, std::ios::trunc) << whole.substr(0, length);
        EXPECT_FALSE(readControl(file)) << whole.substr(0, length);
    }
    std::ofstream(file, std::ios::trunc)
        << whole.substr(0, whole.size() - 4) << std::string(10000, 'x') << "\nend\n";
    EXPECT_FALSE(readControl(file)) << "no request is that long";
}

TEST_F(Control, impossibleNumbersAreRejected)
{
    const auto file = m_directory / kControlFile;
    ASSERT_TRUE(writeControl(file, {8, ControlVerb::Level, 456, ControlOrder{8, "paused", 120, 789}}));
    const std::string whole = test::contentOf(file);
    for (const std::string number : {"1152921504606846976", "18446744073709551615", "-1", "1e3", "", "12 "}) {
        for (const std::string key :
             {"number", "issued_realtime_ns", "order", "from_step", "from_realtime_ns"}) {
            const std::size_t at = whole.find("\n" + key + " ") + key.size() + 2;
            const bool time = key != "from_step" && number == "1152921504606846976";
            std::ofstream(file, std::ios::trunc)
                << whole.substr(0, at) << number << whole.substr(whole.find('\n', at));
            EXPECT_EQ(readControl(file).has_value(), time) << key << " " << number;
        }
    }
}

TEST_F(Control, whatIsNoFileOfOursIsNotRead)
{
    const auto file = m_directory / kControlFile;
    ASSERT_TRUE(writeControl(m_directory / "elsewhere", {8, ControlVerb::Ask, 456, std::nullopt}));
    std::filesystem::create_symlink(m_directory / "elsewhere", file);
    EXPECT_FALSE(readControl(file)) << "a link";
    std::filesystem::remove(file);

    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    const int fifo = open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const std::string whole = test::contentOf(m_directory / "elsewhere");
    ASSERT_EQ(write(fifo, whole.data(), whole.size()), static_cast<ssize_t>(whole.size()));
    EXPECT_FALSE(readControl(file)) << "a FIFO, on which the job's thread would wait";
    close(fifo);
    std::filesystem::remove(file);

    std::filesystem::create_directory(file);
    EXPECT_FALSE(readControl(file));
    std::filesystem::remove(file);

    std::filesystem::copy_file(m_directory / "elsewhere", file);
    EXPECT_TRUE(readControl(file));
    if (geteuid() == 0) { // only root can give a file away
        constexpr uid_t kNobody = 65534;
        ASSERT_EQ(chown(file.c_str(), kNobody, kNobody), 0);
        EXPECT_FALSE(readControl(file)) << "another user's";
    }
}

TEST_F(Control, writingFollowsNoLink)
{
    const auto file = m_directory / kControlFile;
    const auto precious = m_directory / "precious";
    std::ofstream(precious) << "precious";
    std::filesystem::create_symlink(precious, file.string() + "." + std::to_string(getpid()) + ".tmp");
    EXPECT_TRUE(writeControl(file, {8, ControlVerb::Ask, 456, std::nullopt}));
    EXPECT_EQ(test::contentOf(precious), "precious");
    EXPECT_TRUE(readControl(file));
}

TEST_F(Control, anAnswerCannotMoveTheTerminal)
{
    const auto file = m_directory / "host-1.status";
    ASSERT_TRUE(writeStatus(file, {3, 118, 41'000'000, "\x1B[2Jlight", 2, 100, "\rall is well"}));
    EXPECT_EQ(readStatus(file)->level, "?[2Jlight");
    EXPECT_EQ(readStatus(file)->dump, "?all is well");
}

} // namespace
} // namespace ringside::trace
