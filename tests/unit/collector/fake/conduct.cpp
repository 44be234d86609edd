// SPDX-License-Identifier: Apache-2.0
// The program of conduct_test: what programs do that a preloaded library must survive. One scenario an
// argument.
#include "api.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>

using ringside::test::communicator;
using ringside::test::reduce;

namespace {

const char* g_self = nullptr;
constexpr std::size_t kForever = 666;
constexpr std::size_t kInterrupted = 667;

// Calls from a static destructor: after everything has been closed.
struct AtTheEnd {
    ncclComm_t comm = nullptr;
    ~AtTheEnd()
    {
        if (comm != nullptr) {
            std::printf("at the end: %d\n", reduce(comm, 1));
        }
    }
};
AtTheEnd g_atTheEnd;

int staticDestructor()
{
    g_atTheEnd.comm = communicator();
    return reduce(g_atTheEnd.comm, 1);
}

int oneCall()
{
    return reduce(communicator(), 1);
}

int vforkExec()
{
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    const pid_t child = vfork(); // NOLINT(*insecureAPI.vfork): what is tested
    if (child == 0) {
        execl(g_self, g_self, "one_call", nullptr);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    reduce(comm, 2);
    std::printf("child status %d\n", status);
    return 0;
}

int childrenEndAndItIsKilled()
{
    reduce(communicator(), 1);
    for (const bool shared : {false, true}) {
        const pid_t child = shared ? vfork() : fork(); // NOLINT(*insecureAPI.vfork): what is tested
        if (child == 0) {
            execl("/missing", "missing", nullptr);
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    }
    const pid_t child = vfork(); // NOLINT(*insecureAPI.vfork)
    if (child == 0) {
        execl("/bin/true", "true", nullptr);
        _exit(127);
    }
    waitpid(child, nullptr, 0);
    return std::raise(SIGKILL);
}

// Another thread is just beginning the recording while this one forks: neither may hang.
int forkWhileItBegins()
{
    std::thread other([] { oneCall(); });
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        oneCall();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    other.join();
    std::printf("child status %d\n", status);
    return 0;
}

std::atomic<int> g_inHandler{0};
void callInHandler(int)
{
    cudaDeviceSynchronize();
    ++g_inHandler;
}

int signalHandler()
{
    ncclComm_t comm = communicator();
    std::signal(SIGUSR1, callInHandler);
    std::raise(SIGUSR1);        // outside of any call: recorded
    reduce(comm, kInterrupted); // inside one: the call in the handler passes through
    std::signal(SIGALRM, callInHandler);
    const itimerval often{{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int index = 0; index < 200000; ++index) {
        reduce(comm, 1);
    }
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    return 0;
}

// Threads that end by return, by pthread_exit, by cancellation inside a call, and one that calls when its own
// data is destroyed already.
int threadsEnd()
{
    ncclComm_t comm = communicator();
    static pthread_key_t key;
    pthread_key_create(&key, [](void* handle) { reduce(static_cast<ncclComm_t>(handle), 4); });
    std::thread([comm] {
        reduce(comm, 1);
        pthread_setspecific(key, comm);
    }).join();
    pthread_t thread{};
    const auto leaves = [](void* handle) -> void* {
        reduce(static_cast<ncclComm_t>(handle), 2);
        pthread_exit(nullptr);
    };
    pthread_create(&thread, nullptr, leaves, comm);
    pthread_join(thread, nullptr);
    const auto waits = [](void* handle) -> void* {
        reduce(static_cast<ncclComm_t>(handle), 3);
        reduce(static_cast<ncclComm_t>(handle), kForever);
        return nullptr;
    };
    pthread_create(&thread, nullptr, waits, comm);
    usleep(50000);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    return reduce(comm, 1);
}

// By each of the functions there are; first one that fails.
void becomeAnother(std::string_view how)
{
    constexpr const char* kProgram = "/bin/true";
    char* const arguments[] = {const_cast<char*>("true"), nullptr};
    char* const missing[] = {const_cast<char*>("missing"), nullptr};
    if (execv("/missing", missing) == 0 || errno != ENOENT) {
        std::abort();
    }
    if (how == "execv") {
        execv(kProgram, arguments);
    } else if (how == "execve") {
        execve(kProgram, arguments, environ);
    } else if (how == "execvp") {
        execvp("true", arguments);
    } else if (how == "execvpe") {
        execvpe("true", arguments, environ);
    } else if (how == "fexecve") {
        fexecve(open(kProgram, O_RDONLY | O_CLOEXEC), arguments, environ);
    } else if (how == "execl") {
        execl("/bin/sh", "sh", "-c", "test $0 = one && test $1 = two", "one", "two", nullptr);
    } else if (how == "execlp") {
        execlp("sh", "sh", "-c", "test $0 = one", "one", nullptr);
    } else if (how == "execle") {
        char variable[] = "SAID=this";
        char* const environment[] = {variable, nullptr};
        execle("/bin/sh", "sh", "-c", "test $SAID = this", nullptr, environment);
    } else { // fails, and the program goes on
        std::raise(SIGKILL);
    }
}

// 5,000 calls on each of two threads, then the end.
int ends(std::string_view how)
{
    ncclComm_t comm = communicator();
    const auto work = [comm] {
        for (int index = 0; index < 5000; ++index) {
            reduce(comm, 1);
            if (index % 100 == 0) {
                usleep(1000);
            }
        }
    };
    std::thread other(work);
    work();
    other.join();
    if (how == "exit") {
        std::exit(0);
    } else if (how == "quick_exit") {
        std::quick_exit(0);
    } else if (how == "_exit") {
        _exit(0);
    } else if (how == "abort") {
        std::abort();
    } else if (how == "_Exit") {
        std::_Exit(7);
    } else if (how == "kill") {
        std::raise(SIGKILL);
    } else if (how.starts_with("exec") || how.starts_with("fexec")) {
        becomeAnother(how);
    } else if (how == "exit_in_thread") {
        std::thread([] { std::exit(0); }).join();
    }
    return 0;
}

// A thread ends the process while this one is inside a call that does not return.
int exitDuringCall()
{
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    std::thread([] {
        usleep(100000);
        std::exit(5);
    }).detach();
    return reduce(comm, kForever);
}

std::filesystem::path traceFile()
{
    for (const auto& entry : std::filesystem::directory_iterator(std::getenv("RINGSIDE_DIR"))) {
        if (entry.path().extension() == ".db") {
            return entry.path();
        }
    }
    return {};
}

void manyCalls(ncclComm_t comm)
{
    for (int part = 0; part < 500; ++part) {
        for (int index = 0; index < 100; ++index) {
            reduce(comm, 1);
        }
        usleep(1000);
    }
}

int fileLimitMidway()
{
    ncclComm_t comm = communicator();
    manyCalls(comm);
    const auto size = static_cast<rlim_t>(std::filesystem::file_size(traceFile()));
    const rlimit limit{size + 10000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    manyCalls(comm);
    manyCalls(comm);
    std::printf("the job went on\n");
    return 0;
}

// The run directory lies on a small file system: something else fills it, and leaves again at the end.
int fullDisk()
{
    ncclComm_t comm = communicator();
    manyCalls(comm);
    const std::filesystem::path run = std::getenv("RINGSIDE_DIR");
    const auto isTrace = [](const auto& file) { return file.path().extension() == ".db"; };
    while (std::none_of(std::filesystem::directory_iterator(run), {}, isTrace)) {
        usleep(10000);
    }
    usleep(600000); // the first pass is over
    // At once, so that the recorder finds it as it is now, and not full
    const std::filesystem::path filler = run / "filler";
    constexpr std::uintmax_t kLeft = std::uintmax_t{1536} << 10; // the reserve is 2 MiB
    const int file = open(filler.c_str(), O_WRONLY | O_CREAT, 0600);
    const auto bytes = static_cast<off_t>(std::filesystem::space(filler).available - kLeft);
    if (posix_fallocate(file, 0, bytes) != 0) {
        return 2;
    }
    close(file);
    usleep(600000);
    manyCalls(comm);
    manyCalls(comm);
    std::filesystem::remove(filler);
    std::printf("the job went on\n");
    return 0;
}

// As the PyTorch profiler does: takes CUPTI before anybody else.
int holdsCupti()
{
    void* library = dlopen("libcupti.so.13", RTLD_NOW);
    using Subscribe = int (*)(void**, void*, void*);
    auto subscribe =
        library != nullptr ? reinterpret_cast<Subscribe>(dlsym(library, "cuptiSubscribe")) : nullptr;
    void* subscriber = nullptr;
    if (subscribe == nullptr || subscribe(&subscriber, nullptr, nullptr) != 0) {
        return 2;
    }
    void* memory = nullptr;
    cudaMalloc(&memory, 64);
    usleep(300000);
    return 0;
}

int oneAllocation()
{
    void* memory = nullptr;
    cudaMalloc(&memory, 64);
    usleep(300000);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::map<std::string_view, int (*)()> scenarios{
        {"static_destructor", staticDestructor},
        {"one_call", oneCall},
        {"vfork_exec", vforkExec},
        {"children_end_and_it_is_killed", childrenEndAndItIsKilled},
        {"fork_while_it_begins", forkWhileItBegins},
        {"signal_handler", signalHandler},
        {"threads_end", threadsEnd},
        {"exit_during_call", exitDuringCall},
        {"file_limit_midway", fileLimitMidway},
        {"full_disk", fullDisk},
        {"holds_cupti", holdsCupti},
        {"one_allocation", oneAllocation},
    };
    g_self = argv[0];
    if (argc > 2) {
        return ends(argv[2]);
    }
    const auto found = argc > 1 ? scenarios.find(argv[1]) : scenarios.end();
    return found != scenarios.end() ? found->second() : 2;
}
