// SPDX-License-Identifier: Apache-2.0
#include "cli/text_file.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

namespace ringside::cli {
namespace {

constexpr std::size_t kMostBytes = 64U << 20U;

[[noreturn]] void failToRead(const std::filesystem::path& path)
{
    throw trace::systemError("cannot read " + path.string(), errno);
}

class Descriptor final {
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() { close(m_number); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    /// Returns 0 at the end and -1, with errno, on failure.
    ssize_t read(std::array<char, 1U << 16U>& into) const
    {
        for (;;) {
            const ssize_t got = ::read(m_number, into.data(), into.size());
            if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
                return got;
            }
            pollfd ready{m_number, POLLIN, 0};
            poll(&ready, 1, -1);
        }
    }

private:
    int m_number;
};

} // namespace

std::string readText(const std::filesystem::path& path)
{
    const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0) {
        failToRead(path);
    }
    const Descriptor file(number);
    std::string text;
    const auto buffer = std::make_unique<std::array<char, 1U << 16U>>();
    for (ssize_t got = 0; (got = file.read(*buffer)) != 0;) {
        if (got < 0) {
            failToRead(path);
        }
        text.append(buffer->data(), static_cast<std::size_t>(got));
        if (text.size() > kMostBytes) {
            throw Error(ErrorCode::Unusable, fmt::format("{} is larger than 64 MiB", path.string()),
                        "Is it the right file?");
        }
    }
    return text;
}

std::int64_t modifiedNsOf(const std::filesystem::path& path)
{
    constexpr std::int64_t kNsPerS = 1'000'000'000;
    constexpr std::int64_t kMostS = 9'000'000'000; // in the year 2255; a file's time is not trusted either
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        failToRead(path);
    }
    const std::int64_t seconds = std::clamp<std::int64_t>(status.st_mtim.tv_sec, 0, kMostS);
    return seconds * kNsPerS + status.st_mtim.tv_nsec;
}

} // namespace ringside::cli
