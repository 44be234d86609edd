// SPDX-License-Identifier: Apache-2.0
// A file that gets its name when it is complete.
#pragma once
#include <string>

namespace ringside::collector {

/// Only its user may read it. The file is removed unless it gets its name before the object is
/// destroyed.
class NewFile final {
public:
    /// Creates it in `directory` without a name, so that it vanishes if the process is killed. Some file
    /// systems cannot do that (NFS, some overlays).
    explicit NewFile(const std::string& directory);
    /// Creates it as `path` plus `ending`. A process that is killed leaves it behind.
    NewFile(const std::string& path, const char* ending);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// -1, with errno, if it could not be created.
    [[nodiscard]] int descriptor() const { return m_descriptor; }
    /// Returns false, with errno, on failure; the file then has no name or its first one.
    [[nodiscard]] bool give(const std::string& path) const;

private:
    std::string m_unfinished; ///< empty: it has no name
    int m_descriptor = -1;
};

} // namespace ringside::collector
