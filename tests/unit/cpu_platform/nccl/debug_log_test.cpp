// SPDX-License-Identifier: Apache-2.0
// NCCL_DEBUG and its companions: the grammar, and the form of the lines.
#include "debug_log.h"
#include "errors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace ringside::nccl {
namespace {

/// Sets NCCL's variables for one test; all others of the family are unset.
class DebugLog : public testing::Test {
protected:
    void SetUp() override
    {
        for (const char* name : {"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_TIMESTAMP_LEVELS",
                                 "NCCL_DEBUG_TIMESTAMP_FORMAT", "NCCL_WARN_ENABLE_DEBUG_INFO"})
            ::unsetenv(name);
        ::setenv("NCCL_DEBUG_FILE", (testing::TempDir() + "ringside-%p.%h.log").c_str(), 1);
        m_path = expandDebugFile(std::getenv("NCCL_DEBUG_FILE"));
        ::unlink(m_path.c_str());
    }
    void TearDown() override { ::unlink(m_path.c_str()); }
    static void set(const char* name, const char* value)
    {
        ::setenv(name, value, 1);
        resetDebugLog();
    }
    [[nodiscard]] std::string written() const
    {
        std::ostringstream text;
        text << std::ifstream(m_path).rdbuf();
        return text.str();
    }
    /// host:process:thread, as a regular expression.
    [[nodiscard]] static std::string place()
    {
        return shortHostName() + ":" + std::to_string(::getpid()) + ":[0-9]+ ";
    }

private:
    std::string m_path;
};

void inform(unsigned long subsystem, const char* text)
{
    RINGSIDE_NCCL_INFO(subsystem, "%s", text);
}

TEST(DebugSettings, readListsOfSubsystems)
{
    EXPECT_EQ(parseSubsystems("INIT,coll"), 0x3UL);
    EXPECT_EQ(parseSubsystems("^INIT,COLL"), ~0x3UL);
    EXPECT_EQ(parseSubsystems("ALL"), ~0UL);
    EXPECT_EQ(parseSubsystems("NOSUCH,P2P"), 0x4UL);
    EXPECT_EQ(parseSubsystems(""), 0UL);
}

TEST(DebugSettings, expandHostAndProcessInFileNames)
{
    const std::string process = std::to_string(::getpid());
    EXPECT_EQ(expandDebugFile("/tmp/a.%p.%h"), "/tmp/a." + process + "." + shortHostName());
    EXPECT_EQ(expandDebugFile("100%% %x %"), "100% %x %");
    EXPECT_EQ(shortHostName().find('.'), std::string::npos);
}

TEST(DebugSettings, formatTimesWithPartsOfTheSecond)
{
    const std::timespec time{.tv_sec = 0, .tv_nsec = 123'456'789};
    EXPECT_EQ(formatStamp("[%%3f %3f] ", time), "[%3f 123] ");
    EXPECT_EQ(formatStamp("%9f", time), "123456789");
    EXPECT_EQ(formatStamp("", time), "");
}

TEST_F(DebugLog, isSilentUnlessAsked)
{
    resetDebugLog();
    EXPECT_FALSE(debugLogs(LogLevel::Warn, kLogAll));
    inform(kLogInit, "nothing");
    EXPECT_EQ(written(), "");
}

TEST_F(DebugLog, writesInformationInNcclsForm)
{
    set("NCCL_DEBUG", "info");
    inform(kLogInit, "something");
    EXPECT_TRUE(std::regex_match(written(), std::regex(place() + R"(\[0\] NCCL INFO something\n)")))
        << written();
}

TEST_F(DebugLog, writesOnlyTheSubsystemsAskedFor)
{
    set("NCCL_DEBUG", "INFO");
    inform(kLogColl, "a collective"); // INIT, BOOTSTRAP and ENV without a list
    set("NCCL_DEBUG_SUBSYS", "COLL");
    inform(kLogInit, "init");
    inform(kLogColl, "collective");
    EXPECT_TRUE(std::regex_match(written(), std::regex(place() + R"(\[0\] NCCL INFO collective\n)")))
        << written();
}

TEST_F(DebugLog, startsWarningsWithAnEmptyLineAndTheTime)
{
    set("NCCL_DEBUG", "WARN");
    debugLog(LogLevel::Warn, kLogAll, "somewhere.cpp", 12, "went %s", "wrong");
    const std::regex form(R"(\n\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] )" + place() +
                          R"(\[0\] somewhere\.cpp:12 NCCL WARN went wrong\n)");
    EXPECT_TRUE(std::regex_match(written(), form)) << written();
    EXPECT_STREQ(lastError(), "went wrong");
}

TEST_F(DebugLog, remembersAWarningThatIsNotWritten)
{
    resetDebugLog();
    debugLog(LogLevel::Warn, kLogAll, "somewhere.cpp", 12, "went %s", "unnoticed");
    EXPECT_STREQ(lastError(), "went unnoticed");
    EXPECT_EQ(written(), "");
}

TEST_F(DebugLog, stampsTheLevelsAskedFor)
{
    ::setenv("NCCL_DEBUG_TIMESTAMP_LEVELS", "^WARN", 1);
    ::setenv("NCCL_DEBUG_TIMESTAMP_FORMAT", "now_", 1);
    set("NCCL_DEBUG", "INFO");
    inform(kLogInit, "first");
    debugLog(LogLevel::Warn, kLogAll, "a.cpp", 1, "second");
    EXPECT_TRUE(std::regex_search(
        written(), std::regex("^now " + place() + R"(\[0\] NCCL INFO first\n\n)" + place() + R"(\[0\] a)")))
        << written();
}

TEST_F(DebugLog, informsAfterTheFirstWarningOnRequest)
{
    ::setenv("NCCL_WARN_ENABLE_DEBUG_INFO", "1", 1);
    set("NCCL_DEBUG", "WARN");
    EXPECT_FALSE(debugLogs(LogLevel::Info, kLogInit));
    debugLog(LogLevel::Warn, kLogAll, "a.cpp", 1, "trouble");
    EXPECT_TRUE(debugLogs(LogLevel::Info, kLogInit));
}

TEST_F(DebugLog, cutsLongLines)
{
    set("NCCL_DEBUG", "INFO");
    inform(kLogInit, std::string(3000, 'x').c_str());
    EXPECT_EQ(written().size(), 1024U);
    EXPECT_EQ(written().back(), '\n');
}

TEST_F(DebugLog, readsTheEnvironmentAgainAfterAReset)
{
    set("NCCL_DEBUG", "INFO");
    EXPECT_TRUE(debugLogs(LogLevel::Info, kLogInit));
    ::setenv("NCCL_DEBUG", "VERSION", 1);
    EXPECT_TRUE(debugLogs(LogLevel::Info, kLogInit));
    resetDebugLog();
    EXPECT_FALSE(debugLogs(LogLevel::Info, kLogInit));
}

} // namespace
} // namespace ringside::nccl
