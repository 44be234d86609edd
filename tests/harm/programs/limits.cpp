// SPDX-License-Identifier: Apache-2.0
// Programs that look at limits and attributes of their process, and that reach them.
#include "program.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace ringside::harm {
namespace {

int printLimits(const Arguments& /*arguments*/)
{
    callCuda();
    for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
        rlimit limit{};
        getrlimit(static_cast<__rlimit_resource>(resource), &limit);
        std::printf("%d: %ld %ld\n", resource, static_cast<long>(limit.rlim_cur),
                    static_cast<long>(limit.rlim_max));
    }
    return 0;
}

/// What a process can ask the kernel about itself.
int printAttributes(const Arguments& /*arguments*/)
{
    callCuda();
    const mode_t mask = umask(0);
    umask(mask);
    cpu_set_t processors;
    sched_getaffinity(0, sizeof processors, &processors);
    std::array<char, 4096> folder{};
    int deathSignal = 0;
    prctl(PR_GET_PDEATHSIG, &deathSignal);
    std::printf("umask %o, nice %d, scheduler %d, processors %d, dumpable %d, death signal %d, timer slack "
                "%d, folder %s\n",
                mask, getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), CPU_COUNT(&processors),
                prctl(PR_GET_DUMPABLE), deathSignal, prctl(PR_GET_TIMERSLACK),
                getcwd(folder.data(), folder.size()));
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        for (const char* wanted :
             {"Groups", "Uid", "Gid", "Seccomp:", "NoNewPrivs", "CapEff", "SigIgn", "CoreDumping"}) {
            if (line.starts_with(wanted)) {
                std::printf("%s\n", line.c_str());
            }
        }
    }
    return 0;
}

/// Memory in pieces of a MiB under a limit of the address space: allocate_most MIB must be possible.
int allocateMost(const Arguments& arguments)
{
    const int failed = expect(callCuda(), "CUDA works");
    constexpr std::size_t kMebibyte = 1 << 20;
    for (int i = 0; i < std::atoi(arguments.at(0)); ++i) {
        void* const piece =
            mmap(nullptr, kMebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) {
            return expect(false, "so much memory can be had");
        }
        std::memset(piece, 1, kMebibyte);
    }
    return failed + expect(callCuda(), "CUDA works, still");
}

/// All memory that the limit leaves is taken; CUDA must fail, or work, but not break.
int outOfMemory(const Arguments& /*arguments*/)
{
    callCuda();
    // NOLINTBEGIN(clang-analyzer-unix.Malloc): nothing is given back
    while (std::malloc(1 << 16) != nullptr) {
    }
    while (std::malloc(64) != nullptr) {
    }
    // NOLINTEND(clang-analyzer-unix.Malloc)
    sleepMilliseconds(500);
    return say("out of memory, and still here");
}

/// write_until_limit BYTES: RLIMIT_FSIZE with the signal ignored.
int writeUntilLimit(const Arguments& arguments)
{
    std::signal(SIGXFSZ, SIG_IGN);
    const rlim_t bytes = static_cast<rlim_t>(std::atol(arguments.at(0)));
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const int failed = expect(callCuda(), "CUDA works");
    const int file = open("limited", O_WRONLY | O_CREAT, 0644);
    std::array<char, 1000> block{};
    ssize_t total = 0;
    for (ssize_t count = 0; (count = write(file, block.data(), block.size())) > 0;) {
        total += count;
    }
    return failed +
           expect(errno == EFBIG && static_cast<rlim_t>(total) == bytes, "the file ends at its limit");
}

/// Only read, write, exit and sigreturn are left; the program goes on with these.
int strictSeccomp(const Arguments& /*arguments*/)
{
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    say("strict");
    syscall(SYS_exit, 3);
    return 1;
}

/// Installs a filter that answers this system call so; for all threads where `flags` says so.
bool filter(unsigned call, unsigned answer, unsigned flags)
{
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, answer),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

/// deny CALLS... -- COMMAND...: a command below a filter that lets these system calls fail with EPERM, as a
/// container's does.
int deny(const Arguments& arguments)
{
    std::size_t i = 0;
    for (; i < arguments.size() && std::strcmp(arguments[i], "--") != 0; ++i) {
        if (!filter(static_cast<unsigned>(std::atoi(arguments[i])), SECCOMP_RET_ERRNO | EPERM, 0)) {
            return 3;
        }
    }
    Arguments command(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
    command.push_back(nullptr);
    return execvp(command[0], const_cast<char* const*>(command.data()));
}

/// forbid WHEN HOW CALLS...: a filter that kills the program, or sends it SIGSYS, for system calls that it
/// does not make. WHEN: before or after it called CUDA.
int forbid(const Arguments& arguments)
{
    const bool after = std::strcmp(arguments.at(0), "after") == 0;
    const unsigned answer =
        std::strcmp(arguments.at(1), "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_TRAP;
    int failed = after ? expect(callCuda(), "CUDA works") : 0;
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        if (!filter(static_cast<unsigned>(std::atoi(arguments[i])), answer, SECCOMP_FILTER_FLAG_TSYNC)) {
            return 3;
        }
    }
    failed += expect(callCuda(), "CUDA works below the filter");
    sleepMilliseconds(600);
    return failed;
}

/// All memory of the process stays in memory, and what it gets later, too.
int lockMemory(const Arguments& /*arguments*/)
{
    const int failed = expect(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "memory can be locked");
    const int calls = expect(callCuda(), "CUDA works with locked memory");
    sleepMilliseconds(300);
    return failed + calls + expect(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "memory can be locked again");
}

/// set_attribute OPTION VALUE: prctl, then CUDA, then what is set now.
int setAttribute(const Arguments& arguments)
{
    prctl(std::atoi(arguments.at(0)), std::atol(arguments.at(1)), 0, 0, 0);
    const int failed = expect(callCuda(), "CUDA works");
    sleepMilliseconds(300);
    std::printf("dumpable %d, no new privileges %d\n", prctl(PR_GET_DUMPABLE),
                prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    return failed;
}

/// become USER: gives up root after it called CUDA, as daemons and launchers do.
int become(const Arguments& arguments)
{
    const int failed = expect(callCuda(), "CUDA works");
    const auto user = static_cast<uid_t>(std::atoi(arguments.at(0)));
    if (setgid(user) != 0 || setuid(user) != 0) {
        return 3;
    }
    sleepMilliseconds(400);
    std::printf("now %d\n", static_cast<int>(getuid()));
    return failed + expect(callCuda(), "CUDA works as another user");
}

/// change_root FOLDER: after it called CUDA.
int changeRoot(const Arguments& arguments)
{
    const int failed = expect(callCuda(), "CUDA works");
    if (chroot(arguments.at(0)) != 0 || chdir("/") != 0) {
        return 3;
    }
    sleepMilliseconds(400);
    return failed + expect(callCuda(), "CUDA works in there");
}

const Program g_limitPrograms[] = {{"print_limits", printLimits},
                                   {"print_attributes", printAttributes},
                                   {"allocate_most", allocateMost},
                                   {"out_of_memory", outOfMemory},
                                   {"write_until_limit", writeUntilLimit},
                                   {"strict_seccomp", strictSeccomp},
                                   {"deny", deny},
                                   {"forbid", forbid},
                                   {"lock_memory", lockMemory},
                                   {"set_attribute", setAttribute},
                                   {"become", become},
                                   {"change_root", changeRoot}};

} // namespace
} // namespace ringside::harm
