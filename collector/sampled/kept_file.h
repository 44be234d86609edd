// SPDX-License-Identifier: Apache-2.0
// A small file of /proc or /sys that is read again and again: opened once, read from its beginning without
// walking its path anew. The descriptor lies in somebody else's process, which may close it and use its
// number for something else: so it is only closed while it still is what was opened.
#pragma once
#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector::sampled {

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
    /// Its content, as far as `buffer` holds it; nothing, with errno, when it cannot be read.
    template <std::size_t kBytes>
    std::optional<std::string_view> read(std::array<char, kBytes>& buffer) const
    {
        return readInto(buffer.data(), kBytes);
    }

private:
    [[nodiscard]] std::optional<std::string_view> readInto(char* buffer, std::size_t bytes) const;
    int m_descriptor = -1;
    dev_t m_device = 0;
    ino_t m_node = 0;
};

} // namespace ringside::collector::sampled
