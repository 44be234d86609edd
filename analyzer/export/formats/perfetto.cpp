// SPDX-License-Identifier: Apache-2.0
// A TAR archive for Perfetto (v58 and later): one JSON file for each rank, in the time of its own host, and a
// manifest with the fitted offsets between the hosts (https://perfetto.dev/docs/reference/perfetto-manifest).
// A manifest cannot express drift, so that drift is removed from the times.
#include "export/archive.h"
#include "export/exporter.h"
#include "export/rank_events.h"
#include "output/json_value.h"
#include "trace/export_mark.h"

#include <fmt/format.h>

namespace ringside::exporting::exporter_perfetto {
namespace {

std::string pathOf(const model::Rank& rank)
{
    return fmt::format("rank{:05}.json", rank.rank);
}

/// Returns the clock of a file: CLOCK_MONOTONIC of its host at the first clock comparison, without drift
/// after it.
model::ClockMap fileClock(const model::Rank& rank)
{
    return {rank.clock.localReference, rank.clock.localReference, rank.clock.drift};
}

Json manifest(const model::Model& model, const std::vector<std::size_t>& ranks)
{
    Json files = Json::array();
    for (const std::size_t index : ranks) {
        const model::Rank& rank = model.ranks[index];
        files.push_back({{"path", pathOf(rank)},
                         {"machine", {{"name", model.hosts[rank.host].name}}},
                         {"clocks", {{"offset_ns", rank.clock.runReference - rank.clock.localReference}}}});
    }
    return {{"perfetto_manifest", {{"version", 1}, {"files", files}}}};
}

void writeTrace(const model::Model& model, std::size_t rank, const Slice& slice, const Sink& sink)
{
    sink(fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{{}}},\"traceEvents\":[\n",
                     trace::kExportMark));
    writeRankEvents(model, rank, fileClock(model.ranks[rank]), sink, slice.time);
    sink("\n]}\n");
}

void writeSlice(const report::Report& report, const std::filesystem::path& output, const Slice& slice,
                const Progress& progress)
{
    Archive archive(output);
    const std::vector<std::size_t> ranks = ranksOf(report.model, slice);
    // Its name sorts before the others: readers process the files in that order.
    const std::string text =
        manifest(report.model, ranks).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    archive.add("manifest.json", [&](const Sink& sink) { sink(text); });
    std::size_t passes = 0; // each rank has two: to count, and to write
    for (const std::size_t rank : ranks) {
        archive.add(pathOf(report.model.ranks[rank]), [&](const Sink& sink) {
            writeTrace(report.model, rank, slice, [&](std::string_view piece) {
                progress(static_cast<double>(passes) / static_cast<double>(2 * ranks.size()));
                sink(piece);
            });
            ++passes;
        });
    }
    archive.close();
}

void write(const report::Report& report, const std::filesystem::path& output)
{
    writeSlice(report, output, {}, [](double /*share*/) {});
}

} // namespace

RINGSIDE_EXPORTER(perfetto, .title = "an archive for Perfetto with clock offsets between hosts",
                  .ending = "tar", .write = write, .writeSlice = writeSlice);

} // namespace ringside::exporting::exporter_perfetto
