// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a trace of the PyTorch profiler give rows, issues or ringside::Error, never
// anything else.
#include "import/importer.h"

#include <ringside/error.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

extern const ringside::importers::Importer importer_kineto;

namespace {

/// On tmpfs where there is one: importers read files.
std::filesystem::path inputFile()
{
    const std::filesystem::path shm = "/dev/shm";
    const auto folder = std::filesystem::exists(shm) ? shm : std::filesystem::temp_directory_path();
    return folder / ("ringside-fuzz-kineto-" + std::to_string(getpid()) + ".json");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::filesystem::path file = inputFile();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    ringside::importers::Progress progress;
    static_cast<void>(importer_kineto.recognises({reinterpret_cast<const char*>(data), size}, file));
    try {
        static_cast<void>(importer_kineto.import({file, 1, progress}));
    } catch (const ringside::Error&) {
        // Refusing is right for most inputs.
    }
    std::filesystem::remove(file);
    return 0;
}
