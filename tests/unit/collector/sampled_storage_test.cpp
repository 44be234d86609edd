// SPDX-License-Identifier: Apache-2.0
// What /proc tells of real threads and their storage: who waits for it, and who for something else.
#include "host/storage_wait.h"
#include "record/registry.h"
#include "sampled/storage.h"
#include "sampled_ring.h"
#include "support/temporary_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace {

using namespace ringside;
using namespace std::chrono_literals;
using test::TemporaryDirectory;

std::string threadOf(pid_t tid)
{
    return "self/task/" + std::to_string(tid);
}

/// A thread that does `work`, and what the kernel says of it once it stands in that call.
std::optional<bool> waitsIn(long call, const std::function<void()>& work, const std::function<void()>& end)
{
    std::promise<pid_t> started;
    std::thread thread([&] {
        started.set_value(gettid());
        work();
    });
    const std::string name = threadOf(started.get_future().get());
    const std::string wanted = std::to_string(call) + " ";
    std::optional<bool> waits;
    for (bool there = false; !there;) {
        std::string text(32, '\0');
        const int file = open(("/proc/" + name + "/syscall").c_str(), O_RDONLY | O_CLOEXEC);
        there = read(file, text.data(), text.size()) > 0 && text.starts_with(wanted);
        close(file);
        waits = host::waitsForStorage(name);
    }
    end();
    thread.join();
    return waits;
}

class StorageWait : public testing::Test {
protected:
    void SetUp() override
    {
        if (!host::waitsForStorage(threadOf(gettid()))) {
            GTEST_SKIP() << "this kernel does not show in which call a thread is";
        }
    }
    TemporaryDirectory m_folder;
};

TEST_F(StorageWait, IsNoPipeNoLockNoChildAndNoSleep)
{
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    char byte = 0;
    EXPECT_EQ(waitsIn(
                  SYS_read, [&] { EXPECT_EQ(read(ends[0], &byte, 1), 1); },
                  [&] { EXPECT_EQ(write(ends[1], "x", 1), 1); }),
              false);
    close(ends[0]);
    close(ends[1]);
    const std::string named = (m_folder.path() / "pipe").string();
    ASSERT_EQ(mkfifo(named.c_str(), 0600), 0);
    const int reader = open(named.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(waitsIn(
                  SYS_read, [&] { EXPECT_EQ(read(reader, &byte, 1), 1); },
                  [&] { EXPECT_EQ(write(reader, "x", 1), 1); }),
              false)
        << "a named pipe";
    close(reader);
    std::mutex mutex;
    mutex.lock();
    EXPECT_EQ(waitsIn(
                  SYS_futex, [&] { const std::scoped_lock lock(mutex); }, [&] { mutex.unlock(); }),
              false);
    std::atomic<bool> sleeps{true};
    EXPECT_EQ(waitsIn(
                  SYS_clock_nanosleep,
                  [&] {
                      while (sleeps) {
                          std::this_thread::sleep_for(10ms);
                      }
                  },
                  [&] { sleeps = false; }),
              false);
}

#ifdef SYS_vfork // other processors have clone() for it
/// A parent waits uninterruptibly for its child of vfork().
TEST_F(StorageWait, IsNoChildOfVfork)
{
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(waitsIn(
                  SYS_vfork,
                  [&] {
                      char byte = 0;
                      const pid_t child = vfork(); // NOLINT(*-vfork): it is what is tested
                      if (child == 0) {
                          _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
                      }
                      EXPECT_EQ(waitpid(child, nullptr, 0), child);
                  },
                  [&] { EXPECT_EQ(write(ends[1], "x", 1), 1); }),
              false);
    close(ends[0]);
    close(ends[1]);
}
#endif

/// Memory whose pages come when the test gives them: a write of it to a file stands in the kernel meanwhile,
/// as one to storage that does not answer.
class LatePages final {
public:
    LatePages()
        : m_faults(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)))
        , m_page(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    {
        uffdio_api api{};
        api.api = UFFD_API;
        uffdio_register range{};
        range.range = {reinterpret_cast<std::uintptr_t>(m_page), kBytes};
        range.mode = UFFDIO_REGISTER_MODE_MISSING;
        m_works = m_faults >= 0 && ioctl(m_faults, UFFDIO_API, &api) == 0 &&
                  ioctl(m_faults, UFFDIO_REGISTER, &range) == 0;
    }
    ~LatePages()
    {
        if (m_faults >= 0) {
            close(m_faults);
        }
        munmap(m_page, kBytes);
    }
    LatePages(const LatePages&) = delete;
    LatePages& operator=(const LatePages&) = delete;
    void come() const
    {
        uffdio_zeropage zero{};
        zero.range = {reinterpret_cast<std::uintptr_t>(m_page), kBytes};
        EXPECT_EQ(ioctl(m_faults, UFFDIO_ZEROPAGE, &zero), 0);
    }
    [[nodiscard]] bool works() const { return m_works; }
    [[nodiscard]] const void* page() const { return m_page; }
    static constexpr std::size_t kBytes = 4096;

private:
    int m_faults;
    void* m_page;
    bool m_works = false;
};

TEST_F(StorageWait, IsAWriteToAFileThatDoesNotEnd)
{
    const LatePages pages;
    if (!pages.works()) {
        GTEST_SKIP() << "needs userfaultfd, also for faults in the kernel";
    }
    const int file = open((m_folder.path() / "checkpoint").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(waitsIn(
                  SYS_write,
                  [&] { EXPECT_EQ(write(file, pages.page(), LatePages::kBytes), LatePages::kBytes); },
                  [&] { pages.come(); }),
              true);
    close(file);
}

TEST(StorageBytes, AreReadWholeOrNotAtAll)
{
    const auto bytes =
        host::parseStorageBytes("rchar: 7065\nwchar: 89\nsyscr: 12\nsyscw: 1\nread_bytes: 4096\n"
                                "write_bytes: 8192\ncancelled_write_bytes: 0\n");
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->fileRead, 7065U);
    EXPECT_EQ(bytes->fileWritten, 89U);
    EXPECT_EQ(bytes->storageRead, 4096U);
    EXPECT_EQ(bytes->storageWritten, 8192U);
    EXPECT_FALSE(host::parseStorageBytes("rchar: 7065\nwchar: 89\n"));
    EXPECT_FALSE(host::parseStorageBytes(""));
}

TEST(StorageSource, CountsWhatAProcessWritesAndLooksOnceASecond)
{
    using namespace ringside::collector;
    test::SampledRing memory(4096);
    Registry registry(memory.ring);
    sampled::Storage source(registry);
    source.open();
    sampled::Readings readings;
    const auto written = [&] {
        for (const auto& value : readings.values()) {
            if (std::string(value.series->metric()) == "file_written_bytes") {
                return value.value;
            }
        }
        return std::int64_t{-1};
    };
    source.read(readings, sampled::Pace::EveryTick);
    EXPECT_TRUE(readings.values().empty());
    source.read(readings, sampled::Pace::OnceASecond);
    EXPECT_EQ(readings.values().size(), 5U);
    const std::int64_t before = written();
    const TemporaryDirectory folder;
    const int file = open((folder.path() / "chunk").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const std::string chunk(1 << 20, 'x');
    ASSERT_EQ(write(file, chunk.data(), chunk.size()), static_cast<ssize_t>(chunk.size()));
    close(file);
    readings.clear();
    source.read(readings, sampled::Pace::OnceASecond);
    EXPECT_GE(written() - before, 1 << 20);
}

} // namespace
