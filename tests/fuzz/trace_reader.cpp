// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a trace file give rows, issues or ringside::Error, never anything else; nor as a
// line of a stack file.
#include <ringside/error.h>
#include <ringside/trace/reader.h>
#include <ringside/trace/stacks.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

/// On tmpfs where there is one: SQLite wants a file.
std::filesystem::path inputFile()
{
    const std::filesystem::path shm = "/dev/shm";
    const auto folder = std::filesystem::exists(shm) ? shm : std::filesystem::temp_directory_path();
    return folder / ("ringside-fuzz-" + std::to_string(getpid()) + ".db");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static_cast<void>(
        ringside::trace::parseStackLine(std::string_view(reinterpret_cast<const char*>(data), size)));
    const std::filesystem::path file = inputFile();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    try {
        static_cast<void>(ringside::trace::openRun(file));
    } catch (const ringside::Error&) {
        // Refusing is right for most inputs.
    }
    std::filesystem::remove(file);
    return 0;
}
