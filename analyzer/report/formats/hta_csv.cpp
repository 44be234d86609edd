// SPDX-License-Identifier: Apache-2.0
// A folder with the tables of HolisticTraceAnalysis 0.6.0, figure by figure, its quirks included: for those
// who have scripts for them. The tables are in hta/tables.
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
    const bool made = mkdir(folder.c_str(), 0700) == 0; // as private as its files
    const int why = errno;
    std::error_code ignored;
    if (!made && !std::filesystem::is_directory(folder, ignored)) {
        throw Error(ErrorCode::Io,
                    fmt::format("cannot make the folder {}: {}", folder.string(), std::strerror(why)),
                    "Name one in a folder that exists and is writable.");
    }
    const std::vector<hta::Frame> frames = hta::loadFrames(report);
    for (const hta::Table* const table : hta::all()) {
        table->write(frames, folder);
    }
}

} // namespace

RINGSIDE_REPORT(hta_csv, .title = "the tables of HolisticTraceAnalysis, a CSV file each",
                .writeFolder = write);

} // namespace ringside::report::format_hta_csv
