// SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include "cli/option_values.h"
#include "cli/team.h"
#include "import/open_run.h"
#include "trace/read/run_outline.h"

namespace ringside::cli {
namespace {

/// Returns null if the run is better read as a whole.
std::optional<report::Report> longReport(const stretches::LongRun& run)
{
    std::optional<report::Report> report;
    withProgress([&](importers::Progress& progress) {
        std::uintmax_t bytes = 0;
        const auto show = [&](std::size_t done, std::size_t all) {
            if (done == 0) {
                bytes = trace::fileBytesOf(run.path);
                progress.expect(bytes);
            } else {
                progress.add(bytes / all);
            }
        };
        report = stretches::buildLongReport(run, show, team());
    });
    return report;
}

} // namespace

void addMemoryOption(CLI::App& app, std::uint64_t& rowBytes)
{
    constexpr unsigned kMib = 20; // bits
    app.add_option_function<std::uint64_t>(
           "--memory", [&rowBytes](const std::uint64_t& mib) { rowBytes = mib << kMib; },
           "Memory for rows. A longer run is read in stretches of steps, and its findings say in "
           "how many of them they were seen")
        ->type_name("MIB")
        ->transform(wholeNumber(1, 1 << kMib))
        ->default_str(std::to_string(rowBytes >> kMib));
}

std::optional<report::Report> reportOn(const ReportRequest& request)
{
    if (request.run.size() == 1 && importers::isNative(request.run)) {
        const stretches::LongRun run{importers::namedPath(request.run.front()), request.values,
                                     request.modelOptions, request.rowBytes};
        if (team() != nullptr && team()->rank() > 0) {
            stretches::helpWithReport(run, *team());
            return std::nullopt;
        }
        if (auto report = longReport(run)) {
            return report;
        }
    }
    return report::buildReport(openRun(request.run), request.values, request.modelOptions);
}

} // namespace ringside::cli
