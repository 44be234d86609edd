// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/window.h"

#include <algorithm>
#include <cstring>

namespace ringside::importers::kineto {
namespace {

constexpr std::size_t kBlock = 1U << 20U;    // fits into the second-level cache
constexpr std::size_t kLargest = 64U << 20U; // of one value; call stacks make events of several kilobytes

} // namespace

bool Window::more()
{
    const std::size_t rest = m_filled - m_consumed;
    if (rest >= kLargest) {
        m_tooLarge = true;
        return false;
    }
    std::memmove(m_buffer.data(), m_buffer.data() + m_consumed, rest);
    m_offset += m_consumed;
    m_consumed = 0;
    // The size doubles, so that a large value is not scanned again for each block.
    m_buffer.resize(std::max(m_buffer.size(), rest + std::max(kBlock, rest) + kPadding));
    const std::size_t got = m_bytes.read({m_buffer.data() + rest, m_buffer.size() - kPadding - rest});
    m_filled = rest + got;
    std::memset(m_buffer.data() + m_filled, 0, kPadding);
    return got > 0;
}

} // namespace ringside::importers::kineto
