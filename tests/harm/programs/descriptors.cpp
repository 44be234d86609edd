// SPDX-License-Identifier: Apache-2.0
// Programs that look at descriptors, and that close those they did not open.
#include "program.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace ringside::harm {
namespace {

constexpr int kTries = 12;

/// Our descriptors without close-on-exec, which a child would get, and those in the range that programs think
/// theirs.
int printDescriptors(const Arguments& /*arguments*/)
{
    callCuda();
    sleepMilliseconds(400);
    for (int descriptor = 0; descriptor < 100; ++descriptor) {
        if (const int flags = fcntl(descriptor, F_GETFD); flags >= 0) {
            std::array<char, 64> line{};
            std::snprintf(line.data(), line.size(), "%d, flags %d", descriptor, flags);
            say(line.data());
        }
    }
    return 0;
}

/// A child that has a descriptor above 2 says which: what was opened without close-on-exec at the moment of
/// its start.
int inheritedDescriptors(const Arguments& /*arguments*/)
{
    for (int descriptor = 3; descriptor < 1024; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) >= 0) {
            const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
            std::array<char, 256> target{};
            const ssize_t size = readlink(link.c_str(), target.data(), target.size() - 1);
            return say((size > 0 ? target.data() : link.c_str())) + 1;
        }
    }
    return 0;
}

/// Starts children while threads of the program, each in its first CUDA call, let the collector open what it
/// needs.
int childrenOfBusyThreads(const Arguments& /*arguments*/)
{
    std::thread threads([] {
        for (int i = 0; i < 300; ++i) {
            std::thread([] { callCuda(); }).join();
        }
    });
    int failed = 0;
    for (int i = 0; i < 200; ++i) {
        const char* words[] = {"harm", "inherited_descriptors", nullptr};
        pid_t child = 0;
        int status = -1;
        posix_spawnp(&child, "harm", nullptr, nullptr, const_cast<char* const*>(words), environ);
        failed += waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
    }
    threads.join();
    return expect(failed == 0, "no child gets a descriptor");
}

/// The numbers of the next files, which scripts and old servers rely on.
int nextNumbers(const Arguments& /*arguments*/)
{
    callCuda();
    sleepMilliseconds(400);
    for (int i = 0; i < 3; ++i) {
        std::array<char, 32> line{};
        std::snprintf(line.data(), line.size(), "opened %d", open("/dev/null", O_RDONLY));
        say(line.data());
    }
    return 0;
}

/// Opens files of known content until it has no more, and says how many the limit allowed.
int untilTheLimit(const Arguments& /*arguments*/)
{
    callCuda();
    const rlimit limit{64, 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    int count = 0;
    while (open("/dev/null", O_RDONLY) >= 0) {
        ++count;
    }
    std::array<char, 32> line{};
    std::snprintf(line.data(), line.size(), "%d files", count);
    say(line.data());
    return expect(callCuda(), "CUDA works without descriptors");
}

int keep(const std::string& name)
{
    return open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
}

/// Writes a short text into each file, lets time pass in which a collector writes, and looks whether it is
/// all there is.
int checkContents(const std::vector<int>& files)
{
    const std::string text = "the user's file";
    for (const int file : files) {
        if (write(file, text.data(), text.size()) < 0) {
            return expect(false, "the file can be written");
        }
    }
    for (int i = 0; i < kTries; ++i) {
        callCuda();
        sleepMilliseconds(50);
    }
    int failed = 0;
    for (const int file : files) {
        std::array<char, 64> read{};
        struct stat status {};
        fstat(file, &status);
        failed += status.st_size != static_cast<off_t>(text.size());
        failed += pread(file, read.data(), read.size(), 0) != static_cast<ssize_t>(text.size()) ||
                  text != read.data();
    }
    return expect(failed == 0, "the user's files hold what the user wrote");
}

std::vector<int> openFiles(int count)
{
    std::vector<int> files;
    for (int i = 0; i < count; ++i) {
        files.push_back(keep("file" + std::to_string(i)));
    }
    return files;
}

/// close_all HOW: one by one, by close_range, or by the names in /proc/self/fd; then the numbers are the
/// user's.
int closeAll(const Arguments& arguments)
{
    callCuda();
    sleepMilliseconds(300);
    const std::string how = arguments.at(0);
    if (how == "range") {
        syscall(SYS_close_range, 3U, ~0U, 0U);
    } else if (how == "each") {
        for (int i = 3; i < 2000; ++i) {
            close(i);
        }
    } else {
        std::vector<int> numbers;
        DIR* const folder = opendir("/proc/self/fd");
        while (const dirent* entry = readdir(folder)) {
            numbers.push_back(std::atoi(entry->d_name));
        }
        closedir(folder);
        std::for_each(numbers.begin(), numbers.end(), [](int number) { number > 2 ? close(number) : 0; });
    }
    return checkContents(openFiles(12));
}

/// A descriptor is closed twice; the second time it is somebody else's.
int doubleClose(const Arguments& /*arguments*/)
{
    const int mine = keep("mine");
    close(mine);
    callCuda();
    sleepMilliseconds(300);
    for (int i = 0; i < 8; ++i) {
        close(mine + i);
    }
    return checkContents(openFiles(8));
}

/// Puts its files onto fixed numbers, as shells and servers do.
int dupOver(const Arguments& /*arguments*/)
{
    callCuda();
    sleepMilliseconds(300);
    std::vector<int> files;
    for (int number = 3; number < 20; ++number) {
        const int file = keep("number" + std::to_string(number));
        if (file != number) {
            dup2(file, number);
            close(file);
        }
        files.push_back(number);
    }
    return checkContents(files);
}

const Program g_descriptorPrograms[] = {{"print_descriptors", printDescriptors},
                                        {"next_numbers", nextNumbers},
                                        {"inherited_descriptors", inheritedDescriptors},
                                        {"children_of_busy_threads", childrenOfBusyThreads},
                                        {"until_the_limit", untilTheLimit},
                                        {"close_all", closeAll},
                                        {"double_close", doubleClose},
                                        {"dup_over", dupOver}};

} // namespace
} // namespace ringside::harm
