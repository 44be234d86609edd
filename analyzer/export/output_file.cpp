// SPDX-License-Identifier: Apache-2.0
#include "export/output_file.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ringside::exporting {

OutputFile::OutputFile(std::filesystem::path path, Existing existing, mode_t mode) : m_path(std::move(path))
{
    // Without O_NONBLOCK a FIFO that nobody reads would be waited for.
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    const int file = open(m_path.c_str(), flags | (existing == Existing::Refuse ? O_EXCL : O_TRUNC), mode);
    if (file < 0) {
        fail("make");
    }
    if (existing == Existing::Refuse) {
        m_new = trace::Unfinished(m_path);
    }
    fcntl(file, F_SETFL, O_WRONLY);
    m_file.reset(fdopen(file, "wb"));
    if (m_file == nullptr) {
        ::close(file);
        fail("make");
    }
}

void OutputFile::write(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), m_file.get()) != text.size()) {
        fail("write");
    }
}

void OutputFile::close()
{
    if (std::fclose(m_file.release()) != 0) {
        fail("write");
    }
    m_new.keep();
}

void OutputFile::fail(std::string_view what) const
{
    const char* const why = errno == ENXIO ? "nobody reads from it" : std::strerror(errno);
    throw Error(ErrorCode::Io, fmt::format("cannot {} {}: {}", what, m_path.string(), why),
                "Is the folder there, writable and not full?");
}

} // namespace ringside::exporting
