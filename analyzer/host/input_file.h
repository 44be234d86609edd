// SPDX-License-Identifier: Apache-2.0
// Reads a file in the process of a job. std::ifstream does not set close-on-exec, so a child that another
// thread starts at that moment would inherit the descriptor.
#pragma once
#include <ext/stdio_filebuf.h>
#include <fcntl.h>

#include <istream>
#include <string>

namespace ringside::host {

/// A file for reading, like std::ifstream. The stream is in a failed state if the file cannot be opened.
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

/// Returns an empty text if the file cannot be read.
[[nodiscard]] inline std::string firstLine(const std::string& path)
{
    InputFile file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

} // namespace ringside::host
