// SPDX-License-Identifier: Apache-2.0
// Writes a folder with the tables of HolisticTraceAnalysis 0.6.0, including its deviations, for users who
// have scripts for these tables. The tables are in hta/tables.
#include "report/format.h"
#include "report/hta/table.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace ringside::report::format_hta_csv {
namespace {

void write(const Report& report, const std::filesystem::path& folder)
{
    const bool made = mkdir(folder.c_str(), 0700) == 0; // readable by the user only, like its files
    const int why = errno;
    std::error_code ignored;
    if (!made && !std::filesystem::is_directory(folder, ignored)) {
        throw Error(ErrorCode::Io,
                    fmt::format("cannot make the folder {}: {}", folder.string(), std::strerror(why)),
                    "Its parent folder must exist and be writable.");
    }
    const std::vector<hta::Frame> frames = hta::loadFrames(report);
    for (const hta::Table* const table : hta::all()) {
        table->write(frames, folder);
    }
}

} // namespace

RINGSIDE_REPORT(hta_csv, .title = "the tables of HolisticTraceAnalysis, one CSV file per table",
                .writeFolder = write);

} // namespace ringside::report::format_hta_csv
