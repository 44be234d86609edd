// SPDX-License-Identifier: Apache-2.0
#include "stacks/thread_snapshot.h"

#include "host/process.h"
#include "values/parse_number.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace ringside::stacks {
namespace {

using Clock = std::chrono::steady_clock;

std::string firstLine(const std::string& path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string taskFile(pid_t pid, pid_t tid, const char* name)
{
    return fmt::format("/proc/{}/task/{}/{}", pid, tid, name);
}

std::optional<host::ProcessStat> statOf(pid_t pid, pid_t tid)
{
    return host::processStat(fmt::format("{}/task/{}", pid, tid));
}

pid_t ownTidOf(pid_t pid, pid_t tid)
{
    const auto own = host::ownIdOf(fmt::format("{}/task/{}", pid, tid));
    return own ? static_cast<pid_t>(*own) : tid;
}

std::vector<pid_t> threadsOf(pid_t pid)
{
    std::vector<pid_t> threads;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
        if (const auto tid = values::parseNumber<pid_t>(entry.path().filename().string())) {
            threads.push_back(*tid);
        }
    }
    std::sort(threads.begin(), threads.end());
    return threads;
}

/// A thread in an uninterruptible wait cannot be stopped, and would stay attached until it wakes.
bool isUninterruptible(pid_t pid, pid_t tid)
{
    const auto stat = statOf(pid, tid);
    return stat && stat->state == 'D';
}

enum class Stop { NotYet, Stopped, Gone };

/// Does not consume the event: if the process is a child of this one, its exit code belongs to the code that
/// waits for the command.
Stop pollStop(pid_t tid, int& status)
{
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(tid), &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) {
        return Stop::Gone;
    }
    if (info.si_pid == 0) {
        return Stop::NotYet;
    }
    status = info.si_status;
    return info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED ? Stop::Stopped : Stop::Gone;
}

/// Delivers a signal to the thread that was pending when it stopped.
void detach(pid_t tid, int status)
{
    const int event = status >> 8;
    const auto signal = static_cast<std::uintptr_t>(event == PTRACE_EVENT_STOP ? 0 : status);
    ptrace(PTRACE_DETACH, tid, nullptr, reinterpret_cast<void*>(signal)); // NOLINT(performance-no-int-to-ptr)
}

/// A traced thread that ended stays until its tracer collects it. A direct child is left to its waiter.
void reap(pid_t pid, pid_t tid)
{
    const auto stat = statOf(pid, tid);
    const bool ownChild = tid == pid && stat && stat->parent == static_cast<std::uint64_t>(getpid());
    if (!ownChild) {
        waitpid(tid, nullptr, __WALL | WNOHANG);
    }
}

bool readRegisters(pid_t tid, Registers& registers)
{
    iovec buffer{&registers, sizeof registers};
    return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &buffer) == 0 && buffer.iov_len == sizeof registers;
}

/// Reads the stack from `from` on as far as it is mapped, page by page: each piece is read as a whole or not
/// at all.
std::vector<std::byte> readStack(pid_t tid, std::uint64_t from)
{
    constexpr std::size_t kPages = 64;
    constexpr std::uint64_t kPage = 4096;
    std::vector<std::byte> bytes(kPages * kPage);
    std::array<iovec, kPages> pages{};
    std::uint64_t at = from;
    for (iovec& page : pages) {
        const std::uint64_t next = (at / kPage + 1) * kPage;
        page = {reinterpret_cast<void*>(at), next - at}; // NOLINT(performance-no-int-to-ptr)
        at = next;
    }
    iovec to{bytes.data(), bytes.size()};
    const ssize_t got = process_vm_readv(tid, &to, 1, pages.data(), pages.size(), 0);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
}

std::string refusal(int error)
{
    return error == EPERM ? "not permitted (another user, kernel.yama.ptrace_scope, seccomp, or a debugger "
                            "holds it)"
                          : std::strerror(error);
}

void copyThread(pid_t pid, ThreadSnapshot& thread, ProcessSnapshot& process, Clock::time_point deadline)
{
    if (isUninterruptible(pid, thread.tid)) {
        thread.error =
            "in an uninterruptible wait in the kernel: " + firstLine(taskFile(pid, thread.tid, "wchan"));
        return;
    }
    if (ptrace(PTRACE_SEIZE, thread.tid, nullptr, nullptr) != 0) {
        thread.error = refusal(errno);
        return;
    }
    ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr);
    int status = 0;
    Stop stop = Stop::NotYet;
    while ((stop = pollStop(thread.tid, status)) == Stop::NotYet && Clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (stop == Stop::Gone) {
        thread.error = "ended meanwhile";
        reap(pid, thread.tid);
        return;
    }
    if (stop == Stop::NotYet) {
        thread.error = "did not stop in time";
        process.stillAttached.push_back(thread.tid);
        return;
    }
    if (readRegisters(thread.tid, thread.registers)) {
        thread.stack = readStack(thread.tid, stackPointerOf(thread.registers));
    } else {
        thread.error = std::string("its registers cannot be read: ") + std::strerror(errno);
    }
    detach(thread.tid, status);
}

} // namespace

ProcessSnapshot snapshotThreads(pid_t pid, std::chrono::milliseconds limit)
{
    constexpr std::size_t kMostThreads = 512;
    ProcessSnapshot process;
    process.pid = pid;
    const Clock::time_point deadline = Clock::now() + limit;
    const std::vector<pid_t> threads = threadsOf(pid);
    for (const pid_t tid : threads) {
        if (process.threads.size() == kMostThreads || Clock::now() >= deadline) {
            process.error = fmt::format("{} of {} threads were read", process.threads.size(), threads.size());
            break;
        }
        ThreadSnapshot& thread = process.threads.emplace_back();
        thread.tid = tid;
        thread.ownTid = ownTidOf(pid, tid);
        thread.name = firstLine(taskFile(pid, tid, "comm"));
        copyThread(pid, thread, process, deadline);
    }
    if (threads.empty()) {
        process.error = fmt::format("process {} has no visible threads", pid);
    }
    return process;
}

void releaseStopped(pid_t pid, std::vector<pid_t>& stillAttached)
{
    std::erase_if(stillAttached, [pid](pid_t tid) {
        int status = 0;
        const Stop stop = pollStop(tid, status);
        if (stop == Stop::Stopped) {
            detach(tid, status);
        } else if (stop == Stop::Gone) {
            reap(pid, tid);
        }
        return stop != Stop::NotYet;
    });
}

} // namespace ringside::stacks
