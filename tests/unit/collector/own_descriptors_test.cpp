// SPDX-License-Identifier: Apache-2.0
#include "record/message.h"
#include "record/own_descriptors.h"
#include "record/program_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

using namespace ringside::collector;

namespace {

bool isOpen(int number)
{
    return fcntl(number, F_GETFD) >= 0;
}

bool isNull(int number)
{
    struct stat status {};
    struct stat null {};
    return fstat(number, &status) == 0 && stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev;
}

TEST(OwnDescriptors, areClosedAndOpenedWithoutTheProgramsBeingSo)
{
    const int theirs = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ASSERT_TRUE(runWithOwnDescriptors([theirs] {
        EXPECT_FALSE(isOpen(theirs));
        const int ours = open("/dev/full", O_WRONLY | O_CLOEXEC);
        EXPECT_EQ(ours, STDERR_FILENO + 1) << "nothing of the program is there";
        close(ours);
    }));
    EXPECT_TRUE(isOpen(theirs));
    close(theirs);
}

TEST(OwnDescriptors, neverHaveTheNumberOfAStandardStream)
{
    ASSERT_TRUE(runWithOwnDescriptors([] {
        for (const int number : {0, 1, 2}) {
            close(number); // as a program does that has closed its own
        }
        ASSERT_TRUE(takeOwnDescriptors());
        EXPECT_GT(open("/dev/zero", O_RDONLY), 2);
        EXPECT_TRUE(isNull(0) && isNull(1) && isNull(2));
    }));
}

TEST(OwnDescriptors, bringBackWhatTheWorkThrewAndItsErrno)
{
    EXPECT_THROW(static_cast<void>(runWithOwnDescriptors([] { throw std::runtime_error("work"); })),
                 std::runtime_error);
    ASSERT_TRUE(runWithOwnDescriptors([] { errno = EXDEV; }));
    EXPECT_EQ(errno, EXDEV);
}

TEST(Message, isNotForWhatTookTheNumberOfStderr)
{
    std::string file = std::filesystem::temp_directory_path() / "ringside-message-XXXXXX";
    const int number = mkstemp(file.data());
    const pid_t child = fork();
    if (child == 0) {
        dup2(number, STDERR_FILENO);
        say(Talk::Always, "not for a file of the program");
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(std::filesystem::file_size(file), 0U);
    close(number);
    std::filesystem::remove(file);
}

timespec inOneSecond()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    ++time.tv_sec;
    return time;
}

TEST(OwnDescriptors, areLeftForCallsThatNeedTheProgramsOwn)
{
    ASSERT_TRUE(startProgramCalls());
    const int theirs = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ASSERT_TRUE(runWithOwnDescriptors([theirs] {
        EXPECT_FALSE(isOpen(theirs));
        runWithProgramDescriptors([theirs] { EXPECT_TRUE(isOpen(theirs)); });
        EXPECT_THROW(runWithProgramDescriptors([] { throw std::runtime_error("call"); }), std::runtime_error);
    }));
    close(theirs);
    EXPECT_TRUE(endProgramCalls(inOneSecond()));
}

} // namespace
