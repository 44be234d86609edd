// SPDX-License-Identifier: Apache-2.0
// A file that gets its name when it is whole.
#pragma once
#include <string>

namespace ringside::collector {

/// Only its user may read it. Without a name by the end of its life, nothing of it stays.
class NewFile final {
public:
    /// Below `directory`, without a name: it goes with a process that is killed. Some file systems cannot do
    /// that (NFS, some overlays).
    explicit NewFile(const std::string& directory);
    /// As `path` and `ending` until then; a process that is killed leaves it there.
    NewFile(const std::string& path, const char* ending);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// -1 with errno when it could not be made.
    [[nodiscard]] int descriptor() const { return m_descriptor; }
    /// False with errno; then it has no name, or its first one.
    [[nodiscard]] bool give(const std::string& path) const;

private:
    std::string m_unfinished; ///< empty: it has no name
    int m_descriptor = -1;
};

} // namespace ringside::collector
