// SPDX-License-Identifier: Apache-2.0
#include "record/own_descriptors.h"

#include "record/cancellation.h"
#include "record/own_thread.h"
#include "record/thread_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bitset>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#ifndef SYS_close_range
#define SYS_close_range 436 // glibc 2.28 does not know it yet
#endif

namespace ringside::collector {
namespace {

constexpr int kFirstOther = STDERR_FILENO + 1;

thread_local bool t_hasOwn __attribute__((tls_model("initial-exec"))) = false;

constexpr int kLoaderFiles = 64; ///< numbers among which the loader's are: it opens them first

/// The numbers into which the loader may write for LD_DEBUG_OUTPUT, from whatever thread loads something. A
/// program that replaced another keeps that one's, of the same name.
std::bitset<kLoaderFiles> g_loaderFiles;

__attribute__((constructor)) void findLoaderFiles()
{
    const char* const name = std::getenv("LD_DEBUG_OUTPUT");
    if (name == nullptr || *name == '\0') {
        return;
    }
    const std::string wanted = std::string(name) + "." + std::to_string(getpid());
    for (int number = kFirstOther; number < kLoaderFiles; ++number) {
        std::array<char, 4096> path{};
        const std::string link = "/proc/self/fd/" + std::to_string(number);
        g_loaderFiles[static_cast<std::size_t>(number)] =
            readlink(link.c_str(), path.data(), path.size() - 1) > 0 && path.data() == wanted;
    }
}

/// Closes all descriptors from kFirstOther on in this thread's table.
bool closeAll()
{
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/thread-self/fd"), &closedir);
    if (folder == nullptr) {
        return false;
    }
    std::vector<int> others;
    while (const dirent* entry = readdir(folder.get())) {
        const int number = std::atoi(entry->d_name);
        if (number >= kFirstOther && number != dirfd(folder.get())) {
            others.push_back(number);
        }
    }
    for (const int number : others) {
        close(number);
    }
    return true;
}

/// close_range (Linux 5.9) copies only the descriptors that stay. Container sandboxes allow it, but
/// often refuse unshare().
bool leaveProgramTable()
{
    constexpr unsigned kUnshare = 1U << 1;
    if (syscall(SYS_close_range, static_cast<unsigned>(kFirstOther), ~0U, kUnshare) == 0) {
        return true;
    }
    return unshare(CLONE_FILES) == 0 && closeAll();
}

void replaceByNull(std::initializer_list<int> numbers)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int number : numbers) {
        if (null >= 0 && null != number) {
            dup2(null, number);
        }
    }
    if (null >= kFirstOther) {
        close(null);
    }
}

bool isSameFile(const struct stat& a, const struct stat& b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_rdev == b.st_rdev;
}

struct Task {
    const std::function<void()>& work;
    bool begun = false;
    int error = 0; ///< errno, of the work or of what kept it from beginning
    std::exception_ptr failure = nullptr;
};

void* runTask(void* pointer)
{
    auto& task = *static_cast<Task*>(pointer);
    const Inside inside;
    task.begun = takeOwnDescriptors();
    try {
        if (task.begun) {
            task.work();
        }
    } catch (...) {
        task.failure = std::current_exception();
    }
    task.error = errno;
    return nullptr;
}

} // namespace

bool takeOwnDescriptors()
{
    if (!leaveProgramTable()) {
        return false;
    }
    replaceByNull({STDIN_FILENO, STDOUT_FILENO});
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) { // the program has none
        replaceByNull({STDERR_FILENO});
    }
    for (int number = kFirstOther; number < kLoaderFiles; ++number) {
        if (g_loaderFiles[static_cast<std::size_t>(number)]) { // no file of ours may get this number
            const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
            if (null >= 0 && null != number) {
                dup2(null, number);
                close(null);
            }
        }
    }
    t_hasOwn = true;
    return true;
}

bool hasOwnDescriptors()
{
    return t_hasOwn;
}

// /proc/self is that of the main thread, which has the program's table.
void letGoOfFormerStderr()
{
    struct stat ours {};
    struct stat theirs {};
    if (fstat(STDERR_FILENO, &ours) != 0 || stat("/proc/self/fd/2", &theirs) != 0 ||
        !isSameFile(ours, theirs)) {
        replaceByNull({STDERR_FILENO});
    }
}

bool runWithOwnDescriptors(const std::function<void()>& work)
{
    if (hasOwnDescriptors()) {
        work();
        return true;
    }
    const CancellationHeldOff uncancelled; // the task outlives no frame of ours
    Task task{work};
    pthread_t thread{};
    if (!startOwnThread(thread, &runTask, &task)) {
        return false;
    }
    pthread_join(thread, nullptr);
    if (task.failure) {
        std::rethrow_exception(task.failure);
    }
    errno = task.error;
    return task.begun;
}

} // namespace ringside::collector
