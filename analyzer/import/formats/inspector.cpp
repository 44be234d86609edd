// SPDX-License-Identifier: Apache-2.0
// Imports JSON lines of NCCL Inspector: the completed collectives of a rank with their durations, but without
// times. Each process has a file, named HOST-pidN.log.
#include "import/bytes.h"
#include "import/importer.h"
#include "import/inspector/collect.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::importers::importer_inspector {
namespace {

using namespace inspector;

constexpr std::size_t kLongestLine = 1U << 20U; // a verbose record of 64 channels has ten kilobytes

bool recognises(std::string_view head, const std::filesystem::path&)
{
    const auto holds = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    return first != std::string_view::npos && head[first] == '{' && holds("\"header\"") &&
           (holds("\"coll_perf\"") || holds("\"p2p_perf\"") || holds("\"dump_stats\"")) &&
           !holds("\"traceEvents\"");
}

struct Counts {
    std::int64_t damaged = 0;
    std::int64_t others = 0;
    std::uint64_t firstDamage = 0; ///< line
    bool brokenOff = false;
};

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    LineReader lines(bytes, kLongestLine);
    Collector collector;
    Counts counts;
    Line line;
    Record record;
    Dump dump;
    while (lines.next(line)) {
        const LineKind kind = line.cut ? LineKind::Damaged : parseLine(line.text, dump, record);
        if (kind == LineKind::Record) {
            collector.add(record);
        } else if (kind == LineKind::Dump) {
            collector.add(dump);
        } else if (kind == LineKind::Damaged) {
            counts.brokenOff = counts.brokenOff || !line.ended;
            counts.firstDamage = counts.damaged++ == 0 ? line.number : counts.firstDamage;
        }
        counts.others += kind == LineKind::Other ? 1 : 0;
    }
    std::vector<trace::ProcessTrace> processes = collector.finish();
    if (processes.empty()) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} contains no record of NCCL Inspector in {} lines{}", job.path.string(),
                                line.number,
                                counts.damaged > 0
                                    ? fmt::format(", the first damaged one is line {}", counts.firstDamage)
                                    : ""),
                    "Give the complete JSON output of the Inspector (NCCL_INSPECTOR_PROM_DUMP=0).");
    }
    auto& issues = processes.front().issues;
    if (counts.damaged > 0) {
        issues.push_back(
            {trace::Issue::DamagedLine, counts.damaged,
             fmt::format("lines cannot be read, the first is line {}{}; they were left out",
                         counts.firstDamage, counts.brokenOff ? ", and the file breaks off" : "")});
    }
    if (counts.others > 0) {
        issues.push_back({trace::Issue::LinesLeftOut, counts.others, "lines contain no operation"});
    }
    if (!bytes.problem().empty()) {
        issues.push_back({trace::Issue::TruncatedFile, 1, bytes.problem()});
    }
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(inspector, .title = "NCCL Inspector", .files = "HOST-pidN.log", .recognises = recognises,
                  .import = importFile, .placeInHang = 4);

} // namespace ringside::importers::importer_inspector
