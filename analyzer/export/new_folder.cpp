// SPDX-License-Identifier: Apache-2.0
#include "export/new_folder.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace ringside::exporting {

NewFolder::NewFolder(const std::filesystem::path& path)
    : m_path(path), m_new(path, [&] { return mkdir(path.c_str(), 0700) == 0; })
{
    if (m_new.path().empty()) {
        throw Error(ErrorCode::Io,
                    fmt::format("cannot create the folder {}: {}", path.string(), std::strerror(errno)),
                    "Give the name of a new folder inside an existing one.");
    }
}

} // namespace ringside::exporting
