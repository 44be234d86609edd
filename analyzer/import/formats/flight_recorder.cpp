// SPDX-License-Identifier: Apache-2.0
// Imports dumps of PyTorch's flight recorder: the last collectives of a rank, usually of one that hangs. A
// dump is the pickle that PyTorch writes, or JSON. A pickle is read, but never executed.
#include "import/flight_recorder/assemble.h"
#include "import/flight_recorder/read_json.h"
#include "import/importer.h"
#include "import/pickle/read_pickle.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::importers::importer_flight_recorder {
namespace {

using namespace flight_recorder;

/// Whether it is a dump. Other files of PyTorch are excluded, because their stacks or groups may have such
/// names, too.
bool recognises(std::string_view head, const std::filesystem::path&)
{
    constexpr std::array<std::string_view, 4> kOwn{"pg_config", "pg_status", "collective_seq_id", "seq_id"};
    constexpr std::array<std::string_view, 4> kProfiler{"\"traceEvents\"", "\"baseTimeNanoseconds\"",
                                                        "\"deviceProperties\"", "\"distributedInfo\""};
    constexpr std::array<std::string_view, 2> kMemory{"segment_type", "device_traces"};
    const auto holds = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    const bool json = first != std::string_view::npos && head[first] == '{';
    return (json || pickle::isPickle(head)) && std::ranges::any_of(kOwn, holds) &&
           std::ranges::none_of(kMemory, holds) && !(json && std::ranges::any_of(kProfiler, holds));
}

[[noreturn]] void refuse(const Job& job, const Document& document, std::string_view problem)
{
    throw Error(ErrorCode::Unusable,
                fmt::format("{} {} at byte {}", job.path.string(), problem, document.offset),
                document.hint.empty() ? "Give a dump of PyTorch's flight recorder." : document.hint);
}

void checkVersion(const Job& job, const Dump& dump)
{
    if (!dump.version.empty() && !dump.version.starts_with("1.") && !dump.version.starts_with("2.")) {
        throw Error(
            ErrorCode::Unusable,
            fmt::format("{} is a flight-recorder dump of version {}", job.path.string(), dump.version),
            "Give a dump of version 1.x or 2.x (PyTorch 2.2 and newer).");
    }
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    std::array<char, 1> first{};
    const bool gzip = file.isGzip();
    const bool pickled =
        gzip ? pickle::isPickle(headOf(job.path, 16)) : file.read(0, first) == 1 && first[0] == '\x80';
    Document document = pickled ? pickle::readPickle(bytes) : readJson(bytes);
    if (!document.problem.empty() && !bytes.problem().empty()) {
        document.problem += " (" + bytes.problem() + ")";
    }
    const Dump dump = readDump(document);
    checkVersion(job, dump);
    if (dump.entries.empty() && dump.groups.empty()) {
        refuse(job, document, document.problem.empty() ? "contains no collectives" : document.problem);
    }
    std::vector<trace::ProcessTrace> processes;
    processes.push_back(assemble(dump, document.values));
    if (!document.problem.empty()) {
        processes.back().issues.push_back({trace::Issue::TruncatedFile, 1,
                                           fmt::format("the file {} at byte {}; the rest was not read",
                                                       document.problem, document.offset)});
    }
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(flight_recorder, .title = "PyTorch flight recorder",
                  .files = "nccl_trace_rank_N, *.json, *.pickle", .recognises = recognises,
                  .import = importFile, .placeInHang = 1, .writtenAgain = true);

} // namespace ringside::importers::importer_flight_recorder
