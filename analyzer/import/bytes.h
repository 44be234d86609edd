// SPDX-License-Identifier: Apache-2.0
// Bytes of a foreign file one after the other, and lines of them. The file is never in memory as a whole.
#pragma once
#include "import/input.h"
#include "import/progress.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers {

/// Of a plain file from any place on, of a gzip file from its begin.
class Bytes final {
public:
    Bytes(const File& file, std::uint64_t offset, Progress& progress);
    std::size_t read(std::span<char> to);
    /// Why it ended before its end; empty: it did not.
    [[nodiscard]] std::string problem() const { return m_gzip ? m_gzip->problem() : std::string(); }

private:
    const File& m_file;
    std::uint64_t m_offset;
    std::optional<GzipStream> m_gzip;
    Progress& m_progress;
};

struct Line {
    std::string_view text;    ///< without its end; valid until the next one is read
    std::uint64_t number = 0; ///< from 1
    bool cut = false;         ///< it was longer than a line may be: `text` is its begin
    bool ended = true;        ///< false: the file ended before the line did
};

class LineReader final {
public:
    /// `longest`: bytes of a line that are kept.
    LineReader(Bytes& bytes, std::size_t longest) : m_bytes(bytes), m_longest(longest) {}

    /// False at the end of the file.
    bool next(Line& line);

private:
    bool fill();

    Bytes& m_bytes;
    std::size_t m_longest;
    std::vector<char> m_buffer;
    std::size_t m_taken = 0;
    std::size_t m_filled = 0;
    std::uint64_t m_number = 0;
};

} // namespace ringside::importers
