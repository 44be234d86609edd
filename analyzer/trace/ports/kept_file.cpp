// SPDX-License-Identifier: Apache-2.0
#include "trace/ports/kept_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ringside::ports {

KeptFile::KeptFile(KeptFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_device(other.m_device), m_node(other.m_node)
{}

KeptFile& KeptFile::operator=(KeptFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_device, other.m_device);
    std::swap(m_node, other.m_node);
    return *this;
}

bool KeptFile::open(const std::string& path)
{
    close();
    m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status {};
    if (m_descriptor >= 0 && fstat(m_descriptor, &status) == 0) {
        m_device = status.st_dev;
        m_node = status.st_ino;
    }
    return m_descriptor >= 0;
}

std::optional<struct stat> KeptFile::status() const
{
    struct stat status {};
    const bool ours = m_descriptor >= 0 && fstat(m_descriptor, &status) == 0 && status.st_dev == m_device &&
                      status.st_ino == m_node;
    return ours ? std::optional(status) : std::nullopt;
}

bool KeptFile::isThere() const
{
    const auto status = this->status();
    return status && S_ISREG(status->st_mode) && status->st_nlink > 0;
}

void KeptFile::close()
{
    if (status()) {
        ::close(m_descriptor);
    }
    m_descriptor = -1;
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
        size += static_cast<std::size_t>(got); // lists come a page at a time
    }
    return size > 0 ? std::optional(std::string_view(buffer, size)) : std::nullopt;
}

} // namespace ringside::ports
