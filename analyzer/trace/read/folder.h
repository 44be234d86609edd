// SPDX-License-Identifier: Apache-2.0
// Folders and files whose names somebody else may have chosen. Each is opened once, without following a link,
// looked at through its descriptor, and used through it: whatever its name leads to a moment later does not
// matter.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trace {

/// A descriptor that is closed with its owner; -1: there is none.
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

/// A regular file, open for reading.
struct OpenFile {
    Descriptor descriptor;
    struct stat status {};
    /// Its first bytes, at most so many.
    [[nodiscard]] std::string head(std::size_t bytes) const;
};

class Folder final {
public:
    enum class LastLink { Follow, Refuse };
    /// Null where there is none, or a link that is refused; errno says why.
    [[nodiscard]] static std::optional<Folder> open(const std::filesystem::path& path, LastLink link);
    /// A folder directly in this one; never through a link.
    [[nodiscard]] std::optional<Folder> openFolder(const std::string& name) const;
    /// The same, made with mode 0700 where there is none.
    [[nodiscard]] std::optional<Folder> makeFolder(const std::string& name) const;

    [[nodiscard]] std::vector<std::string> names() const;
    /// Null where there is none, or it is a link, a FIFO, a device. Never waits.
    [[nodiscard]] std::optional<OpenFile> openFile(const std::string& name) const;
    /// A new file that its owner alone may read, in place of one that has the name; -1 with errno.
    [[nodiscard]] Descriptor makeFile(const std::string& name) const;
    bool rename(const std::string& from, const std::string& to) const;
    /// Removes the name if it still is that file's.
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

/// Copies a file as a whole, over one of that name. Throws Error; then there is none under the new name that
/// was not there before.
void copyFile(const OpenFile& file, const Folder& to, const std::string& name);

} // namespace ringside::trace
