// SPDX-License-Identifier: Apache-2.0
#include "cli/trial_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ringside::cli {
namespace {

constexpr const char* kProgram = "/bin/true";

struct Trial {
    std::string said; ///< output on stderr
    int status = 0;   ///< of wait(2)
};

/// The loader accepts no space, colon or $ in a path; for such a path, the descriptor's /proc path is used.
std::string nameFor(const std::filesystem::path& library, int descriptor)
{
    return library.native().find_first_of(" :$") == std::string::npos
               ? library.string()
               : "/proc/self/fd/" + std::to_string(descriptor);
}

[[noreturn]] void tryHere(const std::string& preload, int said)
{
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    setenv("LD_PRELOAD", preload.c_str(), 1);
    setenv("RINGSIDE_PROFILE", "off", 1);
    unsetenv("RINGSIDE_DIR");
    execl(kProgram, kProgram, nullptr);
    _exit(0); // the trial could not be started
}

/// Reads until the other end is closed, or until the time limit.
std::string readAll(int descriptor)
{
    constexpr int kPatienceMs = 10'000;
    std::string text;
    std::array<char, 4096> part{};
    pollfd ready{descriptor, POLLIN, 0};
    while (poll(&ready, 1, kPatienceMs) > 0) {
        const ssize_t got = read(descriptor, part.data(), part.size());
        if (got <= 0) {
            break;
        }
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

Trial tryWith(const std::string& preload)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    const pid_t child = fork();
    if (child == 0) {
        tryHere(preload, ends[1]);
    }
    close(ends[1]);
    Trial trial;
    if (child > 0) {
        trial.said = readAll(ends[0]);
        kill(child, SIGKILL); // it has ended, or hangs
        while (waitpid(child, &trial.status, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return trial;
}

std::string lineWith(const std::string& text, std::string_view part)
{
    const std::size_t at = text.find(part);
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = text.rfind('\n', at) + 1; // 0 if there is none
    return text.substr(begin, text.find('\n', at) - begin);
}

/// Finds the version in "version `GLIBC_2.38' not found (required by ...)".
std::string missingVersion(const std::string& said)
{
    constexpr std::string_view kBefore = "version `";
    const std::string line = lineWith(said, "' not found");
    const std::size_t at = line.find(kBefore);
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = at + kBefore.size();
    return line.substr(begin, line.find('\'', begin) - begin);
}

std::string howItEnded(int status)
{
    return WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                               : fmt::format("with code {}", WEXITSTATUS(status));
}

std::string reasonOf(const Trial& trial, const std::string& name)
{
    if (const std::string version = missingVersion(trial.said); !version.empty()) {
        return fmt::format("it needs {}, and this machine has glibc {}", version, gnu_get_libc_version());
    }
    // "object 'NAME' from LD_PRELOAD cannot be preloaded (wrong ELF class: ELFCLASS32): ignored."
    if (const std::string line = lineWith(trial.said, "'" + name + "' from LD_PRELOAD"); !line.empty()) {
        const std::size_t begin = line.find('(');
        return begin == std::string::npos ? line : line.substr(begin + 1, line.rfind(')') - begin - 1);
    }
    if (trial.status == 0) {
        return {};
    }
    const std::string first = trial.said.substr(0, trial.said.find('\n'));
    return fmt::format("{} ended {} when it was preloaded{}", kProgram, howItEnded(trial.status),
                       first.empty() ? "" : ": " + first);
}

} // namespace

std::string whyNotLoadable(const std::filesystem::path& collector)
{
    if (access(kProgram, X_OK) != 0) {
        return {};
    }
    // inherited by the trial, whose LD_PRELOAD may name it
    const int descriptor = open(collector.c_str(), O_RDONLY);
    if (descriptor < 0) {
        return std::strerror(errno);
    }
    const std::string name = nameFor(collector, descriptor);
    const char* const preloaded = std::getenv("LD_PRELOAD");
    const std::string others = preloaded != nullptr ? preloaded : "";
    std::string reason = reasonOf(tryWith(others.empty() ? name : name + ":" + others), name);
    if (!reason.empty() && !others.empty() && !reasonOf(tryWith(others), name).empty()) {
        reason.clear(); // the program also fails without the collector
    }
    close(descriptor);
    return reason;
}

} // namespace ringside::cli
