// SPDX-License-Identifier: Apache-2.0
// A fuzz target's input as a file, for what reads files.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace ringside::fuzz {

/// On tmpfs where there is one. `ending` tells targets that run at the same time apart.
class InputFile final {
public:
    InputFile(const std::uint8_t* data, std::size_t size, const std::string& ending)
    {
        std::ofstream(m_path += ending, std::ios::binary)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    }
    ~InputFile() { std::filesystem::remove(m_path); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    static std::filesystem::path folder()
    {
        const std::filesystem::path shm = "/dev/shm";
        return std::filesystem::exists(shm) ? shm : std::filesystem::temp_directory_path();
    }
    std::filesystem::path m_path = folder() / ("ringside-fuzz-" + std::to_string(getpid()));
};

} // namespace ringside::fuzz
