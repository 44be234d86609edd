// SPDX-License-Identifier: Apache-2.0
// Imports NCCL's own log (NCCL_DEBUG=INFO), of one rank or of a whole job mixed with other output. It
// contains the ranks, their connections, the settings, and the calls in their order, but no times.
#include "import/importer.h"
#include "import/nccl_log/collect.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::importers::importer_nccl_log {
namespace {

using namespace nccl_log;

constexpr std::size_t kLongestLine = 16U
                                     << 10U; // a message has at most 1 KiB, but a line may contain several

/// Whether the file is text and any of its first lines is NCCL's.
bool recognises(std::string_view head, const std::filesystem::path&)
{
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    if (first == std::string_view::npos || head[first] == '{' || head.find('\0') != std::string_view::npos) {
        return false;
    }
    std::size_t begin = 0;
    for (std::size_t at = head.find("NCCL "); at != std::string_view::npos; at = head.find("NCCL ", at + 1)) {
        begin = head.rfind('\n', at);
        begin = begin == std::string_view::npos ? 0 : begin + 1;
        if (!readLine(head.substr(begin, head.find('\n', at) - begin)).messages.empty()) {
            return true;
        }
    }
    return false;
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    LineReader lines(bytes, kLongestLine);
    Collector collector;
    Line line;
    while (lines.next(line)) {
        collector.add(line);
    }
    std::vector<trace::ProcessTrace> processes = collector.finish();
    if (processes.empty()) {
        throw Error(
            ErrorCode::Unusable,
            fmt::format("{} contains no line of NCCL's log in {} lines", job.path.string(), line.number),
            "Write the log with NCCL_DEBUG=INFO.");
    }
    if (!bytes.problem().empty()) {
        processes.front().issues.push_back({trace::Issue::TruncatedFile, 1, bytes.problem()});
    }
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(nccl_log, .title = "NCCL's log (NCCL_DEBUG=INFO)", .files = "*.log, *.txt, *.out",
                  .recognises = recognises, .import = importFile, .placeInHang = 3);

} // namespace ringside::importers::importer_nccl_log
