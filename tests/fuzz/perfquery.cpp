// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as what perfquery printed, two readings parted by a byte of 0, give a run of whose
// series every sample has one, or ringside::Error.
#include "cli/perfquery.h"

#include <ringside/error.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

/// On tmpfs where there is one.
std::string fileNamed(const char* name)
{
    const fs::path shm = "/dev/shm";
    const auto folder = fs::exists(shm) ? shm : fs::temp_directory_path();
    return folder / ("ringside-fuzz-perfquery-" + std::to_string(getpid()) + name);
}

void write(const std::string& file, std::string_view text, std::int64_t second)
{
    std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    fs::last_write_time(file, fs::file_time_type(std::chrono::seconds(second)));
}

void require(bool good)
{
    if (!good) {
        std::abort();
    }
}

void check(const ringside::trace::RunTrace& run)
{
    for (const ringside::trace::ProcessTrace& process : run.processes) {
        for (const ringside::trace::SeriesRow& series : process.series) {
            require(series.entity.find_first_not_of("lid0123456789:") == std::string::npos);
        }
        const auto& ids = process.samples.series;
        require(std::all_of(ids.begin(), ids.end(),
                            [&](std::uint32_t id) { return id >= 1 && id <= process.series.size(); }));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::string before = fileNamed("-before");
    static const std::string after = fileNamed("-after");
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t parting = std::min(text.find('\0'), size);
    write(before, text.substr(0, parting), 1'700'000'000);
    write(after, text.substr(std::min(parting + 1, size)), 1'700'000'060);
    for (const auto& files : {std::vector{before}, std::vector{before, after}}) {
        try {
            check(ringside::cli::runOfPerfquery(files));
        } catch (const ringside::Error&) {
            // Refusing is right for most inputs.
        }
    }
    fs::remove(before);
    fs::remove(after);
    return 0;
}
