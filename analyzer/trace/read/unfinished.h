// SPDX-License-Identifier: Apache-2.0
// What is being made, and must not stay if it does not get whole: a copy that a query works on, an export, a
// merged file. Half of it would be taken for the whole.
#pragma once
#include <filesystem>
#include <functional>

namespace ringside::trace {

/// A file or folder that we made: removed with this unless it is kept; and when a program is ended by a
/// signal, if it sees to it.
class Unfinished final {
public:
    Unfinished() = default; ///< of nothing
    explicit Unfinished(std::filesystem::path path);
    /// Of what `make` makes; of nothing, with its errno, where that returns false. A signal finds it from the
    /// first moment on.
    Unfinished(std::filesystem::path path, const std::function<bool()>& make);
    ~Unfinished();
    Unfinished(Unfinished&& other) noexcept;
    Unfinished& operator=(Unfinished&& other) noexcept;
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// It is whole.
    void keep();

private:
    std::filesystem::path m_path;
};

/// A folder that only we can read, in TMPDIR. Throws Error (Io) where none can be made.
[[nodiscard]] Unfinished makeTemporaryFolder();

/// Removes all that this process has. For a program that is about to end: whoever works in one fails, and
/// whoever would make another waits for ever.
void removeUnfinished();

} // namespace ringside::trace
