// SPDX-License-Identifier: Apache-2.0
// A folder that only we can read, gone when this is.
#pragma once
#include <filesystem>

namespace ringside::query {

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

} // namespace ringside::query
