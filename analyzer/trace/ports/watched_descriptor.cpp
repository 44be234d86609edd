// SPDX-License-Identifier: Apache-2.0
#include "trace/ports/watched_descriptor.h"

#include <unistd.h>

#include <array>

namespace ringside::ports {
namespace {

std::string whatIs(int descriptor)
{
    std::array<char, 256> text; // NOLINT(*-member-init): read as far as it is filled
    const std::string link = "/proc/thread-self/fd/" + std::to_string(descriptor);
    const ssize_t length = readlink(link.c_str(), text.data(), text.size());
    return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

} // namespace

WatchedDescriptor::WatchedDescriptor(int number)
    : m_number(number), m_what(number < 0 ? std::string() : whatIs(number))
{}

bool WatchedDescriptor::isOurs() const
{
    return m_number < 0 || (!m_what.empty() && whatIs(m_number) == m_what);
}

} // namespace ringside::ports
