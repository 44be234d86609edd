// SPDX-License-Identifier: Apache-2.0
#include "trace/read/folder.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace ringside::trace {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

bool writeAll(int file, const char* bytes, std::size_t count)
{
    while (count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? static_cast<std::size_t>(written) : 0;
    }
    return true;
}

bool copyBytes(int from, int to)
{
    std::vector<char> bytes(std::size_t{1} << 20);
    off_t at = 0;
    for (;;) {
        const ssize_t got = pread(from, bytes.data(), bytes.size(), at);
        if (got == 0) {
            return true;
        }
        if (got < 0 ? errno != EINTR : !writeAll(to, bytes.data(), static_cast<std::size_t>(got))) {
            return false;
        }
        at += got > 0 ? got : 0;
    }
}

} // namespace

Descriptor::~Descriptor()
{
    if (m_number >= 0) {
        close(m_number);
    }
}

Descriptor::Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept
{
    std::swap(m_number, other.m_number);
    return *this;
}

std::string OpenFile::head(std::size_t bytes) const
{
    std::string text(bytes, '\0');
    const ssize_t got = pread(descriptor.number(), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

Folder::Folder(Descriptor descriptor) : m_descriptor(std::move(descriptor))
{
    fstat(m_descriptor.number(), &m_status);
}

std::optional<Folder> Folder::open(const std::filesystem::path& path, LastLink link)
{
    Descriptor file(::open(path.c_str(), kFolder | (link == LastLink::Refuse ? O_NOFOLLOW : 0)));
    return file.number() >= 0 ? std::optional(Folder(std::move(file))) : std::nullopt;
}

std::optional<Folder> Folder::openFolder(const std::string& name) const
{
    Descriptor file(openat(number(), name.c_str(), kFolder | O_NOFOLLOW));
    return file.number() >= 0 ? std::optional(Folder(std::move(file))) : std::nullopt;
}

std::optional<Folder> Folder::makeFolder(const std::string& name) const
{
    constexpr mode_t kPrivate = 0700;
    return mkdirat(number(), name.c_str(), kPrivate) == 0 || errno == EEXIST ? openFolder(name)
                                                                             : std::nullopt;
}

std::vector<std::string> Folder::names() const
{
    std::vector<std::string> result;
    DIR* const folder = fdopendir(openat(number(), ".", kFolder));
    if (folder == nullptr) {
        return result;
    }
    while (const dirent* const entry = readdir(folder)) {
        const std::string_view name(entry->d_name);
        if (name != "." && name != "..") {
            result.emplace_back(name);
        }
    }
    closedir(folder);
    return result;
}

// A FIFO, for example, would block its reader.
std::optional<OpenFile> Folder::openFile(const std::string& name) const
{
    OpenFile file;
    file.descriptor =
        Descriptor(openat(number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    const bool regular = file.descriptor.number() >= 0 &&
                         fstat(file.descriptor.number(), &file.status) == 0 && S_ISREG(file.status.st_mode);
    return regular ? std::optional(std::move(file)) : std::nullopt;
}

Descriptor Folder::makeFile(const std::string& name) const
{
    constexpr mode_t kPrivate = 0600;
    unlinkat(number(), name.c_str(), 0); // a link there would redirect the write
    return Descriptor(
        openat(number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate));
}

bool Folder::rename(const std::string& from, const std::string& to) const
{
    return renameat(number(), from.c_str(), number(), to.c_str()) == 0;
}

bool Folder::remove(const std::string& name, const OpenFile& file) const
{
    struct stat now {};
    const bool same = fstatat(number(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
                      now.st_dev == file.status.st_dev && now.st_ino == file.status.st_ino;
    return same && remove(name);
}

bool Folder::remove(const std::string& name) const
{
    return unlinkat(number(), name.c_str(), 0) == 0;
}

bool Folder::isSame(const struct stat& other) const
{
    return m_status.st_dev == other.st_dev && m_status.st_ino == other.st_ino;
}

void copyFile(const OpenFile& file, const Folder& to, const std::string& name)
{
    const std::string fresh = name + ".tmp";
    const Descriptor target = to.makeFile(fresh);
    if (target.number() >= 0 && copyBytes(file.descriptor.number(), target.number()) &&
        to.rename(fresh, name)) {
        return;
    }
    const int why = errno;
    to.remove(fresh);
    throw systemError("cannot copy " + name + " into the run directory", why);
}

} // namespace ringside::trace
