// SPDX-License-Identifier: Apache-2.0
#include "export/output_file.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace ringside::exporting {

OutputFile::OutputFile(std::filesystem::path path)
    : m_path(std::move(path)), m_file(std::fopen(m_path.c_str(), "wbx"))
{
    if (m_file == nullptr) {
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
}

void OutputFile::fail(std::string_view what) const
{
    throw Error(ErrorCode::Io, fmt::format("cannot {} {}: {}", what, m_path.string(), std::strerror(errno)),
                "Is the folder there, writable and not full?");
}

} // namespace ringside::exporting
