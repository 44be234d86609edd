// SPDX-License-Identifier: Apache-2.0
// Samples of the own process, and the lock that lets one process of a machine sample the machine.
#include "record/registry.h"
#include "sampled/host_process.h"
#include "sampled/once_a_host.h"
#include "sampled_ring.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <thread>

namespace {

using namespace ringside::collector;
using namespace ringside::collector::sampled;
using ringside::test::SampledRing;
using ringside::test::TemporaryDirectory;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::int64_t valueOf(const Readings& readings, const std::string& metric)
{
    for (const auto& value : readings.values()) {
        if (metric == value.series->metric()) {
            return value.value;
        }
    }
    return -1;
}

/// Uses so much CPU time.
void spin(std::chrono::nanoseconds length)
{
    const std::int64_t until = readClockNs(CLOCK_THREAD_CPUTIME_ID) + length.count();
    while (readClockNs(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
}

TEST(HostProcessSource, countsAThreadFromItsFirstReadingOnAndKeepsItWhenItEnds)
{
    SampledRing memory(4096);
    Registry registry(memory.ring);
    HostProcess source(registry);
    source.open();
    Readings readings;
    std::promise<void> finish;
    std::promise<void> worked;
    constexpr auto kBefore = 50ms;
    std::thread worker([&] {
        spin(kBefore); // nobody looks yet: not counted
        registry.addThread(1, static_cast<std::uint32_t>(gettid()), "worker");
        worked.set_value();
        finish.get_future().wait();
        spin(20ms);
    });
    worked.get_future().wait();
    source.read(readings, Pace::OnceASecond);
    EXPECT_GE(valueOf(readings, "cpu_ns"), 0);
    EXPECT_LT(valueOf(readings, "cpu_ns"), std::chrono::nanoseconds(kBefore).count());
    EXPECT_GE(valueOf(readings, "threads"), 2);
    EXPECT_GT(valueOf(readings, "rss_bytes"), 1 << 20);
    EXPECT_GT(valueOf(readings, "cpu_user_ns") + valueOf(readings, "cpu_system_ns"), 0);
    finish.set_value();
    std::this_thread::sleep_for(30ms);
    readings.clear();
    source.read(readings, Pace::EveryTick);
    const std::int64_t before = valueOf(readings, "cpu_ns");
    worker.join();
    for (int i = 0; i < 3; ++i) {
        readings.clear();
        source.read(readings, Pace::EveryTick);
        EXPECT_GE(valueOf(readings, "cpu_ns"), before) << "a counter never falls";
    }
}

TEST(HostProcessSource, takesFewDescriptorsAndReportsIt)
{
    SampledRing memory(4096);
    Registry registry(memory.ring);
    HostProcess source(registry);
    source.open();
    std::promise<void> finish;
    const auto finished = finish.get_future().share();
    std::vector<std::thread> crowd;
    for (std::uint32_t i = 0; i < 40; ++i) {
        std::promise<void> added;
        auto ready = added.get_future();
        crowd.emplace_back([&registry, finished, i, done = std::move(added)]() mutable {
            registry.addThread(i + 1, static_cast<std::uint32_t>(gettid()), "crowd");
            done.set_value();
            finished.wait();
        });
        ready.wait();
    }
    const auto descriptors = [] {
        return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    const auto before = descriptors();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_EQ(descriptors() - before, 16);
    ASSERT_EQ(readings.missing().size(), 1U);
    EXPECT_NE(readings.missing()[0]->reason.find("16 threads"), std::string::npos);
    finish.set_value();
    for (std::thread& thread : crowd) {
        thread.join();
    }
    readings.clear();
    source.read(readings, Pace::EveryTick);
    EXPECT_EQ(descriptors() - before, 0) << "those of threads that ended are given back";
}

TEST(HostLockOfAMachine, hasOneHolderAndIsReleasedWhenItEnds)
{
    const TemporaryDirectory folder;
    const std::string path = folder.path() / "host.sampler";
    int ready[2] = {};
    ASSERT_EQ(pipe(ready), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        HostLock lock(path, "host-1");
        const bool taken = lock.take();
        // A child of the owner that outlives it keeps nothing.
        if (fork() == 0) {
            sleep(5);
            _exit(0);
        }
        [[maybe_unused]] const ssize_t sent = write(ready[1], taken ? "y" : "n", 1);
        pause();
    }
    char taken = 0;
    ASSERT_EQ(read(ready[0], &taken, 1), 1);
    EXPECT_EQ(taken, 'y');
    HostLock lock(path, "host-2");
    EXPECT_FALSE(lock.take());
    EXPECT_EQ(lock.holder(), "host-1");
    fs::resize_file(path, 0);
    EXPECT_EQ(lock.holder(), "host-" + std::to_string(owner)) << "locked, and its name not written yet";
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
    EXPECT_TRUE(lock.take());
    EXPECT_TRUE(lock.take()) << "again";
    lock.release();
    EXPECT_FALSE(fs::exists(path));
}

TEST(HostLockOfAMachine, isGivenOnByOneThatFinishes)
{
    const TemporaryDirectory folder;
    const std::string path = folder.path() / "host.sampler";
    int go[2] = {};
    int ready[2] = {};
    ASSERT_EQ(pipe(go) + pipe(ready), 0);
    const pid_t owner = fork();
    char byte = 'y';
    if (owner == 0) {
        HostLock lock(path, "host-1");
        byte = lock.take() ? 'y' : 'n';
        [[maybe_unused]] ssize_t done = write(ready[1], &byte, 1);
        done = read(go[0], &byte, 1);
        lock.release();
        _exit(0);
    }
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    HostLock lock(path, "host-2");
    EXPECT_FALSE(lock.take()); // has the owner's file open, which is about to vanish
    ASSERT_EQ(write(go[1], &byte, 1), 1);
    waitpid(owner, nullptr, 0);
    EXPECT_TRUE(lock.take());
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "host-2") << "the file that others find";
    lock.release();
}

TEST(HostLockOfAMachine, reportsWhyItCannotBeTaken)
{
    HostLock lock("/nowhere/host.sampler", "host-1");
    EXPECT_FALSE(lock.take());
    EXPECT_NE(lock.failure().find("/nowhere/host.sampler: No such file"), std::string::npos)
        << lock.failure();
}

TEST(HostLockOfAMachine, isNotTakenOnAFileOfAnotherUser)
{
    const TemporaryDirectory folder;
    const fs::path victim = folder.path() / "victim";
    std::ofstream(victim) << "mine";
    const std::string path = folder.path() / "host.sampler";
    fs::create_symlink(victim, path);
    EXPECT_FALSE(HostLock(path, "host-1").take());
    fs::remove(path);
    fs::create_hard_link(victim, path);
    EXPECT_FALSE(HostLock(path, "host-1").take());
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    HostLock lock(path, "host-1");
    EXPECT_FALSE(lock.take());
    EXPECT_NE(lock.failure().find("not a file of ours"), std::string::npos) << lock.failure();
    std::string text;
    std::ifstream(victim) >> text;
    EXPECT_EQ(text, "mine");
    EXPECT_TRUE(fs::exists(path));
}

} // namespace
