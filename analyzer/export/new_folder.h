// SPDX-License-Identifier: Apache-2.0
// The folder of an export that consists of several files. It is removed unless it is kept.
#pragma once
#include "trace/read/unfinished.h"

#include <filesystem>

namespace ringside::exporting {

class NewFolder final {
public:
    /// Throws Error (Io) if the folder exists or cannot be created.
    explicit NewFolder(const std::filesystem::path& path);
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    void keep() { m_new.keep(); }

private:
    std::filesystem::path m_path;
    trace::Unfinished m_new;
};

} // namespace ringside::exporting
