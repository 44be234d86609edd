// SPDX-License-Identifier: Apache-2.0
#include "host/kept_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ringside::host {

KeptFile::KeptFile(KeptFile&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

KeptFile& KeptFile::operator=(KeptFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

bool KeptFile::open(const std::string& path)
{
    close();
    m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return m_descriptor >= 0;
}

bool KeptFile::isThere() const
{
    struct stat status {};
    return fstat(m_descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0;
}

void KeptFile::close()
{
    if (isOpen()) {
        ::close(std::exchange(m_descriptor, -1));
    }
}

ssize_t KeptFile::readOnce(char* buffer, std::size_t bytes) const
{
    return pread(m_descriptor, buffer, bytes, 0);
}

std::optional<std::string_view> KeptFile::readInto(char* buffer, std::size_t bytes) const
{
    std::size_t size = 0;
    ssize_t got = -1;
    while (size < bytes &&
           (got = pread(m_descriptor, buffer + size, bytes - size, static_cast<off_t>(size))) > 0) {
        size += static_cast<std::size_t>(got); // lists arrive one page at a time
    }
    return size > 0 ? std::optional(std::string_view(buffer, size)) : std::nullopt;
}

} // namespace ringside::host
