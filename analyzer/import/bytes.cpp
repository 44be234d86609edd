// SPDX-License-Identifier: Apache-2.0
#include "import/bytes.h"

#include <algorithm>
#include <cstring>

namespace ringside::importers {

Bytes::Bytes(const File& file, std::uint64_t offset, Progress& progress)
    : m_file(file), m_offset(offset), m_progress(progress)
{
    if (file.isGzip()) {
        m_gzip.emplace(file);
    }
}

std::size_t Bytes::read(std::span<char> to)
{
    if (m_gzip) {
        const std::uint64_t before = m_gzip->consumed();
        const std::size_t got = m_gzip->read(to);
        m_progress.add(m_gzip->consumed() - before);
        return got;
    }
    const std::size_t got = m_file.read(m_offset, to);
    m_offset += got;
    m_progress.add(got);
    return got;
}

/// Appends more bytes to the buffer. Returns false at the end of the file.
bool LineReader::fill()
{
    constexpr std::size_t kBlock = 256U << 10U;
    const std::size_t rest = m_filled - m_consumed;
    if (m_consumed > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_consumed, rest);
        m_consumed = 0;
    }
    m_buffer.resize(std::max(m_buffer.size(), rest + kBlock));
    const std::size_t got = m_bytes.read({m_buffer.data() + rest, m_buffer.size() - rest});
    m_filled = rest + got;
    return got > 0;
}

bool LineReader::next(Line& line)
{
    std::size_t searched = 0; // bytes after m_consumed that contain no line end
    line = {{}, m_number + 1, false, true};
    for (;;) {
        const std::string_view rest(m_buffer.data() + m_consumed, m_filled - m_consumed);
        if (const std::size_t end = rest.find('\n', searched); end != std::string_view::npos) {
            line.text = rest.substr(0, end);
            m_consumed += end + 1;
            break;
        }
        searched = rest.size();
        if (searched > m_longest) { // keep the beginning of the line and search on after it
            line.cut = true;
            std::memmove(m_buffer.data(), rest.data(), m_longest);
            m_consumed = 0;
            m_filled = m_longest;
            searched = m_longest;
        }
        if (!fill()) {
            line.text = {m_buffer.data() + m_consumed, m_filled - m_consumed};
            line.ended = false;
            m_consumed = m_filled;
            break;
        }
    }
    if (line.text.empty() && !line.ended) {
        return false;
    }
    ++m_number;
    line.cut = line.cut || line.text.size() > m_longest;
    line.text = line.text.substr(0, m_longest);
    if (line.text.ends_with('\r')) {
        line.text.remove_suffix(1);
    }
    return true;
}

} // namespace ringside::importers
