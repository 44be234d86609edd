// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whatever a trace file holds, once it opens it gives a report in every format, and a verdict on
// what hangs.
#include "hang/hang.h"
#include "report/format.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>

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
    return folder / ("ringside-fuzz-report-" + std::to_string(getpid()) + ".db");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ringside;
    const std::filesystem::path file = inputFile();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    trace::RunTrace run;
    try {
        run = trace::openRun(file);
    } catch (const Error&) {
        std::filesystem::remove(file);
        return 0; // refusing is right for most inputs
    }
    std::filesystem::remove(file);
    const std::vector<hang::ProcessNow> now(run.processes.size(), {hang::Life::Running, 0, true});
    const hang::Report stuck = hang::analyze(run, now, {});
    if (hang::formatText(stuck).empty() || hang::formatJson(stuck).empty()) {
        __builtin_trap();
    }
    const report::Report report = report::buildReport(std::move(run), {});
    for (const report::Format* format : report::all()) {
        if (format->render != nullptr && format->render(report, {}).empty()) {
            __builtin_trap();
        }
    }
    return 0;
}
