// SPDX-License-Identifier: Apache-2.0
// Reads a file of another tool sequentially as bytes or lines. The file is never in memory as a whole.
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

/// Reads the contents of a file in order: a plain file from any offset, a gzip file from its beginning.
class Bytes final {
public:
    /// Keeps references to `file` and `progress`. `offset` must be 0 for a gzip file.
    Bytes(const File& file, std::uint64_t offset, Progress& progress);
    /// Fills `to` and returns the number of bytes; fewer mean the end of the contents. Throws Error (Io).
    std::size_t read(std::span<char> to);
    /// Returns why the contents are incomplete. Empty if there is no problem.
    [[nodiscard]] std::string problem() const { return m_gzip ? m_gzip->problem() : std::string(); }

private:
    const File& m_file;
    std::uint64_t m_offset;
    std::optional<GzipStream> m_gzip;
    Progress& m_progress;
};

struct Line {
    std::string_view text;    ///< without line end; valid until the next line is read
    std::uint64_t number = 0; ///< counted from 1
    bool cut = false;         ///< whether the line was too long, so that `text` is only its beginning
    bool ended = true;        ///< false if the file ended before the line did
};

/// Reads the lines of a file.
class LineReader final {
public:
    /// Keeps a reference to `bytes`. `longest` is the number of bytes of a line that are kept.
    LineReader(Bytes& bytes, std::size_t longest) : m_bytes(bytes), m_longest(longest) {}

    /// Reads the next line. Returns false at the end of the file.
    bool next(Line& line);

private:
    bool fill();

    Bytes& m_bytes;
    std::size_t m_longest;
    std::vector<char> m_buffer;
    std::size_t m_consumed = 0;
    std::size_t m_filled = 0;
    std::uint64_t m_number = 0;
};

} // namespace ringside::importers
