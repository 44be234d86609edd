// SPDX-License-Identifier: Apache-2.0
// A small file of /proc or /sys that is read repeatedly: opened once, and read from its beginning without
// looking up its path again.
#pragma once
#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::host {

class KeptFile final {
public:
    KeptFile() = default;
    explicit KeptFile(const std::string& path) { open(path); }
    ~KeptFile() { close(); }
    KeptFile(KeptFile&& other) noexcept;
    KeptFile& operator=(KeptFile&& other) noexcept;

    /// Returns false, with errno, if the file cannot be opened.
    bool open(const std::string& path);
    void close();
    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    /// Returns whether the file is open, and is a regular file that has not been deleted or replaced
    /// meanwhile. For files of sysfs, reading reports this instead: ENODEV.
    [[nodiscard]] bool isThere() const;
    /// Returns the content, as far as it fits into `buffer`, or null, with errno, if it cannot be read.
    template <std::size_t kBytes>
    std::optional<std::string_view> read(std::array<char, kBytes>& buffer) const
    {
        return readInto(buffer.data(), kBytes);
    }

    /// Performs one pread from the beginning and returns its result.
    ssize_t readOnce(char* buffer, std::size_t bytes) const;

private:
    [[nodiscard]] std::optional<std::string_view> readInto(char* buffer, std::size_t bytes) const;
    int m_descriptor = -1;
};

} // namespace ringside::host
