// SPDX-License-Identifier: Apache-2.0
// A folder that only we can read, gone when this is; or when a program is ended by a signal, if it sees to
// it.
#pragma once
#include <filesystem>

namespace ringside::trace {

class TemporaryFolder final {
public:
    TemporaryFolder(); ///< throws Error (Io) where none can be made
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

/// Removes all that this process has. For a program that is about to end: whoever works in one fails.
void removeTemporaryFolders();

} // namespace ringside::trace
