// SPDX-License-Identifier: Apache-2.0
// Folders and files whose names another user may have chosen. Each is opened once, without following a link,
// and then examined and used through its descriptor only, so that a later change of what the name refers to
// has no effect.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trace {

/// A descriptor that is closed by its owner's destructor; -1 if there is none.
class Descriptor final {
public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return m_number; }

private:
    int m_number;
};

/// A regular file that is open for reading.
struct OpenFile {
    Descriptor descriptor;
    struct stat status {};
    /// Returns its first bytes, up to this number.
    [[nodiscard]] std::string head(std::size_t bytes) const;
};

class Folder final {
public:
    enum class LastLink { Follow, Refuse };
    /// Returns null if there is none, or if it is a link that is refused; errno contains the reason.
    [[nodiscard]] static std::optional<Folder> open(const std::filesystem::path& path, LastLink link);
    /// Opens a folder directly in this one. Never follows a link.
    [[nodiscard]] std::optional<Folder> openFolder(const std::string& name) const;
    /// Does the same, and creates the folder with mode 0700 if it does not exist.
    [[nodiscard]] std::optional<Folder> makeFolder(const std::string& name) const;

    [[nodiscard]] std::vector<std::string> names() const;
    /// Returns null if there is none, or if it is a link, a FIFO or a device. Never blocks.
    [[nodiscard]] std::optional<OpenFile> openFile(const std::string& name) const;
    /// Creates a new file that only its owner can read, and replaces one of the same name. Returns -1 with
    /// errno on failure.
    [[nodiscard]] Descriptor makeFile(const std::string& name) const;
    bool rename(const std::string& from, const std::string& to) const;
    /// Removes the name if it still refers to that file.
    bool remove(const std::string& name, const OpenFile& file) const;
    bool remove(const std::string& name) const;

    [[nodiscard]] int number() const { return m_descriptor.number(); }
    [[nodiscard]] uid_t owner() const { return m_status.st_uid; }
    [[nodiscard]] mode_t permissions() const { return m_status.st_mode & 07777U; }
    [[nodiscard]] bool isSame(const struct stat& other) const;

private:
    explicit Folder(Descriptor descriptor);
    Descriptor m_descriptor;
    struct stat m_status {};
};

/// Copies a file as a whole and replaces one of the new name. Throws Error; the new name is unchanged then.
void copyFile(const OpenFile& file, const Folder& to, const std::string& name);

} // namespace ringside::trace
