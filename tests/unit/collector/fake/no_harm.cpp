// SPDX-License-Identifier: Apache-2.0
// The program of no_harm_test: what jobs do, or what is done to them, that a preloaded library must not turn
// into a failure. One scenario an argument; prints only what does not depend on timing, so that its output
// with and without the collector can be compared.
#include "api.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using ringside::test::communicator;
using ringside::test::reduce;

namespace {

char** g_environment = nullptr; ///< third argument of main
const char* g_self = nullptr;

int calls(ncclComm_t comm, int count)
{
    int failed = 0;
    for (int index = 0; index < count; ++index) {
        failed += reduce(comm, 1) != ncclSuccess ? 1 : 0;
    }
    return failed;
}

// What every scenario ends with: that the job computes what it would have computed.
int goOn(ncclComm_t comm)
{
    const int failed = calls(comm, 1000);
    errno = 77;
    cudaDeviceSynchronize(); // says nothing of errno
    const int kept = errno;
    ncclCommDestroy(comm);
    std::printf("failed calls: %d, errno: %d\n", failed, kept);
    return 0;
}

// Threads record all the time while their process forks; children call, too, and leave in every way.
int forkInThreads()
{
    ncclComm_t comm = communicator();
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&] {
            while (!stop) {
                calls(comm, 10);
                usleep(100);
            }
        });
    }
    int wrong = 0;
    for (int index = 0; index < 60; ++index) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); // a child that hangs in a lock of ours
            calls(comm, 10);
            std::thread([comm] { calls(comm, 10); }).join();
            if (index % 2 == 0) {
                std::exit(index);
            }
            _exit(index);
        }
        int status = 0;
        waitpid(child, &status, 0);
        wrong += !WIFEXITED(status) || WEXITSTATUS(status) != index ? 1 : 0;
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::printf("wrong children: %d\n", wrong);
    return goOn(comm);
}

// As a launcher that becomes its program after it used the GPU itself.
int execAfterCalls()
{
    calls(communicator(), 100);
    execl(g_self, g_self, "one_call", nullptr);
    return 3;
}

int oneCall()
{
    return goOn(communicator());
}

int shortThreads()
{
    ncclComm_t comm = communicator();
    std::atomic<int> failed{0};
    for (int part = 0; part < 1000; ++part) {
        std::array<std::thread, 10> threads;
        for (std::thread& thread : threads) {
            thread = std::thread([&] { failed += reduce(comm, 1) != ncclSuccess ? 1 : 0; });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    ncclCommDestroy(comm);
    std::printf("failed: %d\n", failed.load());
    return 0;
}

// The library that called us comes and goes; its calls, and those of others, go on.
int closingLibrary()
{
    ncclComm_t comm = communicator();
    const std::string path =
        std::string(g_self).substr(0, std::string_view(g_self).rfind('/')) + "/libfake_plugin.so";
    int failed = 0;
    for (int index = 0; index < 50; ++index) {
        void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        auto* run = plugin != nullptr ? reinterpret_cast<int (*)()>(dlsym(plugin, "runPlugin")) : nullptr;
        failed += run == nullptr || run() != 0 ? 1 : 0;
        failed += plugin != nullptr && dlclose(plugin) == 0 ? 0 : 1;
    }
    std::printf("failed: %d\n", failed);
    return goOn(comm);
}

// The handler ends the program at any moment: in a call, in our part of one, while a stream is being defined.
int exitInHandler()
{
    ncclComm_t comm = communicator();
    std::signal(SIGALRM, [](int) { std::exit(6); });
    const itimerval soon{{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    for (std::uintptr_t stream = 0x1000;; stream += 16) {
        ncclAllReduce(nullptr, nullptr, 1, ncclFloat32, ncclSum, comm,
                      reinterpret_cast<cudaStream_t>(stream));
    }
}

// A thread with the smallest stack that there may be, of which the thread's static data takes its part.
int smallStack()
{
    ncclComm_t comm = communicator();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN)));
    int wrong = 0;
    for (int index = 0; index < 20; ++index) {
        pthread_t thread{};
        const auto body = [](void* handle) -> void* {
            return reinterpret_cast<void*>(
                static_cast<std::intptr_t>(calls(static_cast<ncclComm_t>(handle), 10)));
        };
        void* failed = nullptr;
        wrong += pthread_create(&thread, &attributes, body, comm) != 0 ||
                         pthread_join(thread, &failed) != 0 || failed != nullptr
                     ? 1
                     : 0;
    }
    std::printf("wrong threads: %d\n", wrong);
    return goOn(comm);
}

// The first call that this process makes, on a thread with the smallest stack: it begins the recording.
int smallStackFirst()
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN)));
    pthread_t thread{};
    ncclComm_t comm = nullptr;
    const auto body = [](void* place) -> void* {
        *static_cast<ncclComm_t*>(place) = communicator();
        calls(*static_cast<ncclComm_t*>(place), 10);
        return nullptr;
    };
    pthread_create(&thread, &attributes, body, &comm);
    pthread_join(thread, nullptr);
    return goOn(comm);
}

int inSandbox()
{
    ncclComm_t comm = communicator();
    usleep(300000); // the drain thread meets it, too
    return goOn(comm);
}

// A sandbox that answers these system calls with EPERM, and was there before the program, as a container's
// is.
int sandboxed(const std::vector<unsigned>& refused)
{
    std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const unsigned number : refused) {
        program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        std::printf("no sandbox: %s\n", std::strerror(errno));
        return 0;
    }
    execl("/proc/self/exe", g_self, "in_sandbox", nullptr);
    return 3;
}

int limited(int resource, rlim_t limit, bool fromTheStart)
{
    ncclComm_t comm = nullptr;
    if (!fromTheStart) {
        comm = communicator();
        calls(comm, 1000);
    }
    const rlimit small{limit, limit};
    setrlimit(static_cast<__rlimit_resource_t>(resource), &small);
    if (fromTheStart) {
        comm = communicator();
    }
    calls(comm, 1000);
    std::thread([comm] { calls(comm, 1000); }).join(); // a ring of its own
    usleep(300000);
    return goOn(comm);
}

// How many descriptors there are now: none more.
rlim_t openFiles()
{
    const int next = dup(0);
    close(next);
    return static_cast<rlim_t>(next);
}

// Memory from another allocator, and back to it, while calls are recorded.
int allocator()
{
    ncclComm_t comm = communicator();
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([comm] {
            std::vector<std::unique_ptr<char[]>> blocks(64);
            for (std::size_t round = 0; round < 5000; ++round) {
                blocks[round % blocks.size()] = std::make_unique<char[]>(round % 3000 + 1);
                reduce(comm, 1);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return goOn(comm);
}

int faults()
{
    ncclComm_t comm = communicator();
    for (int part = 0; part < 40; ++part) {
        std::thread([comm] { calls(comm, 500); }).join();
        calls(comm, 500);
        usleep(20000);
    }
    return goOn(comm);
}

/// Reads the third argument of main after the program has set variables, as nccl-tests and MPI do together.
int readEnvironment()
{
    for (int i = 0; i < 1000; ++i) {
        setenv(("NO_HARM_" + std::to_string(i)).c_str(), "1", 1);
    }
    std::size_t characters = 0;
    for (char** variable = g_environment; *variable != nullptr; ++variable) {
        characters += std::string_view(*variable).size();
    }
    return characters > 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv, char** environment)
{
    g_self = argv[0];
    g_environment = environment;
    const std::string_view scenario = argc > 1 ? argv[1] : "";
    if (scenario == "sandboxed" && argc > 2) {
        std::vector<unsigned> refused;
        for (int index = 2; index < argc; ++index) {
            refused.push_back(static_cast<unsigned>(std::atoi(argv[index])));
        }
        return sandboxed(refused);
    }
    constexpr rlim_t kSmallFile = 100000;
    const std::map<std::string_view, int (*)()> scenarios{
        {"fork_in_threads", forkInThreads},
        {"exec_after_calls", execAfterCalls},
        {"one_call", oneCall},
        {"in_sandbox", inSandbox},
        {"short_threads", shortThreads},
        {"closing_library", closingLibrary},
        {"exit_in_handler", exitInHandler},
        {"small_stack", smallStack},
        {"small_stack_first", smallStackFirst},
        {"no_more_files", [] { return limited(RLIMIT_NOFILE, openFiles(), true); }},
        {"no_more_files_midway", [] { return limited(RLIMIT_NOFILE, openFiles(), false); }},
        {"small_files", [] { return limited(RLIMIT_FSIZE, kSmallFile, true); }},
        {"small_files_midway", [] { return limited(RLIMIT_FSIZE, kSmallFile, false); }},
        {"allocator", allocator},
        {"environment", readEnvironment},
        {"faults", faults},
    };
    const auto found = scenarios.find(scenario);
    return found != scenarios.end() ? found->second() : 2;
}
