// SPDX-License-Identifier: Apache-2.0
// Files that are being written and must not remain if they stay incomplete: a copy for a query, an export, a
// merged file. An incomplete file could be mistaken for a complete one.
#pragma once
#include <filesystem>
#include <functional>

namespace ringside::trace {

/// A file or folder that this program created. It is removed with this object unless it is kept, and by
/// removeUnfinished() if a signal ends the program.
class Unfinished final {
public:
    Unfinished() = default; ///< owns nothing
    explicit Unfinished(std::filesystem::path path);
    /// Owns the file that `make` creates. Owns nothing if `make` returns false; errno is kept.
    /// removeUnfinished() covers the file from the first moment.
    Unfinished(std::filesystem::path path, const std::function<bool()>& make);
    ~Unfinished();
    Unfinished(Unfinished&& other) noexcept;
    Unfinished& operator=(Unfinished&& other) noexcept;
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Marks the file as complete.
    void keep();

private:
    std::filesystem::path m_path;
};

/// Creates a folder in TMPDIR that only this user can read. Throws Error (Io) on failure.
[[nodiscard]] Unfinished makeTemporaryFolder();

/// Removes all unfinished files of this process, for a program that is about to end. Operations on them fail
/// afterwards, and the creation of others blocks for ever.
void removeUnfinished();

} // namespace ringside::trace
