// SPDX-License-Identifier: Apache-2.0
// Reading a file in somebody else's process: a std::ifstream has no close-on-exec, so that a child which
// another thread starts in that moment gets the descriptor.
#pragma once
#include <ext/stdio_filebuf.h>
#include <fcntl.h>

#include <istream>
#include <string>

namespace ringside::host {

/// A file to read, as std::ifstream; a stream that failed where it cannot be opened.
class InputFile final : public std::istream {
public:
    explicit InputFile(const std::string& path)
        : std::istream(nullptr)
        , m_buffer(open(path.c_str(), O_RDONLY | O_CLOEXEC), std::ios::in | std::ios::binary)
    {
        init(&m_buffer);
        if (!m_buffer.is_open()) {
            setstate(std::ios::failbit);
        }
    }

private:
    __gnu_cxx::stdio_filebuf<char> m_buffer;
};

/// Empty: it cannot be read.
[[nodiscard]] inline std::string firstLine(const std::string& path)
{
    InputFile file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

} // namespace ringside::host
