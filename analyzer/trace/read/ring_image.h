// SPDX-License-Identifier: Apache-2.0
// A ring file of another process, whether alive or dead, as it was at one moment.
#pragma once
#include <ringside/error.h>
#include <ringside/trace/ring.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace ringside::trace {

/// A ring file in memory, with the alignment of a mapping. It is copied because a file may shrink under a
/// mapping.
class RingImage final {
public:
    explicit RingImage(const std::filesystem::path& path)
    {
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        const auto size = file ? static_cast<std::streamoff>(file.tellg()) : std::streamoff{0};
        if (size > kLongestBytes) {
            throw Error(ErrorCode::Unusable,
                        path.string() + " has " + std::to_string(size) + " bytes: no ring is that long",
                        "Move it away and recover the rest.");
        }
        m_words.resize(static_cast<std::size_t>(std::max<std::streamoff>(size, 0)) / sizeof(std::uint64_t));
        file.seekg(0);
        file.read(reinterpret_cast<char*>(m_words.data()), static_cast<std::streamsize>(bytes().size()));
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(m_words)); }

    template <class T>
    [[nodiscard]] T field(std::size_t offset) const
    {
        T value{};
        if (bytes().size() >= offset + sizeof value) {
            std::memcpy(&value, bytes().data() + offset, sizeof value);
        }
        return value;
    }
    template <std::size_t Length>
    [[nodiscard]] std::string text(std::size_t offset) const
    {
        const auto characters = field<std::array<char, Length>>(offset);
        return {characters.data(), strnlen(characters.data(), Length)};
    }
    /// Returns the current value of the field in the file.
    template <class T>
    [[nodiscard]] static T fieldOf(const std::filesystem::path& path, std::size_t offset)
    {
        T value{};
        std::ifstream file(path, std::ios::binary);
        file.seekg(static_cast<std::streamoff>(offset));
        file.read(reinterpret_cast<char*>(&value), sizeof value);
        return value;
    }
    [[nodiscard]] bool isDefinitions() const
    {
        return field<std::uint32_t>(offsetof(RingHeader, role)) ==
               static_cast<std::uint32_t>(RingRole::Definitions);
    }
    [[nodiscard]] std::uint32_t id() const { return field<std::uint32_t>(offsetof(RingHeader, ringId)); }

private:
    // The largest ring of the collector is 1 GiB, plus its header.
    static constexpr std::streamoff kLongestBytes = (std::streamoff{1} << 30) + kRingHeaderBytes;
    std::vector<std::uint64_t> m_words;
};

} // namespace ringside::trace
