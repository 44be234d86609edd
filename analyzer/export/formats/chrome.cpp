// SPDX-License-Identifier: Apache-2.0
// All ranks in one JSON file of trace events, on the clock of the run, for chrome://tracing, Perfetto,
// Speedscope and other viewers. Use the format `perfetto` for large runs.
#include "export/exporter.h"
#include "export/rank_events.h"
#include "output/output_file.h"

#include <fmt/format.h>

namespace ringside::exporting::exporter_chrome {
namespace {

void write(const report::Report& report, const std::filesystem::path& output)
{
    output::OutputFile file(output);
    const Sink sink = [&file](std::string_view text) { file.write(text); };
    const auto residual = report.model.clockResidualNs();
    sink(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"started_at":{},"emulated":{},)"
                     R"("clock_residual_ns":{}}},"traceEvents":[)"
                     "\n",
                     report.startedAt ? jsonText(*report.startedAt) : "null", report.model.emulated,
                     residual ? fmt::to_string(*residual) : "null"));
    for (std::size_t rank = 0; rank < report.model.ranks.size(); ++rank) {
        sink(rank > 0 ? ",\n" : "");
        writeRankEvents(report.model, rank, report.model.ranks[rank].clock, sink);
    }
    sink("\n]}\n");
    file.close();
}

} // namespace

RINGSIDE_EXPORTER(chrome, .title = "one JSON file of trace events", .write = write);

} // namespace ringside::exporting::exporter_chrome
