// SPDX-License-Identifier: Apache-2.0
// Imports traces of the PyTorch profiler (Kineto) and Chrome trace JSON of other programs. Each file is one
// rank, plain or gzip, with the members around the events in any order. The file is streamed. The intact part
// of a damaged file is kept.
#include "import/importer.h"
#include "import/input.h"
#include "import/kineto/assemble.h"
#include "import/kineto/scan_events.h"
#include "trace/export_mark.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::importers::importer_kineto {
namespace {

using namespace kineto;

constexpr Recorder kRecorder{
    .device = "as the PyTorch profiler recorded it",
    .noDevice =
        "the PyTorch profiler recorded none: ProfilerActivity.CUDA was not given, or the GPU did nothing",
    .host = "CUDA calls as the PyTorch profiler recorded them; of NCCL only calls that launched a kernel",
    .ranges = "operators and annotations of PyTorch",
    .nccl = "the PyTorch profiler does not record NCCL's algorithms, protocols and channels",
    .sampled =
        "the PyTorch profiler does not sample GPU, links or host; it records PyTorch's allocator if asked to",
    .decode = plainText};

bool recognises(std::string_view head, const std::filesystem::path&)
{
    constexpr std::array<std::string_view, 4> kMembers{"\"traceEvents\"", "\"baseTimeNanoseconds\"",
                                                       "\"deviceProperties\"", "\"distributedInfo\""};
    const std::size_t first = head.find_first_not_of(" \n\t\r\xEF\xBB\xBF");
    const auto holds = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    if (first == std::string_view::npos) {
        return false;
    }
    return head[first] == '{' ? std::ranges::any_of(kMembers, holds) : head[first] == '[' && holds("\"ph\"");
}

/// Returns a sentence about where and how the file is cut off. Empty if it is complete.
std::string endText(const Scanned& events, Place tail, const std::string& gzipProblem)
{
    std::string text;
    if (events.how == End::File) {
        text = fmt::format("the file breaks off at byte {}{}: its last events are lost", events.end,
                           events.insideEvent ? ", inside an event" : "");
    } else if (tail != Place::End) {
        text = "the file breaks off after its events: the members that should follow are lost";
    }
    if (!gzipProblem.empty()) {
        text += (text.empty() ? "" : "; ") + gzipProblem;
    }
    return text;
}

void noteDamage(trace::ProcessTrace& process, const Scanned& events, Place tail,
                const std::string& gzipProblem)
{
    if (const std::string text = endText(events, tail, gzipProblem); !text.empty()) {
        process.issues.push_back({trace::Issue::TruncatedFile, 1, text});
    }
    if (events.damaged > 0) {
        process.issues.push_back(
            {trace::Issue::DamagedEvent, events.damaged,
             fmt::format("parts of the event array are not valid events, the first at byte "
                         "{}; they were left out",
                         events.firstDamage)});
    }
}

/// Throws for a timeline that was exported from a run: it holds names and times for a viewer, and no more.
void refuseOwnExport(const std::filesystem::path& path)
{
    if (headOf(path, kHeadBytes).find(trace::kExportMark) != std::string::npos) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} is a timeline that Ringside exported for viewers", path.string()),
                    "Give the run that it was exported from: its .ringside directory.");
    }
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    refuseOwnExport(job.path);
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    Window window(bytes, 0);
    Document document;
    const Place head = readHead(window, document);
    if (head == Place::NoArray) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("traceEvents of {} is no array, so it holds no events", job.path.string()),
                    "Give a trace of the PyTorch profiler or another Chrome trace in JSON.");
    }
    if (head != Place::Events) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} {} at byte {}, before its events", job.path.string(),
                                head == Place::Broken ? "is not JSON" : "ends", window.offset()),
                    bytes.problem().empty() ? "If it is incomplete, copy or record it again."
                                            : bytes.problem());
    }
    Scanned events = scanEvents(file, window, job.threads, job.progress);
    Place tail = Place::End;
    if (events.how == End::Closed && window.offset() == events.end) {
        tail = readTail(window, document);
    } else if (events.how == End::Closed) {
        Bytes rest(file, events.end, job.progress);
        Window behind(rest, events.end);
        tail = readTail(behind, document);
    }
    trace::ProcessTrace process = assemble(std::move(events.rows), std::move(document), kRecorder);
    noteDamage(process, events, tail, bytes.problem());
    std::vector<trace::ProcessTrace> processes;
    processes.push_back(std::move(process));
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(kineto, .title = "PyTorch profiler (Kineto) or Chrome trace JSON",
                  .files = "*.pt.trace.json, *.json, *.json.gz", .recognises = recognises,
                  .import = importFile);

} // namespace ringside::importers::importer_kineto
