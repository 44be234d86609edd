// SPDX-License-Identifier: Apache-2.0
// A small file of /proc or /sys that is read again and again: opened once, read from its beginning without
// walking its path anew.
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

    /// False, with errno, when it cannot be opened.
    bool open(const std::string& path);
    void close();
    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    /// Whether it is open, and a regular file that has not been deleted or replaced meanwhile. Of sysfs's
    /// files, reading says that: ENODEV.
    [[nodiscard]] bool isThere() const;
    /// Its content, as far as `buffer` holds it; nothing, with errno, when it cannot be read.
    template <std::size_t kBytes>
    std::optional<std::string_view> read(std::array<char, kBytes>& buffer) const
    {
        return readInto(buffer.data(), kBytes);
    }

    /// One pread from its beginning, and what that returns.
    ssize_t readOnce(char* buffer, std::size_t bytes) const;

private:
    [[nodiscard]] std::optional<std::string_view> readInto(char* buffer, std::size_t bytes) const;
    int m_descriptor = -1;
};

} // namespace ringside::host
