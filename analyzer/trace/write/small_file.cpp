// SPDX-License-Identifier: Apache-2.0
#include "trace/write/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace ringside::trace {
namespace {

/// 0 of a file that is not to be trusted.
std::size_t bytesToRead(int file, From whom, std::size_t mostBytes)
{
    struct stat status {};
    const bool trusted = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                         (whom == From::Anybody || status.st_uid == geteuid() || status.st_uid == 0);
    return trusted ? std::min(mostBytes, static_cast<std::size_t>(status.st_size)) : 0;
}

bool writeWhole(int file, std::string_view text)
{
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return close(file) == 0 && written;
}

} // namespace

// A FIFO, for one, would keep its reader waiting.
std::string readSmallFile(const std::filesystem::path& path, From whom, std::size_t mostBytes)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0) {
        return {};
    }
    std::string text(bytesToRead(file, whom, mostBytes), '\0');
    const ssize_t got = read(file, text.data(), text.size());
    close(file);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

bool replaceFile(const std::filesystem::path& path, const std::string& text)
{
    const std::string fresh = path.string() + "." + std::to_string(getpid()) + ".tmp";
    unlink(fresh.c_str()); // a link there would lead elsewhere
    const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    if (writeWhole(file, text) && rename(fresh.c_str(), path.c_str()) == 0) {
        return true;
    }
    const int why = errno;
    unlink(fresh.c_str());
    errno = why;
    return false;
}

} // namespace ringside::trace
