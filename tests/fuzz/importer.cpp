// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of another tool give rows, issues or ringside::Error, never anything else.
// Built once an importer, whose name is RINGSIDE_IMPORTER_NAME.
#include "import/importer.h"

#include <ringside/error.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#define RINGSIDE_JOIN_NAMES(a, b) a##b
#define RINGSIDE_JOIN(a, b) RINGSIDE_JOIN_NAMES(a, b)
#define RINGSIDE_IMPORTER_NAMESPACE ringside::importers::RINGSIDE_JOIN(importer_, RINGSIDE_IMPORTER_NAME)
#define RINGSIDE_FUZZED RINGSIDE_IMPORTER_NAMESPACE::entry

namespace RINGSIDE_IMPORTER_NAMESPACE {
extern const Importer entry;
} // namespace RINGSIDE_IMPORTER_NAMESPACE

namespace {

/// On tmpfs where there is one: importers read files.
std::filesystem::path inputFile()
{
    const std::filesystem::path shm = "/dev/shm";
    const auto folder = std::filesystem::exists(shm) ? shm : std::filesystem::temp_directory_path();
    return folder / ("ringside-fuzz-" + std::string(RINGSIDE_FUZZED.id) + "-" + std::to_string(getpid()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::filesystem::path file = inputFile();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    ringside::importers::Progress progress;
    static_cast<void>(RINGSIDE_FUZZED.recognises({reinterpret_cast<const char*>(data), size}, file));
    try {
        static_cast<void>(RINGSIDE_FUZZED.import({file, 1, progress}));
    } catch (const ringside::Error&) {
        // Refusing is right for most inputs.
    }
    std::filesystem::remove(file);
    return 0;
}
