// SPDX-License-Identifier: Apache-2.0
#include "host/kept_text.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

namespace ringside::host {
namespace {

constexpr rlim_t kPart = 8;
constexpr rlim_t kMostKept = 4096;

/// Number of files that may be kept open.
long mostKept()
{
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0
               ? static_cast<long>(std::min(limit.rlim_cur / kPart, kMostKept))
               : 0L;
}

/// Number of further files that may be kept open.
std::atomic<long>& room()
{
    static std::atomic<long> left = mostKept();
    return left;
}

/// Errors of a removed device. After other errors, the device refuses the file, and it is not read again.
bool isOfGoneDevice(int error)
{
    return error == ENODEV || error == ENXIO;
}

} // namespace

bool KeptText::isRoomy()
{
    constexpr long kPlenty = 1024; // 16 ports have 530 such files
    static const bool roomy = mostKept() >= kPlenty;
    return roomy;
}

void KeptText::drop()
{
    if (m_file.isOpen()) {
        m_file.close();
        room().fetch_add(1);
    }
}

void KeptText::keep(const std::string& path)
{
    if (room().fetch_sub(1) <= 0 || !m_file.open(path)) {
        room().fetch_add(1);
    } else if (!m_file.isThere()) {
        drop(); // for example, a pipe
    }
}

FileText KeptText::read(const std::string& path)
{
    if (m_file.isOpen()) {
        std::array<char, 256> buffer; // only the written part is read
        const ssize_t got = m_file.readOnce(buffer.data(), buffer.size());
        const int error = got < 0 ? errno : 0;
        if (!isOfGoneDevice(error)) {
            return asText(buffer, got, error);
        }
    }
    drop();
    FileText text = readText(path);
    if (text.error == 0) {
        keep(path);
    }
    return text;
}

} // namespace ringside::host
