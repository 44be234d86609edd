// SPDX-License-Identifier: Apache-2.0
// All ranks in one JSON file of trace events, on the clock of the run, for chrome://tracing, Perfetto,
// Speedscope and other viewers. Use the format `perfetto` for large runs.
#include "export/exporter.h"
#include "export/rank_events.h"
#include "output/output_file.h"
#include "trace/export_mark.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::exporting::exporter_chrome {
namespace {

void writeSlice(const report::Report& report, const std::filesystem::path& output, const Slice& slice,
                const Progress& progress)
{
    output::OutputFile file(output);
    const std::vector<std::size_t> ranks = ranksOf(report.model, slice);
    std::size_t done = 0;
    const Sink sink = [&](std::string_view text) {
        progress(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, ranks.size())));
        file.write(text);
    };
    const auto residual = report.model.clockResidualNs();
    sink(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{{},"started_at":{},"emulated":{},)"
                     R"("clock_residual_ns":{}}},"traceEvents":[)"
                     "\n",
                     trace::kExportMark, report.startedAt ? jsonText(*report.startedAt) : "null",
                     report.model.emulated, residual ? fmt::to_string(*residual) : "null"));
    for (const std::size_t rank : ranks) {
        sink(done > 0 ? ",\n" : "");
        writeRankEvents(report.model, rank, report.model.ranks[rank].clock, sink, slice.time);
        ++done;
    }
    sink("\n]}\n");
    file.close();
}

void write(const report::Report& report, const std::filesystem::path& output)
{
    writeSlice(report, output, {}, [](double /*share*/) {});
}

} // namespace

RINGSIDE_EXPORTER(chrome, .title = "one JSON file of trace events", .ending = "json", .write = write,
                  .writeSlice = writeSlice);

} // namespace ringside::exporting::exporter_chrome
