// SPDX-License-Identifier: Apache-2.0
#include "doctor/child.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

namespace ringside::doctor {
namespace {

std::string readAll(int in)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
    const auto last = Clock::now() + std::chrono::seconds(20);
    std::string text;
    std::array<char, 4096> piece{};
    while (text.size() < kMostBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now()).count();
        pollfd ready{in, POLLIN, 0};
        if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) {
            break;
        }
        const ssize_t bytes = read(in, piece.data(), piece.size());
        if (bytes <= 0) {
            break;
        }
        text.append(piece.data(), static_cast<std::size_t>(bytes));
    }
    return text;
}

} // namespace

std::string outputOfChild(const std::function<void(int out)>& report)
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return {};
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        report(ends[1]);
        _exit(0); // skips destructors of loaded libraries
    }
    close(ends[1]);
    std::string text = child > 0 ? readAll(ends[0]) : std::string();
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    return text;
}

} // namespace ringside::doctor
